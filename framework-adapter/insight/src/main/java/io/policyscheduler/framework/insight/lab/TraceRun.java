package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Placement;
import io.policyscheduler.framework.insight.lab.NodeGroups.Autoscaler;
import io.policyscheduler.framework.insight.lab.RunMetrics.Count;
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
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
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

    /** Classes of the events of one instant, in their order. */
    private enum Order {
        NODES,
        ENDS,
        OBJECTS,
        ARRIVALS,
        BINDINGS,
        AUTOSCALER,
        SAMPLES
    }

    /**
     * How a run is made.
     *
     * @param binding time from a decision until the pod is bound
     * @param start time from the bind until the containers run
     * @param decision time that a scheduling attempt takes; pods wait for one another
     * @param grace time from the eviction of a pod until it is gone
     * @param replacement time until a controller creates the replacement of a pod
     * @param warmUp time before the window of the metrics
     * @param sample period of the samples; zero for none
     * @param gates features of the cluster
     * @param strictV117 whether preemption counts victims exactly as in v1.17
     * @param prices price of a node per hour; null if prices are unknown
     * @param block length of the blocks for which the metrics are computed in addition to the whole window; zero for none
     * @param outages nodes that fail or are drained
     * @param groups groups of nodes that grow and shrink; null for none
     * @param hazards random failures of nodes
     * @param seed of the random failures
     * @param gpuPods the pods for which the fragmentation of GPUs is measured
     */
    public record Settings(
            Duration binding,
            Duration start,
            Duration decision,
            Duration grace,
            Duration replacement,
            Duration warmUp,
            Duration sample,
            FeatureGates gates,
            boolean strictV117,
            @Nullable ToDoubleFunction<Node> prices,
            Duration block,
            List<Outage> outages,
            @Nullable NodeGroups groups,
            List<Hazard> hazards,
            long seed,
            GpuFragmentation.Expected gpuPods) {
        public Settings {
            outages = ImmutableList.copyOf(outages);
            hazards = ImmutableList.copyOf(hazards);
        }

        /** Returns the resources that are measured: those of the nodes of the trace and of the groups. */
        public List<String> resources(ClusterTrace trace) {
            List<Node> nodes = new ArrayList<>(trace.cluster().nodes());
            if (groups != null) {
                groups.groups().forEach(group -> nodes.add(group.template()));
            }
            return RunMetrics.resourcesOf(nodes);
        }

        /** Returns a copy with another warm-up. */
        public Settings withWarmUp(Duration other) {
            return new Settings(
                    binding,
                    start,
                    decision,
                    grace,
                    replacement,
                    other,
                    sample,
                    gates,
                    strictV117,
                    prices,
                    block,
                    outages,
                    groups,
                    hazards,
                    seed,
                    gpuPods);
        }

        /** Returns a copy with another seed. */
        public Settings withSeed(long other) {
            return new Settings(
                    binding,
                    start,
                    decision,
                    grace,
                    replacement,
                    warmUp,
                    sample,
                    gates,
                    strictV117,
                    prices,
                    block,
                    outages,
                    groups,
                    hazards,
                    other,
                    gpuPods);
        }

        /** Returns the defaults for a cluster with these features. */
        public static Settings defaults(FeatureGates gates) {
            return new Settings(
                    Duration.ofMillis(50),
                    Duration.ofSeconds(1),
                    Duration.ZERO,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ZERO,
                    Duration.ZERO,
                    gates,
                    false,
                    null,
                    Duration.ZERO,
                    List.of(),
                    null,
                    List.of(),
                    1,
                    GpuFragmentation.Expected.ARRIVALS);
        }
    }

    /**
     * Random failures of nodes, or reclaims of spot nodes, with exponential times. Each node has its own random numbers, which depend on
     * the seed, on the name of the hazard, and on the name of the node. Thus, a node fails at the same times under each scheduler.
     *
     * @param nodes nodes of the snapshot, of the trace, and of groups
     * @param between the mean time from the moment at which a node is there until it fails
     * @param repair the mean time until it returns; null for a node that is reclaimed: it is cordoned, its pods are evicted, and it is
     *     removed for good after {@link #NOTICE}
     */
    public record Hazard(
            String name,
            Predicate<Node> nodes,
            Duration between,
            @Nullable Duration repair) {
        /** The time from the notice that a node is reclaimed until it is removed. */
        public static final Duration NOTICE = Duration.ofMinutes(2);
    }

    /**
     * A node that is away for a while.
     *
     * @param atNanos when it begins, nanoseconds since the start
     * @param forNanos how long, {@link ClusterTrace#NONE} for the rest of the run
     * @param drains true for a node that is cordoned and whose pods are evicted; false for one that fails with its pods
     */
    public record Outage(String node, long atNanos, long forNanos, boolean drains) {}

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
     * @param fromNanos start of the window
     * @param toNanos end of the window
     * @param blocks the metrics of each block of the window; empty if there are no blocks
     */
    public record Result(
            String scheduler,
            List<String> resources,
            Map<String, @Nullable Double> metrics,
            long fromNanos,
            long toNanos,
            List<Map<String, @Nullable Double>> blocks) {
        public Result {
            resources = ImmutableList.copyOf(resources);
            blocks = ImmutableList.copyOf(blocks);
        }
    }

    /** A pod that has not ended. */
    private static final class LivePod {
        private PodInfo pod;
        private final @Nullable Arrival arrival;
        private final long arrived;
        private final int restart;
        /** Number of the pod in the order of arrival. */
        private long order;

        private long bound = ClusterTrace.NONE;
        private long started = ClusterTrace.NONE;
        /** When the last attempt ends, which takes time. */
        private long attempted;

        private boolean leaving;
        /** The last of its updates; null for none. */
        private @Nullable PodInfo changedTo;
        /** Whether the last attempt has failed. */
        private boolean unschedulable;
        /** The node of the last decision, or of the record; empty if there is none. */
        private String target = "";

        private final MeasuredUse use;
        /** The step of its use that counts; -1 for none. */
        private int useStep = -1;

        LivePod(PodInfo pod, @Nullable Arrival arrival, MeasuredUse use, long arrived, int restart) {
            this.pod = pod;
            this.use = use;
            this.arrival = arrival;
            this.arrived = arrived;
            this.restart = restart;
        }
    }

    private final ClusterTrace trace;
    /** Null for a run that follows the record. */
    private final @Nullable SchedulerSpec spec;

    private final ClusterState state;
    private final Settings settings;
    private final Listener listener;
    private final VirtualTime<Runnable> time;
    private final RunMetrics metrics;
    /** The metrics of the block of now; null outside of blocks. */
    private @Nullable RunMetrics block;

    private final List<Map<String, @Nullable Double>> blocks = new ArrayList<>();
    private final long from;
    private final long blockNanos;
    private long nextBoundary;
    private boolean stopped;

    /** Null for a run that follows the record. */
    private final @Nullable Scheduler scheduler;

    private final Preemption preemption;
    private final Map<String, LivePod> pods = new LinkedHashMap<>();
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    /** Numbers the appearances of the nodes that are there, so that a failure hits the node for which it was drawn. */
    private final Map<String, Long> appearances = new HashMap<>();

    private final Map<String, AwayNode> away = new HashMap<>();
    /** Nodes whose notice has begun. */
    private final Set<String> reclaimed = new HashSet<>();
    /** By hazard and node. */
    private final Map<String, SplittableRandom> hazardDraws = new HashMap<>();
    /** What the autoscaler has not received yet; null without an autoscaler. */
    private final @Nullable UnseenChanges unseen;
    /** When a pod was last bound to a node or has ended there. */
    private final Map<String, Long> touched = new HashMap<>();

    private long revision;
    private long appeared;
    private long arrived;
    private int nextArrival;
    private int nextChange;
    private long uids;
    private int boundPods;
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
            ClusterTrace trace, @Nullable SchedulerSpec spec, TieBreak tieBreak, Settings settings, Listener listener) {
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
            Settings settings,
            Listener listener,
            VirtualTime<Runnable> time,
            ClusterState state,
            SnapshotScheduler.@Nullable Plugins plugins) {
        this.trace = trace;
        this.spec = spec;
        this.state = state;
        this.settings = settings;
        this.listener = listener;
        this.time = time;
        this.unseen = settings.groups() == null ? null : new UnseenChanges();
        this.preemption = Preemption.live(settings.gates(), settings.strictV117());
        this.from = Math.min(settings.warmUp().toNanos(), trace.endNanos());
        this.blockNanos = settings.block().toNanos();
        this.nextBoundary = blockNanos > 0 && from + blockNanos <= trace.endNanos() ? from : VirtualTime.NEVER;
        List<String> resources = settings.resources(trace);
        this.metrics = new RunMetrics(
                resources,
                from,
                trace.endNanos(),
                settings.prices(),
                RunMetrics.RequestClass.of(resources, Iterables.transform(trace.arrivals(), Arrival::template)),
                gpus(resources));
        this.scheduler = spec == null || plugins == null ? null : scheduler(spec, plugins);
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
        return Scheduler.builder(state, api, time.clock())
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
        return ImmutableList.copyOf(nodes.values());
    }

    /** Returns the time, nanoseconds since the start. */
    public long nanos() {
        return time.nanos();
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
                            ? Math.max(time.nanos(), freeAt)
                            : Math.max(time.nanos() + own.nanosUntilNextTimer(), freeAt);
            long event = time.next();
            if (Math.min(wake, event) >= trace.endNanos() || stopped) {
                break;
            }
            if (event <= wake) {
                advanceTo(event);
                VirtualTime.Timed<Runnable> due = time.poll();
                if (due != null) {
                    due.event().run();
                }
            } else if (own != null) {
                advanceTo(wake);
                decided = false;
                busy = own.runOnce();
                if (decided) {
                    freeAt = time.nanos() + settings.decision().toNanos();
                }
            }
            listener.stepped(this);
        }
        return end();
    }

    private void post(ClusterChange change) {
        revision++;
        if (unseen != null) {
            unseen.add(change);
        }
        if (scheduler != null) {
            scheduler.post(change);
        }
    }

    private void each(Consumer<RunMetrics> action) {
        action.accept(metrics);
        RunMetrics ofBlock = block;
        if (ofBlock != null) {
            action.accept(ofBlock);
        }
    }

    private void advanceTo(long nanos) {
        while (nextBoundary <= nanos) {
            startBlock(nextBoundary);
        }
        if (nanos > time.nanos()) {
            time.advanceTo(nanos);
            each(one -> one.advanceTo(nanos));
        }
    }

    /** Ends the block before a boundary, and begins the one after it, if it is complete within the trace. */
    private void startBlock(long boundary) {
        time.advanceTo(boundary);
        each(one -> one.advanceTo(boundary));
        RunMetrics before = block;
        if (before != null) {
            for (LivePod live : pods.values()) {
                if (live.pod.nodeName().isEmpty()) {
                    before.endedPending(live.pod, live.arrived);
                }
            }
            Map<String, @Nullable Double> values = values(before);
            blocks.add(values);
            stopped = !listener.blockEnded(blocks.size() - 1, values);
        }
        if (boundary + blockNanos > trace.endNanos()) {
            block = null;
            nextBoundary = VirtualTime.NEVER;
            return;
        }
        RunMetrics next = metrics.over(boundary, boundary + blockNanos);
        next.advanceTo(boundary);
        nodes.values().forEach(next::node);
        for (LivePod live : pods.values()) {
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
        block = next;
        nextBoundary = boundary + blockNanos;
    }

    private void begin() {
        for (Node node : trace.cluster().nodes()) {
            nodes.put(node.name(), node);
            each(one -> one.node(node));
            appear(node);
        }
        post(new ClusterChange.NodesReplaced(trace.cluster().nodes()));
        for (ResourceKind kind : ResourceKind.values()) {
            if (kind != ResourceKind.NODES && kind != ResourceKind.PODS) {
                post(new ClusterChange.ObjectsReplaced(
                        kind,
                        trace.cluster().objects().stream()
                                .filter(object -> object.resourceKind() == kind)
                                .toList()));
            }
        }
        for (PodInfo pod : trace.cluster().running()) {
            LivePod live = new LivePod(pod, null, useOf(pod), 0, 0);
            live.bound = 0;
            live.started = 0;
            add(live);
            boundPods++;
            each(one -> one.running(pod));
            countUse(live, 0);
        }
        post(new ClusterChange.PodsReplaced(trace.cluster().running()));
        for (PodInfo pod : trace.cluster().pending()) {
            time.at(0, Order.ARRIVALS.ordinal(), () -> arrive(new LivePod(pod, null, useOf(pod), 0, 0)));
        }
        scheduleArrival();
        scheduleChange();
        for (ClusterTrace.Departure departure : trace.departures()) {
            if (scheduler == null && trace.placements().containsKey(departure.uid())) {
                // It ends after its bind, also if both have the same time.
                continue;
            }
            End how = scheduler == null || departure.how() == End.SUCCEEDED ? departure.how() : End.DELETED;
            time.at(departure.atNanos(), Order.ENDS.ordinal(), () -> end(departure.uid(), how));
        }
        trace.updates().forEach(update -> schedule(update, update.uid()));
        for (Outage outage : settings.outages()) {
            time.at(outage.atNanos(), Order.NODES.ordinal(), () -> {
                if (outage.drains()) {
                    drain(outage);
                } else {
                    fail(outage.node(), outage.forNanos());
                }
            });
        }
        NodeGroups groups = settings.groups();
        if (groups != null && spec != null) {
            Autoscaler autoscaler = new Autoscaler(groups, spec, new AutoscaledCluster());
            time.at(groups.scan().toNanos(), Order.AUTOSCALER.ordinal(), () -> scan(autoscaler, groups.scan()));
        }
        if (!settings.sample().isZero()) {
            time.at(0, Order.SAMPLES.ordinal(), this::sample);
        }
    }

    private void scan(Autoscaler autoscaler, Duration period) {
        autoscaler.scan();
        time.at(time.nanos() + period.toNanos(), Order.AUTOSCALER.ordinal(), () -> scan(autoscaler, period));
    }

    /** Adds a pod; returns false if there is one with its UID. */
    private boolean add(LivePod live) {
        live.order = arrived++;
        return pods.putIfAbsent(live.pod.uid(), live) == null;
    }

    private void scheduleChange() {
        if (nextChange < trace.changes().size()) {
            ClusterTrace.Change next = trace.changes().get(nextChange++);
            boolean ofNode = next.change() instanceof ClusterChange.NodeUpserted
                    || next.change() instanceof ClusterChange.NodeDeleted;
            time.at(next.atNanos(), (ofNode ? Order.NODES : Order.OBJECTS).ordinal(), () -> {
                scheduleChange();
                change(next.change());
            });
        }
    }

    private void change(ClusterChange change) {
        if (change instanceof ClusterChange.NodeUpserted upserted) {
            AwayNode failed = away.get(upserted.node().name());
            if (reclaimed.contains(upserted.node().name())) {
                // It stays cordoned until it is removed.
                if (failed == null) {
                    put(upserted.node().withUnschedulable(true));
                }
            } else if (failed == null) {
                put(upserted.node());
            } else {
                away.put(upserted.node().name(), failed.with(upserted.node()));
            }
        } else if (change instanceof ClusterChange.NodeDeleted deleted) {
            away.remove(deleted.name());
            reclaimed.remove(deleted.name());
            remove(deleted.name());
        } else if (change instanceof ClusterChange.PodUpserted placed) {
            LivePod live = new LivePod(placed.pod(), null, useOf(placed.pod()), time.nanos(), 0);
            live.bound = time.nanos();
            live.started = time.nanos();
            if (add(live)) {
                boundPods++;
                each(one -> one.running(placed.pod()));
                countUse(live, 0);
                post(change);
            }
        } else {
            post(change);
        }
    }

    /**
     * A node that has failed.
     *
     * @param node as it returns
     * @param untilNanos when it returns
     */
    private record AwayNode(Node node, long untilNanos) {
        AwayNode with(Node other) {
            return new AwayNode(other, untilNanos);
        }
    }

    private void fail(String name, long forNanos) {
        Node node = remove(name);
        if (node == null || forNanos == ClusterTrace.NONE) {
            return;
        }
        away.put(name, new AwayNode(node, time.nanos() + forNanos));
        time.at(time.nanos() + forNanos, Order.NODES.ordinal(), () -> {
            AwayNode failed = away.get(name);
            // The trace may have deleted the node, which is then another one.
            if (failed != null && failed.untilNanos() == time.nanos()) {
                away.remove(name);
                put(failed.node());
            }
        });
    }

    /** A node is there, from the start or again: draws when it fails. Exponential times do not depend on how long it was there before. */
    private void appear(Node node) {
        long number = appeared++;
        appearances.put(node.name(), number);
        for (Hazard hazard : settings.hazards()) {
            if (hazard.nodes().test(node)) {
                Duration repair = hazard.repair();
                LoadScenario.Purpose purpose =
                        repair == null ? LoadScenario.Purpose.RECLAIM : LoadScenario.Purpose.FAILURE;
                SplittableRandom draws = hazardDraws.computeIfAbsent(
                        purpose + "/" + hazard.name() + "/" + node.name(),
                        any -> LoadScenario.random(settings.seed(), purpose, hazard.name() + "/" + node.name()));
                long at = later(draws, hazard.between());
                if (at < trace.endNanos()) {
                    time.at(at, Order.NODES.ordinal(), () -> {
                        if (Objects.equals(appearances.get(node.name()), number)) {
                            if (repair == null) {
                                reclaim(node.name());
                            } else {
                                fail(node.name(), later(draws, repair) - time.nanos());
                            }
                        }
                    });
                }
            }
        }
    }

    private void reclaim(String name) {
        Node node = nodes.get(name);
        if (node == null || !reclaimed.add(name)) {
            return;
        }
        drain(node);
        time.at(time.nanos() + Hazard.NOTICE.toNanos(), Order.NODES.ordinal(), () -> {
            if (reclaimed.remove(name)) {
                removeDrained(name);
            }
        });
    }

    /** Removes a node with the pods that a drain leaves; returns false if it is not there. One that failed before does not return. */
    private boolean removeDrained(String name) {
        podsOn(name).stream().filter(live -> staysOnNode(live.pod)).forEach(live -> end(live.pod.uid(), End.DELETED));
        return remove(name) != null | away.remove(name) != null;
    }

    /** Returns the time after a random duration; if it is after the trace, the end of the trace. */
    private long later(SplittableRandom draws, Duration mean) {
        // StrictMath gives the same digits on each machine.
        double duration = -StrictMath.log1p(-draws.nextDouble()) * mean.toNanos();
        long left = trace.endNanos() - time.nanos();
        return time.nanos() + (duration < left ? (long) duration : left);
    }

    /** Removes a node with its pods; returns null if there is none. */
    private @Nullable Node remove(String name) {
        Node node = nodes.remove(name);
        if (node == null) {
            return null;
        }
        appearances.remove(name);
        podsOn(node.name()).forEach(live -> end(live.pod.uid(), End.NODE_LOST));
        each(one -> one.nodeRemoved(node.name()));
        post(new ClusterChange.NodeDeleted(node.name()));
        return node;
    }

    private void drain(Outage outage) {
        Node node = nodes.get(outage.node());
        if (node == null) {
            return;
        }
        drain(node);
        if (outage.forNanos() != ClusterTrace.NONE) {
            time.at(
                    time.nanos() + outage.forNanos(),
                    Order.NODES.ordinal(),
                    () -> uncordon(outage.node(), node.unschedulable()));
        }
    }

    private void uncordon(String name, boolean unschedulable) {
        Node node = nodes.get(name);
        AwayNode failed = away.get(name);
        if (reclaimed.contains(name)) {
            return;
        }
        if (node != null) {
            put(node.withUnschedulable(unschedulable));
        } else if (failed != null) {
            away.put(name, failed.with(failed.node().withUnschedulable(unschedulable)));
        }
    }

    private void drain(Node node) {
        put(node.withUnschedulable(true));
        for (LivePod live : podsOn(node.name())) {
            if (!staysOnNode(live.pod)) {
                evict(live, End.EVICTED);
            }
        }
    }

    /** Whether a drain leaves the pod on its node: those of DaemonSets, and mirrors of static pods. */
    static boolean staysOnNode(PodInfo pod) {
        return isDaemon(pod) || pod.annotations().has(PodInfo.MIRROR_ANNOTATION);
    }

    private static boolean isDaemon(PodInfo pod) {
        PodInfo.OwnerReference owner = pod.controller();
        return owner != null && owner.kind().equals("DaemonSet");
    }

    private void put(Node node) {
        boolean isNew = nodes.put(node.name(), node) == null;
        each(one -> one.node(node));
        post(new ClusterChange.NodeUpserted(node));
        if (isNew) {
            appear(node);
            if (scheduler == null) {
                pods.values().stream()
                        .filter(live -> live.pod.nodeName().isEmpty() && live.target.equals(node.name()))
                        .toList()
                        .forEach(live -> bound(live.pod, node.name(), outcome -> {}));
            }
        }
    }

    private List<LivePod> podsOn(String node) {
        return pods.values().stream()
                .filter(live -> live.pod.nodeName().equals(node))
                .toList();
    }

    private void scheduleArrival() {
        if (nextArrival < trace.arrivals().size()) {
            Arrival arrival = trace.arrivals().get(nextArrival++);
            time.at(arrival.atNanos(), Order.ARRIVALS.ordinal(), () -> {
                scheduleArrival();
                create(arrival, 0);
            });
        }
    }

    private void create(Arrival arrival, int restart) {
        String uid = "lab-" + uids++;
        String name = restart == 0 ? arrival.name() : arrival.name() + "-r" + restart;
        PodInfo pod = arrival.pod(name, uid, time.instant(time.nanos()));
        arrive(new LivePod(pod, arrival, arrival.use(), time.nanos(), restart));
        if (restart == 0) {
            arrival.updates().forEach(update -> schedule(update, uid));
        }
    }

    private void schedule(ClusterTrace.PodUpdate update, String uid) {
        // A shifted pod can arrive after its update.
        time.at(Math.max(time.nanos(), update.atNanos()), Order.OBJECTS.ordinal(), () -> update(uid, update.to()));
    }

    private void update(String uid, PodInfo to) {
        LivePod live = pods.get(uid);
        if (live == null) {
            return;
        }
        PodInfo before = live.pod;
        live.pod = before.toBuilder().labels(to.labels()).spec(to.spec()).build();
        live.changedTo = to;
        each(one -> one.updated(before, live.pod));
        post(new ClusterChange.PodUpserted(live.pod));
    }

    private void arrive(LivePod live) {
        if (!add(live)) {
            throw new IllegalStateException("two pods have the UID " + live.pod.uid());
        }
        each(one -> one.arrived(live.pod));
        post(new ClusterChange.PodUpserted(live.pod));
        Placement recorded = followed(live);
        if (recorded != null) {
            time.at(recorded.boundNanos(), Order.BINDINGS.ordinal(), () -> bindAsRecorded(live, recorded));
            return;
        }
        Arrival arrival = live.arrival;
        if (arrival != null && arrival.endNanos() != ClusterTrace.NONE) {
            String uid = live.pod.uid();
            time.at(arrival.endNanos(), Order.ENDS.ordinal(), () -> end(uid, End.DELETED));
        }
    }

    /** Returns where the record binds a pod; null if it does not, or if the run does not follow it. */
    private @Nullable Placement followed(LivePod live) {
        if (scheduler != null) {
            return null;
        }
        return live.arrival == null ? trace.placements().get(live.pod.uid()) : live.arrival.recorded();
    }

    private void bindAsRecorded(LivePod live, Placement recorded) {
        live.target = recorded.node();
        // The watches of pods and of nodes are not ordered: the node of a bind can appear a moment later.
        if (nodes.containsKey(recorded.node())) {
            bound(live.pod, recorded.node(), outcome -> {});
        }
        if (recorded.endedNanos() != ClusterTrace.NONE) {
            time.at(recorded.endedNanos(), Order.ENDS.ordinal(), () -> end(live.pod.uid(), recorded.how()));
        }
    }

    private void bound(PodInfo pod, String node, Consumer<BindOutcome> done) {
        LivePod live = pods.get(pod.uid());
        if (live == null) {
            done.accept(BindOutcome.deleted("pods \"" + pod.name() + "\" not found"));
            return;
        }
        if (!live.pod.nodeName().isEmpty()) {
            throw new IllegalStateException("pod " + pod.key() + " is bound twice");
        }
        live.pod = spec == null ? live.pod.withNodeName(node) : spec.volumes().bound(state, live.pod, node);
        live.bound = time.nanos();
        touched.put(node, time.nanos());
        boundPods++;
        each(one -> one.bound(live.pod, node, live.arrived));
        Placement known = live.arrival == null || live.restart > 0 ? null : live.arrival.recorded();
        if (known != null) {
            boolean same = node.equals(known.node());
            each(one -> one.compared(same));
        }
        if (!isWork(live)) {
            countUse(live, 0);
        }
        post(new ClusterChange.PodUpserted(live.pod));
        done.accept(BindOutcome.BOUND);
        if (live.leaving) {
            terminate(live);
        }
        if (!nodes.containsKey(node)) {
            end(pod.uid(), End.NODE_LOST);
            return;
        }
        String uid = pod.uid();
        Placement recorded = followed(live);
        long starts = recorded == null ? time.nanos() + settings.start().toNanos() : recorded.startedNanos();
        if (starts != ClusterTrace.NONE) {
            time.at(starts, Order.BINDINGS.ordinal(), () -> started(uid));
        }
    }

    private void started(String uid) {
        LivePod live = pods.get(uid);
        if (live == null || live.leaving) {
            return;
        }
        live.started = time.nanos();
        live.pod = live.pod.toBuilder()
                .phase("Running")
                .startTimeMillis(time.instant(time.nanos()).toEpochMilli())
                .build();
        post(new ClusterChange.PodUpserted(live.pod));
        Arrival arrival = live.arrival;
        if (arrival != null && isWork(live)) {
            countUse(live, time.nanos());
            if (scheduler != null) {
                time.at(time.nanos() + arrival.durationNanos(), Order.ENDS.ordinal(), () -> end(uid, End.SUCCEEDED));
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
        use(live, live.use.stepAt(time.nanos() - origin));
        if (live.useStep + 1 < live.use.steps()) {
            time.at(origin + live.use.from(live.useStep + 1), Order.OBJECTS.ordinal(), () -> {
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
        each(one -> one.used(nanoCores, bytes, measured));
    }

    /** Evicts a pod, which is deleted after its grace period. */
    private void evict(LivePod live, End how) {
        if (live.leaving) {
            return;
        }
        live.leaving = true;
        // A bind that is under way is first: an API server does not bind a pod whose deletion has begun.
        if (!live.pod.nodeName().isEmpty()) {
            terminate(live);
        }
        String uid = live.pod.uid();
        time.at(time.nanos() + settings.grace().toNanos(), Order.ENDS.ordinal(), () -> end(uid, how));
    }

    private void terminate(LivePod live) {
        live.pod = live.pod.toBuilder().terminating(true).build();
        post(new ClusterChange.PodUpserted(live.pod));
    }

    private void end(String uid, End how) {
        LivePod live = pods.remove(uid);
        if (live == null) {
            return;
        }
        String node = live.pod.nodeName();
        if (node.isEmpty()) {
            each(one -> one.count(Count.GONE_PENDING));
            each(one -> one.endedPending(live.pod, live.arrived));
        } else {
            boundPods--;
            use(live, -1);
            touched.put(node, time.nanos());
            each(one -> one.ended(live.pod, node));
            counts(live, how);
        }
        post(new ClusterChange.PodDeleted(live.pod.namespace(), live.pod.name(), uid));
        listener.ended(
                new PodLife(live.pod, live.arrived, live.bound, time.nanos(), node, how, live.arrival, live.changedTo));
    }

    private void counts(LivePod live, End how) {
        Arrival arrival = live.arrival;
        switch (how) {
            case SUCCEEDED -> {
                each(one -> one.count(Count.FINISHED));
                if (arrival != null) {
                    each(one -> one.finishedWork(live.arrived, arrival.durationNanos()));
                }
                return;
            }
            case PREEMPTED -> each(one -> one.count(Count.PREEMPTED));
            case EVICTED -> each(one -> one.count(Count.EVICTED));
            case NODE_LOST -> each(one -> one.count(Count.NODE_LOST));
            default -> {
                return;
            }
        }
        if (live.started != ClusterTrace.NONE) {
            each(one -> one.workLost(live.pod, live.started));
        }
        Arrival source = source(live);
        boolean isOver = scheduler != null
                && source.endNanos() != ClusterTrace.NONE
                && source.endNanos() <= time.nanos() + settings.replacement().toNanos();
        if (source.restarts() && !isOver) {
            each(one -> one.count(Count.RESTARTED));
            // The replacements in a record are pods of their own.
            if (scheduler != null) {
                time.at(
                        time.nanos() + settings.replacement().toNanos(),
                        Order.ARRIVALS.ordinal(),
                        () -> create(source, live.restart + 1));
            }
        } else {
            each(one -> one.count(Count.LOST));
        }
    }

    private static Arrival source(LivePod live) {
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

    private void sample() {
        listener.sampled(new Sample(
                time.nanos(),
                nodes.size(),
                boundPods,
                pods.size() - boundPods,
                metrics.allocatedNow(),
                metrics.pendingNow()));
        time.at(time.nanos() + settings.sample().toNanos(), Order.SAMPLES.ordinal(), this::sample);
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
        for (LivePod live : pods.values()) {
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
                each(one -> one.endedPending(live.pod, live.arrived));
            }
        }
        return new Result(
                name(spec),
                metrics.resources(),
                values(metrics),
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
                if (unseen != null) {
                    unseen.pods.add(pod.uid());
                }
            }
            long decidedAt = live == null ? time.nanos() : Math.max(time.nanos(), live.attempted);
            time.at(decidedAt + settings.binding().toNanos(), Order.BINDINGS.ordinal(), () -> bound(pod, node, done));
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
                    evict(live, End.PREEMPTED);
                }
            }
            return Status.SUCCESS;
        }

        private void nominate(PodInfo pod, String node) {
            LivePod live = pods.get(pod.uid());
            if (live != null && live.pod.nodeName().isEmpty()) {
                live.pod = live.pod.withNominatedNodeName(node);
                post(new ClusterChange.PodUpserted(live.pod));
            }
        }
    }

    private final class Attempts implements SchedulerListener {
        @Override
        public void onDecision(PodInfo pod, Decision decision, long nanos) {
            decided = true;
            LivePod live = pods.get(pod.uid());
            if (live != null) {
                live.attempted = time.nanos() + settings.decision().toNanos();
                revision += live.unschedulable == decision.isPlaced() ? 1 : 0;
                live.unschedulable = !decision.isPlaced();
            }
            each(one -> one.count(Count.ATTEMPTS));
            if (!decision.isPlaced()) {
                each(one -> one.count(Count.UNSCHEDULABLE));
            }
            listener.decided(time.nanos(), pod, decision);
        }
    }

    /** The changes between two looks of the autoscaler. */
    private static final class UnseenChanges {
        private final List<ClusterChange> objects = new ArrayList<>();
        private final Set<String> nodes = new LinkedHashSet<>();
        /** UIDs. */
        private final Set<String> pods = new LinkedHashSet<>();

        void add(ClusterChange change) {
            if (change instanceof ClusterChange.PodUpserted upserted) {
                pods.add(upserted.pod().uid());
            } else if (change instanceof ClusterChange.PodDeleted deleted) {
                pods.add(deleted.uid());
            } else if (change instanceof ClusterChange.PodsReplaced replaced) {
                replaced.pods().forEach(pod -> pods.add(pod.uid()));
            } else if (change instanceof ClusterChange.NodeUpserted upserted) {
                nodes.add(upserted.node().name());
            } else if (change instanceof ClusterChange.NodeDeleted deleted) {
                nodes.add(deleted.name());
            } else if (change instanceof ClusterChange.NodesReplaced replaced) {
                replaced.nodes().forEach(node -> nodes.add(node.name()));
            } else {
                objects.add(change);
            }
        }

        void clear() {
            objects.clear();
            nodes.clear();
            pods.clear();
        }
    }

    /** The cluster as the autoscaler of the run receives it. */
    private final class AutoscaledCluster implements NodeGroups.Cluster {
        @Override
        public long nanos() {
            return time.nanos();
        }

        @Override
        public Clock clock() {
            return time.clock();
        }

        @Override
        public long revision() {
            return revision;
        }

        @Override
        public Collection<Node> nodes() {
            return Collections.unmodifiableCollection(nodes.values());
        }

        @Override
        public @Nullable Node node(String name) {
            return nodes.get(name);
        }

        @Override
        public void changes(NodeGroups.ChangeListener receiver) {
            UnseenChanges changes = Objects.requireNonNull(unseen);
            changes.objects.forEach(receiver::changed);
            changes.nodes.forEach(name -> receiver.node(name, nodes.get(name)));
            for (String uid : changes.pods) {
                LivePod live = pods.get(uid);
                if (live == null) {
                    receiver.gone(uid);
                } else {
                    boolean isDecided = live.pod.nodeName().isEmpty() && !live.target.isEmpty();
                    receiver.pod(live.order, isDecided ? live.pod.withNodeName(live.target) : live.pod);
                }
            }
            changes.clear();
        }

        private LivePod live(PodInfo pod) {
            return Objects.requireNonNull(pods.get(pod.uid()), pod.key());
        }

        @Override
        public boolean isBound(PodInfo pod) {
            return live(pod).bound != ClusterTrace.NONE;
        }

        @Override
        public boolean isUnschedulable(PodInfo pod) {
            return pod.nodeName().isEmpty()
                    && pod.nominatedNodeName().isEmpty()
                    && !pod.terminating()
                    && live(pod).unschedulable;
        }

        @Override
        public boolean isReplaced(PodInfo pod) {
            return source(live(pod)).restarts();
        }

        @Override
        public long touched(String node) {
            return touched.getOrDefault(node, 0L);
        }

        @Override
        public void add(Node node) {
            touched.put(node.name(), time.nanos());
            each(one -> one.count(Count.NODES_STARTED));
            put(node);
        }

        @Override
        public void drain(Node node) {
            TraceRun.this.drain(node);
            time.at(time.nanos() + settings.grace().toNanos(), Order.AUTOSCALER.ordinal(), () -> {
                reclaimed.remove(node.name());
                if (removeDrained(node.name())) {
                    each(one -> one.count(Count.NODES_STOPPED));
                }
            });
        }

        @Override
        public void later(Duration delay, Runnable action) {
            time.at(time.nanos() + delay.toNanos(), Order.NODES.ordinal(), action);
        }
    }
}
