package io.policyscheduler.scheduling;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.whatif.Simulation;
import io.policyscheduler.framework.insight.whatif.Simulation.PodOutcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A scheduler that decides about the pods of a {@link Snapshot}, as the command {@code simulate} does. Thread-safe. Preemption is not
 * simulated, and extenders are not called.
 */
public final class SchedulingEngine {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingEngine.class);

    private final String scheduler;

    private SchedulingEngine(String scheduler) {
        this.scheduler = scheduler;
    }

    /**
     * Returns a scheduler.
     *
     * @param scheduler as on the command line: {@code policy:FILE}, {@code provider:NAME}, {@code config:FILE#PROFILE}, or
     *     {@code modern@1.34}; {@code schedule} reads a file each time
     */
    public static SchedulingEngine of(String scheduler) {
        return new SchedulingEngine(scheduler);
    }

    /**
     * Schedules all pending pods: the highest priority first, then in the order of the files. A placed pod uses resources of its
     * node before the next pod is scheduled. Among nodes with the highest score, round-robin selects one. The snapshot does not
     * change.
     *
     * @return a placement for each pod, in the order of scheduling
     * @throws IllegalArgumentException if the scheduler cannot be read or is rejected; the message names the place and the reason
     */
    public List<Placement> schedule(Snapshot snapshot) {
        return schedule(snapshot, snapshot.objects().pending());
    }

    /**
     * Schedules one pending pod, before all others.
     *
     * @param pod {@code namespace/name}
     * @throws IllegalArgumentException if the snapshot has no such pending pod, or for the reasons of {@link #schedule(Snapshot)}
     */
    public Placement schedule(Snapshot snapshot, String pod) {
        List<PodInfo> found = snapshot.objects().pending().stream()
                .filter(pending -> pending.key().equals(pod))
                .toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    "no pending pod " + pod + " in the snapshot; it has " + snapshot.pendingPods());
        }
        return schedule(snapshot, found).get(0);
    }

    private List<Placement> schedule(Snapshot snapshot, List<PodInfo> pods) {
        try {
            SchedulerSpec spec = new SchedulerFactory(
                            new PolicyOptions(), snapshot.gates(), new PluginOptions(), LOG::warn)
                    .parse(scheduler);
            ClusterState cluster = snapshot.objects().state();
            return new Simulation(cluster, spec.create(cluster, TieBreak.roundRobin()), spec.volumes(), true)
                    .run(pods, done -> {}).stream().map(Placement::of).toList();
        } catch (InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * The decision about one pod.
     *
     * @param pod {@code namespace/name}
     * @param node the selected node; empty for none
     * @param message the reason if there is no node, in the text of the event of kube-scheduler; else empty
     * @param rejections the reasons of each node that is not feasible
     * @param scores the weighted sum of scores of each feasible node, also if it is the only one
     */
    public record Placement(
            String pod,
            Optional<String> node,
            String message,
            Map<String, List<String>> rejections,
            Map<String, Long> scores) {
        public Placement {
            rejections = ImmutableMap.copyOf(rejections);
            scores = ImmutableMap.copyOf(scores);
        }

        private static Placement of(PodOutcome outcome) {
            @Nullable Evaluation details = outcome.details();
            ImmutableMap.Builder<String, List<String>> rejections = ImmutableMap.builder();
            if (details != null) {
                details.failures().forEach((node, failure) -> rejections.put(node, failure.reasons()));
            }
            return new Placement(
                    outcome.pod(),
                    Optional.ofNullable(outcome.decision().node()),
                    outcome.decision().message(),
                    rejections.buildOrThrow(),
                    details == null ? Map.of() : details.totals());
        }
    }
}
