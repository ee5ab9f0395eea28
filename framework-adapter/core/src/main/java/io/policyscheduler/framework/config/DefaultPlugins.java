package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The default plugins of each version, in execution order, with the default feature gates of the release that the version
 * corresponds to. Mirrors {@code default_plugins.go} of each version and, for {@code v1alpha2}, the provider registry of 1.18.
 */
public final class DefaultPlugins {
    private static final int AVOID_PODS_WEIGHT = 10_000;
    private static final Set<String> NAMES = names();

    private DefaultPlugins() {}

    /**
     * The defaults of a version in the newest release; empty for {@code v1alpha1}, where the policy or provider selects the
     * algorithms.
     */
    public static ProfilePlugins of(ConfigVersion version) {
        return of(version, Release.NEWEST);
    }

    /** The defaults of a version; those of {@code v1beta1} and {@code v1} differ between releases. */
    public static ProfilePlugins of(ConfigVersion version, Release release) {
        return switch (version) {
            case V1ALPHA1 -> ProfilePlugins.EMPTY;
            case V1ALPHA2 -> v1alpha2();
            case V1BETA1 -> v1beta1(release);
            case V1BETA2 -> v1beta2();
            case V1BETA3 -> new ProfilePlugins(v1beta3(), Map.of(), PluginSet.EMPTY);
            case V1 -> new ProfilePlugins(v1(release), Map.of(), PluginSet.EMPTY);
        };
    }

    /** Whether the plugin is a filter or score plugin in the defaults of any version. */
    public static boolean isDefault(String plugin) {
        return NAMES.contains(plugin);
    }

    private static Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        for (ConfigVersion version : ConfigVersion.values()) {
            ProfilePlugins plugins = of(version);
            names.addAll(plugins.multiPoint().names());
            names.addAll(plugins.at(ExtensionPoint.FILTER).names());
            names.addAll(plugins.at(ExtensionPoint.SCORE).names());
        }
        return ImmutableSet.copyOf(names);
    }

    private static ProfilePlugins v1alpha2() {
        Map<ExtensionPoint, PluginSet> points = new EnumMap<>(ExtensionPoint.class);
        points.put(ExtensionPoint.QUEUE_SORT, PluginSet.of(PluginNames.PRIORITY_SORT));
        points.put(
                ExtensionPoint.PRE_FILTER,
                PluginSet.of(
                        PluginNames.NODE_RESOURCES_FIT,
                        PluginNames.NODE_PORTS,
                        PluginNames.INTER_POD_AFFINITY,
                        PluginNames.POD_TOPOLOGY_SPREAD));
        points.put(
                ExtensionPoint.FILTER, earlyFilters(PluginNames.INTER_POD_AFFINITY, PluginNames.POD_TOPOLOGY_SPREAD));
        points.put(
                ExtensionPoint.PRE_SCORE,
                PluginSet.of(
                        PluginNames.INTER_POD_AFFINITY,
                        PluginNames.DEFAULT_POD_TOPOLOGY_SPREAD,
                        PluginNames.TAINT_TOLERATION,
                        PluginNames.POD_TOPOLOGY_SPREAD));
        points.put(
                ExtensionPoint.SCORE,
                enabled(
                        PluginEntry.of(PluginNames.NODE_RESOURCES_BALANCED, 1),
                        PluginEntry.of(PluginNames.IMAGE_LOCALITY, 1),
                        PluginEntry.of(PluginNames.INTER_POD_AFFINITY, 1),
                        PluginEntry.of(PluginNames.NODE_RESOURCES_LEAST, 1),
                        PluginEntry.of(PluginNames.NODE_AFFINITY, 1),
                        PluginEntry.of(PluginNames.NODE_PREFER_AVOID_PODS, AVOID_PODS_WEIGHT),
                        PluginEntry.of(PluginNames.DEFAULT_POD_TOPOLOGY_SPREAD, 1),
                        PluginEntry.of(PluginNames.TAINT_TOLERATION, 1),
                        PluginEntry.of(PluginNames.POD_TOPOLOGY_SPREAD, 1)));
        points.put(ExtensionPoint.BIND, PluginSet.of(PluginNames.DEFAULT_BINDER));
        return new ProfilePlugins(PluginSet.EMPTY, points, PluginSet.EMPTY);
    }

    /** The filters of 1.18 and 1.19, which evaluate resources before taints. */
    private static PluginSet earlyFilters(String first, String last) {
        return PluginSet.of(
                PluginNames.NODE_UNSCHEDULABLE,
                PluginNames.NODE_RESOURCES_FIT,
                PluginNames.NODE_NAME,
                PluginNames.NODE_PORTS,
                PluginNames.NODE_AFFINITY,
                PluginNames.VOLUME_RESTRICTIONS,
                PluginNames.TAINT_TOLERATION,
                PluginNames.EBS_LIMITS,
                PluginNames.GCE_PD_LIMITS,
                PluginNames.NODE_VOLUME_LIMITS,
                PluginNames.AZURE_DISK_LIMITS,
                PluginNames.VOLUME_BINDING,
                PluginNames.VOLUME_ZONE,
                first,
                last);
    }

    private static ProfilePlugins v1beta1(Release release) {
        Map<ExtensionPoint, PluginSet> points = beta();
        List<PluginEntry> spreading = SchedulerChange.SPREADING_BY_CONSTRAINTS.in(release)
                ? List.of()
                : List.of(PluginEntry.of(PluginNames.SELECTOR_SPREAD, 1));
        points.computeIfPresent(ExtensionPoint.PRE_SCORE, (point, set) -> with(set, spreading));
        if (!SchedulerChange.ORDER_OF_FILTERS.in(release)) {
            points.put(
                    ExtensionPoint.FILTER,
                    earlyFilters(PluginNames.POD_TOPOLOGY_SPREAD, PluginNames.INTER_POD_AFFINITY));
        }
        points.put(
                ExtensionPoint.PRE_FILTER,
                PluginSet.of(
                        PluginNames.NODE_RESOURCES_FIT,
                        PluginNames.NODE_PORTS,
                        PluginNames.POD_TOPOLOGY_SPREAD,
                        PluginNames.INTER_POD_AFFINITY,
                        PluginNames.VOLUME_BINDING,
                        PluginNames.NODE_AFFINITY));
        points.put(
                ExtensionPoint.SCORE,
                enabled(
                        PluginEntry.of(PluginNames.NODE_RESOURCES_BALANCED, 1),
                        PluginEntry.of(PluginNames.IMAGE_LOCALITY, 1),
                        PluginEntry.of(PluginNames.INTER_POD_AFFINITY, 1),
                        PluginEntry.of(PluginNames.NODE_RESOURCES_LEAST, 1),
                        PluginEntry.of(PluginNames.NODE_AFFINITY, 1),
                        PluginEntry.of(PluginNames.NODE_PREFER_AVOID_PODS, AVOID_PODS_WEIGHT),
                        PluginEntry.of(PluginNames.POD_TOPOLOGY_SPREAD, 2),
                        PluginEntry.of(PluginNames.TAINT_TOLERATION, 1)));
        points.computeIfPresent(ExtensionPoint.SCORE, (point, set) -> with(set, spreading));
        return new ProfilePlugins(PluginSet.EMPTY, points, PluginSet.EMPTY);
    }

    private static ProfilePlugins v1beta2() {
        Map<ExtensionPoint, PluginSet> points = beta();
        points.put(
                ExtensionPoint.PRE_FILTER,
                PluginSet.of(
                        PluginNames.NODE_RESOURCES_FIT,
                        PluginNames.NODE_PORTS,
                        PluginNames.VOLUME_RESTRICTIONS,
                        PluginNames.POD_TOPOLOGY_SPREAD,
                        PluginNames.INTER_POD_AFFINITY,
                        PluginNames.VOLUME_BINDING,
                        PluginNames.NODE_AFFINITY));
        points.put(
                ExtensionPoint.SCORE,
                enabled(
                        PluginEntry.of(PluginNames.NODE_RESOURCES_BALANCED, 1),
                        PluginEntry.of(PluginNames.IMAGE_LOCALITY, 1),
                        PluginEntry.of(PluginNames.INTER_POD_AFFINITY, 1),
                        PluginEntry.of(PluginNames.NODE_RESOURCES_FIT, 1),
                        PluginEntry.of(PluginNames.NODE_AFFINITY, 1),
                        PluginEntry.of(PluginNames.POD_TOPOLOGY_SPREAD, 2),
                        PluginEntry.of(PluginNames.TAINT_TOLERATION, 1)));
        return new ProfilePlugins(PluginSet.EMPTY, points, PluginSet.EMPTY);
    }

    /** The common defaults of v1beta1 and v1beta2. */
    private static Map<ExtensionPoint, PluginSet> beta() {
        Map<ExtensionPoint, PluginSet> points = new EnumMap<>(ExtensionPoint.class);
        points.put(ExtensionPoint.QUEUE_SORT, PluginSet.of(PluginNames.PRIORITY_SORT));
        points.put(
                ExtensionPoint.FILTER,
                PluginSet.of(
                        PluginNames.NODE_UNSCHEDULABLE,
                        PluginNames.NODE_NAME,
                        PluginNames.TAINT_TOLERATION,
                        PluginNames.NODE_AFFINITY,
                        PluginNames.NODE_PORTS,
                        PluginNames.NODE_RESOURCES_FIT,
                        PluginNames.VOLUME_RESTRICTIONS,
                        PluginNames.EBS_LIMITS,
                        PluginNames.GCE_PD_LIMITS,
                        PluginNames.NODE_VOLUME_LIMITS,
                        PluginNames.AZURE_DISK_LIMITS,
                        PluginNames.VOLUME_BINDING,
                        PluginNames.VOLUME_ZONE,
                        PluginNames.POD_TOPOLOGY_SPREAD,
                        PluginNames.INTER_POD_AFFINITY));
        points.put(ExtensionPoint.POST_FILTER, PluginSet.of(PluginNames.DEFAULT_PREEMPTION));
        points.put(
                ExtensionPoint.PRE_SCORE,
                PluginSet.of(
                        PluginNames.INTER_POD_AFFINITY,
                        PluginNames.POD_TOPOLOGY_SPREAD,
                        PluginNames.TAINT_TOLERATION,
                        PluginNames.NODE_AFFINITY));
        points.put(ExtensionPoint.RESERVE, PluginSet.of(PluginNames.VOLUME_BINDING));
        points.put(ExtensionPoint.PRE_BIND, PluginSet.of(PluginNames.VOLUME_BINDING));
        points.put(ExtensionPoint.BIND, PluginSet.of(PluginNames.DEFAULT_BINDER));
        return points;
    }

    private static PluginSet v1beta3() {
        List<PluginEntry> plugins = new ArrayList<>();
        plugins.add(PluginEntry.of(PluginNames.PRIORITY_SORT));
        nodePlugins(plugins);
        plugins.add(PluginEntry.of(PluginNames.EBS_LIMITS));
        plugins.add(PluginEntry.of(PluginNames.GCE_PD_LIMITS));
        plugins.add(PluginEntry.of(PluginNames.NODE_VOLUME_LIMITS));
        plugins.add(PluginEntry.of(PluginNames.AZURE_DISK_LIMITS));
        clusterPlugins(plugins);
        lastPlugins(plugins);
        return new PluginSet(plugins, List.of());
    }

    private static PluginSet v1(Release release) {
        List<PluginEntry> plugins = new ArrayList<>();
        if (SchedulerChange.SCHEDULING_GATES.in(release)) {
            plugins.add(PluginEntry.of(PluginNames.SCHEDULING_GATES));
        }
        plugins.add(PluginEntry.of(PluginNames.PRIORITY_SORT));
        nodePlugins(plugins);
        boolean inTreeLimits = !SchedulerChange.LIMITS_OF_CSI_ONLY.in(release);
        if (inTreeLimits) {
            plugins.add(PluginEntry.of(PluginNames.EBS_LIMITS));
            plugins.add(PluginEntry.of(PluginNames.GCE_PD_LIMITS));
        }
        plugins.add(PluginEntry.of(PluginNames.NODE_VOLUME_LIMITS));
        if (inTreeLimits) {
            plugins.add(PluginEntry.of(PluginNames.AZURE_DISK_LIMITS));
        }
        clusterPlugins(plugins);
        if (SchedulerChange.CLAIMS_BY_DEFAULT.in(release)) {
            plugins.add(
                    SchedulerChange.DEVICES_ARE_SCORED.in(release)
                            ? PluginEntry.of(PluginNames.DYNAMIC_RESOURCES, 2)
                            : PluginEntry.of(PluginNames.DYNAMIC_RESOURCES));
        }
        lastPlugins(plugins);
        if (SchedulerChange.NODE_DECLARED_FEATURES.in(release)) {
            plugins.add(PluginEntry.of(PluginNames.NODE_DECLARED_FEATURES));
        }
        return new PluginSet(plugins, List.of());
    }

    private static void nodePlugins(List<PluginEntry> plugins) {
        plugins.add(PluginEntry.of(PluginNames.NODE_UNSCHEDULABLE));
        plugins.add(PluginEntry.of(PluginNames.NODE_NAME));
        plugins.add(PluginEntry.of(PluginNames.TAINT_TOLERATION, 3));
        plugins.add(PluginEntry.of(PluginNames.NODE_AFFINITY, 2));
        plugins.add(PluginEntry.of(PluginNames.NODE_PORTS));
        plugins.add(PluginEntry.of(PluginNames.NODE_RESOURCES_FIT, 1));
        plugins.add(PluginEntry.of(PluginNames.VOLUME_RESTRICTIONS));
    }

    private static void clusterPlugins(List<PluginEntry> plugins) {
        plugins.add(PluginEntry.of(PluginNames.VOLUME_BINDING));
        plugins.add(PluginEntry.of(PluginNames.VOLUME_ZONE));
        plugins.add(PluginEntry.of(PluginNames.POD_TOPOLOGY_SPREAD, 2));
        plugins.add(PluginEntry.of(PluginNames.INTER_POD_AFFINITY, 2));
    }

    private static void lastPlugins(List<PluginEntry> plugins) {
        plugins.add(PluginEntry.of(PluginNames.DEFAULT_PREEMPTION));
        plugins.add(PluginEntry.of(PluginNames.NODE_RESOURCES_BALANCED, 1));
        plugins.add(PluginEntry.of(PluginNames.IMAGE_LOCALITY, 1));
        plugins.add(PluginEntry.of(PluginNames.DEFAULT_BINDER));
    }

    private static PluginSet with(PluginSet set, List<PluginEntry> more) {
        List<PluginEntry> all = new ArrayList<>(set.enabled());
        all.addAll(more);
        return new PluginSet(all, List.of());
    }

    private static PluginSet enabled(PluginEntry... entries) {
        return new PluginSet(List.of(entries), List.of());
    }

    /** Merges the plugins of a file with the defaults of its version. Mirrors {@code mergePlugins} of each version. */
    static final class PluginMerge {
        private final ConfigVersion version;
        private final Release release;

        PluginMerge(ConfigVersion version, Release release) {
            this.version = version;
            this.release = release;
        }

        /** The merged plugins. Plugins of a v1alpha1 file are not merged; the adapter prepends those of the policy or provider. */
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

        /** Up to v1beta1: the remaining defaults, then the plugins of the file. A plugin in both occurs twice. */
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

        /** Since v1beta2: an entry of the file replaces the default in place. The last of several equal entries applies. */
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
}
