package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.EventInbox.IterationRecorder;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.Cache;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue.Times;
import io.policyscheduler.framework.scheduler.binding.BindResults;
import io.policyscheduler.framework.scheduler.binding.BindingCycle;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles.PluginCalls;
import io.policyscheduler.framework.scheduler.binding.PodReports;
import io.policyscheduler.framework.scheduler.binding.PodReports.FailureRecorder;
import io.policyscheduler.framework.scheduler.binding.PodRereader;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight;
import io.policyscheduler.framework.scheduler.binding.Requeuer;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import io.policyscheduler.framework.scheduler.binding.WaitingPodsMap;
import io.policyscheduler.framework.scheduler.loop.KubeletRejections.RejectionEvents;
import io.policyscheduler.framework.scheduler.loop.ObjectEvents.NodeEvents;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Pops pods from the queue, decides and binds them. All methods but {@link #inbox()} and {@link #post} belong to one thread, which
 * owns the cluster state. Driven manually with an injected clock, a run is deterministic. Mirrors
 * {@code pkg/scheduler/scheduler.go}.
 */
public final class Scheduler {
    private final Components parts;
    private final SchedulerState state;
    private final EventInbox inbox;
    private final IterationRecorder recorder;
    private final ClusterChangeDispatcher changes;
    private final PodAttempts attempts;

    private Instant shortTimer;
    private Instant longTimer;
    private boolean enabled;
    private boolean synced;

    private Scheduler(Builder given) {
        inbox = given.inbox;
        recorder = given.recorder;
        parts = new Components(given, () -> enabled);
        state = parts.state;
        changes = new ClusterChangeDispatcher(this, parts);
        attempts = new PodAttempts(parts, given.work, given.stopwatch);
        enabled = parts.options.enabled();
        shortTimer = parts.clock.instant();
        longTimer = shortTimer;
    }

    /**
     * A builder of a scheduler.
     *
     * @param state empty; owned by the scheduler from now on
     */
    public static Builder builder(ClusterState state, ClusterWriter writer, Clock clock) {
        return builder(state, writer, clock, new EventInbox());
    }

    /** The same for an existing inbox. */
    public static Builder builder(ClusterState state, ClusterWriter writer, Clock clock, EventInbox inbox) {
        return new Builder(state, writer, clock, inbox);
    }

    /** The options of a scheduler; defaults do nothing or are those of v1.17. */
    public static final class Builder {
        final ClusterState state;
        final ClusterWriter writer;
        final Clock clock;
        final EventInbox inbox;
        final WaitingPodsMap permitWaits;
        final KubeletRejections kubeletRejections = new KubeletRejections();
        Clock wallClock;
        Profiles profiles = Profiles.none();
        SchedulerOptions options = SchedulerOptions.defaults();
        SchedulerListener listener = SchedulerListener.NONE;
        Executor pluginCalls = Runnable::run;
        LongSupplier work = () -> 0;
        IterationRecorder recorder = IterationRecorder.NONE;
        InstantSource stopwatch;

        private Builder(ClusterState state, ClusterWriter writer, Clock clock, EventInbox inbox) {
            this.state = state;
            this.writer = writer;
            this.clock = clock;
            this.wallClock = clock;
            this.stopwatch = clock;
            this.inbox = inbox;
            this.permitWaits = new WaitingPodsMap(inbox);
        }

        /** The clock for timestamps that users see, if the scheduler's clock only measures durations. */
        public Builder wallClock(Clock value) {
            wallClock = value;
            return this;
        }

        /** Sets the profiles, which must use the scheduler's state and start its cycles. */
        public Builder profiles(Profiles value) {
            profiles = value;
            return this;
        }

        public Builder options(SchedulerOptions value) {
            options = value;
            return this;
        }

        public Builder listener(SchedulerListener value) {
            listener = value;
            return this;
        }

        /** Runs the plugins that may block; by default, they run on the scheduling thread. */
        public Builder pluginCalls(Executor value) {
            pluginCalls = value;
            return this;
        }

        /**
         * Returns the CPU time or other work of the scheduling thread so far, in nanoseconds; called on that thread. By default,
         * the decision budget is disabled.
         */
        public Builder work(LongSupplier value) {
            work = value;
            return this;
        }

        /** Records the input of each iteration. */
        public Builder recorder(IterationRecorder value) {
            recorder = value;
            return this;
        }

        /** Measures the duration of decisions if the scheduler's own clock does not advance during an iteration. */
        public Builder stopwatch(InstantSource value) {
            stopwatch = value;
            return this;
        }

        /** The pods that wait at Permit, for the plugins of the profiles. */
        public WaitingPods waitingPods() {
            return permitWaits;
        }

        /** The nodes that profiles exclude after rejections by kubelets. */
        public KubeletRejections kubeletRejections() {
            return kubeletRejections;
        }

        public Scheduler build() {
            return new Scheduler(this);
        }
    }

    /** The inbox for watches and other threads. */
    public EventInbox inbox() {
        return inbox;
    }

    /** Posts to the inbox; any thread. */
    public void post(ClusterChange change) {
        inbox.post(change);
    }

    /**
     * Handles the posted messages, fires the timers that are due, and schedules at most one pod.
     *
     * @return false if there was nothing to do
     */
    public boolean runOnce() {
        List<ClusterChange> posted = inbox.drain();
        recorder.begin(posted);
        posted.forEach(change -> change.applyTo(changes));
        boolean fired = fireTimers();
        boolean scheduled = isReady() && attempts.next();
        recorder.end();
        return scheduled || fired || !posted.isEmpty();
    }

    /** Disables scheduling, as a separate iteration; events and timers are handled in any case. */
    void stop() {
        if (enabled) {
            recorder.begin(List.of(new ClusterChange.SchedulingEnabled(false)));
            setEnabled(false);
            recorder.end();
        }
    }

    private boolean fireTimers() {
        Instant now = parts.clock.instant();
        boolean reads = parts.requeuer.fireDue();
        boolean fired = parts.permitWaits.fireDue(now) || reads;
        if (!shortTimer.isAfter(now)) {
            // On whole seconds, because backoffs end on whole seconds in current releases.
            shortTimer = now.truncatedTo(ChronoUnit.SECONDS).plus(SchedulerOptions.SHORT_PERIOD);
            state.queue().flushBackoff();
            state.cache().overdue().forEach(parts.rereads::overdue);
            parts.podUpdates.settleDoubts();
            parts.rejectionEvents.tick();
            parts.profiles.closeUnused();
        }
        if (!longTimer.isAfter(now)) {
            longTimer = now.plus(SchedulerOptions.LONG_PERIOD);
            state.queue().flushUnschedulable();
        }
        return fired;
    }

    /** The time until a timer is due, 0 if one is overdue. */
    public long nanosUntilNextTimer() {
        Instant next = earlier(shortTimer, longTimer);
        next = earlier(next, parts.requeuer.nextDue());
        next = earlier(next, parts.permitWaits.nextDue());
        return Math.max(0, Duration.between(parts.clock.instant(), next).toNanos());
    }

    private static Instant earlier(Instant one, @Nullable Instant other) {
        return other != null && other.isBefore(one) ? other : one;
    }

    /** True if all initial lists are complete and scheduling is enabled. */
    public boolean isReady() {
        // A standby must also detect that it is synced.
        return isSynced() && enabled;
    }

    /** True if all initial lists are complete. */
    public boolean isSynced() {
        if (!synced && state.store().synced().containsAll(parts.options.requiredKinds())) {
            synced = true;
            parts.listener.onSynced();
        }
        return synced;
    }

    /** Enables or disables scheduling; events and timers are handled in any case. */
    void setEnabled(boolean value) {
        if (enabled && !value) {
            parts.bindings.rejectWaiting("scheduling stops");
        }
        boolean begins = !enabled && value;
        enabled = value;
        if (begins) {
            parts.unreadablePods.schedulingBegins();
        }
    }

    void replaceProfiles(Profiles next) {
        Profiles before = parts.profiles.all();
        parts.profiles.replace(next);
        state.queue().policyChanged(next.queuePolicy(parts.options.requeueHints()));
        parts.podEvents.profilesChanged(before);
        parts.unreadablePods.profilesChanged(before);
        parts.listener.onProfiles(next);
        parts.profiles.closeUnused();
    }

    /** Shutdown: no pod is scheduled any more, and all plugins are closed. */
    void closeProfiles() {
        parts.profiles.closeAll();
    }

    /** Whether a bind is in progress, or one without a response may still be executed. */
    boolean mayStillBind() {
        return parts.bindResults.mayStillBind();
    }

    /** The number of pods in each state. */
    public Counts counts() {
        return new Counts(
                state.queue().size(Part.ACTIVE),
                state.queue().size(Part.BACKOFF),
                state.queue().size(Part.UNSCHEDULABLE),
                state.inFlight().requeueCount(),
                state.inFlight().bindingCount(),
                state.cache().assumedCount(),
                state.cache().podCount(),
                state.cluster().nodeCount(),
                state.queue().size(Part.GATED),
                0);
    }

    /** The queue; read-only. */
    public SchedulingQueue queue() {
        return state.queue();
    }

    /** The current profiles. */
    public Profiles profiles() {
        return parts.profiles.all();
    }

    /** The nodes and their pods; read-only. */
    public ClusterState cluster() {
        return state.cluster();
    }

    /** The cache; read-only. */
    public Cache cache() {
        return state.cache();
    }

    /** The last observed version of the pod; null if there is none. */
    public @Nullable PodInfo pod(String namespace, String name) {
        return state.store().pods().get(namespace + "/" + name);
    }

    PodsInFlight inFlight() {
        return state.inFlight();
    }

    SchedulerState state() {
        return state;
    }

    boolean isPending(PodInfo pod) {
        return parts.podEvents.isPending(pod);
    }

    /**
     * The number of pods in each state; the values of the gauges.
     *
     * @param active ready to schedule
     * @param backoff in backoff
     * @param unschedulable waiting for a change
     * @param rereading failed and being read again
     * @param binding being bound
     * @param assumed assumed on a node without confirmation, including those being bound
     * @param cachedPods on a node
     * @param nodes number of nodes
     * @param gated gated by a plugin
     * @param statusWrites with a pending or running write of their condition
     */
    public record Counts(
            int active,
            int backoff,
            int unschedulable,
            int rereading,
            int binding,
            int assumed,
            int cachedPods,
            int nodes,
            int gated,
            int statusWrites) {
        /** Counts without gated pods and status writes. */
        public Counts(
                int active,
                int backoff,
                int unschedulable,
                int rereading,
                int binding,
                int assumed,
                int cachedPods,
                int nodes) {
            this(active, backoff, unschedulable, rereading, binding, assumed, cachedPods, nodes, 0, 0);
        }

        /** Returns a copy with another number of status writes. */
        public Counts withStatusWrites(int count) {
            return new Counts(
                    active, backoff, unschedulable, rereading, binding, assumed, cachedPods, nodes, gated, count);
        }
    }

    /** Dispatches each change to the components that handle it. */
    static final class ClusterChangeDispatcher implements ClusterChange.Handler {
        private final Scheduler scheduler;
        private final Components parts;

        ClusterChangeDispatcher(Scheduler scheduler, Components parts) {
            this.scheduler = scheduler;
            this.parts = parts;
        }

        private void synced(ResourceKind kind) {
            parts.state.store().synced().add(kind);
        }

        @Override
        public void on(ClusterChange.PodsReplaced change) {
            parts.podUpdates.replaced(
                    parts.unreadablePods.listed(change.pods(), change.unreadable()), change.resourceVersion());
            synced(ResourceKind.PODS);
        }

        @Override
        public void on(ClusterChange.PodUpserted change) {
            parts.podUpdates.upserted(change.pod());
            parts.unreadablePods.drop(change.pod().key());
        }

        @Override
        public void on(ClusterChange.PodUnreadable change) {
            parts.unreadablePods.found(change.pod());
        }

        @Override
        public void on(ClusterChange.PodDeleted change) {
            parts.podUpdates.deleted(change.namespace(), change.name(), change.uid());
            parts.unreadablePods.deleted(change.namespace() + "/" + change.name(), change.uid());
        }

        @Override
        public void on(ClusterChange.NodesReplaced change) {
            parts.nodeEvents.replaced(change.nodes());
            synced(ResourceKind.NODES);
        }

        @Override
        public void on(ClusterChange.NodeUpserted change) {
            parts.nodeEvents.upserted(change.node());
        }

        @Override
        public void on(ClusterChange.NodeDeleted change) {
            parts.nodeEvents.deleted(change.name());
        }

        @Override
        public void on(ClusterChange.ObjectsReplaced change) {
            parts.objectEvents.replaced(change.kind(), change.objects());
            synced(change.kind());
        }

        @Override
        public void on(ClusterChange.ObjectUpserted change) {
            parts.objectEvents.upserted(change.object());
        }

        @Override
        public void on(ClusterChange.ObjectDeleted change) {
            String key = change.namespace().isEmpty() ? change.name() : change.namespace() + "/" + change.name();
            parts.objectEvents.deleted(change.kind(), key);
        }

        @Override
        public void on(ClusterChange.SchedulingEnabled change) {
            scheduler.setEnabled(change.enabled());
        }

        @Override
        public void on(ClusterChange.ProfilesReplaced change) {
            scheduler.replaceProfiles(change.profiles());
        }

        /** Applied between two attempts, so that each attempt sees consistent tables. */
        @Override
        public void on(ClusterChange.TableChanged change) {
            if (change.tables().put(change.state())) {
                parts.state.queue().moveAll(ClusterEvent.TABLE_CHANGE, null);
            }
        }

        @Override
        public void on(ClusterChange.ClaimWritten change) {
            change.applyTo(parts.state.cluster().assumedClaims());
        }

        @Override
        public void on(ClusterChange.PermitAllowed change) {
            parts.bindings.permitted(change.podId(), change.token(), change.plugin());
        }

        @Override
        public void on(ClusterChange.PermitRejected change) {
            parts.bindings.rejected(change.podId(), change.token(), change.plugin(), change.message());
        }

        @Override
        public void on(ClusterChange.BindingCancelled change) {
            parts.bindings.cancelled(change);
        }

        @Override
        public void on(ClusterChange.ServerBack change) {
            parts.requeuer.readNow();
        }

        @Override
        public void on(ClusterChange.BindAnswered change) {
            parts.bindings.completed(change);
        }

        @Override
        public void on(ClusterChange.VolumesAnswered change) {
            parts.bindings.completed(change);
        }

        @Override
        public void on(ClusterChange.PluginsRan change) {
            parts.bindings.completed(change);
        }

        @Override
        public void on(ClusterChange.DoubtAnswered change) {
            parts.podUpdates.completed(change.token(), change.read());
        }

        @Override
        public void on(ClusterChange.PodEndRead change) {
            parts.rejectionEvents.finished(change.pod());
        }

        @Override
        public void on(ClusterChange.PreemptionStarted change) {
            parts.profiles
                    .all()
                    .runtimes()
                    .forEach(runtime -> runtime.preemptor().started(change.pod()));
        }

        @Override
        public void on(ClusterChange.PreemptionDropped change) {
            parts.profiles
                    .all()
                    .runtimes()
                    .forEach(runtime -> runtime.preemptor().dropped(change.pod()));
        }

        @Override
        public void on(ClusterChange.PreemptionFailed change) {
            if (!change.keepsNomination()) {
                parts.state.queue().nominated().end(change.pod());
            }
            parts.state.queue().retry(change.pod());
        }

        @Override
        public void on(ClusterChange.PreemptionCarriedOut change) {
            // Gated during preemption, it may have missed the deletion of a victim, or the victim was only assumed on
            // its
            // node.
            if (parts.state.queue().partOf(change.pod().key()) == Part.GATED) {
                parts.state.queue().retry(change.pod());
            }
        }

        @Override
        public void on(ClusterChange.PodReRead change) {
            parts.rereads.completed(change.podId(), change.token(), change.read());
        }
    }

    /** The components of a scheduler and their wiring. */
    static final class Components {
        final SchedulerOptions options;
        final SchedulerListener listener;
        final Clock clock;
        final SchedulerState state;
        final SchedulerContext context;
        final CurrentProfiles profiles;
        final WaitingPodsMap permitWaits;
        final Requeuer requeuer;
        final PodReports reports;
        final FailureRecorder failures;
        final BindResults bindResults;
        final BindingCycle bindings;
        final PodRereader rereads;
        final RejectionEvents rejectionEvents;
        final PodEvents podEvents;
        final PodUpdateFilter podUpdates;
        final UnreadablePods unreadablePods;
        final NodeEvents nodeEvents;
        final ObjectEvents objectEvents;

        /** @param leads false while another process schedules, which reports instead */
        Components(Scheduler.Builder given, BooleanSupplier leads) {
            options = given.options;
            listener = given.listener;
            clock = given.clock;
            SchedulingQueue queue = new SchedulingQueue(
                    clock,
                    new Times(
                            options.initialBackoff(),
                            options.maxBackoff(),
                            options.unschedulableTimeout(),
                            options.eventTimeout()),
                    listener::onIncoming,
                    given.profiles.queuePolicy(options.requeueHints()));
            Cache cache = new Cache(given.state, clock, options.assumedTtl());
            PodsInFlight inFlight = new PodsInFlight();
            state = new SchedulerState(given.state, new InformerStore(), cache, queue, inFlight);
            context = new SchedulerContext(given.writer, given.inbox, listener, clock, given.wallClock);
            profiles = new CurrentProfiles(given.profiles, inFlight, new PluginCalls(given.pluginCalls, given.inbox));
            permitWaits = given.permitWaits;
            requeuer = new Requeuer(state, context);
            reports = new PodReports(given.writer, given.wallClock, profiles);
            failures = new FailureRecorder(requeuer, reports, listener, queue);
            bindResults = new BindResults(state, context, profiles, reports, failures, permitWaits);
            bindings = new BindingCycle(state, context, profiles, failures, reports, permitWaits, bindResults);
            rejectionEvents = new RejectionEvents(given.kubeletRejections, queue, context, reports, profiles, leads);
            podEvents = new PodEvents(state, listener, profiles, bindResults, rejectionEvents);
            podUpdates = new PodUpdateFilter(state, context, podEvents);
            unreadablePods = new UnreadablePods(state, podUpdates, profiles, reports, leads);
            rereads = new PodRereader(state, context, requeuer, bindings, bindResults, podUpdates);
            nodeEvents = new NodeEvents(state, given.kubeletRejections);
            objectEvents = new ObjectEvents(state);
            given.state.assumedClaims().whenFreed(objectEvents::allocationGivenUp);
        }
    }
}
