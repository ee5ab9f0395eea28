package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.settings.SettingValue.Layer;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.setting.Compat;
import io.policyscheduler.framework.config.setting.Setting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What one layer says: the settings that it changes. Immutable. */
public final class SettingPatch {
    /** Says nothing. */
    public static final SettingPatch NONE = new SettingPatch(Map.of());

    private final ImmutableMap<Setting, SettingValue> values;

    private SettingPatch(Map<Setting, SettingValue> values) {
        this.values = ImmutableMap.copyOf(values);
    }

    /** The defaults, the lowest layer; it says something about every setting that has a default. */
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
     * What a configuration file says itself.
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
     * What the variables of the environment say.
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

    /** What flags say, whose values have been read already. */
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

    /** What this layer says of a setting. */
    public Optional<SettingValue> find(Setting setting) {
        return Optional.ofNullable(values.get(setting));
    }

    Map<Setting, SettingValue> values() {
        return values;
    }
}
