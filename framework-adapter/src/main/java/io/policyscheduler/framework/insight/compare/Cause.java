package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.framework.insight.compare.decider.Adjustment;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One of the algorithms that make two ways of deciding differ about a pod. Of all causes of a difference together it is true
 * that both ways agree without them, and that they do not without all but one of them.
 *
 * @param kind what makes it one
 * @param concept what is to be left out of both; null where nothing can be left out
 * @param reference the names in the reference that are to be left out, empty when it has nothing of the kind
 * @param other the names in the other one
 * @param node the node that a filter rejects; empty for other kinds
 * @param reasons why it does, or the error
 * @param text all of it in words
 * @param note how the formulas of the two releases differ; empty where nothing is known to
 * @param scores what the algorithms give to the two nodes in question; empty for filters
 * @param weight another weight that makes both agree as well, or null
 */
public record Cause(
        Kind kind,
        @Nullable Concept concept,
        Set<String> reference,
        Set<String> other,
        String node,
        List<String> reasons,
        String text,
        String note,
        List<ScorePair> scores,
        @Nullable WeightChange weight) {
    /** What makes an algorithm a cause. */
    public enum Kind {
        /** One of the two rejects a node that the other one takes. */
        FILTER,
        /** An algorithm of one of the two ends the attempt. */
        ERROR,
        /** Only one of the two has the algorithm, or counts it for this pod. */
        ONE_SIDED,
        /** Both give the same scores, which do not weigh the same. */
        WEIGHT,
        /** Both give different scores. */
        FORMULA,
        /** Both decide alike; what was placed before is elsewhere. */
        EARLIER_PLACEMENTS,
        /** One of them refuses the pod before any algorithm is asked. */
        CHECK;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * What one algorithm gives to the two nodes.
     *
     * @param ofReference whether the reference has it, or the other one
     * @param algorithm name of the priority or plugin
     * @param weight factor of the scores; 0 when the algorithm sat out for this pod
     * @param referenceNode score of the node that the reference likes best, before the weight
     * @param otherNode score of the node that the other one likes best
     */
    public record ScorePair(boolean ofReference, String algorithm, long weight, long referenceNode, long otherNode) {}

    /**
     * Another weight.
     *
     * @param ofReference whether it is changed in the reference, or in the other one
     */
    public record WeightChange(boolean ofReference, String algorithm, long from, long to) {}

    public Cause {
        reference = ImmutableSet.copyOf(reference);
        other = ImmutableSet.copyOf(other);
        reasons = ImmutableList.copyOf(reasons);
        scores = ImmutableList.copyOf(scores);
    }

    /** A cause that is no algorithm. */
    static Cause outside(Kind kind, String text) {
        return new Cause(kind, null, Set.of(), Set.of(), "", List.of(), text, "", List.of(), null);
    }

    /** What it is counted under. */
    public String label() {
        if (concept != null) {
            return concept.toString();
        }
        return kind == Kind.EARLIER_PLACEMENTS ? "earlier placements" : "checks before any algorithm";
    }

    /** Leaves the cause out of the reference, or of the other one, besides what is left out already. */
    public Adjustment leaveOut(Adjustment adjustment, boolean ofReference) {
        if (concept == null) {
            return adjustment;
        }
        Set<String> names = ofReference ? reference : other;
        return concept.role() == Concept.Role.FILTER
                ? adjustment.withoutFilters(names)
                : adjustment.withoutScores(names);
    }
}
