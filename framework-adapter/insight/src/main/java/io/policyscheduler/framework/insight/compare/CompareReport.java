package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary;
import io.policyscheduler.framework.insight.compare.ClusterLoads.NodeLoads;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of comparing several schedulers on one cluster.
 *
 * @param mode whether they use the same state
 * @param replayBound whether running pods were decided again
 * @param skipped running pods that were not, because no scheduler schedules them or they are being deleted
 * @param schedulers the schedulers, the reference first
 * @param pairs one for each scheduler but the reference
 * @param pods in decision order
 * @param summaries the initial cluster, then one for each scheduler
 * @param loads requests on each node
 */
public record CompareReport(
        Mode mode,
        boolean replayBound,
        int skipped,
        List<SchedulerSpec> schedulers,
        List<PairSummary> pairs,
        List<PodComparison> pods,
        List<ClusterSummary> summaries,
        NodeLoads loads) {
    /** The state that the schedulers use. */
    public enum Mode {
        /** The same state for each pod, which is then placed on the node of the reference. */
        STEPS,
        /** Each scheduler has its own cluster with its own placements. */
        RUN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public CompareReport {
        schedulers = ImmutableList.copyOf(schedulers);
        pairs = ImmutableList.copyOf(pairs);
        pods = ImmutableList.copyOf(pods);
        summaries = ImmutableList.copyOf(summaries);
    }

    /** True when nothing differs. */
    public boolean agrees() {
        return pairs.stream().allMatch(pair -> pair.agreeing() == pair.pods());
    }

    /**
     * The evaluation of one scheduler for the relevant nodes, in compact form.
     *
     * @param weights weight of each algorithm that scored, in the order of {@link Row#scores}
     * @param rows scored nodes, the best first
     * @param rejections reasons, the most frequent first
     */
    public record ScoreSheet(Map<String, Long> weights, List<Row> rows, List<Rejection> rejections) {
        private static final int EXAMPLES = 5;

        public ScoreSheet {
            weights = ImmutableMap.copyOf(weights);
            rows = ImmutableList.copyOf(rows);
            rejections = ImmutableList.copyOf(rejections);
        }

        /**
         * A scored node.
         *
         * @param total weighted sum
         * @param scores before the weights
         */
        public record Row(String node, long total, ImmutableLongArray scores) {}

        /**
         * Nodes that were rejected for the same reason.
         *
         * @param algorithm that rejected them; empty if unknown
         * @param reason exact text; several are joined by a comma
         * @param count how many nodes
         * @param examples a few of them, by name
         */
        public record Rejection(String algorithm, String reason, int count, List<String> examples) {
            public Rejection {
                examples = ImmutableList.copyOf(examples);
            }
        }

        /**
         * The sheet of an evaluation.
         *
         * @param nodes the nodes to include; those that were not scored are omitted
         */
        public static ScoreSheet of(Evaluation evaluation, Collection<String> nodes) {
            List<Row> rows = new ArrayList<>();
            for (String node : nodes) {
                Long total = evaluation.totals().get(node);
                if (total != null) {
                    ImmutableLongArray.Builder scores =
                            ImmutableLongArray.builder(evaluation.weights().size());
                    for (String algorithm : evaluation.weights().keySet()) {
                        scores.add(evaluation
                                .scores()
                                .getOrDefault(algorithm, NodeValues.NONE)
                                .getOrDefault(node, 0L));
                    }
                    rows.add(new Row(node, total, scores.build()));
                }
            }
            rows.sort(Comparator.comparingLong(Row::total).reversed().thenComparing(Row::node));
            return new ScoreSheet(evaluation.weights(), rows, rejections(evaluation));
        }

        private static List<Rejection> rejections(Evaluation evaluation) {
            record Key(String algorithm, String reason) {}
            Map<Key, List<String>> byReason = new LinkedHashMap<>();
            // Adjacent nodes mostly fail for the same reasons, and there may be thousands.
            NodeFailure last = null;
            List<String> names = List.of();
            for (Map.Entry<String, NodeFailure> entry : evaluation.failures().entrySet()) {
                NodeFailure failure = entry.getValue();
                if (last == null
                        || !Objects.equals(failure.plugin(), last.plugin())
                        || !failure.reasons().equals(last.reasons())) {
                    Key key = new Key(
                            Objects.requireNonNullElse(failure.plugin(), ""), String.join(", ", failure.reasons()));
                    names = byReason.computeIfAbsent(key, any -> new ArrayList<>());
                    last = failure;
                }
                names.add(entry.getKey());
            }
            List<Rejection> rejections = new ArrayList<>();
            byReason.forEach((key, nodes) -> rejections.add(new Rejection(
                    key.algorithm(), key.reason(), nodes.size(), nodes.subList(0, Math.min(nodes.size(), EXAMPLES)))));
            rejections.sort(Comparator.comparingInt(Rejection::count).reversed());
            return rejections;
        }
    }

    /**
     * The results of all schedulers for one pod.
     *
     * @param pod {@code namespace/name}
     * @param ranOn its node in the cluster; empty for a pending one
     * @param results one for each scheduler, the reference first
     * @param differences one for each scheduler but the reference
     */
    public record PodComparison(String pod, String ranOn, List<Result> results, List<Difference> differences) {
        public PodComparison {
            results = ImmutableList.copyOf(results);
            differences = ImmutableList.copyOf(differences);
        }

        /**
         * The result of one scheduler for a pod.
         *
         * @param node the selected node: one of the best; null if there is none
         * @param best some of the best nodes, by name
         * @param bestCount how many there are
         * @param feasible number of feasible nodes
         * @param message why no node is feasible; empty if one is
         * @param sheet the evaluation of nodes; null for pods without details
         */
        public record Result(
                @Nullable String node,
                List<String> best,
                int bestCount,
                int feasible,
                String message,
                @Nullable ScoreSheet sheet) {
            public Result {
                best = ImmutableList.copyOf(best);
            }
        }

        /** True if every other scheduler agrees with the reference. */
        public boolean agrees() {
            return differences.stream()
                    .allMatch(difference -> difference.agreement().agrees());
        }
    }

    /**
     * How another scheduler relates to the reference for all pods.
     *
     * @param reference its name
     * @param other its name
     * @param counts pods by agreement; contains every constant
     * @param groups differing pods by cause, the most frequent first
     * @param noLongerFit pods that only the reference places
     * @param otherReasons pods that neither places, for different reasons
     */
    public record PairSummary(
            String reference,
            String other,
            Map<Agreement, Integer> counts,
            List<CauseGroup> groups,
            List<String> noLongerFit,
            List<String> otherReasons) {
        public PairSummary {
            counts = ImmutableMap.copyOf(counts);
            groups = ImmutableList.copyOf(groups);
            noLongerFit = ImmutableList.copyOf(noLongerFit);
            otherReasons = ImmutableList.copyOf(otherReasons);
        }

        /**
         * Pods that differ for the same cause.
         *
         * @param cause {@link Difference#label()}
         * @param pods number of pods
         * @param examples some of them
         * @param text the cause of the first one for users
         * @param note the difference between the formulas of the two releases; empty if none is known
         */
        public record CauseGroup(String cause, int pods, List<String> examples, String text, String note) {
            public CauseGroup {
                examples = ImmutableList.copyOf(examples);
            }
        }

        /** Pods with this agreement. */
        public int count(Agreement agreement) {
            return counts.getOrDefault(agreement, 0);
        }

        /** All pods. */
        public int pods() {
            return counts.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** Pods on which both agree. */
        public int agreeing() {
            return count(Agreement.SAME) + count(Agreement.TIE) + count(Agreement.NEITHER);
        }

        /** The share of pods on which both agree, 0 to 1; 1 without pods. */
        public double agreementRate() {
            return pods() == 0 ? 1 : (double) agreeing() / pods();
        }

        /** Differing pods without a known cause. */
        public int withoutCause() {
            return groups.stream()
                    .filter(group -> group.cause().equals(Difference.NOT_FOUND))
                    .mapToInt(CauseGroup::pods)
                    .sum();
        }

        /** Counts how another scheduler relates to the reference, pod by pod. */
        static final class Counter {
            private static final int EXAMPLES = 5;

            private final String reference;
            private final String other;
            private final Map<Agreement, Integer> counts = new EnumMap<>(Agreement.class);
            private final Map<String, Group> groups = new LinkedHashMap<>();
            private final List<String> noLongerFit = new ArrayList<>();
            private final List<String> otherReasons = new ArrayList<>();

            private static final class Group {
                private final Difference first;
                private final List<String> examples = new ArrayList<>();
                private int pods;

                Group(Difference first) {
                    this.first = first;
                }
            }

            Counter(String reference, String other) {
                this.reference = reference;
                this.other = other;
                for (Agreement agreement : Agreement.values()) {
                    counts.put(agreement, 0);
                }
            }

            /**
             * Counts a pod.
             *
             * @return true if it is the first one with its cause
             */
            boolean add(String pod, Difference difference) {
                counts.merge(difference.agreement(), 1, Integer::sum);
                if (difference.agreement() == Agreement.ONLY_REFERENCE) {
                    noLongerFit.add(pod);
                }
                if (difference.otherReasons()) {
                    otherReasons.add(pod);
                }
                if (difference.agreement().agrees()) {
                    return false;
                }
                Group group = groups.computeIfAbsent(difference.label(), label -> new Group(difference));
                group.pods++;
                if (group.examples.size() < EXAMPLES) {
                    group.examples.add(pod);
                }
                return group.pods == 1;
            }

            PairSummary summary() {
                List<PairSummary.CauseGroup> all = new ArrayList<>();
                groups.forEach((cause, group) -> all.add(new PairSummary.CauseGroup(
                        cause, group.pods, group.examples, group.first.text(), group.first.note())));
                all.sort(Comparator.comparingInt(PairSummary.CauseGroup::pods)
                        .reversed()
                        .thenComparing(PairSummary.CauseGroup::cause));
                return new PairSummary(reference, other, counts, all, noLongerFit, otherReasons);
            }
        }
    }
}
