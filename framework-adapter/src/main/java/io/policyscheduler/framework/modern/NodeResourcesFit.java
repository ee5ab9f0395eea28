package io.policyscheduler.framework.modern;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.devices.ExtendedResources;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.FilterPlugin;
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
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The node has room for the pod. Mirrors {@code pkg/scheduler/framework/plugins/noderesources/fit.go}. */
public final class NodeResourcesFit
        implements PreFilterPlugin, FilterPlugin, PreScorePlugin, InTreeScore, EnqueueExtensions {
    public static final String NAME = "NodeResourcesFit";

    private static final String INSUFFICIENT = "Insufficient ";

    private final Set<String> ignored;
    private final Set<String> ignoredGroups;
    private final boolean checksZero;
    private final boolean smallNodesAreHelped;
    private final FitScoring scoring;
    private final Resources.ExtendedAmounts extended;
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
        this.extended = new Resources.ExtendedAmounts(handle);
        this.scoring = FitScoring.of(handle.args(), handle.release(), extended);
        this.key = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
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
        return RoomHints.ofFit(extended);
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
    public Scope filterScope() {
        return Scope.NODE;
    }

    @Override
    public @Nullable Object filterBasis(CycleState state, PodInfo pod) {
        return state.find(key);
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

    @Override
    public @Nullable SlotPredicate bySlot(CycleState state, ClusterIndex index) {
        Request request = state.find(key);
        if (request == null || !request.scalars().isEmpty()) {
            return null;
        }
        NodeAmounts amounts = index.amounts(RequestRules.MODERN);
        return request.nothing()
                ? slot -> amounts.room(slot) > 0
                : new SlotRoom(amounts, request.amounts(), checksZero);
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
    public Scope scoreScope() {
        return Scope.NODE;
    }

    @Override
    public Object scoreBasis(CycleState state, PodInfo pod) {
        return scoring.basis(pod);
    }

    @Override
    public Reduction reduction(CycleState state) {
        return Reduction.NONE;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return scoring.score(pod, node);
    }

    @Override
    public boolean scoreSlots(
            CycleState state, PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        return scoring.scoreSlots(pod, index, slots, count, scores);
    }
}
