package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.cli.ErrorReport;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.framework.plugin.PluginFactory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class PluginOptionsTest {
    @TempDir
    private Path temp = Path.of("");

    /** A command with the mixin. */
    @Command(name = "check")
    private static final class Check implements Callable<Integer> {
        @Mixin
        private PluginOptions plugins = new PluginOptions();

        @Override
        public Integer call() {
            plugins.load(Map.of("NodeName", handle -> () -> "NodeName"));
            return ExitCode.OK;
        }
    }

    @Test
    void withoutFoldersThereAreNoExternalPlugins() {
        PluginOptions options = CommandLine.populateCommand(new PluginOptions());
        assertEquals(Map.of(), options.load(Map.of("NodeName", handle -> () -> "NodeName")));
    }

    @Test
    void jarsAreLoadedOnce() throws Exception {
        Path jar = ServiceFile.jar(temp.resolve("rack.jar"), GivenProviders.Rack.class.getName());
        PluginOptions options = CommandLine.populateCommand(new PluginOptions(), "--plugin-path", temp.toString());
        Map<String, PluginFactory> plugins = options.load(Map.of());
        Files.delete(jar);
        assertEquals(Set.of("Rack"), plugins.keySet());
        assertEquals(plugins, options.load(Map.of()));
    }

    @Test
    void everyFolderIsLookedInto() throws Exception {
        Path other = Files.createDirectory(temp.resolve("other"));
        Files.writeString(temp.resolve("a.jar"), "");
        Files.writeString(other.resolve("b.jar"), "");
        PluginOptions options = CommandLine.populateCommand(
                new PluginOptions(), "--plugin-path", temp.toString(), "--plugin-path=" + other);
        assertEquals(
                "plugin jar " + temp.resolve("a.jar") + " cannot be read as a jar: zip file is empty\nplugin jar "
                        + other.resolve("b.jar") + " cannot be read as a jar: zip file is empty",
                assertThrows(InputException.class, () -> options.load(Map.of())).getMessage());
    }

    @Test
    void aBrokenJarIsBadInput() throws Exception {
        Files.writeString(temp.resolve("a.jar"), "");
        StringWriter err = new StringWriter();
        int code = new CommandLine(new Check())
                .setErr(new PrintWriter(err, true))
                .setExecutionExceptionHandler(new ErrorReport(() -> false))
                .execute("--plugin-path", temp.toString());
        assertEquals(ExitCode.BAD_INPUT, code);
        assertEquals(
                "error: plugin jar " + temp.resolve("a.jar") + " cannot be read as a jar: zip file is empty",
                err.toString().strip());
    }
}
