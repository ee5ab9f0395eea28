package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.NodeGroups.Autoscaler;
import io.policyscheduler.framework.insight.lab.RunEvents.Order;
import io.policyscheduler.framework.insight.lab.RunMetrics.Count;
import io.policyscheduler.framework.insight.lab.RunMetrics.WaitCurve;
import io.policyscheduler.framework.insight.lab.SimulatedPods.LivePod;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a trace: the production {@link Scheduler} with its queue, cache, and profile, on a virtual clock, against an API server,
 * kubelets, and controllers that are events of a heap. One thread; the same trace, scheduler, and settings give the same run.
 */
public final class TraceRun {
    /**
     * The name of the run that has no scheduler: it binds, starts, and ends each pod where and when the record says. It fits only traces
     * with placements, and runs without outages, hazards, and groups, because what happened does not react to them.
     */
    public static final String RECORDED = "recorded";

    /** The end of a pod. */
    public enum End {
        SUCCEEDED("Succeeded"),
        DELETED("Deleted"),
        PREEMPTED("Preempted"),
        EVICTED("Evicted"),
        NODE_LOST("NodeLost"),
        /** The trace ends first. */
        RUNNING("Running"),
        /** The trace ends before the pod has a node. */
        PENDING("Pending");

        private final String label;

        End(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /**
     * The life of one pod in the run, reported when it ends. Times are nanoseconds since the start, {@link ClusterTrace#NONE} where there is
     * none.
     *
     * @param node where it ran, empty for a pod that never had a node
     * @param arrival its line in the trace; null for a pod of the snapshot
     * @param changedTo the last of its updates; null for none
     */
    public record PodLife(
            PodInfo pod,
            long arrived,
            long bound,
            long ended,
            String node,
            End end,
            @Nullable Arrival arrival,
            @Nullable PodInfo changedTo) {}

    /**
     * The state at one moment.
     *
     * @param allocated requests of bound pods, in the order of {@link RunMetrics#resources()}
     * @param pending requests of pods without a node
     */
    public record Sample(long nanos, int nodes, int running, int waiting, long[] allocated, long[] pending) {}

    /** Receives what happens in a run. */
    public interface Listener {
        /** Receives nothing. */
        Listener NONE = new Listener() {};

        /** A pod has ended, or the run has. */
        default void ended(PodLife life) {}

        /** A sample is due. */
        default void sampled(Sample sample) {}

        /** The API server has a change. */
        default void changed(long nanos, ClusterChange change) {}

        /** A pod counts on a node from now on, or, if the sign is -1 and not 1, no longer. */
        default void allocated(long nanos, PodInfo pod, String node, int sign) {}

        /** An attempt was made. */
        default void decided(long nanos, PodInfo pod, Decision decision) {}

        /**
         * A block is over.
         *
         * @param index from 0
         * @return false to end the run here; its metrics then have no meaning, but those of its blocks do
         */
        default boolean blockEnded(int index, Map<String, @Nullable Double> metrics) {
            return true;
        }

        /** An event was executed. */
        default void stepped(TraceRun run) {}
    }

    /**
     * The result of a run.
     *
     * @param metrics by name, see {@link RunMetrics#values}
     * @param waits of the pods that arrive in the window
     * @param fromNanos start of the window
     * @param toNanos end of the window
     * @param blocks the metrics of each block of the window; empty if there are no blocks
     */
    public record Result(
            String scheduler,
            List<String> resources,
            Map<String, @Nullable Double> metrics,
            WaitCurve waits,
            long fromNanos,
            long toNanos,
            List<Map<String, @Nullable Double>> blocks) {
        public Result {
            resources = ImmutableList.copyOf(resources);
            blocks = ImmutableList.copyOf(blocks);
        }
    }

    private final ClusterTrace trace;
    /** Null for a run that follows the record. */
    private final @Nullable SchedulerSpec spec;

    private final ClusterState state;
    private final RunSettings settings;
    private final Listener listener;
    private final RunEvents events;
    private final SimulatedNodes nodes;
    private final SimulatedPods pods;
    /** Null without an autoscaler. */
    private final @Nullable AutoscaledCluster autoscaled;

    private final List<Map<String, @Nullable Double>> blocks = new ArrayList<>();
    private final long from;
    private final long blockNanos;
    private long nextBoundary;
    private boolean stopped;

    /** Null for a run that follows the record. */
    private final @Nullable Scheduler scheduler;

    private final Preemption preemption;
    private int nextArrival;
    private int nextChange;
    private long freeAt;
    private boolean decided;

    /**
     * Prepares a run.
     *
     * @param spec null for {@link #RECORDED}
     * @param tieBreak of this run alone
     * @return empty if the scheduler is a set of functions, which the scheduling loop cannot run
     */
    public static Optional<TraceRun> of(
            ClusterTrace trace,
            @Nullable SchedulerSpec spec,
            TieBreak tieBreak,
            RunSettings settings,
            Listener listener) {
        VirtualTime<Runnable> time = new VirtualTime<>(trace.start());
        ClusterState state = new ClusterState(time.clock());
        if (spec == null) {
            return Optional.of(new TraceRun(trace, null, settings, listener, time, state, null));
        }
        return spec.create(state, tieBreak)
                .plugins()
                .map(plugins -> new TraceRun(trace, spec, settings, listener, time, state, plugins));
    }

    private TraceRun(
            ClusterTrace trace,
            @Nullable SchedulerSpec spec,
            RunSettings settings,
            Listener listener,
            VirtualTime<Runnable> time,
            ClusterState state,
            SnapshotScheduler.@Nullable Plugins plugins) {
        this.trace = trace;
        this.spec = spec;
        this.state = state;
        this.settings = settings;
        this.listener = listener;
        this.preemption = Preemption.live(settings.gates(), settings.strictV117());
        this.from = Math.min(settings.warmUp().toNanos(), trace.endNanos());
        this.blockNanos = settings.block().toNanos();
        this.nextBoundary = blockNanos > 0 && from + blockNanos <= trace.endNanos() ? from : VirtualTime.NEVER;
        List<String> resources = settings.resources(trace);
        this.events = new RunEvents(
                time,
                new RunMetrics(
                        resources,
                        from,
                        trace.endNanos(),
                        settings.prices(),
                        RunMetrics.RequestClass.of(resources, Iterables.transform(trace.arrivals(), Arrival::template)),
                        gpus(resources)));
        Map<String, Node> byName = new LinkedHashMap<>();
        this.pods = new SimulatedPods(events, trace, settings, listener, spec, state, byName.keySet());
        this.nodes = new SimulatedNodes(events, settings, trace.endNanos(), pods, byName);
        this.autoscaled = settings.groups() == null || spec == null
                ? null
                : new AutoscaledCluster(events, nodes, pods, settings.grace());
        this.scheduler = spec == null || plugins == null ? null : scheduler(spec, plugins);
        if (scheduler != null) {
            events.addReceiver(scheduler::post);
        }
        events.addReceiver(change -> listener.changed(events.nanos(), change));
    }

    private Scheduler scheduler(SchedulerSpec own, SnapshotScheduler.Plugins plugins) {
        Api api = new Api();
        Preempting preemptor = new Preempting(plugins.cycle());
        VolumeAssumer volumes = (pod, node) -> {
            NodeInfo info = state.node(node);
            if (info != null) {
                own.volumes().assume(state, pod, info);
            }
            return VolumeAssumer.Assumed.NOTHING;
        };
        Collection<ProfileRuntime> runtimes = schedulerNames().stream()
                .map(name -> ProfileRuntime.of(name, plugins.profile(), plugins.cycle(), preemptor, api, volumes))
                .toList();
        return Scheduler.builder(state, api, events.clock())
                .profiles(Profiles.of(1, runtimes))
                .options(SchedulerOptions.defaults().withDecisionBudget(Duration.ZERO))
                .listener(new Attempts())
                .build();
    }

    private @Nullable GpuFragmentation gpus(List<String> resources) {
        List<PodInfo> given = settings.gpuPods().pods();
        Iterable<PodInfo> expected = given != null
                ? given
                : Iterables.transform(
                        Iterables.filter(
                                trace.arrivals(), one -> one.atNanos() >= from && one.atNanos() < trace.endNanos()),
                        Arrival::template);
        return GpuFragmentation.of(resources, expected, settings.gpuPods().byMemory());
    }

    /** Every pod of the trace is a pod of the scheduler under test, whichever scheduler it names. */
    private Set<String> schedulerNames() {
        Set<String> names = new TreeSet<>();
        trace.arrivals().forEach(arrival -> names.add(arrival.template().spec().schedulerName()));
        trace.cluster().pending().forEach(pod -> names.add(pod.spec().schedulerName()));
        trace.cluster().running().forEach(pod -> names.add(pod.spec().schedulerName()));
        return names;
    }

    /** Returns the name of the runs of a scheduler; null is {@link #RECORDED}. */
    public static String name(@Nullable SchedulerSpec spec) {
        return spec == null ? RECORDED : spec.name();
    }

    /** Returns the scheduler, for looking only. {@link #RECORDED} has none. */
    public Scheduler scheduler() {
        return Objects.requireNonNull(scheduler, "a run that follows the record has no scheduler");
    }

    /** Returns the nodes that are there now. */
    public List<Node> nodes() {
        return ImmutableList.copyOf(nodes.all());
    }

    /** Returns the number of pods without a node. */
    public int waiting() {
        return pods.waiting();
    }

    /** Returns the time, nanoseconds since the start. */
    public long nanos() {
        return events.nanos();
    }

    /** Runs the trace to its end; to be called once. */
    public Result run() {
        begin();
        Scheduler own = scheduler;
        boolean busy = true;
        while (true) {
            long wake = own == null
                    ? VirtualTime.NEVER
                    : busy || own.inbox().size() > 0
                            ? Math.max(events.nanos(), freeAt)
                            : Math.max(events.nanos() + own.nanosUntilNextTimer(), freeAt);
            long event = events.next();
            if (Math.min(wake, event) >= trace.endNanos() || stopped) {
                break;
            }
            if (event <= wake) {
                advanceTo(event);
                events.execute();
            } else if (own != null) {
                advanceTo(wake);
                decided = false;
                busy = own.runOnce();
                if (decided) {
                    freeAt = events.nanos() + settings.decision().toNanos();
                }
            }
            listener.stepped(this);
        }
        return end();
    }

    private void advanceTo(long nanos) {
        while (nextBoundary <= nanos) {
            startBlock(nextBoundary);
        }
        events.advanceTo(nanos);
    }

    /** Ends the block before a boundary, and begins the one after it, if it is complete within the trace. */
    private void startBlock(long boundary) {
        events.advanceTo(boundary);
        RunMetrics before = events.block();
        if (before != null) {
            for (LivePod live : pods.all()) {
                if (live.pod.nodeName().isEmpty()) {
                    before.endedPending(live.pod, live.arrived);
                }
            }
            Map<String, @Nullable Double> values = values(before);
            blocks.add(values);
            stopped = !listener.blockEnded(blocks.size() - 1, values);
        }
        if (boundary + blockNanos > trace.endNanos()) {
            events.block(null);
            nextBoundary = VirtualTime.NEVER;
            return;
        }
        RunMetrics next = events.metrics().over(boundary, boundary + blockNanos);
        next.advanceTo(boundary);
        nodes.all().forEach(next::node);
        for (LivePod live : pods.all()) {
            if (live.pod.nodeName().isEmpty()) {
                next.waiting(live.pod);
            } else {
                next.running(live.pod);
                next.used(
                        live.use.nanoCores(live.useStep),
                        live.use.bytes(live.useStep),
                        live.use.isMeasured(live.useStep) ? 1 : 0);
            }
        }
        events.block(next);
        nextBoundary = boundary + blockNanos;
    }

    private void begin() {
        nodes.begin(trace.cluster().nodes());
        events.post(new ClusterChange.NodesReplaced(trace.cluster().nodes()));
        for (ResourceKind kind : ResourceKind.values()) {
            if (kind != ResourceKind.NODES && kind != ResourceKind.PODS) {
                events.post(new ClusterChange.ObjectsReplaced(
                        kind,
                        trace.cluster().objects().stream()
                                .filter(object -> object.resourceKind() == kind)
                                .toList()));
            }
        }
        trace.cluster().running().forEach(pods::addRunning);
        events.post(new ClusterChange.PodsReplaced(trace.cluster().running()));
        for (PodInfo pod : trace.cluster().pending()) {
            events.at(0, Order.ARRIVALS, () -> pods.arrive(pod));
        }
        scheduleArrival();
        scheduleChange();
        for (ClusterTrace.Departure departure : trace.departures()) {
            if (scheduler == null && trace.placements().containsKey(departure.uid())) {
                // It ends after its bind, also if both have the same time.
                continue;
            }
            End how = scheduler == null || departure.how() == End.SUCCEEDED ? departure.how() : End.DELETED;
            events.at(departure.atNanos(), Order.ENDS, () -> pods.end(departure.uid(), how));
        }
        trace.updates().forEach(update -> pods.schedule(update, update.uid()));
        nodes.scheduleOutages();
        NodeGroups groups = settings.groups();
        if (groups != null && spec != null && autoscaled != null) {
            Autoscaler autoscaler = new Autoscaler(groups, spec, autoscaled);
            events.at(groups.scan().toNanos(), Order.AUTOSCALER, () -> scan(autoscaler, groups.scan()));
        }
        if (!settings.sample().isZero()) {
            events.at(0, Order.SAMPLES, this::sample);
        }
    }

    private void scan(Autoscaler autoscaler, Duration period) {
        autoscaler.scan();
        events.in(period, Order.AUTOSCALER, () -> scan(autoscaler, period));
    }

    private void scheduleChange() {
        if (nextChange < trace.changes().size()) {
            ClusterTrace.Change next = trace.changes().get(nextChange++);
            boolean ofNode = next.change() instanceof ClusterChange.NodeUpserted
                    || next.change() instanceof ClusterChange.NodeDeleted;
            events.at(next.atNanos(), ofNode ? Order.NODES : Order.OBJECTS, () -> {
                scheduleChange();
                change(next.change());
            });
        }
    }

    private void change(ClusterChange change) {
        if (change instanceof ClusterChange.NodeUpserted upserted) {
            nodes.upserted(upserted.node());
        } else if (change instanceof ClusterChange.NodeDeleted deleted) {
            nodes.deleted(deleted.name());
        } else if (change instanceof ClusterChange.PodUpserted placed) {
            if (pods.addRunning(placed.pod())) {
                events.post(change);
            }
        } else {
            events.post(change);
        }
    }

    private void scheduleArrival() {
        if (nextArrival < trace.arrivals().size()) {
            Arrival arrival = trace.arrivals().get(nextArrival++);
            events.at(arrival.atNanos(), Order.ARRIVALS, () -> {
                scheduleArrival();
                pods.create(arrival, 0);
            });
        }
    }

    private void sample() {
        listener.sampled(new Sample(
                events.nanos(),
                nodes.all().size(),
                pods.bound(),
                pods.waiting(),
                events.metrics().allocatedNow(),
                events.metrics().pendingNow()));
        events.in(settings.sample(), Order.SAMPLES, this::sample);
    }

    /** Returns the values of metrics; a run that follows the record has no attempts. */
    private Map<String, @Nullable Double> values(RunMetrics of) {
        Map<String, @Nullable Double> values = new LinkedHashMap<>(of.values());
        if (scheduler == null) {
            for (Count count : List.of(Count.ATTEMPTS, Count.UNSCHEDULABLE)) {
                values.put(count.key(), null);
            }
        }
        return Collections.unmodifiableMap(values);
    }

    private Result end() {
        if (!stopped) {
            advanceTo(trace.endNanos());
        }
        for (LivePod live : pods.all()) {
            String node = live.pod.nodeName();
            boolean waits = node.isEmpty();
            listener.ended(new PodLife(
                    live.pod,
                    live.arrived,
                    live.bound,
                    ClusterTrace.NONE,
                    node,
                    waits ? End.PENDING : End.RUNNING,
                    live.arrival,
                    live.changedTo));
            if (waits) {
                events.each(one -> one.endedPending(live.pod, live.arrived));
            }
        }
        return new Result(
                name(spec),
                events.metrics().resources(),
                values(events.metrics()),
                events.metrics().waits(),
                Math.min(settings.warmUp().toNanos(), trace.endNanos()),
                trace.endNanos(),
                blocks);
    }

    /** The API server. */
    private final class Api implements ClusterWriter {
        @Override
        public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
            LivePod live = pods.get(pod.uid());
            if (live != null) {
                live.target = node;
                if (autoscaled != null) {
                    autoscaled.decided(pod.uid());
                }
            }
            long decidedAt = live == null ? events.nanos() : Math.max(events.nanos(), live.attempted);
            events.at(decidedAt + settings.binding().toNanos(), Order.BINDINGS, () -> pods.bound(pod, node, done));
        }

        @Override
        public void updateStatus(
                PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {
            // Conditions do not influence decisions; nominations are written by the preemptor.
        }

        @Override
        public void event(PodInfo pod, String type, String reason, String message, long generation) {
            // The events of a run have no readers.
        }

        @Override
        public void readPod(PodInfo pod, Consumer<PodRead> done) {
            LivePod live = pods.get(pod.uid());
            done.accept(live == null ? new PodRead.NotFound() : new PodRead.Found(live.pod));
        }
    }

    /** Makes room as the writers of the program do, without an API server in between. */
    private final class Preempting implements Preemptor {
        private final SchedulingCycle cycle;

        Preempting(SchedulingCycle cycle) {
            this.cycle = cycle;
        }

        @Override
        public Status preempt(PodInfo failed, Nominator nominated) {
            PodInfo pod = nominated.withNomination(failed);
            PreemptionPlan plan = cycle.preemption().preempt(pod, nominated, preemption);
            String node = plan.node();
            if (node == null) {
                if (plan.clearsOwn()) {
                    nominated.end(pod);
                    nominate(pod, "");
                }
                return PostFilters.statusOf(plan);
            }
            nominated.nominate(pod, node);
            nominate(pod, node);
            plan.lower().forEach(other -> nominate(other, ""));
            for (PodInfo victim : plan.victims()) {
                LivePod live = pods.get(victim.uid());
                if (live != null) {
                    pods.evict(live, End.PREEMPTED);
                }
            }
            return Status.SUCCESS;
        }

        private void nominate(PodInfo pod, String node) {
            LivePod live = pods.get(pod.uid());
            if (live != null && live.pod.nodeName().isEmpty()) {
                live.pod = live.pod.withNominatedNodeName(node);
                events.post(new ClusterChange.PodUpserted(live.pod));
            }
        }
    }

    private final class Attempts implements SchedulerListener {
        @Override
        public void onDecision(PodInfo pod, Decision decision, long nanos) {
            decided = true;
            LivePod live = pods.get(pod.uid());
            if (live != null) {
                live.attempted = events.nanos() + settings.decision().toNanos();
                if (live.unschedulable == decision.isPlaced()) {
                    events.touch();
                }
                live.unschedulable = !decision.isPlaced();
            }
            events.each(one -> one.count(Count.ATTEMPTS));
            if (!decision.isPlaced()) {
                events.each(one -> one.count(Count.UNSCHEDULABLE));
            }
            listener.decided(events.nanos(), pod, decision);
        }
    }
}
