package io.policyscheduler.framework.insight.audit;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.DetailedDecider;
import io.policyscheduler.framework.insight.explain.Obstacle;
import io.policyscheduler.framework.insight.explain.SingleFilters;
import io.policyscheduler.framework.insight.whatif.Controllers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether running pods would be placed where they are: each one is taken from its node, all others staying, and decided
 * again. Pods of DaemonSets and mirrors of static pods have nowhere else to go, so that only their own node is judged.
 */
public final class Audit {
    private static final double MAX_SCORE = 100;
    private static final double PERCENT = 100;
    /** Its usual weight of 10000 keeps pods off marked nodes and would make all other differences look like nothing. */
    private static final Set<String> NOT_COUNTED = Set.of("NodePreferAvoidPods", "NodePreferAvoidPodsPriority");

    private final DeciderSource source;
    private final double threshold;

    /**
     * An audit.
     *
     * @param threshold a pod is reported when another node is better by more than this, in percent of the highest total that
     *     the weights allow, the one of NodePreferAvoidPods left out
     */
    public Audit(DeciderSource source, double threshold) {
        this.source = source;
        this.threshold = threshold;
    }

    /**
     * Looks at pods.
     *
     * @param pods running pods of the world; those on unknown nodes and those being deleted are passed over
     * @param progress is told the number of pods looked at
     */
    public List<AuditFinding> run(World world, List<PodInfo> pods, IntConsumer progress) {
        ClusterState cluster = world.state();
        DetailedDecider decider = source.create(cluster, TieBreak.first());
        SingleFilters filters = new SingleFilters(source, cluster);
        List<AuditFinding> findings = new ArrayList<>();
        int done = 0;
        for (PodInfo pod : pods) {
            NodeInfo node = cluster.node(pod.nodeName());
            if (!pod.terminating() && node != null) {
                cluster.removePod(pod);
                AuditFinding finding = judge(pod, node, decider.evaluate(released(pod), NominatedPods.NONE), filters);
                cluster.addPod(pod);
                if (finding != null) {
                    findings.add(finding);
                }
            }
            progress.accept(++done);
        }
        return findings;
    }

    /** The pod as it would come to the scheduler. */
    static PodInfo released(PodInfo pod) {
        return pod.withNodeName("").withNominatedNodeName("");
    }

    private @Nullable AuditFinding judge(PodInfo pod, NodeInfo node, Evaluation evaluation, SingleFilters filters) {
        String own = node.name();
        boolean bound = Controllers.isDaemon(pod) || Controllers.isMirror(pod);
        String error = evaluation.error();
        if (error != null && !evaluation.fitError()) {
            return AuditFinding.undecided(pod, error);
        }
        List<String> best = evaluation.best();
        String better = best.isEmpty() || bound ? null : best.get(0);
        if (!evaluation.feasible().contains(own)) {
            return AuditFinding.violation(pod, obstacles(pod, node, evaluation, filters), better);
        }
        if (better == null || best.contains(own)) {
            return null;
        }
        double gain = gain(evaluation, own, better);
        return gain > threshold ? AuditFinding.better(pod, better, gain) : null;
    }

    private List<Obstacle> obstacles(PodInfo pod, NodeInfo node, Evaluation evaluation, SingleFilters filters) {
        List<Obstacle> obstacles = new ArrayList<>();
        for (String filter : source.filters()) {
            NodeFailure failure = filters.evaluateOn(filter, released(pod), NominatedPods.NONE, node)
                    .failures()
                    .get(node.name());
            if (failure != null) {
                obstacles.add(new Obstacle(filter, failure.reasons()));
            }
        }
        NodeFailure first = evaluation.failures().get(node.name());
        if (obstacles.isEmpty() && first != null) {
            obstacles.add(new Obstacle(first.plugin() == null ? "" : first.plugin(), first.reasons()));
        }
        return obstacles;
    }

    private static double gain(Evaluation evaluation, String own, String better) {
        double highest = 0;
        for (Map.Entry<String, Long> weight : evaluation.weights().entrySet()) {
            if (!NOT_COUNTED.contains(weight.getKey())) {
                highest += weight.getValue() * MAX_SCORE;
            }
        }
        long difference = evaluation.totals().getOrDefault(better, 0L)
                - evaluation.totals().getOrDefault(own, 0L);
        return highest <= 0 ? PERCENT : PERCENT * difference / highest;
    }
}
