package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.cycle.NodeRejections.Notes;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one attempt has seen, in little: texts and numbers that hold on to no node and no pod. Lists are cut at the bounds named
 * here; the numbers beside them always count everything.
 *
 * @param totalNodes nodes of the cluster
 * @param rejections why nodes were rejected, most frequent first, then by text
 * @param otherReasons reasons that are left out of {@code rejections}
 * @param algorithms what was scored with, in the order of the scores; empty when nothing was scored
 * @param otherAlgorithms algorithms that are left out of {@code algorithms}, though not of totals
 * @param best the best nodes, the chosen one first, the others by their totals; empty when nothing was scored
 * @param tied how many nodes had the highest total, 0 when nothing was scored
 */
public record AttemptDetails(
        int totalNodes,
        List<Rejection> rejections,
        int otherReasons,
        List<Algorithm> algorithms,
        int otherAlgorithms,
        List<Scored> best,
        int tied) {
    /** Most nodes with scores. */
    public static final int MOST_BEST = 10;
    /** Most reasons. */
    public static final int MOST_REASONS = 20;
    /** Most names of nodes for one reason. */
    public static final int MOST_NAMES = 50;
    /** Most algorithms. */
    public static final int MOST_ALGORITHMS = 32;
    /** Most characters of a text. */
    public static final int MOST_CHARACTERS = 500;

    /** Nothing is known. */
    public static final AttemptDetails NONE = new AttemptDetails(0, List.of(), 0, List.of(), 0, List.of(), 0);

    public AttemptDetails {
        rejections = ImmutableList.copyOf(rejections);
        algorithms = ImmutableList.copyOf(algorithms);
        best = ImmutableList.copyOf(best);
    }

    /**
     * Nodes rejected for one reason.
     *
     * @param reason as events tell it
     * @param nodes how many
     * @param names of the first of them; fewer than {@code nodes} when cut, or when it was told of all nodes at once
     */
    public record Rejection(String reason, int nodes, List<String> names) {
        public Rejection {
            names = ImmutableList.copyOf(names);
        }
    }

    /**
     * An algorithm or extender that scored, with its weight.
     *
     * @param displayName the name in the user's policy, else {@code name}
     */
    public record Algorithm(String name, long weight, String displayName) {
        /** An algorithm that has only one name. */
        public Algorithm(String name, long weight) {
            this(name, weight, name);
        }
    }

    /**
     * A scored node.
     *
     * @param total over all algorithms
     * @param scores before weighting and after normalising, one for each of {@link #algorithms}
     */
    public record Scored(String node, long total, ImmutableLongArray scores) {}

    /** A text, cut if it is too long. */
    public static String bounded(String text) {
        return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS - 3) + "...";
    }

    /** What one attempt sees on its way to a decision. */
    static final class AttemptNotes {
        private static final Logger log = LoggerFactory.getLogger(AttemptNotes.class);

        private final Notes rejections = new Notes();
        private final ScoreRecorder scores;
        private Map<String, Integer> counts = Map.of();
        private List<AttemptDetails.Scored> best = List.of();
        private int tied;

        /** @param scores to be used again; those of the attempt before are forgotten */
        AttemptNotes(ScoreRecorder scores) {
            this.scores = scores;
            scores.forget();
        }

        Notes rejections() {
            return rejections;
        }

        ScoreRecorder scores() {
            return scores;
        }

        /** How many nodes were rejected for each reason. */
        void counted(Map<String, Integer> byReason) {
            counts = byReason;
        }

        /** Nodes were scored and one of them was chosen. */
        void chosen(List<NodeInfo> nodes, long[] totals, int index) {
            chosen(nodes, totals, index, ScoreRecorder.tied(totals, totals[index]));
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
}
