package io.policyscheduler.cmd.run;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.run.SettingTree.Value.Layer;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Setting.SettingFlag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.configuration2.BaseHierarchicalConfiguration;
import org.apache.commons.configuration2.CombinedConfiguration;
import org.apache.commons.configuration2.tree.OverrideCombiner;

/** The effective settings: layers in which later ones override earlier ones. Immutable. */
public final class SettingTree {
    private final CombinedConfiguration layers = new CombinedConfiguration(new OverrideCombiner());

    private SettingTree() {}

    /** @param patches the layers, the lowest first */
    public static SettingTree of(Patch... patches) {
        SettingTree tree = new SettingTree();
        for (Patch patch : ImmutableList.copyOf(patches).reverse()) {
            BaseHierarchicalConfiguration layer = new BaseHierarchicalConfiguration();
            patch.values().forEach((setting, value) -> layer.setProperty(key(setting), value));
            tree.layers.addConfiguration(layer);
        }
        return tree;
    }

    /** Flags are unique. Fields are not. */
    private static String key(Setting setting) {
        return setting.flag().isEmpty() ? setting.field() : setting.flag().replaceFirst("^-+", "flags.");
    }

    /** Returns the effective value of a setting and its source; empty if it is not set. */
    public Optional<Value> find(Setting setting) {
        return Optional.ofNullable((Value) layers.getProperty(key(setting)));
    }

    /** Returns whether a flag or an environment variable sets it. */
    public boolean isGivenAtStart(Setting setting) {
        return find(setting).filter(Value::isGivenAtStart).isPresent();
    }

    private Optional<Object> value(Setting setting) {
        return find(setting).map(Value::value);
    }

    /** Returns a boolean; false if it is not set. */
    public boolean isOn(Setting setting) {
        return value(setting).map(Boolean.TRUE::equals).orElse(false);
    }

    /** Returns a string; empty if it is not set. */
    public String text(Setting setting) {
        return value(setting).map(Setting::format).orElse("");
    }

    /** Returns an integer; 0 if it is not set. */
    public long number(Setting setting) {
        return value(setting).map(value -> ((Number) value).longValue()).orElse(0L);
    }

    /** Returns a duration; zero if it is not set. */
    public Duration duration(Setting setting) {
        return value(setting).map(Duration.class::cast).orElse(Duration.ZERO);
    }

    /** Returns a list; empty if it is not set. */
    public List<String> texts(Setting setting) {
        return value(setting)
                .map(value -> ((List<?>) value).stream().map(String::valueOf).toList())
                .orElse(List.of());
    }

    /**
     * The value of a setting and its source.
     *
     * @param value a Boolean, Integer, Long, Double, Duration, String or List of String
     * @param layer the layer that sets it
     * @param source the origin in messages, such as {@code environment POLICY_SCHEDULER_LEADER_ELECT} or
     *     {@code file config.yaml:12}
     */
    public record Value(Object value, Layer layer, String source) {
        /** The source of defaults. */
        public static final String BY_DEFAULT = "default";

        /** The layers, the lowest first. */
        public enum Layer {
            DEFAULT,
            FILE,
            ENVIRONMENT,
            FLAG
        }

        /** Returns the value in the format of flags. */
        public String text() {
            return Setting.format(value);
        }

        /** Returns whether a flag or an environment variable sets it. */
        public boolean isGivenAtStart() {
            return layer == Layer.ENVIRONMENT || layer == Layer.FLAG;
        }
    }

    /** Warnings about flags that are accepted for compatibility and have no effect. */
    public static final class Warnings {
        private Warnings() {}

        /** Returns a line for each such flag or variable whose value differs from the actual behavior. */
        public static List<String> of(SettingTree settings) {
            List<String> warnings = new ArrayList<>();
            for (Setting setting : SettingCatalog.withFlags()) {
                SettingFlag flag = setting.requireFlag();
                boolean inVain = !flag.noEffect().isEmpty()
                        && settings.isGivenAtStart(setting)
                        && !flag.harmless().contains(settings.text(setting));
                if (inVain) {
                    warnings.add(flag.code() + " " + flag.name() + " has no effect: " + flag.noEffect());
                }
            }
            return warnings;
        }
    }

    /** The settings that one layer changes. Immutable. */
    public static final class Patch {
        /** No settings. */
        public static final Patch NONE = new Patch(Map.of());

        private final ImmutableMap<Setting, Value> values;

        private Patch(Map<Setting, Value> values) {
            this.values = ImmutableMap.copyOf(values);
        }

        /** Returns the lowest layer: the defaults. */
        public static Patch defaults(List<Setting> settings, Compat compat) {
            Map<Setting, Value> values = new LinkedHashMap<>();
            for (Setting setting : settings) {
                String text = setting.flagDefault(compat);
                if (!text.isEmpty()) {
                    values.put(setting, new Value(setting.parse(text), Layer.DEFAULT, Value.BY_DEFAULT));
                }
            }
            return new Patch(values);
        }

        /**
         * Returns the settings of a configuration file.
         *
         * @throws InvalidException if the flag does not accept a value
         */
        public static Patch ofFile(List<Setting> settings, SchedulerConfiguration file) {
            Map<Setting, Value> values = new LinkedHashMap<>();
            for (Setting setting : settings) {
                String text = file.given().get(setting.field());
                if (text != null) {
                    String source = "file " + file.file() + line(file, setting.field());
                    values.put(setting, new Value(parse(setting, text, source), Layer.FILE, source));
                }
            }
            return new Patch(values);
        }

        private static String line(SchedulerConfiguration file, String field) {
            return file.positions().of(field).map(Patch::line).orElse("");
        }

        private static String line(SourcePosition position) {
            return ":" + position.line();
        }

        /**
         * Returns the settings of the environment variables.
         *
         * @throws InvalidException if the value of a variable is invalid
         */
        public static Patch ofEnvironment(List<Setting> settings, Map<String, String> environment) {
            Map<Setting, Value> values = new LinkedHashMap<>();
            for (Setting setting : settings) {
                String variable = setting.variable();
                String text = variable.isEmpty() ? null : environment.get(variable);
                if (text != null) {
                    String source = "environment " + variable;
                    values.put(setting, new Value(parse(setting, text, source), Layer.ENVIRONMENT, source));
                }
            }
            return new Patch(values);
        }

        /** Returns the settings of flags with parsed values. */
        public static Patch ofFlags(Map<Setting, Object> given) {
            Map<Setting, Value> values = new LinkedHashMap<>();
            given.forEach(
                    (setting, value) -> values.put(setting, new Value(value, Layer.FLAG, "flag " + setting.flag())));
            return new Patch(values);
        }

        private static Object parse(Setting setting, String text, String source) {
            try {
                return setting.parse(text);
            } catch (IllegalArgumentException e) {
                throw new InvalidException(
                        "Invalid value for option '" + setting.flag() + "': " + e.getMessage() + " (from " + source
                                + ")",
                        e);
            }
        }

        /** Returns the value of a setting in this layer. */
        public Optional<Value> find(Setting setting) {
            return Optional.ofNullable(values.get(setting));
        }

        Map<Setting, Value> values() {
            return values;
        }
    }

    /** An invalid value. The message is one line for users and names the flag and the source of the value. */
    public static final class InvalidException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        InvalidException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
