package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.settings.SettingValue.Layer;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The settings that one layer changes. Immutable. */
public final class SettingPatch {
    /** Changes nothing. */
    public static final SettingPatch NONE = new SettingPatch(Map.of());

    private final ImmutableMap<Setting, SettingValue> values;

    private SettingPatch(Map<Setting, SettingValue> values) {
        this.values = ImmutableMap.copyOf(values);
    }

    /** Returns the lowest layer: the defaults. */
    public static SettingPatch defaults(List<Setting> settings, Compat compat) {
        Map<Setting, SettingValue> values = new LinkedHashMap<>();
        for (Setting setting : settings) {
            String text = setting.flagDefault(compat);
            if (!text.isEmpty()) {
                values.put(setting, new SettingValue(setting.parse(text), Layer.DEFAULT, SettingValue.BY_DEFAULT));
            }
        }
        return new SettingPatch(values);
    }

    /**
     * Returns the settings of a configuration file.
     *
     * @throws SettingException when a value cannot be the one of the flag
     */
    public static SettingPatch ofFile(List<Setting> settings, SchedulerConfiguration file) {
        Map<Setting, SettingValue> values = new LinkedHashMap<>();
        for (Setting setting : settings) {
            String text = file.given().get(setting.field());
            if (text != null) {
                String source = "file " + file.file() + line(file, setting.field());
                values.put(setting, new SettingValue(parse(setting, text, source), Layer.FILE, source));
            }
        }
        return new SettingPatch(values);
    }

    private static String line(SchedulerConfiguration file, String field) {
        return file.positions().of(field).map(SettingPatch::line).orElse("");
    }

    private static String line(SourcePosition position) {
        return ":" + position.line();
    }

    /**
     * Returns the settings of the environment variables.
     *
     * @throws SettingException when a variable has a value that its setting cannot have
     */
    public static SettingPatch ofEnvironment(List<Setting> settings, Map<String, String> environment) {
        Map<Setting, SettingValue> values = new LinkedHashMap<>();
        for (Setting setting : settings) {
            String variable = setting.variable();
            String text = variable.isEmpty() ? null : environment.get(variable);
            if (text != null) {
                String source = "environment " + variable;
                values.put(setting, new SettingValue(parse(setting, text, source), Layer.ENVIRONMENT, source));
            }
        }
        return new SettingPatch(values);
    }

    /** Returns the settings of flags with parsed values. */
    public static SettingPatch ofFlags(Map<Setting, Object> given) {
        Map<Setting, SettingValue> values = new LinkedHashMap<>();
        given.forEach(
                (setting, value) -> values.put(setting, new SettingValue(value, Layer.FLAG, "flag " + setting.flag())));
        return new SettingPatch(values);
    }

    private static Object parse(Setting setting, String text, String source) {
        try {
            return setting.parse(text);
        } catch (IllegalArgumentException e) {
            throw new SettingException(
                    "Invalid value for option '" + setting.flag() + "': " + e.getMessage() + " (from " + source + ")",
                    e);
        }
    }

    /** Returns the value of a setting in this layer. */
    public Optional<SettingValue> find(Setting setting) {
        return Optional.ofNullable(values.get(setting));
    }

    Map<Setting, SettingValue> values() {
        return values;
    }
}
