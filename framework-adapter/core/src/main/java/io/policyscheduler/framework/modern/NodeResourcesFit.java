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
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.placement.ResourceAllocationScorer;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Devices;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.ResourceWeight;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Rules;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Shape;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Strategy;
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
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The node has room for the pod. Mirrors {@code pkg/scheduler/framework/plugins/noderesources/fit.go}. */
public final class NodeResourcesFit
        implements PreFilterPlugin, CacheableFilter, PreScorePlugin, InTreeScore, CacheableScore, EnqueueExtensions {
    public static final String NAME = "NodeResourcesFit";

    private static final String INSUFFICIENT = "Insufficient ";

    private final Set<String> ignored;
    private final Set<String> ignoredGroups;
    private final boolean checksZero;
    private final boolean smallNodesAreHelped;
    private final ResourceAllocationScorer scoring;
    private final ExtendedAmounts extended;
    private final StateKey<Request> key;

    /**
     * What the pod needs.
     *
     * @param scalars indices of the scalar resources to check
     * @param byDevices those of them that devices satisfy on nodes without a device plugin
     */
    private record Request(ResourceVector amounts, boolean nothing, List<Integer> scalars, Set<Integer> byDevices) {
        boolean isChecked(int index, ResourceVector allocatable) {
            return byDevices.isEmpty()
                    || !byDevices.contains(index)
                    || allocatable.scalar(amounts.scalarName(index)) != 0;
        }
    }

    /** Made with the arguments of a profile. */
    public NodeResourcesFit(PluginHandle handle) {
        this.ignored = strings(handle.args().path("ignoredResources"));
        this.ignoredGroups = strings(handle.args().path("ignoredResourceGroups"));
        this.checksZero = !SchedulerChange.ZERO_IS_NOT_CHECKED.in(handle.release());
        this.smallNodesAreHelped = !SchedulerChange.TOO_SMALL_IS_FINAL.in(handle.release());
        this.extended = new ExtendedAmounts(handle);
        this.scoring = scoring(handle.args().path("scoringStrategy"), handle.release(), extended);
        this.key = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
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
        List<Integer> scalars = new ArrayList<>();
        for (int i = 0; i < amounts.scalarCount(); i++) {
            if (amounts.scalarAmount(i) != 0 && !isIgnored(amounts.scalarName(i))) {
                scalars.add(i);
            }
        }
        boolean nothing = amounts.milliCpu() == 0
                && amounts.memory() == 0
                && amounts.ephemeralStorage() == 0
                && amounts.scalarCount() == 0;
        Set<Integer> byDevices = new HashSet<>();
        if (!scalars.isEmpty()) {
            ExtendedResources resources = extended.all();
            scalars.stream()
                    .filter(index -> amounts.scalarAmount(index) > 0 && resources.provides(amounts.scalarName(index)))
                    .forEach(byDevices::add);
        }
        state.write(key, new Request(amounts, nothing, List.copyOf(scalars), Set.copyOf(byDevices)));
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
                : FilterReads.of(request).withSlots(index -> bySlot(request, index));
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Request request = state.find(key);
        if (request == null) {
            return Status.error("error reading \"" + key + "\" from cycleState: not found");
        }
        ResourceVector allocatable = node.allocatable();
        boolean roomForPod = node.podCount() + 1 <= allocatable.pods();
        if (request.nothing()) {
            return roomForPod ? Status.SUCCESS : Status.unschedulable("Too many pods");
        }
        ResourceVector wanted = request.amounts();
        RequestTotals taken = node.currentRequests();
        boolean fits = roomForPod
                && fits(wanted.milliCpu(), allocatable.milliCpu(), taken.milliCpu())
                && fits(wanted.memory(), allocatable.memory(), taken.memory())
                && fits(wanted.ephemeralStorage(), allocatable.ephemeralStorage(), taken.ephemeralStorage());
        List<Integer> scalars = request.scalars();
        for (int i = 0; fits && i < scalars.size(); i++) {
            String name = wanted.scalarName(scalars.get(i));
            fits = !request.isChecked(scalars.get(i), allocatable)
                    || fits(wanted.scalarAmount(scalars.get(i)), allocatable.scalar(name), taken.scalar(name));
        }
        return fits ? Status.SUCCESS : misfit(request, allocatable, taken, roomForPod);
    }

    private @Nullable SlotPredicate bySlot(Request request, ClusterIndex index) {
        if (!request.scalars().isEmpty()) {
            return null;
        }
        NodeAmounts amounts = index.amounts(RequestRules.MODERN);
        return request.nothing()
                ? slot -> amounts.room(slot) > 0
                : new SlotTest(amounts, request.amounts(), checksZero);
    }

    private boolean fits(long wanted, long allocatable, long taken) {
        return (wanted <= 0 && !checksZero) || wanted <= Arithmetic.SATURATING.subtract(allocatable, taken);
    }

    private Status misfit(Request request, ResourceVector allocatable, RequestTotals taken, boolean roomForPod) {
        Misfit misfit = new Misfit(roomForPod);
        ResourceVector wanted = request.amounts();
        misfit.check(1, wanted.milliCpu(), allocatable.milliCpu(), taken.milliCpu());
        misfit.check(2, wanted.memory(), allocatable.memory(), taken.memory());
        misfit.check(3, wanted.ephemeralStorage(), allocatable.ephemeralStorage(), taken.ephemeralStorage());
        for (int index : request.scalars()) {
            String name = wanted.scalarName(index);
            if (request.isChecked(index, allocatable)) {
                misfit.check(name, wanted.scalarAmount(index), allocatable.scalar(name), taken.scalar(name));
            }
        }
        return misfit.status();
    }

    /** Collects all reasons against a node. */
    private final class Misfit {
        private static final List<String> COMMON = List.of(
                "Too many pods",
                INSUFFICIENT + ResourceNames.CPU,
                INSUFFICIENT + ResourceNames.MEMORY,
                INSUFFICIENT + ResourceNames.EPHEMERAL_STORAGE);
        private static final int TOO_SMALL = 1 << COMMON.size();
        /** By the reasons that are bits of the index; full nodes are many, so these answers are made once. */
        private static final List<Status> ANSWERS =
                IntStream.range(0, 2 * TOO_SMALL).mapToObj(Misfit::answer).toList();

        private int bits;
        private @Nullable List<String> scalars;

        Misfit(boolean roomForPod) {
            this.bits = roomForPod ? 0 : 1;
        }

        private static List<String> reasons(int bits) {
            List<String> reasons = new ArrayList<>();
            for (int i = 0; i < COMMON.size(); i++) {
                if ((bits & (1 << i)) != 0) {
                    reasons.add(COMMON.get(i));
                }
            }
            return reasons;
        }

        private static Status answer(int bits) {
            return Status.rejected((bits & TOO_SMALL) == 0, reasons(bits));
        }

        void check(int reason, long wanted, long allocatable, long taken) {
            if (!fits(wanted, allocatable, taken)) {
                bits |= 1 << reason;
                noteSize(wanted, allocatable);
            }
        }

        void check(String name, long wanted, long allocatable, long taken) {
            if (!fits(wanted, allocatable, taken)) {
                if (scalars == null) {
                    scalars = new ArrayList<>(1);
                }
                scalars.add(INSUFFICIENT + name);
                noteSize(wanted, allocatable);
            }
        }

        /** A node that is too small even when empty is not helped by preemption. */
        private void noteSize(long wanted, long allocatable) {
            bits |= wanted > allocatable && !smallNodesAreHelped ? TOO_SMALL : 0;
        }

        Status status() {
            if (scalars == null) {
                return ANSWERS.get(bits);
            }
            List<String> all = reasons(bits);
            all.addAll(scalars);
            return Status.rejected((bits & TOO_SMALL) == 0, all);
        }
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

    /** Nodes with room for one more pod that asks for something, but for no scalar resource; the same as {@link NodeResourcesFit#filter}. */
    static final class SlotTest implements SlotPredicate {
        private static final Arithmetic SUMS = Arithmetic.SATURATING;

        private final NodeAmounts amounts;
        private final long milliCpu;
        private final long memory;
        private final long storage;

        /** @param checksZero whether also what the pod does not ask for must not be overcommitted */
        SlotTest(NodeAmounts amounts, ResourceVector wanted, boolean checksZero) {
            this.amounts = amounts;
            this.milliCpu = least(wanted.milliCpu(), checksZero);
            this.memory = least(wanted.memory(), checksZero);
            this.storage = least(wanted.ephemeralStorage(), checksZero);
        }

        private static long least(long wanted, boolean checksZero) {
            return wanted <= 0 && !checksZero ? Long.MIN_VALUE : wanted;
        }

        @Override
        public boolean test(int slot) {
            return amounts.room(slot) > 0
                    && milliCpu <= SUMS.subtract(amounts.allocatableMilliCpu(slot), amounts.milliCpu(slot))
                    && memory <= SUMS.subtract(amounts.allocatableMemory(slot), amounts.memory(slot))
                    && storage <= SUMS.subtract(amounts.allocatableStorage(slot), amounts.storage(slot));
        }

        /** The same as by default, in a loop that the compiler can make one of with the test. */
        @Override
        public void retain(int[] order, long[] positions) {
            for (int block = 0; block < positions.length; block++) {
                long passing = positions[block];
                for (long left = passing; left != 0; left &= left - 1) {
                    if (!test(order[(block << 6) + Long.numberOfTrailingZeros(left)])) {
                        passing &= ~Long.lowestOneBit(left);
                    }
                }
                positions[block] = passing;
            }
        }
    }

    /** The extended resources of a cluster that device classes provide, since 1.36. */
    static final class ExtendedAmounts implements Devices {
        /** Null before 1.36. */
        private final @Nullable ClusterView cluster;

        private final DeviceCounter counter = new DeviceCounter();

        ExtendedAmounts(PluginHandle handle) {
            this.cluster = SchedulerChange.DEVICES_OF_TODAY.in(handle.release()) ? handle.cluster() : null;
        }

        boolean isEnabled() {
            return cluster != null;
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
     * Which changes may help pods that were rejected for what other pods take: NodePorts and NodeResourcesFit. Mirrors the
     * {@code EventsToRegister} of these plugins.
     */
    static final class Hints {
        private Hints() {}

        static List<EventHint> ofPorts() {
            return List.of(EventHint.of(Hints::freesPort, POD, DELETE), EventHint.of(Hint.ALWAYS, NODE, ADD));
        }

        private static boolean freesPort(PodInfo pod, ObjectEvent event) {
            PodInfo gone = event.pod();
            return hadPlace(gone)
                    && hostPorts(gone).stream()
                            .anyMatch(port -> hostPorts(pod).stream().anyMatch(port::conflictsWith));
        }

        /** The ports that a pod holds on its node. */
        static List<HostPort> hostPorts(PodInfo pod) {
            List<HostPort> ports = new ArrayList<>();
            for (Container container : pod.spec().containers()) {
                if (container.runsOn()) {
                    ports.addAll(container.hostPorts());
                }
            }
            return ports;
        }

        /** True for a pod that took room on a node, or for which some was kept. */
        static boolean hadPlace(PodInfo gone) {
            return !gone.nodeName().isEmpty() || !gone.nominatedNodeName().isEmpty();
        }

        /** @param extended the resources that devices can satisfy */
        static List<EventHint> ofFit(ExtendedAmounts extended) {
            List<EventHint> hints = new ArrayList<>(List.of(
                    EventHint.of((pod, event) -> hadPlace(event.pod()), POD, DELETE),
                    EventHint.of(Hints::needsWhatIsGivenBack, POD, UPDATE_POD_SCALE_DOWN),
                    EventHint.of((pod, event) -> fitsEmpty(pod, event.node().allocatable(), extended), NODE, ADD),
                    EventHint.of((pod, event) -> needsWhatIsNew(pod, event, extended), NODE, UPDATE_NODE_ALLOCATABLE)));
            if (extended.isEnabled()) {
                hints.add(EventHint.of(
                        (pod, event) -> DynamicResources.isProvided(pod, event.old(), event.object()),
                        DEVICE_CLASS,
                        ADD,
                        UPDATE));
            }
            return List.copyOf(hints);
        }

        private static boolean needsWhatIsGivenBack(PodInfo pod, ObjectEvent event) {
            if (event.isAbout(pod)) {
                return true;
            }
            return event.old() instanceof PodInfo old
                    && event.now() instanceof PodInfo now
                    && !now.nodeName().isEmpty()
                    && someWanted(wanted(pod), wanted(now), wanted(old));
        }

        private static boolean needsWhatIsNew(PodInfo pod, ObjectEvent event, ExtendedAmounts extended) {
            ResourceVector now = event.node().allocatable();
            ResourceVector old = event.nodeBefore().allocatable();
            return fitsEmpty(pod, now, extended) && (old.pods() < now.pods() || someWanted(wanted(pod), old, now));
        }

        private static ResourceVector wanted(PodInfo pod) {
            return pod.resources().current().filter();
        }

        /** True when {@code less} is less than {@code more} of something that is wanted. */
        private static boolean someWanted(ResourceVector wanted, ResourceVector less, ResourceVector more) {
            List<ToLongFunction<ResourceVector>> amounts =
                    List.of(ResourceVector::milliCpu, ResourceVector::memory, ResourceVector::ephemeralStorage);
            for (ToLongFunction<ResourceVector> amount : amounts) {
                if (amount.applyAsLong(wanted) > 0 && amount.applyAsLong(less) < amount.applyAsLong(more)) {
                    return true;
                }
            }
            for (int i = 0; i < wanted.scalarCount(); i++) {
                String name = wanted.scalarName(i);
                if (wanted.scalarAmount(i) > 0 && less.scalar(name) < more.scalar(name)) {
                    return true;
                }
            }
            return false;
        }

        /** True when a node with so much would take the pod if it were empty; resources that a profile ignores count here. */
        private static boolean fitsEmpty(PodInfo pod, ResourceVector allocatable, ExtendedAmounts extended) {
            ResourceVector wanted = wanted(pod);
            boolean fits = allocatable.pods() >= 1
                    && wanted.milliCpu() <= Math.max(0, allocatable.milliCpu())
                    && wanted.memory() <= Math.max(0, allocatable.memory())
                    && wanted.ephemeralStorage() <= Math.max(0, allocatable.ephemeralStorage());
            ExtendedResources resources = wanted.scalarCount() == 0 ? ExtendedResources.NONE : extended.all();
            for (int i = 0; fits && i < wanted.scalarCount(); i++) {
                String name = wanted.scalarName(i);
                long available = Math.max(0, allocatable.scalar(name));
                fits = wanted.scalarAmount(i) <= available || (available == 0 && resources.provides(name));
            }
            return fits;
        }
    }
}
