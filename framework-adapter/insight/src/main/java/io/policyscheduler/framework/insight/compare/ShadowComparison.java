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

/** Judges placements that others have made by one way of deciding, on a cluster that changes. Used by one thread. */
public final class ShadowComparison {
    private static final int NAMED = 3;

    private final SnapshotScheduler decider;
    private final ClusterState cluster;

    /** A judge who looks at {@code cluster}, in which a pod to be judged does not count yet. */
    public ShadowComparison(SchedulerSpec source, ClusterState cluster) {
        this.cluster = cluster;
        this.decider = source.create(cluster, TieBreak.first());
    }

    /** An opinion about a pod that has a node. */
    public Finding judge(PodInfo pod) {
        String node = pod.nodeName();
        if (cluster.node(node) == null) {
            return finding(pod, Finding.Kind.UNDECIDED, List.of(), "node " + node + " is not known", List.of());
        }
        Evaluation evaluation = decider.evaluate(pod.withNodeName(""), NominatedPods.NONE);
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
     * What a decider thinks of a placement that somebody else has made.
     *
     * @param pod {@code namespace/name}
     * @param node where it was placed
     * @param kind what the decider thinks of that
     * @param best the nodes that the decider likes best, by name; empty when it finds none
     * @param cause why it thinks otherwise, in words; empty when it agrees
     * @param algorithms what makes the difference: the filters that reject the node, or the scores that prefer another one, the
     *     largest share first
     */
    public record Finding(
            String pod, String node, Kind kind, List<String> best, String cause, List<String> algorithms) {
        /** Opinions. */
        public enum Kind {
            /** The node is among the best ones. */
            SAME("same node"),
            /** The node would do, another one is better. */
            OTHER_NODE("another node"),
            /** The node is rejected, others are not. */
            NOT_THERE("not on that node"),
            /** No node would be good enough. */
            NOWHERE("nowhere"),
            /** Nothing can be said: the node is not known, or deciding failed. */
            UNDECIDED("undecided");

            private final String text;

            Kind(String text) {
                this.text = text;
            }

            /** For people. */
            public String text() {
                return text;
            }
        }

        public Finding {
            best = ImmutableList.copyOf(best);
            algorithms = ImmutableList.copyOf(algorithms);
        }

        /** True when the decider could have placed the pod there too. */
        public boolean agrees() {
            return kind == Kind.SAME;
        }
    }

    /** Counts findings: how often a decider agrees with another scheduler, and what it is that they disagree about. */
    public static final class Tally {
        private final Map<Finding.Kind, Integer> kinds = new EnumMap<>(Finding.Kind.class);
        private final Map<String, Integer> causes = new TreeMap<>();
        private int judged;

        /** Counts one more; a difference counts for the algorithm with the largest share in it. */
        public void add(Finding finding) {
            judged++;
            kinds.merge(finding.kind(), 1, Integer::sum);
            if (!finding.agrees() && !finding.algorithms().isEmpty()) {
                causes.merge(finding.algorithms().get(0), 1, Integer::sum);
            }
        }

        /** How many were counted. */
        public int judged() {
            return judged;
        }

        /** How many of a kind. */
        public int of(Finding.Kind kind) {
            return kinds.getOrDefault(kind, 0);
        }

        /** Share of placements agreed with, in percent of those that could be decided; 100 when there was none. */
        public double agreement() {
            int decided = judged - of(Finding.Kind.UNDECIDED);
            return decided == 0 ? 100 : 100.0 * of(Finding.Kind.SAME) / decided;
        }

        /** Algorithm to number of differences that it has the largest share in, the most frequent first. */
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
