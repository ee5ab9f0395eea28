package io.policyscheduler.cmd.metrics;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.metrics.SchedulerGauges.Families;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;

/**
 * Durations of the phases of attempts, under the metric names of 1.17 and of current releases. Kubernetes measures one attempt in
 * ten, and each plugin. This class measures each attempt but no single plugin, because several plugins evaluate a node together.
 */
public final class PhaseMetrics implements SchedulerListener {
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
                "scheduler_scheduling_algorithm_priority_evaluation_seconds", ALPHA + "Duration of scoring", ATTEMPT);
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
