package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.framework.config.setting.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.commons.configuration2.BaseHierarchicalConfiguration;
import org.apache.commons.configuration2.CombinedConfiguration;
import org.apache.commons.configuration2.tree.OverrideCombiner;

/** What holds: the layers put over each other, later ones over earlier ones. Not changed once it is made. */
public final class SettingTree {
    private final CombinedConfiguration layers = new CombinedConfiguration(new OverrideCombiner());

    private SettingTree() {}

    /** @param patches the weakest first */
    public static SettingTree of(SettingPatch... patches) {
        SettingTree tree = new SettingTree();
        for (SettingPatch patch : ImmutableList.copyOf(patches).reverse()) {
            BaseHierarchicalConfiguration layer = new BaseHierarchicalConfiguration();
            patch.values().forEach((setting, value) -> layer.setProperty(key(setting), value));
            tree.layers.addConfiguration(layer);
        }
        return tree;
    }

    /** Flags, unlike fields, are all different. */
    private static String key(Setting setting) {
        return setting.flag().isEmpty() ? setting.field() : setting.flag().replaceFirst("^-+", "flags.");
    }

    /** What holds for a setting, and who says it; empty when nobody says anything. */
    public Optional<SettingValue> find(Setting setting) {
        return Optional.ofNullable((SettingValue) layers.getProperty(key(setting)));
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
