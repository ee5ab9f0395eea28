package io.policyscheduler.framework.insight.lab;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Placement;
import io.policyscheduler.framework.insight.lab.RunEvents.Order;
import io.policyscheduler.framework.insight.lab.RunMetrics.Count;
import io.policyscheduler.framework.insight.lab.TraceRun.End;
import io.policyscheduler.framework.insight.lab.TraceRun.Listener;
import io.policyscheduler.framework.insight.lab.TraceRun.PodLife;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a run from their arrival to their end: what the API server, the kubelets, and the controllers do with them. Belongs to one
 * thread.
 */
final class SimulatedPods {
    /** A pod that has not ended. */
    static final class LivePod {
        PodInfo pod;
        final @Nullable Arrival arrival;
        final long arrived;
        final int restart;
        /** Number of the pod in the order of arrival. */
        long order;

        long bound = ClusterTrace.NONE;
        long started = ClusterTrace.NONE;
        /** When the last attempt ends, which takes time. */
        long attempted;

        boolean leaving;
        /** The last of its updates; null for none. */
        @Nullable
        PodInfo changedTo;
        /** Whether the last attempt has failed. */
        boolean unschedulable;
        /** The node of the last decision, or of the record; empty if there is none. */
        String target = "";

        final MeasuredUse use;
        /** The step of its use that counts; -1 for none. */
        int useStep = -1;

        LivePod(PodInfo pod, @Nullable Arrival arrival, MeasuredUse use, long arrived, int restart) {
            this.pod = pod;
            this.use = use;
            this.arrival = arrival;
            this.arrived = arrived;
            this.restart = restart;
        }
    }

    private final RunEvents events;
    private final ClusterTrace trace;
    private final RunSettings settings;
    private final Listener listener;
    /** Null for a run that follows the record. */
    private final @Nullable SchedulerSpec spec;

    private final ClusterState state;
    /** The names of the nodes that are there. */
    private final Set<String> nodes;

    private final Map<String, LivePod> pods = new LinkedHashMap<>();
    /** When a pod was last bound to a node or has ended there, or when the autoscaler added the node. */
    private final Map<String, Long> touched = new HashMap<>();

    private long arrived;
    private long uids;
    private int boundPods;

    /**
     * Creates pods for a run that has not begun.
     *
     * @param spec null for a run that follows the record
     * @param state the cluster as the scheduler knows it
     * @param nodes a view of the names of the nodes that are there
     */
    SimulatedPods(
            RunEvents events,
            ClusterTrace trace,
            RunSettings settings,
            Listener listener,
            @Nullable SchedulerSpec spec,
            ClusterState state,
            Set<String> nodes) {
        this.events = events;
        this.trace = trace;
        this.settings = settings;
        this.listener = listener;
        this.spec = spec;
        this.state = state;
        this.nodes = nodes;
    }

    /** Returns the pods that have not ended, in the order of their arrival. */
    Collection<LivePod> all() {
        return pods.values();
    }

    /** Returns a pod that has not ended; null if there is none. */
    @Nullable
    LivePod get(String uid) {
        return pods.get(uid);
    }

    /** Returns how many pods have a node. */
    int bound() {
        return boundPods;
    }

    /** Returns how many pods wait for a node. */
    int waiting() {
        return pods.size() - boundPods;
    }

    /** Returns when a node was last touched, nanoseconds since the start. */
    long touched(String node) {
        return touched.getOrDefault(node, 0L);
    }

    /** A node was touched now. */
    void touch(String node) {
        touched.put(node, events.nanos());
    }

    /** Adds a pod that runs already; returns false if there is one with its UID. */
    boolean addRunning(PodInfo pod) {
        LivePod live = new LivePod(pod, null, useOf(pod), events.nanos(), 0);
        live.bound = events.nanos();
        live.started = events.nanos();
        if (!add(live)) {
            return false;
        }
        boundPods++;
        events.each(one -> one.running(pod));
        listener.allocated(events.nanos(), pod, pod.nodeName(), 1);
        countUse(live, 0);
        return true;
    }

    /** A pod of the snapshot arrives, which has no node. */
    void arrive(PodInfo pod) {
        arrive(new LivePod(pod, null, useOf(pod), 0, 0));
    }

    /** Adds a pod; returns false if there is one with its UID. */
    private boolean add(LivePod live) {
        live.order = arrived++;
        return pods.putIfAbsent(live.pod.uid(), live) == null;
    }

    /**
     * A controller or a user creates a pod.
     *
     * @param restart 0 for the pod of the trace, else the number of the replacement
     */
    void create(Arrival arrival, int restart) {
        String uid = "lab-" + uids++;
        String name = restart == 0 ? arrival.name() : arrival.name() + "-r" + restart;
        PodInfo pod = arrival.pod(name, uid, events.instant());
        arrive(new LivePod(pod, arrival, arrival.use(), events.nanos(), restart));
        if (restart == 0) {
            arrival.updates().forEach(update -> schedule(update, uid));
        }
    }

    /** A pod changes at the time of the trace. */
    void schedule(ClusterTrace.PodUpdate update, String uid) {
        // A shifted pod can arrive after its update.
        events.at(Math.max(events.nanos(), update.atNanos()), Order.OBJECTS, () -> update(uid, update.to()));
    }

    private void update(String uid, PodInfo to) {
        LivePod live = pods.get(uid);
        if (live == null) {
            return;
        }
        PodInfo before = live.pod;
        live.pod = before.toBuilder().labels(to.labels()).spec(to.spec()).build();
        live.changedTo = to;
        events.each(one -> one.updated(before, live.pod));
        if (!before.nodeName().isEmpty()) {
            listener.allocated(events.nanos(), before, before.nodeName(), -1);
            listener.allocated(events.nanos(), live.pod, before.nodeName(), 1);
        }
        events.post(new ClusterChange.PodUpserted(live.pod));
    }

    private void arrive(LivePod live) {
        if (!add(live)) {
            throw new IllegalStateException("two pods have the UID " + live.pod.uid());
        }
        events.each(one -> one.arrived(live.pod));
        events.post(new ClusterChange.PodUpserted(live.pod));
        Placement recorded = followed(live);
        if (recorded != null) {
            events.at(recorded.boundNanos(), Order.BINDINGS, () -> bindAsRecorded(live, recorded));
            return;
        }
        Arrival arrival = live.arrival;
        if (arrival != null && arrival.endNanos() != ClusterTrace.NONE) {
            String uid = live.pod.uid();
            events.at(arrival.endNanos(), Order.ENDS, () -> end(uid, End.DELETED));
        }
    }

    /** Returns where the record binds a pod; null if it does not, or if the run does not follow it. */
    private @Nullable Placement followed(LivePod live) {
        if (spec != null) {
            return null;
        }
        return live.arrival == null ? trace.placements().get(live.pod.uid()) : live.arrival.recorded();
    }

    /** Binds the pods whose node has appeared after their bind; only in a run that follows the record. */
    void nodeAppeared(String node) {
        if (spec == null) {
            pods.values().stream()
                    .filter(live -> live.pod.nodeName().isEmpty() && live.target.equals(node))
                    .toList()
                    .forEach(live -> bound(live.pod, node, outcome -> {}));
        }
    }

    private void bindAsRecorded(LivePod live, Placement recorded) {
        live.target = recorded.node();
        // The watches of pods and of nodes are not ordered: the node of a bind can appear a moment later.
        if (nodes.contains(recorded.node())) {
            bound(live.pod, recorded.node(), outcome -> {});
        }
        if (recorded.endedNanos() != ClusterTrace.NONE) {
            events.at(recorded.endedNanos(), Order.ENDS, () -> end(live.pod.uid(), recorded.how()));
        }
    }

    /** The API server binds a pod, if it has not ended. */
    void bound(PodInfo pod, String node, Consumer<BindOutcome> done) {
        LivePod live = pods.get(pod.uid());
        if (live == null) {
            done.accept(BindOutcome.deleted("pods \"" + pod.name() + "\" not found"));
            return;
        }
        if (!live.pod.nodeName().isEmpty()) {
            throw new IllegalStateException("pod " + pod.key() + " is bound twice");
        }
        live.pod = spec == null ? live.pod.withNodeName(node) : spec.volumes().bound(state, live.pod, node);
        live.bound = events.nanos();
        touch(node);
        boundPods++;
        events.each(one -> one.bound(live.pod, node, live.arrived));
        listener.allocated(events.nanos(), live.pod, node, 1);
        Placement known = live.arrival == null || live.restart > 0 ? null : live.arrival.recorded();
        if (known != null) {
            boolean same = node.equals(known.node());
            events.each(one -> one.compared(same));
        }
        if (!isWork(live)) {
            countUse(live, 0);
        }
        events.post(new ClusterChange.PodUpserted(live.pod));
        done.accept(BindOutcome.BOUND);
        if (live.leaving) {
            terminate(live);
        }
        if (!nodes.contains(node)) {
            end(pod.uid(), End.NODE_LOST);
            return;
        }
        String uid = pod.uid();
        Placement recorded = followed(live);
        long starts = recorded == null ? events.nanos() + settings.start().toNanos() : recorded.startedNanos();
        if (starts != ClusterTrace.NONE) {
            events.at(starts, Order.BINDINGS, () -> started(uid));
        }
    }

    private void started(String uid) {
        LivePod live = pods.get(uid);
        if (live == null || live.leaving) {
            return;
        }
        live.started = events.nanos();
        live.pod = live.pod.toBuilder()
                .phase("Running")
                .startTimeMillis(events.instant().toEpochMilli())
                .build();
        events.post(new ClusterChange.PodUpserted(live.pod));
        Arrival arrival = live.arrival;
        if (arrival != null && isWork(live)) {
            countUse(live, events.nanos());
            if (spec != null) {
                events.at(events.nanos() + arrival.durationNanos(), Order.ENDS, () -> end(uid, End.SUCCEEDED));
            }
        }
    }

    /** Whether the pod runs for a duration after its start. */
    private static boolean isWork(LivePod live) {
        return live.arrival != null && live.arrival.durationNanos() != ClusterTrace.NONE;
    }

    /** Returns the measured use of a pod that does not arrive. */
    private MeasuredUse useOf(PodInfo pod) {
        return trace.uses().getOrDefault(pod.uid(), MeasuredUse.NONE);
    }

    /**
     * Counts the measured use of a bound pod from now on, until it ends.
     *
     * @param origin the time that is 0 in its use
     */
    private void countUse(LivePod live, long origin) {
        use(live, live.use.stepAt(events.nanos() - origin));
        if (live.useStep + 1 < live.use.steps()) {
            events.at(origin + live.use.from(live.useStep + 1), Order.OBJECTS, () -> {
                if (pods.get(live.pod.uid()) == live) {
                    countUse(live, origin);
                }
            });
        }
    }

    private void use(LivePod live, int step) {
        MeasuredUse use = live.use;
        int before = live.useStep;
        if (step == before) {
            return;
        }
        live.useStep = step;
        long nanoCores = use.nanoCores(step) - use.nanoCores(before);
        long bytes = use.bytes(step) - use.bytes(before);
        int measured = (use.isMeasured(step) ? 1 : 0) - (use.isMeasured(before) ? 1 : 0);
        events.each(one -> one.used(nanoCores, bytes, measured));
    }

    /** Evicts a pod, which is deleted after its grace period. */
    void evict(LivePod live, End how) {
        if (live.leaving) {
            return;
        }
        live.leaving = true;
        // A bind that is under way is first: an API server does not bind a pod whose deletion has begun.
        if (!live.pod.nodeName().isEmpty()) {
            terminate(live);
        }
        String uid = live.pod.uid();
        events.in(settings.grace(), Order.ENDS, () -> end(uid, how));
    }

    private void terminate(LivePod live) {
        live.pod = live.pod.toBuilder().terminating(true).build();
        events.post(new ClusterChange.PodUpserted(live.pod));
    }

    /** A pod ends now; nothing happens if it has ended. */
    void end(String uid, End how) {
        LivePod live = pods.remove(uid);
        if (live == null) {
            return;
        }
        String node = live.pod.nodeName();
        if (node.isEmpty()) {
            events.each(one -> one.count(Count.GONE_PENDING));
            events.each(one -> one.endedPending(live.pod, live.arrived));
        } else {
            boundPods--;
            use(live, -1);
            touch(node);
            events.each(one -> one.ended(live.pod, node));
            listener.allocated(events.nanos(), live.pod, node, -1);
            counts(live, how);
        }
        events.post(new ClusterChange.PodDeleted(live.pod.namespace(), live.pod.name(), uid));
        listener.ended(new PodLife(
                live.pod, live.arrived, live.bound, events.nanos(), node, how, live.arrival, live.changedTo));
    }

    private void counts(LivePod live, End how) {
        Arrival arrival = live.arrival;
        switch (how) {
            case SUCCEEDED -> {
                events.each(one -> one.count(Count.FINISHED));
                if (arrival != null) {
                    events.each(one -> one.finishedWork(live.arrived, arrival.durationNanos()));
                }
                return;
            }
            case PREEMPTED -> events.each(one -> one.count(Count.PREEMPTED));
            case EVICTED -> events.each(one -> one.count(Count.EVICTED));
            case NODE_LOST -> events.each(one -> one.count(Count.NODE_LOST));
            default -> {
                return;
            }
        }
        if (live.started != ClusterTrace.NONE) {
            events.each(one -> one.workLost(live.pod, live.started));
        }
        Arrival source = source(live);
        boolean isOver = spec != null
                && source.endNanos() != ClusterTrace.NONE
                && source.endNanos() <= events.nanos() + settings.replacement().toNanos();
        if (source.restarts() && !isOver) {
            events.each(one -> one.count(Count.RESTARTED));
            // The replacements in a record are pods of their own.
            if (spec != null) {
                events.in(settings.replacement(), Order.ARRIVALS, () -> create(source, live.restart + 1));
            }
        } else {
            events.each(one -> one.count(Count.LOST));
        }
    }

    /** Returns what a controller creates again when the pod ends too early. */
    static Arrival source(LivePod live) {
        return live.arrival != null ? live.arrival : ofSnapshot(live.pod, live.use);
    }

    /** A pod of the snapshot, as its controller creates it again; DaemonSets follow nodes, which is not simulated. */
    static Arrival ofSnapshot(PodInfo pod, MeasuredUse use) {
        boolean restarts = pod.controller() != null && !isDaemon(pod);
        return new Arrival(
                0,
                pod.namespace(),
                pod.name(),
                pod.toBuilder()
                        .terminating(false)
                        .startTimeMillis(PodInfo.NO_TIME)
                        .scheduled(null)
                        .build(),
                ClusterTrace.NONE,
                ClusterTrace.NONE,
                restarts,
                null,
                List.of(),
                "",
                use);
    }

    /** Whether a drain leaves the pod on its node: those of DaemonSets, and mirrors of static pods. */
    static boolean staysOnNode(PodInfo pod) {
        return isDaemon(pod) || pod.annotations().has(PodInfo.MIRROR_ANNOTATION);
    }

    private static boolean isDaemon(PodInfo pod) {
        PodInfo.OwnerReference owner = pod.controller();
        return owner != null && owner.kind().equals("DaemonSet");
    }

    /** Returns the pods that are bound to a node, as a copy. */
    List<LivePod> on(String node) {
        return pods.values().stream()
                .filter(live -> live.pod.nodeName().equals(node))
                .toList();
    }
}
