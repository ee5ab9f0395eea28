package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How another way of deciding relates to the reference for one pod.
 *
 * @param agreement how the two results relate
 * @param causes why they differ; empty when they agree, and when no cause was found
 * @param agreeOn a node that is best for both without the causes; null when neither finds one then, and when there are no
 *     causes
 * @param otherReasons neither finds a node, and what is in the way is not the same
 */
public record Difference(
        Agreement agreement, List<Cause> causes, @Nullable String agreeOn, boolean otherReasons) {
    /** Stands for the causes of a difference that has none. */
    public static final String NOT_FOUND = "cause not found";

    public Difference {
        causes = ImmutableList.copyOf(causes);
    }

    /** A difference that matters. */
    Difference(Agreement agreement, List<Cause> causes, @Nullable String agreeOn) {
        this(agreement, causes, agreeOn, false);
    }

    /** Both agree. */
    static Difference none(Agreement agreement, boolean otherReasons) {
        return new Difference(agreement, List.of(), null, otherReasons);
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
        return causes.isEmpty()
                ? NOT_FOUND
                : counted().stream().map(Cause::label).sorted().collect(Collectors.joining(" + "));
    }

    private List<Cause> counted() {
        if (agreement != Agreement.ONLY_REFERENCE && agreement != Agreement.ONLY_OTHER) {
            return causes;
        }
        List<Cause> filters = causes.stream()
                .filter(cause -> cause.kind() == Cause.Kind.FILTER || cause.kind() == Cause.Kind.ERROR)
                .toList();
        return filters.isEmpty() ? causes : filters;
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
                + (agreeOn == null ? "neither finds a feasible node" : "both choose " + agreeOn);
    }

    /** How the formulas behind {@link #label()} differ in the two releases; empty where nothing is known to. */
    public String note() {
        return counted().stream()
                .map(Cause::note)
                .filter(note -> !note.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
    }
}
