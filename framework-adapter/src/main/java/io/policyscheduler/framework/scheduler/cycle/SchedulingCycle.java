package io.policyscheduler.framework.scheduler.cycle;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodChecks;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.preemption.CandidateReview;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.extender.FilterOutcome;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.Decision;
import io.policyscheduler.framework.scheduler.PodDecider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides pods with the plugins of one profile. {@link #decide} is the fast path of the running scheduler; {@link #evaluate}
 * looks at every node and reports everything. Mirrors {@code Schedule} of {@code pkg/scheduler/core/generic_scheduler.go}.
 */
public final class SchedulingCycle implements PodDecider {
    private final Profile profile;
    private final ClusterState cluster;
    private final NodeSampling sampling;
    private final TieBreak tieBreak;
    private final Extenders extenders;

    /**
     * @param percentageOfNodesToScore 0 adapts to the size of the cluster as v1.17 does, 100 looks at all nodes
     * @param tieBreak chooses among equally good nodes
     */
    public SchedulingCycle(Profile profile, ClusterState cluster, int percentageOfNodesToScore, TieBreak tieBreak) {
        this(profile, cluster, percentageOfNodesToScore, tieBreak, Extenders.NONE);
    }

    /** The same with extenders, which are asked while a pod is being decided. */
    public SchedulingCycle(
            Profile profile,
            ClusterState cluster,
            int percentageOfNodesToScore,
            TieBreak tieBreak,
            Extenders extenders) {
        this.profile = profile;
        this.cluster = cluster;
        this.sampling = new NodeSampling(percentageOfNodesToScore);
        this.tieBreak = tieBreak;
        this.extenders = extenders;
    }

    @Override
    public Decision decide(PodInfo pod, NominatedPods nominated) {
        String problem = PodChecks.error(pod, cluster);
        if (problem != null) {
            return failed(Decision.Kind.ERROR, problem, 0, 0);
        }
        cluster.startCycle();
        List<NodeInfo> nodes = cluster.nodes();
        if (nodes.isEmpty()) {
            return failed(Decision.Kind.NO_NODES, PodChecks.NO_NODES, 0, 0);
        }
        PodContext context = PodContext.of(pod, cluster);
        CycleState state = profile.stateKeys().newState();
        FilterRun filters = FilterRun.start(profile, context, state);
        if (filters.preFilterError() != null) {
            return failed(Decision.Kind.ERROR, filters.preFilterError(), 0, 0);
        }
        int count = nodes.size();
        int limit = sampling.limit(count);
        int start = sampling.start(count);
        List<NodeInfo> feasible = new ArrayList<>(Math.min(limit, 256));
        Map<String, Integer> reasons = new HashMap<>();
        int examined = 0;
        for (int i = 0; i < count; i++) {
            NodeInfo node = nodes.get(start + i < count ? start + i : start + i - count);
            NodeStatus status = filters.check(node, nominated);
            if (status == null) {
                // The walk ends at the first feasible node too many, which the next walk then starts with.
                if (feasible.size() == limit) {
                    break;
                }
                feasible.add(node);
            } else if (!status.status().isRejected()) {
                sampling.processed(examined, count);
                return failed(Decision.Kind.ERROR, status.status().message(), 0, examined);
            } else {
                for (String reason : status.status().reasons()) {
                    reasons.merge(reason, 1, Integer::sum);
                }
            }
            examined++;
        }
        sampling.processed(examined, count);
        if (!feasible.isEmpty() && !extenders.isEmpty()) {
            FilterOutcome outcome = extenders.filter(pod, feasible, cluster);
            if (outcome.error() != null) {
                return failed(Decision.Kind.ERROR, outcome.error(), feasible.size(), examined);
            }
            feasible = outcome.feasible();
            outcome.reasons().forEach((node, texts) -> texts.forEach(text -> reasons.merge(text, 1, Integer::sum)));
        }
        if (feasible.isEmpty()) {
            return failed(Decision.Kind.UNSCHEDULABLE, FitErrorText.of(count, reasons), 0, examined);
        }
        if (feasible.size() == 1) {
            return new Decision(Decision.Kind.PLACED, feasible.get(0).name(), 0, "", 1, examined);
        }
        ScoreRun scoring = new ScoreRun(profile, context, state, feasible);
        String error = scoring.run(null, extenders);
        if (error != null) {
            return failed(Decision.Kind.ERROR, error, feasible.size(), examined);
        }
        int chosen = tieBreak.choose(feasible, scoring.totals());
        return new Decision(
                Decision.Kind.PLACED,
                feasible.get(chosen).name(),
                scoring.totals()[chosen],
                "",
                feasible.size(),
                examined);
    }

    private static Decision failed(Decision.Kind kind, String message, int feasible, int examined) {
        return new Decision(kind, null, 0, message, feasible, examined);
    }

    /** Looks at every node and reports everything; changes nothing, not even where the next walk starts. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
        String problem = PodChecks.error(pod, cluster);
        if (problem != null) {
            return Evaluation.failed(problem);
        }
        cluster.startCycle();
        return cluster.nodes().isEmpty()
                ? Evaluation.failed(PodChecks.NO_NODES)
                : evaluateNodes(pod, nominated, cluster.nodes());
    }

    /** The same for some of the nodes only; others are taken into account as the plugins do, but not reported. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, List<NodeInfo> nodes) {
        String problem = PodChecks.error(pod, cluster);
        if (problem != null) {
            return Evaluation.failed(problem);
        }
        cluster.startCycle();
        return evaluateNodes(pod, nominated, nodes);
    }

    private Evaluation evaluateNodes(PodInfo pod, NominatedPods nominated, List<NodeInfo> nodes) {
        PodContext context = PodContext.of(pod, cluster);
        CycleState state = profile.stateKeys().newState();
        FilterRun filters = FilterRun.start(profile, context, state);
        if (filters.preFilterError() != null) {
            return Evaluation.failed(filters.preFilterError());
        }
        List<NodeInfo> feasible = new ArrayList<>();
        SortedMap<String, NodeFailure> failures = new TreeMap<>();
        String error = filter(filters, nodes, nominated, feasible, failures);
        if (error != null) {
            return Evaluation.failed(error);
        }
        if (!feasible.isEmpty() && !extenders.isEmpty()) {
            FilterOutcome outcome = extenders.filter(pod, feasible, cluster);
            if (outcome.error() != null) {
                return Evaluation.failed(outcome.error());
            }
            feasible = outcome.feasible();
            outcome.reasons()
                    .forEach((node, texts) ->
                            failures.merge(node, new NodeFailure(texts, false, null), SchedulingCycle::both));
        }
        if (feasible.isEmpty()) {
            return Evaluation.unfit(nodes.size(), failures);
        }
        return score(new ScoreRun(profile, context, state, feasible), feasible, failures);
    }

    private static @Nullable String filter(
            FilterRun filters,
            List<NodeInfo> nodes,
            NominatedPods nominated,
            List<NodeInfo> feasible,
            Map<String, NodeFailure> failures) {
        for (NodeInfo node : nodes) {
            NodeStatus status = filters.check(node, nominated);
            if (status == null) {
                feasible.add(node);
            } else if (status.status().isRejected()) {
                failures.put(node.name(), status.toFailure());
            } else {
                return status.status().message();
            }
        }
        return null;
    }

    /** An extender's reasons may be lifted by preemption and do not change what was known. */
    private static NodeFailure both(NodeFailure known, NodeFailure ofExtenders) {
        List<String> reasons = new ArrayList<>(known.reasons());
        reasons.addAll(ofExtenders.reasons());
        return new NodeFailure(reasons, known.unresolvable(), known.plugin());
    }

    /**
     * What the plugins have against each node, for preemption after an attempt in which no node fitted. Extenders are not asked
     * again: what they reject remains a candidate.
     *
     * @return null when preemption has nothing to go on: an error, or a node that would fit by now
     */
    public @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated) {
        if (PodChecks.error(pod, cluster) != null) {
            return null;
        }
        cluster.startCycle();
        FilterRun filters = FilterRun.start(
                profile, PodContext.of(pod, cluster), profile.stateKeys().newState());
        List<NodeInfo> feasible = new ArrayList<>();
        SortedMap<String, NodeFailure> failures = new TreeMap<>();
        String error = filter(filters, cluster.nodes(), nominated, feasible, failures);
        return error != null || (!feasible.isEmpty() && extenders.isEmpty()) ? null : failures;
    }

    private Evaluation score(ScoreRun scoring, List<NodeInfo> feasible, SortedMap<String, NodeFailure> failures) {
        Map<String, Map<String, Long>> scores = new LinkedHashMap<>();
        Map<String, Long> weights = new LinkedHashMap<>();
        String error = scoring.run(
                (algorithm, weight, values) -> {
                    weights.put(algorithm, weight);
                    scores.put(algorithm, byNode(feasible, values));
                },
                // With one node left v1.17 does not ask them.
                feasible.size() == 1 ? Extenders.NONE : extenders);
        if (error != null) {
            return Evaluation.failed(error);
        }
        List<String> names = feasible.stream().map(NodeInfo::name).toList();
        return new Evaluation(null, false, names, failures, scores, weights, byNode(feasible, scoring.totals()));
    }

    private static SortedMap<String, Long> byNode(List<NodeInfo> nodes, long[] values) {
        SortedMap<String, Long> map = new TreeMap<>();
        for (int i = 0; i < values.length; i++) {
            map.put(nodes.get(i).name(), values[i]);
        }
        return map;
    }

    /** What preemption would do after an evaluation said that no node fits. */
    public PreemptionResult preempt(
            PodInfo pod, NominatedPods nominated, Map<String, NodeFailure> failures, Preemption preemption) {
        PodContext context = PodContext.of(pod, cluster);
        FilterRun filters =
                FilterRun.start(profile, context, profile.stateKeys().newState());
        return preemption.decide(
                pod,
                cluster,
                nominated,
                failures,
                node -> new FilterTrial(filters.copy(false), node.copy(), nominated),
                extenders.isEmpty() ? CandidateReview.NONE : candidates -> extenders.preempt(pod, candidates, cluster));
    }
}
