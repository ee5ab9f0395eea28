package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_ALLOCATABLE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_SCALE_DOWN;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.DEVICE_CLASS;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.placement.ResourceAllocationScorer;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Devices;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.ResourceWeight;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Rules;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Shape;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Strategy;
import io.policyscheduler.engine.placement.ResourceFit;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.devices.ExtendedResources;
import io.policyscheduler.framework.devices.ExtendedResources.DeviceCounter;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Requires sufficient free resources on the node. Mirrors {@code pkg/scheduler/framework/plugins/noderesources/fit.go}. */
public final class NodeResourcesFit
        implements PreFilterPlugin,
                CacheableFilter,
                PreScorePlugin,
                InTreeScore,
                CacheableScore,
                EnqueueExtensions,
                SignPlugin {
    public static final String NAME = "NodeResourcesFit";

    private static final String INSUFFICIENT = "Insufficient ";
    /** The texts of the reasons of {@link ResourceFit}, by bit number. */
    private static final List<String> COMMON = List.of(
            "Too many pods",
            INSUFFICIENT + ResourceNames.CPU,
            INSUFFICIENT + ResourceNames.MEMORY,
            INSUFFICIENT + ResourceNames.EPHEMERAL_STORAGE);
    /** Statuses by bit mask of reasons without scalar resources, shared because many nodes are full. */
    private static final List<Status> ANSWERS = IntStream.range(0, ResourceFit.SCALARS)
            .mapToObj(NodeResourcesFit::answer)
            .toList();

    /** An exclusive upper bound of bit masks of reasons. */
    private static final int ALL_REASONS = 2 * ResourceFit.SCALARS;

    private final Set<String> ignored;
    private final Set<String> ignoredGroups;
    private final boolean checksZeroScalars;
    private final ResourceFit.Rules rules;
    private final ResourceAllocationScorer scoring;
    private final ExtendedAmounts extended;
    private final StateKey<Request> key;

    /**
     * The request of a pod.
     *
     * @param byDevices the scalar resources that devices can satisfy; for others, node capacity applies
     * @param met the rejections so far by bit mask of reasons; only for pods that request one scalar resource
     */
    private record Request(
            ResourceFit fit, BitSet byDevices, @Nullable Status[] met) {
        Request(ResourceFit fit, BitSet byDevices) {
            this(fit, byDevices, new @Nullable Status[fit.request().scalarCount() == 1 ? ALL_REASONS : 0]);
        }

        Object basis() {
            return new Basis(fit.request(), byDevices);
        }
    }

    private record Basis(ResourceVector amounts, BitSet byDevices) {}

    /** Creates the plugin for a profile. */
    public NodeResourcesFit(PluginHandle handle) {
        this.ignored = strings(handle.args().path("ignoredResources"));
        this.ignoredGroups = strings(handle.args().path("ignoredResourceGroups"));
        this.checksZeroScalars = !SchedulerChange.ZERO_EXTENDED_RESOURCES.in(handle.release());
        this.rules = new ResourceFit.Rules(
                RequestRules.MODERN,
                false,
                !SchedulerChange.UNREQUESTED_RESOURCES.in(handle.release()),
                SchedulerChange.TOO_SMALL_IS_UNRESOLVABLE.in(handle.release()));
        this.extended = new ExtendedAmounts(handle);
        this.scoring = scoring(handle.args().path("scoringStrategy"), handle.release(), extended);
        this.key = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
    }

    @Override
    public @Nullable Map<String, Object> sign(PodInfo pod) {
        return extended.sign(pod);
    }

    private static ResourceAllocationScorer scoring(JsonNode settings, Release release, ExtendedAmounts extended) {
        Strategy strategy = switch (settings.path("type").asText("LeastAllocated")) {
            case "LeastAllocated" -> Strategy.LEAST;
            case "MostAllocated" -> Strategy.MOST;
            case "RequestedToCapacityRatio" -> Strategy.RATIO;
            default ->
                throw new PluginException(
                        "scoring strategy " + settings.path("type").asText() + " is not supported");
        };
        Rules rules = new Rules(RequestRules.MODERN, false, true, true, SchedulerChange.OVERHEAD_IS_SCORED.in(release));
        Shape shape = shape(
                strategy, settings.path("requestedToCapacityRatio"), "scoringStrategy.requestedToCapacityRatio.shape");
        return new ResourceAllocationScorer(resources(settings.path("resources")), strategy, shape, rules, extended);
    }

    /**
     * Returns the shape for RequestedToCapacityRatio. Its scores go up to 10.
     *
     * @param field the field of the arguments, for an error
     * @throws PluginException if the strategy needs a shape, and there is none
     */
    static Shape shape(Strategy strategy, JsonNode settings, String field) {
        JsonNode points = settings.path("shape");
        if (strategy == Strategy.RATIO && points.isEmpty()) {
            throw new PluginException(field + ": Required value: at least one point must be specified");
        }
        long[] utilizations = new long[points.size()];
        long[] scores = new long[points.size()];
        for (int i = 0; i < scores.length; i++) {
            utilizations[i] = points.get(i).path("utilization").asLong();
            scores[i] = points.get(i).path("score").asLong() * 10;
        }
        return new Shape(utilizations, scores);
    }

    /** Returns a {@code resources} list of arguments; CPU and memory with weight 1 if there is none. */
    static List<ResourceWeight> resources(JsonNode list) {
        List<ResourceWeight> resources = new ArrayList<>();
        for (JsonNode item : list) {
            long weight = item.path("weight").asLong(0);
            resources.add(new ResourceWeight(item.path("name").asText(), weight == 0 ? 1 : weight));
        }
        return resources.isEmpty() ? ResourceWeight.CPU_AND_MEMORY : List.copyOf(resources);
    }

    private static Set<String> strings(JsonNode list) {
        Set<String> strings = new HashSet<>();
        list.forEach(item -> strings.add(item.asText()));
        return Set.copyOf(strings);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return Hints.ofFit(extended);
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        ResourceVector amounts = context.pod().resources().current().filter();
        BitSet byDevices = new BitSet(0);
        if (amounts.scalarCount() > 0) {
            ExtendedResources resources = extended.all();
            for (int i = 0; i < amounts.scalarCount(); i++) {
                byDevices.set(i, amounts.scalarAmount(i) > 0 && resources.provides(amounts.scalarName(i)));
            }
        }
        ResourceFit fit = new ResourceFit(
                rules,
                amounts,
                index -> (checksZeroScalars || amounts.scalarAmount(index) != 0)
                        && !isIgnored(amounts.scalarName(index)),
                byDevices);
        state.write(key, new Request(fit, byDevices));
        return PreFilterResult.ALL_NODES;
    }

    private boolean isIgnored(String name) {
        if (!ResourceNames.isExtended(name)) {
            return false;
        }
        return ignored.contains(name)
                || (!ignoredGroups.isEmpty() && ignoredGroups.contains(name.substring(0, name.indexOf('/'))));
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        Request request = state.find(key);
        return request == null
                ? FilterReads.CLUSTER
                : FilterReads.of(request.basis()).withSlots(request.fit()::bySlot);
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Request request = state.find(key);
        if (request == null) {
            return Status.error("error reading \"" + key + "\" from cycleState: not found");
        }
        int reasons = request.fit().check(node);
        if (reasons == 0) {
            return Status.SUCCESS;
        }
        if ((reasons & ResourceFit.SCALARS) == 0) {
            return ANSWERS.get(reasons);
        }
        // With one scalar resource, the bit mask determines the status, and many nodes share it.
        boolean isOne = reasons < request.met().length;
        Status met = isOne ? request.met()[reasons] : null;
        if (met != null) {
            return met;
        }
        List<String> texts = texts(reasons);
        request.fit().insufficientScalars(node).forEach(name -> texts.add(INSUFFICIENT + name));
        Status status = Status.rejected((reasons & ResourceFit.TOO_SMALL) == 0, texts);
        if (isOne) {
            request.met()[reasons] = status;
        }
        return status;
    }

    private static List<String> texts(int reasons) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < COMMON.size(); i++) {
            if ((reasons & (1 << i)) != 0) {
                texts.add(COMMON.get(i));
            }
        }
        return texts;
    }

    /** Preemption cannot help if the node is too small even when it is empty. */
    private static Status answer(int reasons) {
        return reasons == 0 ? Status.SUCCESS : Status.rejected((reasons & ResourceFit.TOO_SMALL) == 0, texts(reasons));
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        return Status.SUCCESS;
    }

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        return ScoreReads.of(
                scoring.basis(pod),
                Reduction.NONE,
                (index, slots, count, scores) -> scoring.scoreSlots(pod, index, slots, count, scores));
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return scoring.score(pod, node);
    }

    /** The extended resources of a cluster that device classes provide, since 1.36. */
    static final class ExtendedAmounts implements Devices {
        /** Null before 1.36. */
        private final @Nullable ClusterView cluster;

        private final DeviceCounter counter = new DeviceCounter();

        ExtendedAmounts(PluginHandle handle) {
            this.cluster = SchedulerChange.DEVICE_FEATURES.in(handle.release()) ? handle.cluster() : null;
        }

        boolean isEnabled() {
            return cluster != null;
        }

        /** The requests of a pod; null if devices can satisfy one of them. */
        @Nullable
        Map<String, Object> sign(PodInfo pod) {
            return all().isRequestedBy(pod)
                    ? null
                    : Map.of("requests", pod.resources().current().filter());
        }

        /** The resources by name. */
        ExtendedResources all() {
            return cluster != null ? ExtendedResources.of(cluster) : ExtendedResources.NONE;
        }

        @Override
        public @Nullable Count count(String resource, NodeInfo node) {
            ExtendedResources resources = all();
            return cluster != null && resources.provides(resource)
                    ? counter.count(resources, resource, node, cluster, cluster.assumedClaims())
                    : null;
        }
    }

    /**
     * The changes that may help pods that were rejected because of resources or ports that other pods use: NodePorts and
     * NodeResourcesFit. Mirrors the {@code EventsToRegister} of these plugins.
     */
    static final class Hints {
        private Hints() {}

        /** True for a pod that was bound or nominated to a node. */
        static boolean wasAssignedOrNominated(PodInfo gone) {
            return !gone.nodeName().isEmpty() || !gone.nominatedNodeName().isEmpty();
        }

        /** @param extended the resources that devices can satisfy */
        static List<EventHint> ofFit(ExtendedAmounts extended) {
            List<EventHint> hints = new ArrayList<>(List.of(
                    EventHint.of((pod, event) -> wasAssignedOrNominated(event.pod()), POD, DELETE),
                    EventHint.of(Hints::requestsReleased, POD, UPDATE_POD_SCALE_DOWN),
                    EventHint.of((pod, event) -> fitsEmpty(pod, event.node().allocatable(), extended), NODE, ADD),
                    EventHint.of((pod, event) -> requestsAdded(pod, event, extended), NODE, UPDATE_NODE_ALLOCATABLE)));
            if (extended.isEnabled()) {
                hints.add(EventHint.of(
                        (pod, event) -> DynamicResources.isProvided(pod, event.old(), event.object()),
                        DEVICE_CLASS,
                        ADD,
                        UPDATE));
            }
            return List.copyOf(hints);
        }

        private static boolean requestsReleased(PodInfo pod, ObjectEvent event) {
            if (event.isAbout(pod)) {
                return true;
            }
            return event.old() instanceof PodInfo old
                    && event.now() instanceof PodInfo now
                    && !now.nodeName().isEmpty()
                    && isAnyIncreased(requests(pod), requests(now), requests(old));
        }

        private static boolean requestsAdded(PodInfo pod, ObjectEvent event, ExtendedAmounts extended) {
            ResourceVector now = event.node().allocatable();
            ResourceVector old = event.nodeBefore().allocatable();
            return fitsEmpty(pod, now, extended)
                    && (old.pods() < now.pods() || isAnyIncreased(requests(pod), old, now));
        }

        private static ResourceVector requests(PodInfo pod) {
            return pod.resources().current().filter();
        }

        /** True if {@code less} is smaller than {@code more} in a resource that the pod requests. */
        private static boolean isAnyIncreased(ResourceVector requests, ResourceVector less, ResourceVector more) {
            List<ToLongFunction<ResourceVector>> amounts =
                    List.of(ResourceVector::milliCpu, ResourceVector::memory, ResourceVector::ephemeralStorage);
            for (ToLongFunction<ResourceVector> amount : amounts) {
                if (amount.applyAsLong(requests) > 0 && amount.applyAsLong(less) < amount.applyAsLong(more)) {
                    return true;
                }
            }
            for (int i = 0; i < requests.scalarCount(); i++) {
                String name = requests.scalarName(i);
                if (requests.scalarAmount(i) > 0 && less.scalar(name) < more.scalar(name)) {
                    return true;
                }
            }
            return false;
        }

        /** Whether a pod fits on an empty node with these allocatable resources, including resources that the profile ignores. */
        private static boolean fitsEmpty(PodInfo pod, ResourceVector allocatable, ExtendedAmounts extended) {
            ResourceVector requests = requests(pod);
            boolean fits = allocatable.pods() >= 1
                    && requests.milliCpu() <= Math.max(0, allocatable.milliCpu())
                    && requests.memory() <= Math.max(0, allocatable.memory())
                    && requests.ephemeralStorage() <= Math.max(0, allocatable.ephemeralStorage());
            ExtendedResources resources = requests.scalarCount() == 0 ? ExtendedResources.NONE : extended.all();
            for (int i = 0; fits && i < requests.scalarCount(); i++) {
                String name = requests.scalarName(i);
                long available = Math.max(0, allocatable.scalar(name));
                fits = requests.scalarAmount(i) <= available || (available == 0 && resources.provides(name));
            }
            return fits;
        }
    }

    /**
     * NodeResourcesLeastAllocated, NodeResourcesMostAllocated, or RequestedToCapacityRatio of 1.18 to 1.22, which became the scoring
     * strategies of {@link NodeResourcesFit}. Mirrors {@code least_allocated.go}, {@code most_allocated.go}, and {@code
     * requested_to_capacity_ratio.go} of those releases.
     */
    public static final class NodeResourcesAllocation implements InTreeScore, CacheableScore {
        private final String name;
        private final ResourceAllocationScorer scoring;

        /** Creates the plugin for a profile. */
        public NodeResourcesAllocation(String name, PluginHandle handle) {
            this.name = name;
            Strategy strategy = switch (name) {
                case PluginNames.NODE_RESOURCES_LEAST -> Strategy.LEAST;
                case PluginNames.NODE_RESOURCES_MOST -> Strategy.MOST;
                default -> Strategy.RATIO;
            };
            Release release = handle.release();
            Rules rules = new Rules(
                    RequestRules.MODERN,
                    false,
                    SchedulerChange.ONLY_REQUESTED_RESOURCES.in(release),
                    SchedulerChange.OVERCOMMITTED_SCORES_FULL.in(release),
                    true);
            this.scoring = new ResourceAllocationScorer(
                    NodeResourcesFit.resources(handle.args().path("resources")),
                    strategy,
                    NodeResourcesFit.shape(strategy, handle.args(), "shape"),
                    rules,
                    Devices.NONE);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public ScoreReads scoreReads(CycleState state, PodInfo pod) {
            return ScoreReads.of(
                    scoring.basis(pod),
                    Reduction.NONE,
                    (index, slots, count, scores) -> scoring.scoreSlots(pod, index, slots, count, scores));
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return scoring.score(pod, node);
        }
    }
}
