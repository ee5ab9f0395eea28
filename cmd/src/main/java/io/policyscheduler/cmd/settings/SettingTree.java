package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.framework.config.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.commons.configuration2.BaseHierarchicalConfiguration;
import org.apache.commons.configuration2.CombinedConfiguration;
import org.apache.commons.configuration2.tree.OverrideCombiner;

/** The effective settings: layers in which later ones override earlier ones. Immutable. */
public final class SettingTree {
    private final CombinedConfiguration layers = new CombinedConfiguration(new OverrideCombiner());

    private SettingTree() {}

    /** @param patches the layers, the lowest first */
    public static SettingTree of(SettingPatch... patches) {
        SettingTree tree = new SettingTree();
        for (SettingPatch patch : ImmutableList.copyOf(patches).reverse()) {
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
    public Optional<SettingValue> find(Setting setting) {
        return Optional.ofNullable((SettingValue) layers.getProperty(key(setting)));
    }

    /** Returns whether a flag or an environment variable sets it. */
    public boolean isGivenAtStart(Setting setting) {
        return find(setting).filter(SettingValue::isGivenAtStart).isPresent();
    }

    private Optional<Object> value(Setting setting) {
        return find(setting).map(SettingValue::value);
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

    /** Returns a decimal number; 0 if it is not set. */
    public double decimal(Setting setting) {
        return value(setting).map(value -> ((Number) value).doubleValue()).orElse(0.0);
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
}
