package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The file that {@code --config} names, read and validated once. */
final class ConfigFile {
    /** No file. */
    static final ConfigFile NONE = new ConfigFile("", null);

    private final String text;
    private final @Nullable SchedulerConfiguration configuration;

    private ConfigFile(String text, @Nullable SchedulerConfiguration configuration) {
        this.text = text;
        this.configuration = configuration;
    }

    /**
     * Reads a file.
     *
     * @throws InputException when it cannot be read or is refused, with a line for each problem
     */
    static ConfigFile read(Path file) {
        String text = InputFiles.text(file);
        try {
            return new ConfigFile(text, valid(text, file.toString()));
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        }
    }

    private static SchedulerConfiguration valid(String text, String file) throws ConfigurationException {
        SchedulerConfiguration configuration = new ConfigurationReader().read(text, file);
        new ConfigurationValidator().check(configuration);
        return configuration;
    }

    /** What the file says; empty without a file. */
    Optional<SchedulerConfiguration> configuration() {
        return Optional.ofNullable(configuration);
    }

    /**
     * The valid configuration of a text; that of this file is not read again.
     *
     * @throws ConfigurationException if the text is refused
     */
    SchedulerConfiguration configuration(String other, String file) throws ConfigurationException {
        SchedulerConfiguration known = configuration;
        return known != null && text.equals(other) && known.file().equals(file) ? known : valid(other, file);
    }
}
