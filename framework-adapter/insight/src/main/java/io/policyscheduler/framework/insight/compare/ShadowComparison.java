package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Compares placements by other schedulers with the decisions of one scheduler, on a changing cluster. Used by one thread. */
public final class ShadowComparison {
    private static final int NAMED = 3;

    private final SnapshotScheduler scheduler;
    private final ClusterState cluster;

    /** A comparison on {@code cluster}, which must not contain the pod to compare yet. */
    public ShadowComparison(SchedulerSpec source, ClusterState cluster) {
        this.cluster = cluster;
        this.scheduler = source.create(cluster, TieBreak.first());
    }

    /** The finding for a pod that has a node. */
    public Finding judge(PodInfo pod) {
        String node = pod.nodeName();
        if (cluster.node(node) == null) {
            return finding(pod, Finding.Kind.UNDECIDED, List.of(), "node " + node + " is not known", List.of());
        }
        Evaluation evaluation = scheduler.evaluate(pod.withNodeName(""), NominatedPods.NONE);
        String error = evaluation.error();
        if (error != null && !evaluation.fitError()) {
            return finding(pod, Finding.Kind.UNDECIDED, List.of(), error, List.of());
        }
        List<String> best = evaluation.best();
        if (best.contains(node)) {
            return finding(pod, Finding.Kind.SAME, best, "", List.of());
        }
        NodeFailure failure = evaluation.failures().get(node);
        if (failure != null) {
            String by = Objects.requireNonNullElse(failure.plugin(), "");
            Finding.Kind kind = error == null ? Finding.Kind.NOT_THERE : Finding.Kind.NOWHERE;
            String cause = (by.isEmpty() ? "" : by + ": ") + String.join(", ", failure.reasons());
            return finding(pod, kind, best, cause, by.isEmpty() ? List.of() : List.of(by));
        }
        return byScores(pod, evaluation, best);
    }

    private record Share(String algorithm, long points) {}

    private Finding byScores(PodInfo pod, Evaluation evaluation, List<String> best) {
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
        List<Share> named = shares.subList(0, Math.min(NAMED, shares.size()));
        List<String> parts = new ArrayList<>();
        named.forEach(share -> parts.add(share.algorithm() + " +" + share.points()));
        long rest = gap - named.stream().mapToLong(Share::points).sum();
        if (rest != 0) {
            parts.add((rest > 0 ? "others +" : "others ") + rest);
        }
        String cause = preferred + " scores " + gap + " more in total (" + String.join(", ", parts) + ")";
        return finding(
                pod,
                Finding.Kind.OTHER_NODE,
                best,
                cause,
                shares.stream().map(Share::algorithm).toList());
    }

    private static Finding finding(
            PodInfo pod, Finding.Kind kind, List<String> best, String cause, List<String> algorithms) {
        return new Finding(pod.key(), pod.nodeName(), kind, best, cause, algorithms);
    }

    /**
     * The result for a placement by another scheduler.
     *
     * @param pod {@code namespace/name}
     * @param node where it was placed
     * @param kind how the scheduler evaluates the placement
     * @param best the best nodes of the scheduler, by name; empty if there are none
     * @param cause why it disagrees, for users; empty if it agrees
     * @param algorithms the filters that reject the node, or the scores that prefer another one, the largest share first
     */
    public record Finding(
            String pod, String node, Kind kind, List<String> best, String cause, List<String> algorithms) {
        /** The kinds of findings. */
        public enum Kind {
            /** The node is among the best ones. */
            SAME("same node"),
            /** The node is feasible, another one is better. */
            OTHER_NODE("another node"),
            /** The node is infeasible, others are feasible. */
            NOT_THERE("not on that node"),
            /** No node is feasible. */
            NOWHERE("nowhere"),
            /** Unknown node, or the decision failed. */
            UNDECIDED("undecided");

            private final String text;

            Kind(String text) {
                this.text = text;
            }

            /** For users. */
            public String text() {
                return text;
            }
        }

        public Finding {
            best = ImmutableList.copyOf(best);
            algorithms = ImmutableList.copyOf(algorithms);
        }

        /** True if the scheduler could have selected the node, too. */
        public boolean agrees() {
            return kind == Kind.SAME;
        }
    }

    /** Counts findings: how often a scheduler agrees with another one, and the causes of differences. */
    public static final class Tally {
        private final Map<Finding.Kind, Integer> kinds = new EnumMap<>(Finding.Kind.class);
        private final Map<String, Integer> causes = new TreeMap<>();
        private int judged;

        /** Counts a finding; a difference counts for the algorithm with the largest share. */
        public void add(Finding finding) {
            judged++;
            kinds.merge(finding.kind(), 1, Integer::sum);
            if (!finding.agrees() && !finding.algorithms().isEmpty()) {
                causes.merge(finding.algorithms().get(0), 1, Integer::sum);
            }
        }

        /** The number of findings. */
        public int judged() {
            return judged;
        }

        /** The number of findings of a kind. */
        public int of(Finding.Kind kind) {
            return kinds.getOrDefault(kind, 0);
        }

        /** The share of placements that agree, in percent of those that were decided; 100 if there was none. */
        public double agreement() {
            int decided = judged - of(Finding.Kind.UNDECIDED);
            return decided == 0 ? 100 : 100.0 * of(Finding.Kind.SAME) / decided;
        }

        /** The number of differences by the algorithm with the largest share, the most frequent first. */
        public Map<String, Integer> causes() {
            Map<String, Integer> sorted = new LinkedHashMap<>();
            causes.entrySet().stream()
                    .sorted(Map.Entry.<String, Integer>comparingByValue()
                            .reversed()
                            .thenComparing(Map.Entry.comparingByKey()))
                    .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
            return ImmutableMap.copyOf(sorted);
        }
    }
}
