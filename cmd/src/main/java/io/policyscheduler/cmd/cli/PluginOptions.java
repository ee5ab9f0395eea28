package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.plugins.PluginLoadException;
import io.policyscheduler.cmd.plugins.PluginLoader;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Where plugins come from, as a mixin. */
final class PluginOptions {
    @Option(
            names = "--plugin-path",
            paramLabel = "DIR",
            description = "Folder with plugin jars; may be given several times.")
    private List<Path> folders = new ArrayList<>();

    /**
     * All plugins that profiles can name: the given ones, those on the class path and those in jars.
     *
     * @param builtIn the plugins of the program itself, by name
     * @throws InputException with a line for each jar that cannot be used
     */
    PluginRegistry registry(Map<String, PluginFactory> builtIn) {
        try {
            return PluginRegistry.empty()
                    .with(builtIn)
                    .with(PluginLoader.load(folders, builtIn.keySet(), PluginOptions.class.getClassLoader()));
        } catch (PluginLoadException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
    }
}
