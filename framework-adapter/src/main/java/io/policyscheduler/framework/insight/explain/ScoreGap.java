package io.policyscheduler.framework.insight.explain;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * By how much one node beats another, and with which algorithms.
 *
 * @param gap total of the better node less that of the other; negative when it is the other way round
 * @param parts one for each algorithm that scored, what speaks most for the better node first
 */
public record ScoreGap(String better, String other, long gap, List<Part> parts) {
    /** The scores of one algorithm before the weight. */
    public record Part(String algorithm, long weight, long better, long other) {
        /** What the algorithm adds to the gap. */
        public long difference() {
            return (better - other) * weight;
        }
    }

    public ScoreGap {
        parts = ImmutableList.copyOf(parts);
    }

    /** Compares two feasible nodes. */
    public static ScoreGap of(Evaluation evaluation, String better, String other) {
        List<Part> parts = new ArrayList<>();
        evaluation.weights().forEach((algorithm, weight) -> {
            Map<String, Long> scores = evaluation.scores().getOrDefault(algorithm, NodeValues.NONE);
            parts.add(new Part(algorithm, weight, scores.getOrDefault(better, 0L), scores.getOrDefault(other, 0L)));
        });
        parts.sort(Comparator.comparingLong(Part::difference).reversed().thenComparing(Part::algorithm));
        long gap = evaluation.totals().getOrDefault(better, 0L)
                - evaluation.totals().getOrDefault(other, 0L);
        return new ScoreGap(better, other, gap, parts);
    }

    /** The algorithm that says most for the better node, if that node would not be ahead without it; else null. */
    public @Nullable String tippedBy() {
        return gap > 0 && !parts.isEmpty() && parts.get(0).difference() >= gap
                ? parts.get(0).algorithm()
                : null;
    }
}
