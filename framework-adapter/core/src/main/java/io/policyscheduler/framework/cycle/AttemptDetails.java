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
 * A summary of one attempt for diagnosis: texts and numbers without references to nodes or pods. Lists are truncated to the limits
 * below; the counts always include everything.
 *
 * @param totalNodes nodes of the cluster
 * @param rejections reasons for rejecting nodes, most frequent first, then by text
 * @param otherReasons reasons that are omitted from {@code rejections}
 * @param algorithms the algorithms that scored, in the order of the scores; empty if nothing was scored
 * @param otherAlgorithms algorithms that are omitted from {@code algorithms}, but included in totals
 * @param best the best nodes, the chosen one first, the others by total; empty if nothing was scored
 * @param tied how many nodes had the highest total, 0 if nothing was scored
 */
public record AttemptDetails(
        int totalNodes,
        List<Rejection> rejections,
        int otherReasons,
        List<Algorithm> algorithms,
        int otherAlgorithms,
        List<Scored> best,
        int tied) {
    /** The maximum number of nodes with scores. */
    public static final int MOST_BEST = 10;
    /** The maximum number of reasons. */
    public static final int MOST_REASONS = 20;
    /** The maximum number of node names for one reason. */
    public static final int MOST_NAMES = 50;
    /** The maximum number of algorithms. */
    public static final int MOST_ALGORITHMS = 32;
    /** The maximum length of a text. */
    public static final int MOST_CHARACTERS = 500;

    /** No details. */
    public static final AttemptDetails NONE = new AttemptDetails(0, List.of(), 0, List.of(), 0, List.of(), 0);

    public AttemptDetails {
        rejections = ImmutableList.copyOf(rejections);
        algorithms = ImmutableList.copyOf(algorithms);
        best = ImmutableList.copyOf(best);
    }

    /**
     * Nodes rejected for one reason.
     *
     * @param reason as in events
     * @param nodes how many
     * @param names of the first of them; fewer than {@code nodes} if truncated, or if one status applies to all nodes
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
        /** An algorithm without a separate display name. */
        public Algorithm(String name, long weight) {
            this(name, weight, name);
        }
    }

    /**
     * A scored node.
     *
     * @param total over all algorithms
     * @param scores before weighting and after normalizing, one for each of {@link #algorithms}
     */
    public record Scored(String node, long total, ImmutableLongArray scores) {}

    /** A text, truncated if it is too long. */
    public static String bounded(String text) {
        return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS - 3) + "...";
    }

    /** Collects the details of one attempt. */
    static final class AttemptNotes {
        private static final Logger log = LoggerFactory.getLogger(AttemptNotes.class);

        private final Notes rejections = new Notes();
        private final ScoreRecorder scores;
        private Map<String, Integer> counts = Map.of();
        private List<AttemptDetails.Scored> best = List.of();
        private int tied;

        /** @param scores a reused recorder; its previous attempt is discarded */
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

        /** Records how many nodes were rejected for each reason. */
        void counted(Map<String, Integer> byReason) {
            counts = byReason;
        }

        /** Records that nodes were scored and one of them was chosen. */
        void chosen(List<NodeInfo> nodes, long[] totals, int index) {
            chosen(nodes, totals, index, ScoreRecorder.tied(totals, totals[index]));
        }

        /**
         * The same if the number of nodes with the highest total is known.
         *
         * @param nodes all, or the best of them
         */
        void chosen(List<NodeInfo> nodes, long[] totals, int index, int ties) {
            try {
                best = scores.best(nodes, totals, index);
            } catch (RuntimeException | LinkageError e) {
                // A plugin failed when it scored the best nodes again; the decision stands.
                log.debug("the scores of an attempt cannot be kept", e);
            }
            tied = ties;
        }

        /** The details. Called once. */
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
