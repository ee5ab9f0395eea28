package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.DetailedDecider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Judges placements that others have made by one way of deciding, on a cluster that changes. Used by one thread. */
public final class ShadowJudge {
    private static final int NAMED = 3;

    private final DetailedDecider decider;
    private final ClusterState cluster;

    /** A judge who looks at {@code cluster}, in which a pod to be judged does not count yet. */
    public ShadowJudge(DeciderSource source, ClusterState cluster) {
        this.cluster = cluster;
        this.decider = source.create(cluster, TieBreak.first());
    }

    /** An opinion about a pod that has a node. */
    public ShadowFinding judge(PodInfo pod) {
        String node = pod.nodeName();
        if (cluster.node(node) == null) {
            return finding(pod, ShadowFinding.Kind.UNDECIDED, List.of(), "node " + node + " is not known", List.of());
        }
        Evaluation evaluation = decider.evaluate(pod.withNodeName(""), NominatedPods.NONE);
        String error = evaluation.error();
        if (error != null && !evaluation.fitError()) {
            return finding(pod, ShadowFinding.Kind.UNDECIDED, List.of(), error, List.of());
        }
        List<String> best = evaluation.best();
        if (best.contains(node)) {
            return finding(pod, ShadowFinding.Kind.SAME, best, "", List.of());
        }
        NodeFailure failure = evaluation.failures().get(node);
        if (failure != null) {
            String by = Objects.requireNonNullElse(failure.plugin(), "");
            ShadowFinding.Kind kind = error == null ? ShadowFinding.Kind.NOT_THERE : ShadowFinding.Kind.NOWHERE;
            String cause = (by.isEmpty() ? "" : by + ": ") + String.join(", ", failure.reasons());
            return finding(pod, kind, best, cause, by.isEmpty() ? List.of() : List.of(by));
        }
        return byScores(pod, evaluation, best);
    }

    private record Share(String algorithm, long points) {}

    private ShadowFinding byScores(PodInfo pod, Evaluation evaluation, List<String> best) {
        String node = pod.nodeName();
        String preferred = best.get(0);
        List<Share> shares = new ArrayList<>();
        for (Map.Entry<String, NodeValues> scores : evaluation.scores().entrySet()) {
            long weight = evaluation.weights().getOrDefault(scores.getKey(), 1L);
            long ahead = scores.getValue().getOrDefault(preferred, 0L)
                    - scores.getValue().getOrDefault(node, 0L);
            if (ahead * weight > 0) {
                shares.add(new Share(scores.getKey(), ahead * weight));
            }
        }
        shares.sort(Comparator.comparingLong(Share::points).reversed());
        long gap = evaluation.totals().getOrDefault(preferred, 0L)
                - evaluation.totals().getOrDefault(node, 0L);
        StringBuilder cause = new StringBuilder(preferred + " scores " + gap + " more");
        for (int i = 0; i < Math.min(NAMED, shares.size()); i++) {
            cause.append(i == 0 ? ": " : ", ")
                    .append(shares.get(i).algorithm())
                    .append(" +")
                    .append(shares.get(i).points());
        }
        return finding(
                pod,
                ShadowFinding.Kind.OTHER_NODE,
                best,
                cause.toString(),
                shares.stream().map(Share::algorithm).toList());
    }

    private static ShadowFinding finding(
            PodInfo pod, ShadowFinding.Kind kind, List<String> best, String cause, List<String> algorithms) {
        return new ShadowFinding(pod.key(), pod.nodeName(), kind, best, cause, algorithms);
    }
}
