package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.framework.cycle.attempt.AttemptDetails;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A decision with what it stands on.
 *
 * @param feasible names of the nodes that fit, in the order of the search
 * @param totals of these; empty when nothing was scored
 * @param details what was seen on the way
 */
record DecisionAnswer(Decision decision, List<String> feasible, ImmutableLongArray totals, AttemptDetails details) {
    DecisionAnswer {
        feasible = ImmutableList.copyOf(feasible);
    }

    /**
     * The first thing in which another answer differs, for users; null when there is none.
     *
     * @param isChoiceSame whether both choose alike among equally good nodes
     */
    @Nullable
    String difference(DecisionAnswer other, boolean isChoiceSame) {
        if (decision.kind() != other.decision.kind()) {
            return "the outcome";
        }
        if (decision.evaluatedNodes() != other.decision.evaluatedNodes()) {
            return "the number of nodes examined";
        }
        if (!feasible.equals(other.feasible) || decision.feasibleNodes() != other.decision.feasibleNodes()) {
            return "the nodes that fit" + firstOf(feasible, other.feasible);
        }
        if (!decision.message().equals(other.decision.message())
                || !decision.rejectedBy().equals(other.decision.rejectedBy())
                || !details.rejections().equals(other.details.rejections())) {
            return "the reasons against nodes";
        }
        String scores = scoreDifference(other);
        if (scores != null) {
            return scores;
        }
        if (decision.score() != other.decision.score() || details.tied() != other.details.tied()) {
            return "the best total";
        }
        return isChoiceSame && !Objects.equals(decision.node(), other.decision.node())
                ? "the choice among " + details.tied() + " equally good nodes"
                : null;
    }

    private static String firstOf(List<String> names, List<String> others) {
        for (int i = 0; i < Math.min(names.size(), others.size()); i++) {
            if (!names.get(i).equals(others.get(i))) {
                return " from " + names.get(i) + " on";
            }
        }
        return "";
    }

    private @Nullable String scoreDifference(DecisionAnswer other) {
        TreeSet<String> algorithms = scoredOtherwise(other);
        if (!algorithms.isEmpty()) {
            return "the scores of " + String.join(", ", algorithms);
        }
        if (totals.length() != other.totals.length()) {
            return "whether nodes were scored";
        }
        for (int i = 0; i < totals.length(); i++) {
            if (totals.get(i) != other.totals.get(i)) {
                return "the total of node " + feasible.get(i) + ", " + totals.get(i) + " and " + other.totals.get(i);
            }
        }
        return null;
    }

    /** Algorithms that give one of the best nodes another score. */
    TreeSet<String> scoredOtherwise(DecisionAnswer other) {
        Map<String, Map<String, Long>> known = other.scores();
        TreeSet<String> algorithms = new TreeSet<>();
        scores().forEach((node, scores) -> {
            Map<String, Long> others = known.getOrDefault(node, scores);
            scores.forEach((algorithm, score) -> {
                if (!score.equals(others.get(algorithm))) {
                    algorithms.add(algorithm);
                }
            });
        });
        return algorithms;
    }

    private Map<String, Map<String, Long>> scores() {
        Map<String, Map<String, Long>> all = new HashMap<>();
        for (AttemptDetails.Scored scored : details.best()) {
            Map<String, Long> ofNode = new HashMap<>();
            for (int i = 0; i < scored.scores().length(); i++) {
                ofNode.put(details.algorithms().get(i).name(), scored.scores().get(i));
            }
            all.put(scored.node(), ofNode);
        }
        return all;
    }

    @Override
    public String toString() {
        return (decision.isPlaced()
                        ? "node " + decision.node() + " with " + decision.score() + " of " + feasible.size()
                                + " that fit"
                        : "\"" + decision.message() + "\"")
                + ", " + decision.evaluatedNodes() + " examined";
    }
}
