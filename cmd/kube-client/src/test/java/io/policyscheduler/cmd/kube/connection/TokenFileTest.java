package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.kube.connection.Credentials.TokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenFileTest {
    private final Path file;
    private final VirtualTime time = new VirtualTime();
    private final TokenFile token;

    TokenFileTest(@TempDir Path folder) {
        file = folder.resolve("token");
        token = new TokenFile(file, time.ticker()::read);
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
    }

    @Test
    void isReadAgainNowAndThenAndAfterARefusal() throws IOException {
        write("one\n");
        assertEquals("Bearer one", token.authorization());
        write("two");
        assertEquals("Bearer one", token.authorization());
        time.advance(Duration.ofSeconds(10));
        assertEquals("Bearer two", token.authorization());
        write("three");
        token.refused("Bearer one");
        assertEquals("Bearer two", token.authorization(), "what was refused is not what counts now");
        token.refused("Bearer two");
        assertEquals("Bearer three", token.authorization());
    }

    @Test
    void theLastTokenStaysWhileThereIsNoOther() throws IOException {
        IOException e = assertThrows(IOException.class, token::authorization);
        assertEquals("token file " + file + ": NoSuchFileException: " + file, e.getMessage());
        write("one");
        assertEquals("Bearer one", token.authorization());
        write("");
        time.advance(Duration.ofSeconds(10));
        assertEquals("Bearer one", token.authorization());
        Files.delete(file);
        time.advance(Duration.ofSeconds(10));
        assertEquals("Bearer one", token.authorization());
    }
}
