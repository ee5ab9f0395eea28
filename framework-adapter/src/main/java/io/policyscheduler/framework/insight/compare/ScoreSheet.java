package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What one way of deciding thinks of the nodes that matter, small enough to be kept.
 *
 * @param weights weight of each algorithm that scored, in the order of {@link Row#scores}
 * @param rows nodes that were scored, the best first
 * @param rejections why nodes were rejected, the most frequent reason first
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
     * @param algorithm who rejected them; empty where that is not known
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
     * @param nodes the nodes to tell about; those that were not scored are left out
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
        // Neighbours mostly fail for the same reasons, and there may be thousands.
        NodeFailure last = null;
        List<String> names = List.of();
        for (Map.Entry<String, NodeFailure> entry : evaluation.failures().entrySet()) {
            NodeFailure failure = entry.getValue();
            if (last == null
                    || !Objects.equals(failure.plugin(), last.plugin())
                    || !failure.reasons().equals(last.reasons())) {
                Key key =
                        new Key(Objects.requireNonNullElse(failure.plugin(), ""), String.join(", ", failure.reasons()));
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
