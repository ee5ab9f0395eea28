package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.settings.SettingKeys;
import io.policyscheduler.cmd.settings.SettingLayers;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Values of flags that are not given: from the environment, then from the file that {@code --config} names. */
public final class LayeredDefaults implements IDefaultValueProvider {
    static final String CONFIG = "--config";

    private final SettingLayers layers;
    private final @Nullable Reading reading;

    /** A text and what became of it: a configuration or the reason why not. */
    private record Reading(
            String text,
            @Nullable SchedulerConfiguration configuration,
            @Nullable ConfigurationException refusal) {
        static Reading of(String text, String file) {
            try {
                return new Reading(text, new ConfigurationReader().read(text, file), null);
            } catch (ConfigurationException e) {
                return new Reading(text, null, e);
            }
        }

        SchedulerConfiguration get() throws ConfigurationException {
            if (refusal != null) {
                throw refusal;
            }
            return Objects.requireNonNull(configuration);
        }
    }

    private LayeredDefaults(SettingLayers layers, @Nullable Reading reading) {
        this.layers = layers;
        this.reading = reading;
    }

    /** For a command line, which is looked at for the name of the file only. */
    public static LayeredDefaults of(List<String> args, Map<String, String> environment) {
        Reading reading = reading(args, environment);
        SchedulerConfiguration file = reading == null ? null : reading.configuration();
        return new LayeredDefaults(new SettingLayers(file, environment), reading);
    }

    /** A file that cannot be read gives no values here; the command that needs it says why. */
    private static @Nullable Reading reading(List<String> args, Map<String, String> environment) {
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
            Path path = Path.of(file);
            return Reading.of(InputFiles.text(path), path.toString());
        } catch (InvalidPathException | InputException e) {
            return null;
        }
    }

    /**
     * The configuration of a text, read anew only if it is not the one that the flags have their values from.
     *
     * @throws ConfigurationException if the text is refused
     */
    SchedulerConfiguration configuration(String text, String file) throws ConfigurationException {
        Reading known = reading != null && reading.text().equals(text) ? reading : Reading.of(text, file);
        return known.get();
    }

    /** Where the value of a flag that was not given comes from. */
    public SettingLayers layers() {
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
