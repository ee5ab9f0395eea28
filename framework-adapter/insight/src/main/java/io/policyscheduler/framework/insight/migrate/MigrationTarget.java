package io.policyscheduler.framework.insight.migrate;

import static io.policyscheduler.framework.plugin.ExtensionPoint.BIND;
import static io.policyscheduler.framework.plugin.ExtensionPoint.FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PERMIT;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PLACEMENT_GENERATE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PLACEMENT_SCORE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.POST_FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_BIND;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_ENQUEUE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_SCORE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.QUEUE_SORT;
import static io.policyscheduler.framework.plugin.ExtensionPoint.RESERVE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.SCORE;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.DefaultPlugins;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.config.ProfilePlugins;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins.PluginIndex;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The target of a migration.
 *
 * @param version of the configuration, {@code v1alpha2} or later
 * @param release that runs it and supports the version
 */
public record MigrationTarget(ConfigVersion version, Release release) {
    /** The versions that a policy can be migrated to, newest first. */
    public static final List<ConfigVersion> VERSIONS =
            List.of(ConfigVersion.V1, ConfigVersion.V1BETA3, ConfigVersion.V1BETA2, ConfigVersion.V1BETA1);

    /** @throws IllegalArgumentException with a message for users if the release does not support the version */
    public MigrationTarget {
        if (!version.atLeast(ConfigVersion.V1ALPHA2)) {
            throw notWritten(version);
        }
        if (!version.isReadBy(release)) {
            throw new IllegalArgumentException(unreadable(version, release));
        }
    }

    /**
     * A target for user input.
     *
     * @param version null for the newest one that the release reads
     * @param release null for the newest release for which the version is the recommended one: {@link Release#NEWEST} for
     *     {@code v1}, 1.24 for {@code v1beta3}, 1.22 for {@code v1beta2} and 1.21 for {@code v1beta1}, because later releases have
     *     a newer version
     * @throws IllegalArgumentException with a message for users if the version is none of {@link #VERSIONS}, or the release does
     *     not support it
     */
    public static MigrationTarget of(@Nullable ConfigVersion version, @Nullable Release release) {
        ConfigVersion target = version == null ? newest(release) : version;
        if (!VERSIONS.contains(target)) {
            throw notWritten(target);
        }
        return new MigrationTarget(target, release == null ? usual(target) : release);
    }

    private static ConfigVersion newest(@Nullable Release release) {
        return VERSIONS.stream()
                .filter(version -> release == null || version.isReadBy(release))
                .findFirst()
                .orElse(ConfigVersion.V1);
    }

    private static IllegalArgumentException notWritten(ConfigVersion version) {
        return new IllegalArgumentException("a policy cannot be migrated to " + version.version() + "; there are "
                + VERSIONS.stream().map(ConfigVersion::version).collect(Collectors.joining(", ")));
    }

    private static Release usual(ConfigVersion version) {
        return switch (version) {
            case V1BETA1 -> new Release(21);
            case V1BETA2 -> new Release(22);
            case V1BETA3 -> new Release(24);
            default -> Release.NEWEST;
        };
    }

    private static String unreadable(ConfigVersion version, Release release) {
        String readers =
                version == ConfigVersion.V1 ? "since " + version.first() : version.first() + " to " + version.last();
        String known = VERSIONS.stream()
                .filter(other -> other.isReadBy(release))
                .map(ConfigVersion::version)
                .collect(Collectors.joining(" or "));
        String wayOut = known.isEmpty() ? "; it runs the policy itself (--policy-config-file)" : "; it reads " + known;
        return "Kubernetes " + release + " does not read " + version.version() + " (" + readers + ")" + wayOut;
    }

    /** Whether the version still has the plugins of the first policies, such as NodeLabel and ServiceAffinity. */
    boolean hasOldPlugins() {
        return !version.atLeast(ConfigVersion.V1BETA2);
    }

    /** Whether the version has {@code multiPoint}. */
    boolean hasMultiPoint() {
        return version.atLeast(ConfigVersion.V1BETA3);
    }

    /**
     * The in-tree plugins of a release for a configuration version, and their extension points. kube-scheduler does not start if a
     * plugin is enabled at an extension point that it does not implement.
     */
    static final class ReleasePlugins implements PluginIndex {
        /** All releases with known extension points; 1.19 has those of 1.20. */
        private static final int ALWAYS = 0;

        private static final int FIRST_WITHOUT_POLICIES = 23;
        private static final int FIRST_HARD_SPREAD = 19;
        private static final int LAST_OLD_PLUGINS = 22;
        private static final int FIRST_SELECTOR_SPREAD = 19;
        private static final int LAST_SELECTOR_SPREAD = 28;
        private static final int LAST_DYNAMIC_PRE_SCORE = 31;

        /** By plugin and extension point, the first release that has it. */
        private static final Map<String, Map<ExtensionPoint, Integer>> FIRST = table();

        private final MigrationTarget target;

        /** @param target release and version */
        public ReleasePlugins(MigrationTarget target) {
            this.target = target;
        }

        private static Map<String, Map<ExtensionPoint, Integer>> table() {
            Map<String, Map<ExtensionPoint, Integer>> table = new HashMap<>();
            table.put(PluginNames.PRIORITY_SORT, points(QUEUE_SORT));
            table.put(PluginNames.SCHEDULING_GATES, since(points(), PRE_ENQUEUE, 26));
            table.put(PluginNames.NODE_UNSCHEDULABLE, points(FILTER));
            table.put(PluginNames.NODE_NAME, points(FILTER));
            table.put(PluginNames.NODE_PORTS, points(PRE_FILTER, FILTER));
            table.put(
                    PluginNames.NODE_RESOURCES_FIT,
                    since(since(since(points(PRE_FILTER, FILTER), SCORE, 22), PRE_SCORE, 27), PLACEMENT_SCORE, 36));
            table.put(PluginNames.NODE_RESOURCES_BALANCED, since(points(SCORE), PRE_SCORE, 27));
            table.put(PluginNames.NODE_AFFINITY, since(since(points(FILTER, SCORE), PRE_FILTER, 21), PRE_SCORE, 21));
            table.put(PluginNames.TAINT_TOLERATION, points(FILTER, PRE_SCORE, SCORE));
            table.put(PluginNames.POD_TOPOLOGY_SPREAD, points(PRE_FILTER, FILTER, PRE_SCORE, SCORE));
            table.put(PluginNames.INTER_POD_AFFINITY, points(PRE_FILTER, FILTER, PRE_SCORE, SCORE));
            table.put(PluginNames.IMAGE_LOCALITY, points(SCORE));
            table.put(PluginNames.VOLUME_RESTRICTIONS, since(points(FILTER), PRE_FILTER, 22));
            table.put(PluginNames.VOLUME_ZONE, since(points(FILTER), PRE_FILTER, 27));
            table.put(PluginNames.NODE_VOLUME_LIMITS, since(points(FILTER), PRE_FILTER, 28));
            PluginNames.IN_TREE_VOLUME_LIMITS.forEach(name -> table.put(name, since(points(FILTER), PRE_FILTER, 28)));
            table.put(
                    PluginNames.VOLUME_BINDING,
                    since(
                            since(
                                    since(since(since(points(FILTER), PRE_FILTER, 19), RESERVE, 19), PRE_BIND, 19),
                                    SCORE,
                                    21),
                            PRE_SCORE,
                            30));
            Map<ExtensionPoint, Integer> claims = new EnumMap<>(ExtensionPoint.class);
            List.of(PRE_FILTER, FILTER, POST_FILTER, RESERVE, PRE_SCORE).forEach(point -> claims.put(point, 26));
            table.put(
                    PluginNames.DYNAMIC_RESOURCES,
                    since(since(since(claims, PRE_ENQUEUE, 28), PRE_BIND, 30), SCORE, 35));
            table.put(PluginNames.NODE_DECLARED_FEATURES, since(since(points(), PRE_FILTER, 35), FILTER, 35));
            table.put(PluginNames.GANG_SCHEDULING, since(since(points(), PRE_ENQUEUE, 35), PERMIT, 35));
            table.put(PluginNames.TOPOLOGY_PLACEMENT_GENERATOR, since(points(), PLACEMENT_GENERATE, 36));
            table.put(PluginNames.POD_GROUP_PODS_COUNT, since(points(), PLACEMENT_SCORE, 36));
            table.put(PluginNames.DEFAULT_PREEMPTION, since(points(POST_FILTER), PRE_ENQUEUE, 32));
            table.put(PluginNames.DEFAULT_BINDER, points(BIND));
            table.put(PluginNames.SELECTOR_SPREAD, points(PRE_SCORE, SCORE));
            table.put(PluginNames.DEFAULT_POD_TOPOLOGY_SPREAD, points(PRE_SCORE, SCORE));
            PluginNames.REMOVED_IN_V1BETA2.forEach(name -> table.put(name, points(SCORE)));
            table.put(PluginNames.NODE_LABEL, points(FILTER, SCORE));
            table.put(PluginNames.SERVICE_AFFINITY, points(PRE_FILTER, FILTER, SCORE));
            return table;
        }

        private static Map<ExtensionPoint, Integer> points(ExtensionPoint... points) {
            Map<ExtensionPoint, Integer> first = new EnumMap<>(ExtensionPoint.class);
            for (ExtensionPoint point : points) {
                first.put(point, ALWAYS);
            }
            return first;
        }

        private static Map<ExtensionPoint, Integer> since(
                Map<ExtensionPoint, Integer> points, ExtensionPoint point, int minor) {
            points.put(point, minor);
            return points;
        }

        /** Whether some release of kube-scheduler contains the plugin. */
        boolean isInTree(String plugin) {
            return FIRST.containsKey(plugin);
        }

        @Override
        public boolean exists(String plugin) {
            Map<ExtensionPoint, Integer> points = FIRST.get(plugin);
            Release release = target.release();
            if (points == null || points.values().stream().noneMatch(release::atLeast)) {
                return false;
            }
            if (PluginNames.REMOVED_IN_V1BETA2.contains(plugin)) {
                return target.hasOldPlugins() && !release.atLeast(LAST_OLD_PLUGINS + 1);
            }
            if (plugin.equals(PluginNames.SELECTOR_SPREAD)) {
                return target.version() != ConfigVersion.V1
                        && release.atLeast(FIRST_SELECTOR_SPREAD)
                        && !release.atLeast(LAST_SELECTOR_SPREAD + 1);
            }
            if (plugin.equals(PluginNames.DEFAULT_POD_TOPOLOGY_SPREAD)) {
                return !release.atLeast(FIRST_SELECTOR_SPREAD);
            }
            return !PluginNames.IN_TREE_VOLUME_LIMITS.contains(plugin)
                    || !SchedulerChange.LIMITS_OF_CSI_ONLY.in(release);
        }

        @Override
        public boolean implementsPoint(String plugin, ExtensionPoint point) {
            Integer first = FIRST.getOrDefault(plugin, Map.of()).get(point);
            if (first == null || !target.release().atLeast(first) || !exists(plugin)) {
                return false;
            }
            boolean dropped = plugin.equals(PluginNames.DYNAMIC_RESOURCES)
                    && point == PRE_SCORE
                    && target.release().atLeast(LAST_DYNAMIC_PRE_SCORE + 1);
            return !dropped;
        }

        /** Whether kube-scheduler has removed the flags for policies and providers. */
        boolean hasNoPolicies() {
            return target.release().atLeast(FIRST_WITHOUT_POLICIES);
        }

        /** Whether a configuration of an older version than {@code v1} can still enable SelectorSpread without a policy. */
        boolean canEnableSelectorSpread() {
            return hasNoPolicies() && !target.release().atLeast(LAST_SELECTOR_SPREAD + 1);
        }

        /** The plugin that spreads pods of services and controllers as 1.17 does. */
        String selectorSpread() {
            return exists(PluginNames.SELECTOR_SPREAD)
                    ? PluginNames.SELECTOR_SPREAD
                    : PluginNames.DEFAULT_POD_TOPOLOGY_SPREAD;
        }

        /** The default filters of the release, with its default feature gates, in order. */
        List<String> defaultFilters() {
            List<String> filters = new ArrayList<>(List.of(
                    PluginNames.NODE_UNSCHEDULABLE,
                    PluginNames.NODE_NAME,
                    PluginNames.TAINT_TOLERATION,
                    PluginNames.NODE_AFFINITY,
                    PluginNames.NODE_PORTS,
                    PluginNames.NODE_RESOURCES_FIT,
                    PluginNames.VOLUME_RESTRICTIONS));
            boolean limits = exists(PluginNames.EBS_LIMITS);
            if (limits) {
                filters.add(PluginNames.EBS_LIMITS);
                filters.add(PluginNames.GCE_PD_LIMITS);
            }
            filters.add(PluginNames.NODE_VOLUME_LIMITS);
            if (limits) {
                filters.add(PluginNames.AZURE_DISK_LIMITS);
            }
            filters.add(PluginNames.VOLUME_BINDING);
            filters.add(PluginNames.VOLUME_ZONE);
            filters.add(PluginNames.POD_TOPOLOGY_SPREAD);
            filters.add(PluginNames.INTER_POD_AFFINITY);
            if (dynamicResourcesByDefault()) {
                filters.add(PluginNames.DYNAMIC_RESOURCES);
            }
            if (SchedulerChange.NODE_DECLARED_FEATURES.in(target.release())) {
                filters.add(PluginNames.NODE_DECLARED_FEATURES);
            }
            return filters;
        }

        /**
         * The default score plugins of the version that score pods of 1.17, with their weights. DynamicResources scores resource
         * claims only.
         */
        Map<String, Integer> defaultScores() {
            ProfilePlugins defaults = DefaultPlugins.of(target.version(), target.release());
            List<PluginEntry> entries = target.hasMultiPoint()
                    ? defaults.multiPoint().enabled()
                    : defaults.at(SCORE).enabled();
            Map<String, Integer> scores = new LinkedHashMap<>();
            entries.stream()
                    .filter(entry -> entry.weight() > 0 && !entry.name().equals(PluginNames.DYNAMIC_RESOURCES))
                    .forEach(entry -> scores.put(entry.name(), entry.weight()));
            return scores;
        }

        /**
         * The filters that run with every policy, because pods of the release depend on them, with the comment for the
         * configuration.
         */
        Map<String, String> mandatory() {
            Map<String, String> mandatory = new LinkedHashMap<>();
            if (target.release().atLeast(FIRST_HARD_SPREAD)) {
                mandatory.put(PluginNames.POD_TOPOLOGY_SPREAD, "added: applies the topologySpreadConstraints of pods");
            }
            if (dynamicResourcesByDefault()) {
                mandatory.put(PluginNames.DYNAMIC_RESOURCES, "added: allocates the resource claims of pods");
            }
            if (declaredFeaturesByDefault()) {
                mandatory.put(
                        PluginNames.NODE_DECLARED_FEATURES,
                        "added: rejects nodes without a feature that the pod requires");
            }
            return mandatory;
        }

        /** Whether NodeDeclaredFeatures runs without a feature gate. */
        boolean declaredFeaturesByDefault() {
            return SchedulerChange.NODE_DECLARED_FEATURES.in(target.release());
        }

        /** Whether DynamicResources runs without a feature gate. */
        boolean dynamicResourcesByDefault() {
            return SchedulerChange.CLAIMS_BY_DEFAULT.in(target.release());
        }
    }
}
