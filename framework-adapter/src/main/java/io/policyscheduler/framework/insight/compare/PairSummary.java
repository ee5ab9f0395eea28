package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;

/**
 * How another way of deciding relates to the reference for all pods.
 *
 * @param reference its name
 * @param other its name
 * @param counts pods by agreement; every constant is there
 * @param groups differing pods by cause, the most frequent first
 * @param noLongerFit pods that only the reference finds a node for
 * @param otherReasons pods that neither finds a node for, where what is in the way is not the same
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
     * @param cause as {@link Difference#label()} says it
     * @param pods how many
     * @param examples a few of them
     * @param text the cause of the first one in words
     * @param note how the formulas of the two releases differ; empty where nothing is known to
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

    /** Pods about which both agree. */
    public int agreeing() {
        return count(Agreement.SAME) + count(Agreement.TIE) + count(Agreement.NEITHER);
    }

    /** Share of pods about which both agree, 0 to 1; 1 without pods. */
    public double agreementRate() {
        return pods() == 0 ? 1 : (double) agreeing() / pods();
    }

    /** Differing pods of which the cause is not known. */
    public int withoutCause() {
        return groups.stream()
                .filter(group -> group.cause().equals(Difference.NOT_FOUND))
                .mapToInt(CauseGroup::pods)
                .sum();
    }
}
