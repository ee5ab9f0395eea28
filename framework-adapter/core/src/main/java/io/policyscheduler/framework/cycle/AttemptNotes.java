package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.cycle.Rejections.Notes;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one attempt sees on its way to a decision. */
final class AttemptNotes {
    private static final Logger log = LoggerFactory.getLogger(AttemptNotes.class);

    private final Notes rejections = new Notes();
    private final ScoreNotes scores;
    private Map<String, Integer> counts = Map.of();
    private List<AttemptDetails.Scored> best = List.of();
    private int tied;

    /** @param scores to be used again; those of the attempt before are forgotten */
    AttemptNotes(ScoreNotes scores) {
        this.scores = scores;
        scores.forget();
    }

    Notes rejections() {
        return rejections;
    }

    ScoreNotes scores() {
        return scores;
    }

    /** How many nodes were rejected for each reason. */
    void counted(Map<String, Integer> byReason) {
        counts = byReason;
    }

    /** Nodes were scored and one of them was chosen. */
    void chosen(List<NodeInfo> nodes, long[] totals, int index) {
        chosen(nodes, totals, index, ScoreNotes.tied(totals, totals[index]));
    }

    /**
     * The same when it is known how many had the highest total.
     *
     * @param nodes all, or the best of them
     */
    void chosen(List<NodeInfo> nodes, long[] totals, int index, int ties) {
        try {
            best = scores.best(nodes, totals, index);
        } catch (RuntimeException | LinkageError e) {
            // A plugin that is asked a second time; the decision stands.
            log.debug("the scores of an attempt cannot be kept", e);
        }
        tied = ties;
    }

    /** All of it; once. */
    AttemptDetails details(int totalNodes) {
        boolean scored = !best.isEmpty();
        AttemptDetails details = new AttemptDetails(
                totalNodes,
                rejections.of(counts),
                Math.max(0, counts.size() - AttemptDetails.MOST_REASONS),
                scored ? scores.algorithms() : List.of(),
                scored ? scores.otherAlgorithms() : 0,
                best,
                tied);
        scores.forget();
        return details;
    }
}
