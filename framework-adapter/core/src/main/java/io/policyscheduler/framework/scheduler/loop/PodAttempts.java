package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.profile.ReleaseRules;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.Placement;
import io.policyscheduler.framework.scheduler.binding.PodReports;
import io.policyscheduler.framework.scheduler.binding.PodReports.FailureRecorder;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Components;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Schedules one pod at a time: pops it, decides, and starts its binding or requeue. Mirrors {@code ScheduleOne}. */
final class PodAttempts {
    private static final Logger log = LoggerFactory.getLogger(PodAttempts.class);

    private static final String SLOW_DECISION = "SlowDecision";
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Components parts;
    private final LongSupplier work;
    private final InstantSource stopwatch;
    private final DecisionBudget budget;
    private final ComparisonBudget comparisons = new ComparisonBudget();

    /**
     * @param work CPU time of the scheduling thread so far, in nanoseconds
     * @param stopwatch for durations that do not affect decisions
     */
    PodAttempts(Components parts, LongSupplier work, InstantSource stopwatch) {
        this.parts = parts;
        this.work = work;
        this.stopwatch = stopwatch;
        this.budget = new DecisionBudget(parts.options.decisionBudget());
    }

    /** Schedules the next pod; false if the active queue is empty. */
    boolean next() {
        QueuedPod entry = parts.state.queue().pop();
        if (entry == null) {
            return false;
        }
        PodInfo pod = entry.pod();
        if (pod.terminating()) {
            parts.state.queue().done(pod);
            if (!parts.state.queue().waitsForEvents(pod)) {
                // Finalizers can keep the pod for long, and it will not use the node.
                parts.state.queue().nominated().end(pod);
            }
            parts.reports.warn(pod, PodReports.FAILED_SCHEDULING, "skip schedule deleting pod: " + pod.key());
            return true;
        }
        ProfileRuntime runtime = parts.profiles.find(pod);
        if (runtime == null) {
            parts.state.queue().done(pod);
            log.atError()
                    .addKeyValue("pod", pod.key())
                    .log(
                            "the pod is in the queue without a profile for scheduler name {}",
                            pod.spec().schedulerName());
            return true;
        }
        log.debug("Attempting to schedule pod: {}", pod.key());
        long before = work.getAsLong();
        boolean expensive = attempt(entry, runtime);
        check(pod, work.getAsLong() - before, expensive);
        return true;
    }

    /** Runs an attempt. Returns whether a plugin ended it because of too much work. */
    private boolean attempt(QueuedPod entry, ProfileRuntime runtime) {
        PodInfo pod = entry.pod();
        Instant start = stopwatch.instant();
        parts.listener.onAttempt(entry);
        CycleState cycleState = runtime.algorithm().newState();
        Decision decision = decide(runtime, pod, cycleState);
        parts.listener.onDecision(
                pod, decision, Duration.between(start, stopwatch.instant()).toNanos());
        compare(pod, decision, runtime);
        String node = decision.node();
        if (decision.isPlaced() && node != null) {
            parts.bindings.start(entry, new Placement(node, runtime, cycleState, decision.generation()));
            return cycleState.isExpensive();
        }
        failed(entry.withRejectedBy(decision.rejectedBy(), decision.pendingOn()), runtime, cycleState, decision);
        return cycleState.isExpensive();
    }

    /** Reports what the profile on the other side of a canary's share would have decided. */
    private void compare(PodInfo pod, Decision decision, ProfileRuntime runtime) {
        ProfileRuntime other = parts.profiles.all().findOther(pod);
        if (other == null) {
            return;
        }
        boolean isInShare = runtime.isCanary();
        // A pod that the canary rejects is always evaluated with the current policy, whatever the cost.
        boolean isEvaluated = (isInShare && !decision.isPlaced()) || comparisons.mayStart(stopwatch.instant());
        Ranking ranking = isEvaluated ? rank(pod, other) : null;
        parts.listener.onCanary(pod, decision, isInShare, ranking);
    }

    private @Nullable Ranking rank(PodInfo pod, ProfileRuntime other) {
        Instant start = stopwatch.instant();
        try {
            return other.algorithm().rankInPlace(pod, parts.state.queue().nominated());
        } catch (RuntimeException e) {
            log.atWarn().addKeyValue("pod", pod.key()).setCause(e).log("W137 the other policy cannot decide the pod");
            return Ranking.failed(String.valueOf(e));
        } finally {
            comparisons.spent(Duration.between(start, stopwatch.instant()));
        }
    }

    private Decision decide(ProfileRuntime runtime, PodInfo pod, CycleState cycleState) {
        try {
            return runtime.algorithm()
                    .decide(pod, parts.state.queue().nominated(), cycleState)
                    .withGeneration(parts.profiles.all().generation());
        } catch (RuntimeException e) {
            // An exception in the attempt of one pod must not stop the scheduling of all others.
            log.atError().addKeyValue("pod", pod.key()).setCause(e).log("the scheduling cycle failed");
            return new Decision(Decision.Kind.ERROR, null, 0, String.valueOf(e), 0, 0);
        }
    }

    private void failed(QueuedPod entry, ProfileRuntime runtime, CycleState cycleState, Decision decision) {
        PodInfo pod = entry.pod();
        boolean unschedulable = decision.kind() == Decision.Kind.UNSCHEDULABLE;
        ReleaseRules rules = runtime.profile().rules();
        if (rules.waitsForEvents()) {
            keepNomination(pod, unschedulable);
        }
        String message = decision.message();
        if (unschedulable && rules.preemptsBeforeCondition()) {
            String more = runPostFilters(runtime, cycleState, pod);
            message = more.isEmpty() ? message : message + " " + more;
        }
        String reason = rules.countsErrorsAsUnschedulable() || decision.kind() != Decision.Kind.ERROR
                ? FailureRecorder.UNSCHEDULABLE
                : FailureRecorder.SCHEDULER_ERROR;
        if (!rules.waitsForEvents() && !unschedulable && isNominatedToMissingNode(pod)) {
            parts.failures.recordWithoutNomination(entry, reason, message);
        } else {
            parts.failures.record(entry, reason, message);
        }
        if (unschedulable && !rules.preemptsBeforeCondition()) {
            runPostFilters(runtime, cycleState, pod);
        }
    }

    /**
     * Whether the node of the nomination was deleted, for example the last node of a cluster. Without nodes there is no preemption,
     * which would end the nomination.
     */
    private boolean isNominatedToMissingNode(PodInfo pod) {
        String nominated = parts.state.queue().nominated().nodeOf(pod);
        String node = nominated == null ? pod.nominatedNodeName() : nominated;
        return !node.isEmpty() && !parts.state.store().nodes().containsKey(node);
    }

    /** Ends the nomination after an error or without nodes; otherwise preserves the one in the pod's status. */
    private void keepNomination(PodInfo pod, boolean unschedulable) {
        Nominator nominated = parts.state.queue().nominated();
        if (!unschedulable) {
            nominated.end(pod);
        } else if (nominated.nodeOf(pod) == null) {
            nominated.nominate(pod, "");
        }
    }

    private String runPostFilters(ProfileRuntime runtime, CycleState cycleState, PodInfo pod) {
        parts.listener.onPhase(Phase.POST_FILTER);
        SchedulingQueue queue = parts.state.queue();
        String before = queue.nominated().nodeOf(pod);
        String message = PostFilters.run(
                runtime.profile(),
                cycleState,
                pod,
                () -> runtime.algorithm().failures(pod, queue.nominated()),
                () -> runtime.preemptor().preempt(pod, queue.nominated()));
        String node = queue.nominated().nodeOf(pod);
        if (node != null && !node.equals(before)) {
            queue.nominated(pod, before, node);
        }
        parts.listener.onPhase(Phase.POST_FILTERED);
        return message;
    }

    /** Extends the backoff of a pod whose attempts take too much work, so that other pods come first. */
    private void check(PodInfo pod, long done, boolean expensive) {
        parts.listener.onWork(done);
        long usual = budget.usual();
        if (!budget.isExceededBy(done) && !expensive) {
            return;
        }
        Duration wait = parts.state.queue().noteSlow(pod);
        log.atWarn()
                .addKeyValue("pod", pod.key())
                .log(
                        "W130 the attempt took {} ms of CPU time, while {} ms are usual",
                        done / NANOS_PER_MILLI,
                        usual / NANOS_PER_MILLI);
        parts.reports.warn(
                pod,
                SLOW_DECISION,
                "the attempt took " + done / NANOS_PER_MILLI + " ms of CPU time, while " + usual / NANOS_PER_MILLI
                        + " ms are usual; if the pod is unschedulable, its backoff is " + wait.toSeconds()
                        + " s; simplify its affinity terms, tolerations, volumes, resources, or device selectors");
        parts.listener.onSlowDecision(pod, done);
    }

    /**
     * Distinguishes pods that take far more work than others from pods that are slow because all are. A decision exceeds the budget
     * if its work is above the limit and above {@link #EXCESS} times the usual work, which is computed from the last
     * {@link #REMEMBERED} decisions:
     *
     * <ul>
     * <li>In a big or busy cluster all decisions take long; this soon becomes the usual work, and no pod exceeds the budget.
     * <li>The usual work is the lower quartile, so expensive pods of one tenant do not raise it while at least a quarter of the
     * decisions are about pods of others.
     * <li>Before {@link #LEARNED} decisions, none exceeds the budget: code is not compiled yet, and indexes are built.
     * </ul>
     *
     * <p>Work is CPU time of the scheduling thread or another measure; waiting for an extender or for a CPU does not count. Owned
     * by the scheduling thread.
     */
    static final class DecisionBudget {
        static final int EXCESS = 4;
        static final int REMEMBERED = 128;
        static final int LEARNED = 16;
        /** Sorting so few numbers is cheap, but still more expensive than the fastest decisions. */
        private static final int RELEARN_EVERY = 8;

        private final long limit;
        private final long[] last = new long[REMEMBERED];
        private long decisions;
        private long usual;

        /** @param limit the minimum work of an expensive decision; zero or less to disable the budget */
        DecisionBudget(Duration limit) {
            this.limit = limit.toNanos();
        }

        /** Records the work of a decision in nanoseconds; true if it exceeded the budget. */
        boolean isExceededBy(long work) {
            boolean exceeded = limit > 0 && decisions >= LEARNED && work > limit && work / EXCESS >= usual;
            last[(int) (decisions++ % REMEMBERED)] = work;
            if (decisions % RELEARN_EVERY == 0) {
                long[] sorted = Arrays.copyOf(last, (int) Math.min(decisions, REMEMBERED));
                Arrays.sort(sorted);
                usual = sorted[sorted.length / 4];
            }
            return exceeded;
        }

        /** The usual work of a decision in nanoseconds; 0 at first. */
        long usual() {
            return usual;
        }
    }

    /**
     * The time that the evaluation of pods with both policies of a canary may take: {@link #SHARE} of all time, saved up to {@link
     * #MOST}, so that a burst of pods is decided at the usual rate. Owned by the scheduling thread.
     */
    static final class ComparisonBudget {
        static final int SHARE = 20;
        static final Duration MOST = Duration.ofMillis(100);

        private long saved = MOST.toNanos();
        private @Nullable Instant last;

        /** Whether time is left. */
        boolean mayStart(Instant now) {
            if (last != null) {
                saved = Math.min(
                        MOST.toNanos(), saved + Duration.between(last, now).toNanos() / SHARE);
            }
            last = now;
            return saved > 0;
        }

        /** Records the time of an evaluation. */
        void spent(Duration time) {
            saved -= time.toNanos();
        }
    }
}
