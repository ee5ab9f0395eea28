package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PluginLoader.Digests;
import io.policyscheduler.cmd.sources.PluginLoader.PluginLoadException;
import io.policyscheduler.framework.plugin.PluginFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Picocli mixin: the sources of plugins. */
public final class PluginOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--plugin-path", paramLabel = "DIR", description = "Directory with plugin JAR files. Repeatable.")
    private List<Path> folders = new ArrayList<>();

    @Option(
            names = "--plugin-sha256",
            paramLabel = "FILE.jar=SHA256",
            description = "Load FILE.jar only if it has this SHA-256 digest. If you set the digest of one JAR file, set"
                    + " those of all. Repeatable.")
    private List<String> digests = new ArrayList<>();

    /**
     * The options of a command that has parsed its flags itself.
     *
     * @param spec command of usage errors
     */
    public static PluginOptions of(CommandSpec spec, List<Path> folders, List<String> digests) {
        PluginOptions options = new PluginOptions();
        options.spec = spec;
        options.folders = List.copyOf(folders);
        options.digests = List.copyOf(digests);
        return options;
    }

    /**
     * Loads the plugins on the class path and in JAR files.
     *
     * @param builtIn built-in plugins by name
     * @return the plugins by name, without built-in ones
     * @throws ParameterException if a digest is malformed
     * @throws InputException with a line for each invalid JAR
     */
    Map<String, PluginFactory> load(Map<String, PluginFactory> builtIn) {
        Digests pins;
        try {
            pins = Digests.parse(digests);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--plugin-sha256: " + e.getMessage(), e);
        }
        try {
            return PluginLoader.load(folders, builtIn.keySet(), pins, PluginOptions.class.getClassLoader());
        } catch (PluginLoadException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
    }
}
