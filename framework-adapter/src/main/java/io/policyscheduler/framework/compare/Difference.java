package io.policyscheduler.framework.compare;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How another way of deciding relates to the reference for one pod.
 *
 * @param agreement how the two results relate
 * @param causes why they differ; empty when they agree, and when no cause was found
 * @param agreeOn a node that is best for both without the causes; null when neither finds one then, and when there are no causes
 */
public record Difference(Agreement agreement, List<Cause> causes, @Nullable String agreeOn) {
    /** Stands for the causes of a difference that has none. */
    public static final String NOT_FOUND = "cause not found";

    public Difference {
        causes = ImmutableList.copyOf(causes);
    }

    /** No difference. */
    static Difference none(Agreement agreement) {
        return new Difference(agreement, List.of(), null);
    }

    /** False for a difference of which the cause is not known. */
    public boolean isExplained() {
        return agreement.agrees() || !causes.isEmpty();
    }

    /**
     * What the difference is counted under. Where only one of the two finds a node, that is what keeps the other from it; where
     * the pod would go without that is another question.
     */
    public String label() {
        if (causes.isEmpty()) {
            return NOT_FOUND;
        }
        List<Cause> counted = causes;
        if (agreement == Agreement.ONLY_REFERENCE || agreement == Agreement.ONLY_OTHER) {
            List<Cause> filters = causes.stream()
                    .filter(cause -> cause.kind() == Cause.Kind.FILTER || cause.kind() == Cause.Kind.ERROR)
                    .toList();
            counted = filters.isEmpty() ? causes : filters;
        }
        return counted.stream().map(Cause::label).sorted().collect(Collectors.joining(" + "));
    }

    /** The causes in words, and what would be without them. */
    public String text() {
        if (agreement.agrees()) {
            return "";
        }
        if (causes.isEmpty()) {
            return NOT_FOUND;
        }
        String all = causes.stream().map(Cause::text).collect(Collectors.joining("; and "));
        boolean removable = causes.stream().allMatch(cause -> cause.concept() != null);
        if (!removable) {
            return all;
        }
        return all + ": without " + (causes.size() == 1 ? "it" : "these") + " "
                + (agreeOn == null ? "neither finds a node" : "both choose " + agreeOn);
    }

    /** How the formulas of the two releases differ; empty where nothing is known to. */
    public String note() {
        return causes.stream()
                .map(Cause::note)
                .filter(note -> !note.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
    }
}
