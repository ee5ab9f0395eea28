package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.FrameworkVersion;
import io.policyscheduler.framework.scheduler.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.cache.PodCache;
import io.policyscheduler.framework.scheduler.queue.PodBackoff;
import io.policyscheduler.framework.scheduler.queue.QueuePart;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import io.policyscheduler.framework.scheduler.queue.SchedulingQueue;
import io.policyscheduler.framework.scheduler.refusal.RefusedPlaces;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes pods from the queue, decides and binds them. All methods but {@link #inbox()} and {@link #post} belong to one
 * thread, which owns the cluster state; driven by hand with a clock of one's own, a run can be repeated exactly.
 * Mirrors {@code pkg/scheduler/scheduler.go}.
 */
public final class Scheduler {
    private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

    private static final String SLOW_DECISION = "SlowDecision";
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ClusterState state;
    private final Clock clock;
    private final SchedulerOptions options;
    private final SchedulerListener listener;
    private Profiles profiles;
    private final List<ProfileRuntime> retired = new ArrayList<>();

    private final EventInbox inbox;
    private final PermitWaits permitWaits;
    private final InformerStore store = new InformerStore();
    private final PodsInFlight inFlight = new PodsInFlight();
    private final SchedulingQueue queue;
    private final PodCache cache;
    private final Requeuer requeuer;
    private final FailureRecorder failures;
    private final PluginCalls pluginCalls;
    private final BindingCycle bindings;
    private final KubeletRefusals refusals;
    private final PodEvents podEvents;
    private final UnreadablePods unreadablePods;
    private final NodeEvents nodeEvents;
    private final ObjectEvents objectEvents;
    private final LongSupplier work;
    private final DecisionBudget budget;

    private Instant shortTimer;
    private Instant longTimer;
    private boolean enabled;
    private boolean synced;

    private Scheduler(Builder parts) {
        state = parts.state;
        profiles = parts.profiles;
        clock = parts.clock;
        options = parts.options;
        listener = parts.listener;
        inbox = parts.inbox;
        permitWaits = parts.permitWaits;
        queue = new SchedulingQueue(
                clock,
                new PodBackoff(options.initialBackoff(), options.maxBackoff()),
                options.unschedulableTimeout(),
                listener::onIncoming,
                profiles.queuePolicy(options.requeueHints()));
        cache = new PodCache(state, clock, options.assumedTtl());
        requeuer = new Requeuer(inFlight, queue, parts.writer, inbox, clock, options, listener);
        failures = new FailureRecorder(requeuer, parts.writer, parts.wallClock, listener, () -> profiles.generation());
        pluginCalls = new PluginCalls(parts.pluginCalls, inbox);
        bindings = new BindingCycle(
                inFlight,
                store,
                cache,
                queue,
                failures,
                permitWaits,
                pluginCalls,
                pod -> profiles.find(pod) != null,
                inbox,
                clock,
                listener);
        refusals = new KubeletRefusals(
                parts.refusedPlaces, parts.writer, inbox, queue, failures, listener, clock, () -> enabled);
        podEvents = new PodEvents(
                () -> profiles,
                store,
                cache,
                queue,
                inFlight,
                bindings,
                refusals,
                listener,
                clock,
                pod -> parts.writer.readPod(pod, read -> inbox.post(new ClusterChange.DoubtRead(pod, read))));
        unreadablePods = new UnreadablePods(store, state, podEvents, queue, this::leftOut);
        nodeEvents = new NodeEvents(store, state, queue, parts.refusedPlaces);
        objectEvents = new ObjectEvents(store, state, queue);
        work = parts.work;
        budget = new DecisionBudget(options.decisionBudget());
        enabled = options.enabled();
        shortTimer = clock.instant();
        longTimer = shortTimer;
    }

    /**
     * Starts to put a scheduler together.
     *
     * @param state empty; belongs to the scheduler from now on
     */
    public static Builder builder(ClusterState state, ClusterWriter writer, Clock clock) {
        return new Builder(state, writer, clock);
    }

    /** The parts of a scheduler; what is not set does nothing or is as in v1.17. */
    public static final class Builder {
        private final ClusterState state;
        private final ClusterWriter writer;
        private final Clock clock;
        private final EventInbox inbox = new EventInbox();
        private final PermitWaits permitWaits = new PermitWaits(inbox);
        private final RefusedPlaces refusedPlaces = new RefusedPlaces();
        private Clock wallClock;
        private Profiles profiles = Profiles.none();
        private SchedulerOptions options = SchedulerOptions.defaults();
        private SchedulerListener listener = SchedulerListener.NONE;
        private Executor pluginCalls = Runnable::run;
        private LongSupplier work = () -> 0;

        private Builder(ClusterState state, ClusterWriter writer, Clock clock) {
            this.state = state;
            this.writer = writer;
            this.clock = clock;
            this.wallClock = clock;
        }

        /** Gives the times that users see, where the scheduler's own clock is good for waiting only. */
        public Builder wallClock(Clock value) {
            wallClock = value;
            return this;
        }

        /** Must look at the scheduler's state and start its cycles. */
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

        /** Runs the plugins that may block; they run on the scheduling thread if this is not set. */
        public Builder pluginCalls(Executor value) {
            pluginCalls = value;
            return this;
        }

        /**
         * Tells the work that the scheduling thread has done, in nanoseconds, such as its CPU time; called on that thread. No
         * decision is too long if this is not set.
         */
        public Builder work(LongSupplier value) {
            work = value;
            return this;
        }

        /** The inbox that the scheduler will have. */
        public EventInbox inbox() {
            return inbox;
        }

        /** For the plugins of the profiles. */
        public WaitingPods waitingPods() {
            return permitWaits;
        }

        /** For the profiles, which may leave such nodes out. */
        public RefusedPlaces refusedPlaces() {
            return refusedPlaces;
        }

        public Scheduler build() {
            return new Scheduler(this);
        }
    }

    /** Where watches and other threads tell what happened. */
    public EventInbox inbox() {
        return inbox;
    }

    /** Posts to the inbox; any thread. */
    public void post(ClusterChange change) {
        inbox.post(change);
    }

    /**
     * Takes in what was posted, fires the timers that are due and schedules at most one pod.
     *
     * @return false when there was nothing to do
     */
    public boolean runOnce() {
        List<ClusterChange> changes = inbox.drain();
        changes.forEach(this::apply);
        boolean fired = fireTimers();
        boolean scheduled = isReady() && scheduleOne();
        return scheduled || fired || !changes.isEmpty();
    }

    /** Time until a timer is due, 0 when one is overdue. */
    public long nanosUntilNextTimer() {
        Instant next = shortTimer.isBefore(longTimer) ? shortTimer : longTimer;
        Instant reread = requeuer.nextDue();
        if (reread != null && reread.isBefore(next)) {
            next = reread;
        }
        Instant permit = permitWaits.nextDue();
        if (permit != null && permit.isBefore(next)) {
            next = permit;
        }
        return Math.max(0, Duration.between(clock.instant(), next).toNanos());
    }

    /** True when all initial lists have arrived and scheduling is enabled. */
    public boolean isReady() {
        // A standby finds out that it is synced, too.
        return isSynced() && enabled;
    }

    /** True when all initial lists have arrived. */
    public boolean isSynced() {
        if (!synced && store.synced().containsAll(options.requiredKinds())) {
            synced = true;
            listener.onSynced();
        }
        return synced;
    }

    /** Schedules no more pods, or goes on; events and timers are served all the same. */
    void setEnabled(boolean value) {
        if (enabled && !value) {
            bindings.rejectWaiting("scheduling stops");
        }
        enabled = value;
    }

    private void replaceProfiles(Profiles next) {
        Profiles before = profiles;
        profiles = next;
        retired.addAll(before.runtimes());
        queue.policyChanged(next.queuePolicy(options.requeueHints()));
        podEvents.profilesChanged(before);
        listener.onProfiles(next);
        closeRetired();
    }

    /** Plugins of former profiles are told once no pod that they decided is on its way any more. */
    private void closeRetired() {
        retired.removeIf(runtime -> {
            boolean isUsed = inFlight.isUsing(runtime) || pluginCalls.isRunning(runtime);
            if (!isUsed) {
                runtime.profile().close();
            }
            return !isUsed;
        });
    }

    /** The end: no pod is decided any more, and all plugins are told. */
    void closeProfiles() {
        retired.addAll(profiles.runtimes());
        retired.forEach(runtime -> runtime.profile().close());
        retired.clear();
    }

    private void apply(ClusterChange change) {
        if (change instanceof ClusterChange.PodUpserted c) {
            podEvents.upserted(c.pod());
            unreadablePods.drop(c.pod().key());
        } else if (change instanceof ClusterChange.PodUnreadable c) {
            unreadablePods.found(c.pod());
        } else if (change instanceof ClusterChange.PodDeleted c) {
            podEvents.deleted(c.namespace(), c.name(), c.uid());
            unreadablePods.deleted(c.namespace() + "/" + c.name(), c.uid());
        } else if (change instanceof ClusterChange.PodsReplaced c) {
            podEvents.replaced(unreadablePods.listed(c.pods(), c.unreadable()), c.resourceVersion());
            store.synced().add(ResourceKind.PODS);
        } else if (change instanceof ClusterChange.NodeUpserted c) {
            nodeEvents.upserted(c.node());
        } else if (change instanceof ClusterChange.NodeDeleted c) {
            nodeEvents.deleted(c.name());
        } else if (change instanceof ClusterChange.NodesReplaced c) {
            nodeEvents.replaced(c.nodes());
            store.synced().add(ResourceKind.NODES);
        } else if (change instanceof ClusterChange.ObjectUpserted c) {
            objectEvents.upserted(c.object());
        } else if (change instanceof ClusterChange.ObjectDeleted c) {
            objectEvents.deleted(c.kind(), c.namespace().isEmpty() ? c.name() : c.namespace() + "/" + c.name());
        } else if (change instanceof ClusterChange.ObjectsReplaced c) {
            objectEvents.replaced(c.kind(), c.objects());
            store.synced().add(c.kind());
        } else if (change instanceof ClusterChange.ProfilesReplaced c) {
            replaceProfiles(c.profiles());
        } else if (change instanceof ClusterChange.PermitAllowed c) {
            bindings.permitted(c);
        } else if (change instanceof ClusterChange.PermitRejected c) {
            bindings.rejected(c);
        } else if (change instanceof ClusterChange.PluginsRan c) {
            bindings.pluginsRan(c);
        } else if (change instanceof ClusterChange.VolumesBound c) {
            bindings.volumesBound(c);
        } else if (change instanceof ClusterChange.BindFinished c) {
            bindings.finished(c);
        } else if (change instanceof ClusterChange.PodReRead c) {
            reRead(c);
        } else if (change instanceof ClusterChange.DoubtRead c) {
            podEvents.answered(c.asked(), c.read());
        } else if (change instanceof ClusterChange.FinishedPodRead c) {
            podEvents.fate(c.pod());
        } else if (change instanceof ClusterChange.ServerBack) {
            requeuer.readNow();
        } else if (change instanceof ClusterChange.SchedulingEnabled c) {
            setEnabled(c.enabled());
        } else if (change instanceof ClusterChange.Task c) {
            log.debug("running {}", c.description());
            c.action().run();
        }
    }

    /** Whoever waits for the pod learns from an event why nothing happens. */
    private void leftOut(UnreadablePod pod) {
        if (enabled && profiles.isFor(pod.schedulerName())) {
            failures.event(
                    UnreadablePods.named(pod),
                    "Warning",
                    FailureRecorder.FAILED_SCHEDULING,
                    "skip schedule of a pod that cannot be read: " + pod.reason(),
                    profiles.generation());
        }
    }

    private void reRead(ClusterChange.PodReRead change) {
        Requeue requeue = requeuer.find(change.podId(), change.token());
        if (requeue == null) {
            return;
        }
        if (change.read() instanceof PodRead.Failed failed) {
            log.error("Error getting pod {} for retry: {}; retrying", requeue.entry.key(), failed.message());
            requeuer.retryLater(requeue);
            return;
        }
        if (!(change.read() instanceof PodRead.Found found) || !found.pod().isSame(requeue.entry.pod())) {
            gone(requeue);
            return;
        }
        // Newer than what the watch has shown, or equal; may end the requeue, when the pod is bound or finished.
        podEvents.upserted(found.pod());
        requeue = requeuer.find(change.podId(), change.token());
        if (requeue == null) {
            return;
        }
        PodsInFlight.Binding unconfirmed = requeue.unconfirmed;
        if (unconfirmed != null && bindings.mayStillArrive(unconfirmed)) {
            // The server gets a moment, and the last of several binds its time.
            if (requeue.failedReads == 0 || !bindings.again(requeue, unconfirmed)) {
                requeuer.retryLater(requeue);
            }
            return;
        }
        giveRoomBack(requeue);
        if (podEvents.isPending(found.pod())) {
            requeuer.complete(requeue);
        } else {
            inFlight.requeues().remove(change.podId());
        }
    }

    /** The pod is asked for again until the watch has said that it is gone: that has the last word. */
    private void gone(Requeue requeue) {
        if (requeue.failedReads == 0) {
            log.warn("A pod {} no longer exists", requeue.entry.key());
        }
        giveRoomBack(requeue);
        requeuer.retryLater(requeue);
    }

    /** The server has said that the pod is not where it is assumed. */
    private void giveRoomBack(Requeue requeue) {
        PodsInFlight.Binding unconfirmed = requeue.unconfirmed;
        PodInfo overdue = requeue.overdue;
        requeue.unconfirmed = null;
        requeue.overdue = null;
        if (unconfirmed != null) {
            bindings.forget(unconfirmed);
        }
        if (overdue != null) {
            bindings.forgetOverdue(overdue);
        }
    }

    private boolean fireTimers() {
        Instant now = clock.instant();
        boolean reads = requeuer.fireDue();
        boolean fired = permitWaits.fireDue(now) || reads;
        if (!shortTimer.isAfter(now)) {
            shortTimer = now.plus(SchedulerOptions.SHORT_PERIOD);
            queue.flushBackoff();
            cache.overdue().forEach(this::overdue);
            podEvents.settleDoubts();
            refusals.tick();
            closeRetired();
        }
        if (!longTimer.isAfter(now)) {
            longTimer = now.plus(SchedulerOptions.LONG_PERIOD);
            queue.flushUnschedulable();
        }
        return fired;
    }

    /** Bound as far as the API server said, but never shown: it is asked again, and the room stays taken until it answers. */
    private void overdue(PodInfo assumed) {
        listener.onExpired(assumed);
        QueuedPod entry = inFlight.settled().remove(PodsInFlight.idOf(assumed));
        if (entry != null) {
            requeuer.startOverdue(entry, assumed);
        } else {
            bindings.forgetOverdue(assumed);
        }
    }

    private boolean scheduleOne() {
        QueuedPod entry = queue.pop();
        if (entry == null) {
            return false;
        }
        PodInfo pod = entry.pod();
        if (pod.terminating()) {
            failures.event(
                    pod,
                    "Warning",
                    FailureRecorder.FAILED_SCHEDULING,
                    "skip schedule deleting pod: " + pod.key(),
                    profiles.generation());
            return true;
        }
        ProfileRuntime runtime = profiles.find(pod);
        if (runtime == null) {
            log.error(
                    "pod {} is in the queue without a profile for scheduler name {}",
                    pod.key(),
                    pod.spec().schedulerName());
            return true;
        }
        log.debug("Attempting to schedule pod: {}", pod.key());
        long before = work.getAsLong();
        tryPod(entry, runtime);
        judge(pod, work.getAsLong() - before);
        return true;
    }

    /** A pod that costs the others too much of their time lets them go first, for longer each time. */
    private void judge(PodInfo pod, long done) {
        long usual = budget.usual();
        if (!budget.isExceededBy(done)) {
            return;
        }
        Duration wait = queue.noteSlow(pod);
        log.warn(
                "W130 deciding the pod {} took {} ms of work, where {} ms are usual",
                pod.key(),
                done / NANOS_PER_MILLI,
                usual / NANOS_PER_MILLI);
        failures.event(
                pod,
                "Warning",
                SLOW_DECISION,
                "deciding took " + done / NANOS_PER_MILLI + " ms of work, where " + usual / NANOS_PER_MILLI
                        + " ms are usual; if it has to be repeated, other pods go first for " + wait.toSeconds()
                        + " s: say less in affinity, tolerations, volumes or resources",
                profiles.generation());
        listener.onSlowDecision(pod, done);
    }

    private void tryPod(QueuedPod entry, ProfileRuntime runtime) {
        PodInfo pod = entry.pod();
        Instant start = clock.instant();
        CycleState cycleState = runtime.decider().newState();
        Decision decision = decide(runtime, pod, cycleState);
        listener.onDecision(
                pod, decision, Duration.between(start, clock.instant()).toNanos());
        String node = decision.node();
        if (decision.isPlaced() && node != null) {
            bindings.start(entry, new Placement(node, runtime, cycleState, decision.generation()));
            return;
        }
        failed(entry.withRejectedBy(decision.rejectedBy()), runtime, cycleState, decision);
    }

    /** Current releases make room first, so that the message tells what came of it; v1.17 does so afterwards. */
    private void failed(QueuedPod entry, ProfileRuntime runtime, CycleState cycleState, Decision decision) {
        PodInfo pod = entry.pod();
        boolean unschedulable = decision.kind() == Decision.Kind.UNSCHEDULABLE;
        boolean legacy = runtime.profile().version() == FrameworkVersion.V1_17;
        String message = decision.message();
        if (unschedulable && !legacy) {
            String more = runPostFilters(runtime, cycleState, pod);
            message = more.isEmpty() ? message : message + " " + more;
        }
        String reason = legacy || decision.kind() != Decision.Kind.ERROR
                ? FailureRecorder.UNSCHEDULABLE
                : FailureRecorder.SCHEDULER_ERROR;
        failures.record(entry, reason, message, message, null);
        if (unschedulable && legacy) {
            runPostFilters(runtime, cycleState, pod);
        }
    }

    private String runPostFilters(ProfileRuntime runtime, CycleState cycleState, PodInfo pod) {
        return PostFilters.run(
                runtime.profile(),
                cycleState,
                pod,
                () -> runtime.decider().failures(pod, queue.nominated()),
                () -> runtime.preemptor().preempt(pod, queue.nominated()));
    }

    private Decision decide(ProfileRuntime runtime, PodInfo pod, CycleState cycleState) {
        try {
            return runtime.decider().decide(pod, queue.nominated(), cycleState).withGeneration(profiles.generation());
        } catch (RuntimeException e) {
            // One pod that cannot be decided must not keep all others waiting.
            log.error("deciding pod {} failed", pod.key(), e);
            return new Decision(Decision.Kind.ERROR, null, 0, String.valueOf(e), 0, 0);
        }
    }

    /** True while a bind is under way, or one without an answer may yet be carried out. */
    boolean mayStillBind() {
        return !inFlight.bindings().isEmpty()
                || inFlight.requeues().values().stream()
                        .anyMatch(
                                requeue -> requeue.unconfirmed != null && bindings.mayStillArrive(requeue.unconfirmed));
    }

    /** Where pods are, by number. */
    public SchedulerCounts counts() {
        return new SchedulerCounts(
                queue.size(QueuePart.ACTIVE),
                queue.size(QueuePart.BACKOFF),
                queue.size(QueuePart.UNSCHEDULABLE),
                inFlight.requeues().size(),
                inFlight.bindings().size(),
                cache.assumedCount(),
                cache.podCount(),
                state.nodeCount());
    }

    /** The queue; for looking only. */
    public SchedulingQueue queue() {
        return queue;
    }

    /** The profiles in force. */
    public Profiles profiles() {
        return profiles;
    }

    /** The cache; for looking only. */
    public PodCache cache() {
        return cache;
    }

    /** The pod as the API server last showed it; null when there is none. */
    public @Nullable PodInfo pod(String namespace, String name) {
        return store.pods().get(namespace + "/" + name);
    }

    InformerStore store() {
        return store;
    }

    PodsInFlight inFlight() {
        return inFlight;
    }

    ClusterState state() {
        return state;
    }

    boolean isPending(PodInfo pod) {
        return podEvents.isPending(pod);
    }
}
