package io.policyscheduler.framework.profile;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.CsiVolumeLimits.MissingClaim;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.plugin.BindPlugin;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PredicatePlugin.WithPriority;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The in-tree plugins that wrap v1.17's predicates and priorities, with their {@code pluginConfig} arguments. Mirrors
 * {@code pkg/scheduler/framework/plugins/registry.go}.
 */
public final class InTreePlugins {
    /** The maximum score in shape arguments; the algorithm's own range is ten times as large. */
    private static final int SHAPE_SCALE = 10;

    private final AlgorithmRegistry registry;
    private final FeatureGates gates;
    private final UnaryOperator<String> environment;

    /** The algorithms of a plugin; empty for none. */
    private record Parts(String predicate, String priority) {}

    private static final Map<String, Parts> PARTS = parts();

    /** @param environment reads an environment variable, the empty string if unset */
    public InTreePlugins(AlgorithmRegistry registry, FeatureGates gates, UnaryOperator<String> environment) {
        this.registry = registry;
        this.gates = gates;
        this.environment = environment;
    }

    private static Map<String, Parts> parts() {
        Map<String, Parts> parts = new LinkedHashMap<>();
        for (KnownAlgorithm predicate : KnownAlgorithms.predicateRows()) {
            if (!predicate.plugin().isEmpty()) {
                parts.put(predicate.plugin(), new Parts(predicate.name(), ""));
            }
        }
        for (KnownAlgorithm priority : KnownAlgorithms.priorityRows()) {
            for (String plugin : List.of(priority.plugin(), priority.laterPlugin())) {
                if (!plugin.isEmpty()) {
                    parts.merge(
                            plugin,
                            new Parts("", priority.name()),
                            (filter, score) -> new Parts(filter.predicate(), score.priority()));
                }
            }
        }
        return parts;
    }

    /** All plugins by name. */
    public Map<String, PluginFactory> factories() {
        Map<String, PluginFactory> factories = new LinkedHashMap<>();
        PARTS.forEach((name, parts) -> factories.put(name, handle -> create(name, parts, handle)));
        factories.put(PrioritySort.NAME, handle -> new PrioritySort());
        factories.put(SchedulingGates.NAME, handle -> new SchedulingGates());
        factories.put(DefaultPreemption.NAME, handle -> new DefaultPreemption());
        factories.put(DefaultBinder.NAME, handle -> new DefaultBinder());
        return factories;
    }

    /**
     * The plugin of a release since 1.18 for the limit of one kind of disks.
     *
     * @param limit of 1.17
     */
    public static PluginFactory volumeLimit(PluginFactory limit, InTreeVolumes.Plugin disks) {
        return handle -> limit.create(handle) instanceof PredicatePlugin filter
                ? new VolumeLimits(filter, disks, handle)
                : limit.create(handle);
    }

    private Plugin create(String name, Parts parts, PluginHandle handle) {
        AlgorithmConfig config = config(name, handle.args());
        @Nullable
        PredicatePlugin filter = parts.predicate().isEmpty()
                ? null
                : new PredicatePlugin(
                        name,
                        registry.predicate(parts.predicate(), config),
                        false,
                        handle.stateKeys(),
                        handle.cluster());
        @Nullable
        PriorityPlugin score = parts.priority().isEmpty()
                ? null
                : new PriorityPlugin(name, registry.priority(parts.priority(), config), handle.stateKeys());
        if (filter != null && score != null) {
            return new WithPriority(filter, score);
        }
        if (filter != null) {
            return filter;
        }
        if (score != null) {
            return score;
        }
        throw new IllegalStateException("plugin " + name + " has no algorithm");
    }

    private AlgorithmConfig config(String name, JsonNode args) {
        reject(name, args, "NodeAffinity", "addedAffinity");
        reject(name, args, "PodTopologySpread", "defaultConstraints");
        reject(name, args, "NodeResourcesFit", "ignoredResourceGroups");
        boolean label = name.equals(KnownAlgorithms.NODE_LABEL);
        boolean service = name.equals(KnownAlgorithms.SERVICE_AFFINITY);
        List<String> affinity = service ? strings(args, "affinityLabels") : List.of();
        return new AlgorithmConfig(
                label ? strings(args, "presentLabels") : List.of(),
                label ? strings(args, "absentLabels") : List.of(),
                service && affinity.isEmpty() ? strings(args, "labels") : affinity,
                label ? strings(args, "presentLabelsPreference") : List.of(),
                label ? strings(args, "absentLabelsPreference") : List.of(),
                service ? strings(args, "antiAffinityLabelsPreference") : List.of(),
                name.equals(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO) ? shape(args) : List.of(),
                name.equals(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO) ? resources(args) : Map.of(),
                name.equals("NodeResourcesFit") ? ignored(args) : Set.of(),
                args.path("hardPodAffinityWeight").asInt(1),
                gates,
                environment,
                Set.of());
    }

    /** Rejects unsupported arguments instead of ignoring them. */
    private static void reject(String name, JsonNode args, String plugin, String field) {
        JsonNode value = args.path(field);
        if (name.equals(plugin) && !value.isMissingNode() && !value.isNull() && !value.isEmpty()) {
            throw new PluginException(
                    "argument " + field + " has no meaning for the algorithm of 1.17 that implements it " + plugin);
        }
    }

    private static List<String> strings(JsonNode args, String field) {
        List<String> values = new ArrayList<>();
        args.path(field).forEach(value -> values.add(value.asText()));
        return values;
    }

    private static Set<String> ignored(JsonNode args) {
        return new LinkedHashSet<>(strings(args, "ignoredResources"));
    }

    private static List<AlgorithmConfig.ShapePoint> shape(JsonNode args) {
        List<AlgorithmConfig.ShapePoint> points = new ArrayList<>();
        args.path("shape")
                .forEach(point -> points.add(new AlgorithmConfig.ShapePoint(
                        point.path("utilization").asInt(), point.path("score").asInt() * SHAPE_SCALE)));
        return points;
    }

    private static Map<String, Long> resources(JsonNode args) {
        Map<String, Long> weights = new LinkedHashMap<>();
        args.path("resources")
                .forEach(resource -> weights.put(
                        resource.path("name").asText(),
                        Math.max(1, resource.path("weight").asLong(1))));
        return weights;
    }

    /** A plugin that wraps an algorithm of 1.17; if it filters or scores, its PreFilter or PreScore must run too. */
    interface LegacyPlugin extends Plugin {}

    /**
     * The limit of a node for disks of one in-tree plugin, since 1.18: that of 1.17, except that migrated disks do not count, and that the
     * claims of the pod must exist. Mirrors {@code pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go}, which ended with 1.31.
     */
    private static final class VolumeLimits implements LegacyPlugin, PreFilterPlugin, FilterPlugin, RequeueHints {
        private final PredicatePlugin limit;
        private final InTreeVolumes.Plugin disks;
        private final ClusterView cluster;
        private final InTreeVolumes inTree;
        private final MissingClaim missingClaim;

        VolumeLimits(PredicatePlugin limit, InTreeVolumes.Plugin disks, PluginHandle handle) {
            this.limit = limit;
            this.disks = disks;
            this.cluster = handle.cluster();
            this.inTree = InTreeVolumes.of(handle.release());
            this.missingClaim = MissingClaim.of(handle.release());
        }

        @Override
        public String name() {
            return limit.name();
        }

        @Override
        public PreFilterResult preFilter(CycleState state, PodContext context) {
            PreFilterResult result = limit.preFilter(state, context);
            return missing(context.pod()) == null ? result : PreFilterResult.ALL_NODES;
        }

        @Override
        public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
            return limit.addPod(state, pod, added, node);
        }

        @Override
        public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
            return limit.removePod(state, pod, removed, node);
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            Verdict missing = missing(pod);
            if (missing != null) {
                return Status.of(missing);
            }
            return inTree.counts(disks, cluster.csiNode(node.name())) ? Status.SUCCESS : limit.filter(state, pod, node);
        }

        private @Nullable Verdict missing(PodInfo pod) {
            for (Volume volume : pod.volumes()) {
                String claim = volume.kind() == disks.kind() ? null : volume.claimName(pod);
                Verdict missing = claim == null || cluster.claim(pod.namespace(), claim) != null
                        ? null
                        : missingClaim.verdict(pod.namespace(), claim);
                if (missing != null) {
                    return missing;
                }
            }
            return null;
        }

        @Override
        public Set<ClusterEvent> events() {
            return limit.events();
        }
    }

    /** Orders by priority, then by timestamp. Mirrors {@code pkg/scheduler/framework/plugins/queuesort}. */
    public static final class PrioritySort implements QueueSortPlugin {
        /** The plugin's name in configurations. */
        public static final String NAME = "PrioritySort";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public int compare(QueueItem a, QueueItem b) {
            int byPriority = Integer.compare(b.pod().priority(), a.pod().priority());
            return byPriority != 0 ? byPriority : a.timestamp().compareTo(b.timestamp());
        }
    }

    /**
     * The position of the default binder in the list of bind plugins. If the plugins before it have skipped the pod, the scheduler
     * binds here with a binding extender or the API server. The plugin itself does nothing.
     */
    public static final class DefaultBinder implements BindPlugin {
        /** The plugin's name in configurations. */
        public static final String NAME = "DefaultBinder";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Status bind(CycleState state, PodInfo pod, String node) {
            return Status.SKIP;
        }
    }

    /** Evicts pods of lower priority. Mirrors {@code pkg/scheduler/framework/plugins/defaultpreemption}. */
    public static final class DefaultPreemption implements PostFilterPlugin, EnqueueExtensions {
        /** The plugin's name in configurations. */
        public static final String NAME = "DefaultPreemption";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public List<EventHint> eventsToRegister() {
            return List.of(EventHint.of(EventHint.Hint.NEVER, EventResource.POD, EventAction.DELETE));
        }

        @Override
        public Status postFilter(CycleState state, PodInfo pod, Map<String, NodeFailure> failures, Services services) {
            Status status = services.preempt();
            return status.message().isEmpty()
                    ? status
                    : new Status(status.code(), List.of("preemption: " + status.message()));
        }

        @Override
        public boolean wantsFailures() {
            return false;
        }
    }

    /**
     * Keeps pods with scheduling gates out of the queue; the API server would reject their binding. Mirrors
     * {@code pkg/scheduler/framework/plugins/schedulinggates}. Also keeps out pods of groups: without gang scheduling, part of a group
     * could occupy the nodes that another group waits for.
     */
    public static final class SchedulingGates implements PreEnqueuePlugin, EnqueueExtensions {
        /** The plugin's name in configurations. */
        public static final String NAME = "SchedulingGates";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public List<EventHint> eventsToRegister() {
            return List.of(EventHint.of(
                    (pod, event) -> event.object() instanceof PodInfo changed
                            && changed.uid().equals(pod.uid()),
                    EventResource.POD,
                    EventAction.UPDATE_POD_SCHEDULING_GATES_ELIMINATED));
        }

        @Override
        public Status preEnqueue(PodInfo pod) {
            if (pod.spec().grouped()) {
                return Status.unresolvable("spec.schedulingGroup is not supported");
            }
            return pod.spec().schedulingGates().isEmpty()
                    ? Status.SUCCESS
                    : Status.unresolvable("waiting for scheduling gates: ["
                            + String.join(" ", pod.spec().schedulingGates()) + "]");
        }
    }

    /**
     * The plugins for groups of pods, which configurations can enable since 1.35 and 1.36. All of them do nothing, because the feature
     * gates of groups are off by default: the API server then drops the group of a pod. Mirrors {@code plugins/gangscheduling} and
     * {@code plugins/topologyaware}.
     *
     * @param name of the plugin
     * @param generatesPlacements whether it is a plugin of {@code placementGenerate}
     * @param scoresPlacements whether it is a plugin of {@code placementScore}
     */
    public record PodGroupPlugin(String name, boolean generatesPlacements, boolean scoresPlacements) implements Plugin {
        /** Returns the plugins by name. */
        public static Map<String, PluginFactory> factories() {
            return Map.of(
                    PluginNames.GANG_SCHEDULING,
                    handle -> new GangScheduling(),
                    PluginNames.TOPOLOGY_PLACEMENT_GENERATOR,
                    handle -> new PodGroupPlugin(PluginNames.TOPOLOGY_PLACEMENT_GENERATOR, true, false),
                    PluginNames.POD_GROUP_PODS_COUNT,
                    handle -> new PodGroupPlugin(PluginNames.POD_GROUP_PODS_COUNT, false, true));
        }

        /** Admits all pods. */
        private static final class GangScheduling implements PreEnqueuePlugin, PermitPlugin {
            @Override
            public String name() {
                return PluginNames.GANG_SCHEDULING;
            }

            @Override
            public Status preEnqueue(PodInfo pod) {
                return Status.SUCCESS;
            }

            @Override
            public Answer permit(CycleState state, PodInfo pod, String node) {
                return Answer.APPROVED;
            }
        }
    }
}
