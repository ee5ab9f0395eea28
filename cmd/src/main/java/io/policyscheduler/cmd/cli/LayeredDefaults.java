package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.settings.SettingKeys;
import io.policyscheduler.cmd.settings.SettingLayers;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Values of flags that are not given: from the environment, then from the file that {@code --config} names. */
final class LayeredDefaults implements IDefaultValueProvider {
    static final String CONFIG = "--config";

    private final SettingLayers layers;

    private LayeredDefaults(SettingLayers layers) {
        this.layers = layers;
    }

    /** For a command line, which is looked at for the name of the file only. */
    static LayeredDefaults of(List<String> args, Map<String, String> environment) {
        return new LayeredDefaults(new SettingLayers(configuration(args, environment), environment));
    }

    /** A file that cannot be used gives no values here; the command that reads it says why. */
    private static @Nullable SchedulerConfiguration configuration(List<String> args, Map<String, String> environment) {
        String file = environment.get(SettingKeys.variable(CONFIG));
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (arg.startsWith(CONFIG + "=")) {
                file = arg.substring(CONFIG.length() + 1);
            } else if (arg.equals(CONFIG) && i + 1 < args.size()) {
                file = args.get(i + 1);
            }
        }
        if (file == null || file.isEmpty()) {
            return null;
        }
        try {
            return new ConfigurationReader().read(InputFiles.text(Path.of(file)), file);
        } catch (ConfigurationException | RuntimeException e) {
            return null;
        }
    }

    /** Where the value of a flag that was not given comes from. */
    SettingLayers layers() {
        return layers;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec arg) {
        return arg instanceof OptionSpec option
                ? layers.find(option.longestName())
                        .map(SettingLayers.Value::value)
                        .orElse(null)
                : null;
    }
}
