package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.sources.PluginLoader.Digests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PinnedJarsTest {
    /** Of the three bytes {@code abc}. */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir
    private Path folder = Path.of("");

    private Path jar(String name) throws IOException {
        return Files.writeString(folder.resolve(name), "abc");
    }

    @Test
    void withoutPinsEveryJarMayBeUsed() throws IOException {
        assertNull(Digests.NONE.problem(jar("a.jar")));
        assertEquals(List.of(), Digests.NONE.missingFrom(List.of()));
    }

    @Test
    void onlyPinnedContentIsUsed() throws IOException {
        String zeros = "0".repeat(64);
        Digests pins = Digests.parse(List.of("a.jar=" + ABC.toUpperCase(java.util.Locale.ROOT), "b=c.jar=" + zeros));
        assertNull(pins.problem(jar("a.jar")));
        assertEquals(
                "has the SHA-256 " + ABC + " instead of " + zeros + ", which --plugin-sha256 demands",
                pins.problem(jar("b=c.jar")));
        assertEquals("is not pinned by --plugin-sha256, as the others are", pins.problem(jar("d.jar")));
        assertEquals("cannot be read: " + folder.resolve("sub/a.jar"), pins.problem(folder.resolve("sub/a.jar")));
        assertEquals(
                List.of("plugin jar b=c.jar, which --plugin-sha256 names, is in no folder of --plugin-path"),
                pins.missingFrom(List.of(jar("a.jar"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.jar", "a.jar=", "a.jar=12", "=" + ABC, "x/a.jar=" + ABC, "a.jar=" + ABC + "0"})
    void malformedPins(String entry) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Digests.parse(List.of(entry)));
        assertEquals(
                "\"" + entry + "\" is not FILE.jar=SHA256, a file name without folders and 64 hexadecimal digits as"
                        + " sha256sum prints them",
                e.getMessage());
    }

    @Test
    void aJarIsPinnedOnce() {
        assertEquals(
                "a.jar is given twice",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Digests.parse(List.of("a.jar=" + ABC, "a.jar=" + ABC)))
                        .getMessage());
    }
}
