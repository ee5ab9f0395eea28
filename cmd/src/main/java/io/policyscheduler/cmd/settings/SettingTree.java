package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.framework.config.setting.Setting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What holds: the layers put over each other, later ones over earlier ones. Immutable. */
public final class SettingTree {
    private final ImmutableMap<Setting, SettingValue> values;

    private SettingTree(Map<Setting, SettingValue> values) {
        this.values = ImmutableMap.copyOf(values);
    }

    /** @param patches the weakest first */
    public static SettingTree of(SettingPatch... patches) {
        Map<Setting, SettingValue> values = new LinkedHashMap<>();
        for (SettingPatch patch : patches) {
            values.putAll(patch.values());
        }
        return new SettingTree(values);
    }

    /** What holds for a setting, and who says it; empty when nobody says anything. */
    public Optional<SettingValue> find(Setting setting) {
        return Optional.ofNullable(values.get(setting));
    }

    /** Whether a flag or a variable says it. */
    public boolean isGivenAtStart(Setting setting) {
        return find(setting).filter(SettingValue::isGivenAtStart).isPresent();
    }

    private Optional<Object> value(Setting setting) {
        return find(setting).map(SettingValue::value);
    }

    /** A switch; one that nobody has set is off. */
    public boolean isOn(Setting setting) {
        return value(setting).map(Boolean.TRUE::equals).orElse(false);
    }

    /** A text, empty when nobody says one. */
    public String text(Setting setting) {
        return value(setting).map(Setting::format).orElse("");
    }

    /** A whole number, 0 when nobody says one. */
    public long number(Setting setting) {
        return value(setting).map(value -> ((Number) value).longValue()).orElse(0L);
    }

    /** A number, 0 when nobody says one. */
    public double decimal(Setting setting) {
        return value(setting).map(value -> ((Number) value).doubleValue()).orElse(0.0);
    }

    /** A duration, zero when nobody says one. */
    public Duration duration(Setting setting) {
        return value(setting).map(Duration.class::cast).orElse(Duration.ZERO);
    }

    /** A list, empty when nobody says one. */
    public List<String> texts(Setting setting) {
        return value(setting)
                .map(value -> ((List<?>) value).stream().map(String::valueOf).toList())
                .orElse(List.of());
    }
}
