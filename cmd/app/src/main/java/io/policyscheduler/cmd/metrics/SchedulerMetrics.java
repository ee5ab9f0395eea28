package io.policyscheduler.cmd.metrics;

import com.google.common.base.Ascii;
import com.google.common.base.Ticker;
import io.policyscheduler.cmd.metrics.SchedulerGauges.Families;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptListener.BatchFlush;
import io.policyscheduler.framework.cycle.AttemptListener.BatchResult;
import io.policyscheduler.framework.cycle.AttemptListener.DecisionDifference;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of v1.17's {@code pkg/scheduler/metrics}, with its names and buckets, and also under the current names where they
 * differ. Called on the scheduling thread: the constructor looks up all series, so that an event costs a few additions and no
 * allocation.
 *
 * <p>Not available are the metrics of v1.17 for single predicates, plugins, and volume stages, and
 * {@code scheduler_scheduling_duration_seconds}. {@code binding_duration_seconds} includes the binding of volumes.
 */
public final class SchedulerMetrics implements SchedulerListener {
    private static final String ALPHA = "[ALPHA] ";
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;
    private static final double[] ATTEMPT = Families.exponential(0.001, 2, 15);
    private static final String[] RESULTS = {"scheduled", "unschedulable", "error"};
    private static final int SCHEDULED = 0;
    private static final int UNSCHEDULABLE = 1;
    private static final int ERROR = 2;

    private final String profile;
    private final boolean preemption;
    private final Ticker ticker;
    private final InstantSource clock;
    private final Attempts running = new Attempts();

    private final CounterDataPoint[] attempts = new CounterDataPoint[RESULTS.length];
    private final DistributionDataPoint[] attemptDuration = new DistributionDataPoint[RESULTS.length];
    private final DistributionDataPoint endToEnd;
    private final DistributionDataPoint algorithm;
    private final DistributionDataPoint binding;
    private final DistributionDataPoint podDuration;
    private final DistributionDataPoint podAttempts;
    private final CounterDataPoint preemptionAttempts;
    private final DistributionDataPoint victims;
    private final DistributionDataPoint victimsToday;
    private final Counter notScored;
    private final Counter bindsSkipped;
    private final Counter refused;
    private final CounterDataPoint verified;
    private final CounterDataPoint differences;
    private final CounterDataPoint fallbacks;
    private final Counter outOfRange;
    private final Counter batched;
    private final Counter flushed;
    private final Counter incoming;
    private final Counter unknownFields;
    private final CounterDataPoint slowDecisions;
    private final CounterDataPoint left;
    private final Map<Part, Map<String, CounterDataPoint>> incomingPoints = new EnumMap<>(Part.class);

    /**
     * Registers the families.
     *
     * @param registry must not have them yet
     * @param profile value of the label {@code profile}: the scheduler's name
     * @param preemption whether pods that do not fit may preempt
     * @param ticker measures attempts
     * @param clock the clock of the queue timestamps
     */
    public SchedulerMetrics(
            PrometheusRegistry registry, String profile, boolean preemption, Ticker ticker, InstantSource clock) {
        this.profile = profile;
        this.preemption = preemption;
        this.ticker = ticker;
        this.clock = clock;
        Families families = new Families(registry);
        Counter attemptCounter = families.counter(
                "scheduler_schedule_attempts_total",
                ALPHA
                        + "Scheduling attempts by result: scheduled, unschedulable (no feasible node), or error (any other failure)",
                "result");
        Histogram durations = families.histogram(
                "scheduler_scheduling_attempt_duration_seconds",
                "Duration of a scheduling attempt, including binding",
                ATTEMPT,
                "profile",
                "result");
        for (int i = 0; i < RESULTS.length; i++) {
            attempts[i] = attemptCounter.labelValues(RESULTS[i]);
            attemptDuration[i] = durations.labelValues(profile, RESULTS[i]);
        }
        endToEnd = families.histogram(
                "scheduler_e2e_scheduling_duration_seconds",
                ALPHA + "Time from the start of an attempt to the end of its bind, successful or not",
                ATTEMPT);
        algorithm = families.histogram(
                "scheduler_scheduling_algorithm_duration_seconds",
                ALPHA + "Duration of the scheduling algorithm if it finds a node",
                ATTEMPT);
        binding = families.histogram(
                "scheduler_binding_duration_seconds", ALPHA + "Duration of successful binds", ATTEMPT);
        podDuration = families.histogram(
                "scheduler_pod_scheduling_duration_seconds",
                ALPHA + "Time from the first queueing of a pod to its successful bind",
                ATTEMPT);
        podAttempts = families.histogram(
                "scheduler_pod_scheduling_attempts",
                ALPHA + "Number of attempts until a pod is bound",
                Families.exponential(1, 2, 5));
        slowDecisions = families.counter(
                        "policy_scheduler_slow_decisions_total",
                        "Attempts that exceeded --decision-budget-millis; the backoff of their pods is longer")
                .labelValues();
        left = families.counter(
                        "policy_scheduler_pods_left_total",
                        "Pending pods of other schedulers, which this one ignores; each pod counts once")
                .labelValues();
        unknownFields = families.counter(
                "policy_scheduler_unknown_pod_fields_total",
                "Pod fields that no supported release has, which are ignored; each field counts once",
                "field");
        preemptionAttempts = families.counter("scheduler_preemption_attempts_total", "Preemption attempts");
        // The name of a counter always ends in _total. This metric of v1.17 does not, so that it has no type.
        registry.register((Collector) () -> UnknownSnapshot.builder()
                .name("scheduler_total_preemption_attempts")
                .help(ALPHA + "Preemption attempts")
                .dataPoint(UnknownDataPointSnapshot.builder()
                        .value(preemptionAttempts.get())
                        .build())
                .build());
        victims = families.histogram(
                "scheduler_pod_preemption_victims",
                ALPHA + "Number of victims of a preemption",
                Families.linear(5, 5, 10));
        victimsToday = families.histogram(
                "scheduler_preemption_victims", "Number of victims of a preemption", Families.exponential(1, 2, 7));
        incoming = families.counter(
                "scheduler_queue_incoming_pods_total",
                ALPHA + "Pods added to a queue, by event and queue",
                "queue",
                "event");
        notScored = families.counter(
                "policy_scheduler_extender_scores_missed_total",
                "Failed prioritize requests to an extender, whose scores were ignored",
                "extender");
        bindsSkipped = families.counter(
                "policy_scheduler_extender_binds_skipped_total",
                "Failed bind requests to an ignorable extender, whose pods the next binder bound",
                "extender");
        refused = families.counter(
                "policy_scheduler_node_refusals_total",
                "Pods of this scheduler that a kubelet rejected or evicted",
                "reason");
        verified = families.counter(
                        "policy_scheduler_decisions_verified_total",
                        "Decisions that --verify-decisions repeated without the result cache")
                .labelValues();
        differences = families.counter(
                        "policy_scheduler_decision_differences_total",
                        "Verified decisions that differ from the decision with the result cache; the verified decision was used")
                .labelValues();
        fallbacks = families.counter(
                        "policy_scheduler_result_cache_failures_total",
                        "Attempts in which the result cache failed with an exception; all plugins evaluated all nodes")
                .labelValues();
        outOfRange = families.counter(
                "policy_scheduler_scores_out_of_range_total",
                "Node scores of an algorithm that were outside its range and were clamped",
                "algorithm");
        batched = families.counter(
                "scheduler_batch_attempts_total",
                "Attempts of profiles that batch, by the use of a hint",
                "profile",
                "result");
        flushed = families.counter(
                "scheduler_batch_cache_flushed_total",
                "Attempts after which a profile that batches keeps no nodes, by reason",
                "profile",
                "reason");
        for (Part part : Part.values()) {
            incomingPoints.put(part, new HashMap<>());
        }
    }

    @Override
    public void onDecision(PodInfo pod, Decision decision, long nanos) {
        switch (decision.kind()) {
            case PLACED -> {
                algorithm.observe(nanos / NANOS);
                running.put(pod, ticker.read() - nanos);
            }
            case UNSCHEDULABLE -> {
                attempt(UNSCHEDULABLE, nanos);
                if (preemption) {
                    preemptionAttempts.inc();
                }
            }
            case NO_NODES -> attempt(UNSCHEDULABLE, nanos);
            case ERROR -> attempt(ERROR, nanos);
        }
    }

    private void attempt(int result, long nanos) {
        attempts[result].inc();
        attemptDuration[result].observe(nanos / NANOS);
    }

    @Override
    public void onBound(QueuedPod entry, String node, long nanos) {
        binding.observe(nanos / NANOS);
        podDuration.observe((clock.millis() - entry.initialAttempt().toEpochMilli()) / MILLIS);
        podAttempts.observe(entry.attempts());
        attempts[SCHEDULED].inc();
        ended(entry.pod(), SCHEDULED);
    }

    @Override
    public void onBindFailed(QueuedPod entry, String node, String message) {
        attempts[ERROR].inc();
        ended(entry.pod(), ERROR);
    }

    private void ended(PodInfo pod, int result) {
        long start = running.take(pod);
        if (start != Attempts.UNKNOWN) {
            double seconds = (ticker.read() - start) / NANOS;
            endToEnd.observe(seconds);
            attemptDuration[result].observe(seconds);
        }
    }

    /** Counts failures that no other method counts: a node was selected, but the pod could not be assumed. */
    @Override
    public void onFailure(QueuedPod entry, String reason, String message) {
        long start = running.take(entry.pod());
        if (start != Attempts.UNKNOWN) {
            attempt(ERROR, ticker.read() - start);
        }
    }

    @Override
    public void onPreempted(PodInfo preemptor, int count) {
        victims.observe(count);
        victimsToday.observe(count);
    }

    @Override
    public void onSlowDecision(PodInfo pod, long workNanos) {
        slowDecisions.inc();
    }

    @Override
    public void onLeft(PodInfo pod) {
        left.inc();
    }

    @Override
    public void onUnknownPodField(String path) {
        unknownFields.labelValues(path).inc();
    }

    @Override
    public void onRefused(PodInfo pod, String reason) {
        refused.labelValues(reason).inc();
    }

    @Override
    public void onDecisionVerified(PodInfo pod) {
        verified.inc();
    }

    @Override
    public void onResultCacheFailed(PodInfo pod, Throwable e) {
        fallbacks.inc();
    }

    @Override
    public void onBatched(BatchResult result) {
        batched.labelValues(profile, Ascii.toLowerCase(result.name())).inc();
    }

    @Override
    public void onBatchFlushed(BatchFlush reason) {
        flushed.labelValues(profile, Ascii.toLowerCase(reason.name())).inc();
    }

    @Override
    public void onDecisionDiffers(DecisionDifference difference) {
        differences.inc();
    }

    @Override
    public void onScoreOutOfRange(String name, PodInfo pod, String node, long score) {
        outOfRange.labelValues(name).inc();
    }

    @Override
    public void onExtenderBindSkipped(String extender) {
        bindsSkipped.labelValues(extender).inc();
    }

    @Override
    public void onExtenderNotScored(String extender) {
        notScored.labelValues(extender).inc();
    }

    @Override
    public void onIncoming(Part part, String event) {
        Map<String, CounterDataPoint> points = Objects.requireNonNull(incomingPoints.get(part));
        CounterDataPoint point = points.get(event);
        if (point == null) {
            // Series appear with their first use, as in v1.17.
            point = incoming.labelValues(part.label(), event);
            points.put(event, point);
        }
        point.inc();
    }

    /**
     * Start times of attempts whose binds are running, by pod object. A hash table of fixed size, which does not allocate; an
     * entry without a free slot replaces another one, whose time is then unknown. Not thread-safe.
     */
    @SuppressWarnings("ReferenceEquality") // compares pod objects by identity
    static final class Attempts {
        /** An unknown time; no start has this value in practice. */
        static final long UNKNOWN = Long.MIN_VALUE;

        private static final int SIZE = 4096;
        private static final int PROBES = 8;

        private final @Nullable PodInfo[] pods = new PodInfo[SIZE];
        private final long[] starts = new long[SIZE];

        void put(PodInfo pod, long start) {
            int home = System.identityHashCode(pod);
            int slot = home & (SIZE - 1);
            for (int i = 0; i < PROBES; i++) {
                int candidate = (home + i) & (SIZE - 1);
                if (pods[candidate] == null || pods[candidate] == pod) {
                    slot = candidate;
                    break;
                }
            }
            pods[slot] = pod;
            starts[slot] = start;
        }

        /** Returns and removes the start of the pod's attempt. */
        long take(PodInfo pod) {
            int home = System.identityHashCode(pod);
            for (int i = 0; i < PROBES; i++) {
                int slot = (home + i) & (SIZE - 1);
                if (pods[slot] == pod) {
                    pods[slot] = null;
                    return starts[slot];
                }
            }
            return UNKNOWN;
        }
    }

    /**
     * Durations of the phases of attempts, under the metric names of 1.17 and of current releases. Kubernetes measures one attempt in
     * ten, and each plugin. This class measures each attempt but no single plugin, because several plugins evaluate a node together.
     */
    public static final class PhaseMetrics implements SchedulerListener {
        private static final double NANOS = 1e9;
        private static final double[] ATTEMPT = Families.exponential(0.001, 2, 15);
        private static final String ALPHA = "[ALPHA] ";

        private final Ticker ticker;
        private final Histogram predicates;
        private final Histogram priorities;
        private final Histogram preemption;
        private final Histogram permit;
        private final Histogram work;
        private final DistributionDataPoint filtered;
        private final DistributionDataPoint unfiltered;
        private final DistributionDataPoint scored;
        private final DistributionDataPoint roomFound;
        private final DistributionDataPoint noRoom;
        private final DistributionDataPoint bound;
        /** Belong to the scheduling thread. */
        private Phase phase = Phase.DECIDED;

        private long since;
        private boolean isNominated;

        /**
         * Registers the families.
         *
         * @param registry must not have them yet
         * @param profile value of the label {@code profile}: the scheduler's name
         */
        public PhaseMetrics(PrometheusRegistry registry, String profile, Ticker ticker) {
            this.ticker = ticker;
            Families families = new Families(registry);
            predicates = families.histogram(
                    "scheduler_scheduling_algorithm_predicate_evaluation_seconds",
                    ALPHA + "Duration of filtering if there is a feasible node",
                    ATTEMPT);
            priorities = families.histogram(
                    "scheduler_scheduling_algorithm_priority_evaluation_seconds",
                    ALPHA + "Duration of scoring",
                    ATTEMPT);
            preemption = families.histogram(
                    "scheduler_scheduling_algorithm_preemption_evaluation_seconds",
                    ALPHA + "Duration of preemption",
                    ATTEMPT);
            permit = families.histogram(
                    "scheduler_permit_wait_duration_seconds",
                    ALPHA + "Time that pods wait in the permit phase",
                    ATTEMPT,
                    "result");
            work = families.histogram(
                    "policy_scheduler_decision_cpu_seconds",
                    "CPU time of a scheduling attempt, including preemption",
                    Families.exponential(0.00005, 2, 18));
            Histogram points = families.histogram(
                    "scheduler_framework_extension_point_duration_seconds",
                    "Time of all plugins of an extension point: Filter (with PreFilter), Score (with PreScore), PostFilter, Bind (from"
                            + " the decision on)",
                    Families.exponential(0.0001, 2, 12),
                    "extension_point",
                    "status",
                    "profile");
            filtered = points.labelValues("Filter", "Success", profile);
            unfiltered = points.labelValues("Filter", "Unschedulable", profile);
            scored = points.labelValues("Score", "Success", profile);
            roomFound = points.labelValues("PostFilter", "Success", profile);
            noRoom = points.labelValues("PostFilter", "Unschedulable", profile);
            bound = points.labelValues("Bind", "Success", profile);
        }

        @Override
        public void onPhase(Phase next) {
            long now = ticker.read();
            left(phase, next, (now - since) / NANOS);
            phase = next;
            since = now;
            isNominated = false;
        }

        private void left(Phase last, Phase next, double seconds) {
            switch (last) {
                case FILTER -> {
                    if (next == Phase.SCORE) {
                        predicates.observe(seconds);
                        filtered.observe(seconds);
                    } else {
                        unfiltered.observe(seconds);
                    }
                }
                case SCORE -> {
                    priorities.observe(seconds);
                    scored.observe(seconds);
                }
                case POST_FILTER -> {
                    preemption.observe(seconds);
                    (isNominated ? roomFound : noRoom).observe(seconds);
                }
                case DECIDED, POST_FILTERED -> {}
            }
        }

        @Override
        public void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {
            isNominated = true;
        }

        @Override
        public void onBound(QueuedPod entry, String node, long nanos) {
            bound.observe(nanos / NANOS);
        }

        @Override
        public void onPermitWait(PodInfo pod, String result, long nanos) {
            permit.labelValues(result).observe(nanos / NANOS);
        }

        @Override
        public void onWork(long nanos) {
            work.observe(nanos / NANOS);
        }
    }
}
