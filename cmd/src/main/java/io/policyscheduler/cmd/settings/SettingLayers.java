package io.policyscheduler.cmd.settings;

import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.commons.configuration2.CombinedConfiguration;
import org.apache.commons.configuration2.Configuration;
import org.apache.commons.configuration2.MapConfiguration;
import org.apache.commons.configuration2.tree.OverrideCombiner;
import org.jspecify.annotations.Nullable;

/**
 * What holds below the flags, first the environment, then the configuration file. What neither says is left to the default of the
 * flag.
 */
public final class SettingLayers {
    /** What the source of a value from the environment begins with. */
    public static final String ENVIRONMENT = "environment";

    private static final String FILE = "file";

    private final @Nullable SchedulerConfiguration file;
    private final CombinedConfiguration layers = new CombinedConfiguration(new OverrideCombiner());

    /**
     * A value.
     *
     * @param value as a flag would have it
     * @param source for users, e.g. {@code environment POLICY_SCHEDULER_LEADER_ELECT} or {@code file config.yaml:12}
     */
    public record Value(String value, String source) {}

    /**
     * Layers.
     *
     * @param file null when there is none
     * @param environment of the process
     */
    public SettingLayers(@Nullable SchedulerConfiguration file, Map<String, String> environment) {
        this.file = file;
        Map<String, Object> variables = new LinkedHashMap<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(SettingKeys.PREFIX)) {
                variables.put(name, value);
            }
        });
        Map<String, Object> flags = new LinkedHashMap<>();
        if (file != null) {
            Map<String, String> values = file.given();
            SettingKeys.fields().forEach((flag, field) -> {
                String value = values.get(field);
                if (value != null) {
                    flags.put(SettingKeys.variable(flag), value);
                }
            });
        }
        layers.addConfiguration(new MapConfiguration(variables), ENVIRONMENT);
        layers.addConfiguration(new MapConfiguration(flags), FILE);
    }

    /** The value of a flag that is not given; empty when its default holds. */
    public Optional<Value> find(String flag) {
        String key = SettingKeys.variable(flag);
        String value = layers.getString(key);
        if (value == null) {
            return Optional.empty();
        }
        Configuration source = layers.getSource(key);
        boolean fromFile = Objects.equals(source, layers.getConfiguration(FILE));
        return Optional.of(new Value(value, fromFile ? "file " + place(flag) : "environment " + key));
    }

    private String place(String flag) {
        String field = SettingKeys.field(flag);
        if (file == null || field == null) {
            return "";
        }
        return file.file() + file.positions().of(field).map(SettingLayers::line).orElse("");
    }

    private static String line(SourcePosition position) {
        return ":" + position.line();
    }
}
