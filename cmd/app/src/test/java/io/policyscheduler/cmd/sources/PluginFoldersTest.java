package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.sources.PluginLoader.Digests;
import io.policyscheduler.cmd.sources.PluginLoader.PluginLoadException;
import io.policyscheduler.cmd.sources.PluginLoader.ProviderPlugins;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How {@link PluginLoader} reads folders; {@link ProviderPlugins} checks the content of jars. */
class PluginFoldersTest {
    private static final String RACK = GivenProviders.Rack.class.getName();
    private static final String ROW = GivenProviders.Row.class.getName();
    private static final Set<String> BUILT_IN = Set.of("NodeName");

    @TempDir
    private Path temp = Path.of("");

    private Path first = Path.of("");
    private Path second = Path.of("");

    @BeforeEach
    void makeFolders() throws IOException {
        first = Files.createDirectory(temp.resolve("first"));
        second = Files.createDirectory(temp.resolve("second"));
    }

    private List<String> names(Digests pins, Path... folders) throws PluginLoadException {
        return List.copyOf(
                PluginLoader.load(List.of(folders), BUILT_IN, pins, getClass().getClassLoader())
                        .keySet());
    }

    private List<String> problems(Digests pins, Path... folders) {
        return assertThrows(PluginLoadException.class, () -> names(pins, folders))
                .problems();
    }

    @Test
    void withoutFoldersThereAreNone() throws Exception {
        assertEquals(List.of(), names(Digests.NONE));
        assertEquals(List.of(), names(Digests.NONE, first));
    }

    @Test
    void jarsComeByFolderAndFileName() throws Exception {
        ServiceFile.jar(first.resolve("z.jar"), RACK);
        ServiceFile.jar(second.resolve("a.JAR"), ROW);
        Files.writeString(first.resolve("notes.txt"), "no jar");
        Files.createDirectory(first.resolve("folder.jar"));
        assertEquals(List.of("Rack", "Row"), names(Digests.NONE, first, second));
        assertEquals(List.of("Row", "Rack"), names(Digests.NONE, second, first));
        // The same folder twice counts once.
        assertEquals(List.of("Rack"), names(Digests.NONE, first, temp.resolve("second/../first")));
    }

    @Test
    void everyThingThatIsWrongIsToldInALine() throws Exception {
        Path text = Files.writeString(first.resolve("text.jar"), "no jar");
        ServiceFile.jar(first.resolve("one.jar"), RACK);
        ServiceFile.jar(first.resolve("two.jar"), RACK);
        ServiceFile.jar(second.resolve("none.jar"), GivenProviders.None.class.getName());
        List<String> problems = problems(Digests.NONE, first, second, temp.resolve("gone"));
        assertEquals("plugin path " + temp.resolve("gone") + " is no directory", problems.get(0));
        assertEquals(
                "plugin jar " + text + " cannot be read as a jar: ",
                problems.get(1).substring(0, problems.get(1).indexOf("jar: ") + "jar: ".length()));
        assertEquals(
                List.of(
                        "plugin jar " + first.resolve("two.jar")
                                + ": a plugin named Rack already exists, in plugin jar " + first.resolve("one.jar"),
                        "plugin jar " + second.resolve("none.jar") + " brings no plugin"),
                problems.subList(2, problems.size()));
    }

    @Test
    void builtInNamesAreTaken() throws Exception {
        Path jar = ServiceFile.jar(first.resolve("rack.jar"), RACK);
        PluginLoadException e = assertThrows(
                PluginLoadException.class,
                () -> PluginLoader.load(
                        List.of(first), Set.of("Rack"), Digests.NONE, getClass().getClassLoader()));
        assertEquals(
                List.of("plugin jar " + jar + ": a plugin named Rack already exists, in the program itself"),
                e.problems());
        assertEquals(String.join("\n", e.problems()), e.getMessage());
    }

    @Test
    void pinsRefuseJarsBeforeTheyAreOpened() throws Exception {
        Path jar = Files.writeString(first.resolve("text.jar"), "no jar");
        Digests pins = Digests.parse(List.of("other.jar=" + "0".repeat(64)));
        assertEquals(
                List.of(
                        "plugin jar " + jar + " is not pinned by --plugin-sha256, as the others are",
                        "plugin jar other.jar, which --plugin-sha256 names, is in no folder of --plugin-path"),
                problems(pins, first));
    }
}
