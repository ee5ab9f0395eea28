package io.policyscheduler.framework.insight.compare.decider;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.engine.functions.FunctionRanker;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.List;
import java.util.Objects;

/** Decides with predicates and priorities as plain functions, always on all nodes. */
public final class FunctionDecider implements DetailedDecider {
    private final FunctionAlgorithm algorithm;
    private final ClusterState cluster;
    private final TieBreak tieBreak;
    private final FunctionRanker ranker;

    /** A decider on a cluster. */
    public FunctionDecider(FunctionAlgorithm algorithm, ClusterState cluster, TieBreak tieBreak) {
        this(algorithm, cluster, tieBreak, ResultCache.USUAL_BYTES);
    }

    /**
     * A decider on a cluster.
     *
     * @param keptBytes of what was said of nodes that is kept for ranking siblings of a pod, beyond a few
     */
    public FunctionDecider(FunctionAlgorithm algorithm, ClusterState cluster, TieBreak tieBreak, int keptBytes) {
        this.ranker = new FunctionRanker(algorithm, cluster, keptBytes);
        this.algorithm = algorithm;
        this.cluster = cluster;
        this.tieBreak = tieBreak;
    }

    @Override
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
        cluster.startCycle();
        return algorithm.evaluate(pod, cluster, nominated);
    }

    @Override
    public Ranking rank(PodInfo pod, NominatedPods nominated) {
        cluster.startCycle();
        return ranker.rank(pod, nominated);
    }

    @Override
    public PreemptionResult preempt(
            PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
        return algorithm.preempt(pod, cluster, nominated, evaluation, preemption);
    }

    @Override
    public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
        Evaluation evaluation = evaluate(pod, nominated);
        int nodes = cluster.nodes().size();
        String error = evaluation.error();
        if (error != null) {
            return new Decision(
                    kind(evaluation, error),
                    null,
                    0,
                    error,
                    evaluation.feasible().size(),
                    nodes);
        }
        List<NodeInfo> feasible = evaluation.feasible().stream()
                .map(name -> Objects.requireNonNull(cluster.node(name), name))
                .toList();
        // As in the framework, a single feasible node is not scored and takes no turn of the tie-break.
        if (feasible.size() == 1) {
            return new Decision(Decision.Kind.PLACED, feasible.get(0).name(), 0, "", 1, nodes);
        }
        long[] totals = evaluation.feasible().stream()
                .mapToLong(name -> evaluation.totals().getOrDefault(name, 0L))
                .toArray();
        int chosen = tieBreak.choose(feasible, totals);
        return new Decision(
                Decision.Kind.PLACED, feasible.get(chosen).name(), totals[chosen], "", feasible.size(), nodes);
    }

    private static Decision.Kind kind(Evaluation evaluation, String error) {
        if (evaluation.fitError()) {
            return Decision.Kind.UNSCHEDULABLE;
        }
        return error.equals(PodChecks.NO_NODES) ? Decision.Kind.NO_NODES : Decision.Kind.ERROR;
    }
}
