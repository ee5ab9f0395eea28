package io.policyscheduler.framework.config;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Puts the plugins of a file and the defaults of its version together. Mirrors {@code mergePlugins} of each version. */
final class PluginMerge {
    private final ConfigVersion version;
    private final Release release;

    PluginMerge(ConfigVersion version, Release release) {
        this.version = version;
        this.release = release;
    }

    /** The merged plugins; those of a v1alpha1 file stay as they are, a policy or provider comes before them. */
    ProfilePlugins merge(ProfilePlugins custom) {
        if (version == ConfigVersion.V1ALPHA1) {
            return custom;
        }
        ProfilePlugins defaults = DefaultPlugins.of(version, release);
        Map<ExtensionPoint, PluginSet> points = new EnumMap<>(ExtensionPoint.class);
        for (ExtensionPoint point : ExtensionPoint.values()) {
            PluginSet merged = merge(defaults.at(point), custom.at(point));
            if (!merged.equals(PluginSet.EMPTY)) {
                points.put(point, merged);
            }
        }
        return new ProfilePlugins(
                merge(defaults.multiPoint(), custom.multiPoint()),
                points,
                merge(defaults.unreserve(), custom.unreserve()));
    }

    private PluginSet merge(PluginSet defaults, PluginSet custom) {
        return version.atLeast(ConfigVersion.V1BETA2) ? inPlace(defaults, custom) : appended(defaults, custom);
    }

    /** Up to v1beta1: what is left of the defaults, then the file's; a plugin in both stands there twice. */
    private static PluginSet appended(PluginSet defaults, PluginSet custom) {
        List<PluginEntry> enabled = new ArrayList<>();
        for (PluginEntry entry : defaults.enabled()) {
            if (!custom.disablesAll() && !custom.disabled().contains(entry.name())) {
                enabled.add(entry);
            }
        }
        enabled.addAll(custom.enabled());
        return new PluginSet(enabled, List.of());
    }

    /** From v1beta2 on an entry of the file takes the place of the default; of several equal entries the last does. */
    private static PluginSet inPlace(PluginSet defaults, PluginSet custom) {
        List<PluginEntry> rest = new ArrayList<>(custom.enabled());
        List<PluginEntry> enabled = new ArrayList<>();
        if (!custom.disablesAll()) {
            for (PluginEntry entry : defaults.enabled()) {
                if (custom.disabled().contains(entry.name())) {
                    continue;
                }
                int replacement = lastIndexOf(rest, entry.name());
                enabled.add(replacement < 0 ? entry : rest.remove(replacement));
            }
        }
        enabled.addAll(rest);
        return new PluginSet(enabled, custom.disabled());
    }

    private static int lastIndexOf(List<PluginEntry> entries, String name) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
