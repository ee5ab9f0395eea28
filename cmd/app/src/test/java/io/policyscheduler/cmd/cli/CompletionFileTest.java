package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.CompletionCommand.CompletionFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionFileTest {
    @Test
    void isWhatTheCommandPrints(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("completion.bash");
        CompletionFile.main(new String[] {file.toString()});

        StringWriter printed = new StringWriter();
        assertEquals(
                0,
                Main.run(
                        new String[] {"completion", "bash"},
                        new PrintWriter(printed),
                        new PrintWriter(new StringWriter())));
        String script = Files.readString(file);
        assertEquals(printed.toString().lines().toList(), script.lines().toList());
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            assertTrue(script.contains("\nfunction _picocli_policy-scheduler_" + command + "() {\n"), command);
        }
    }

    @Test
    void needsAFile() {
        assertThrows(IllegalArgumentException.class, () -> CompletionFile.main(new String[0]));
    }
}
