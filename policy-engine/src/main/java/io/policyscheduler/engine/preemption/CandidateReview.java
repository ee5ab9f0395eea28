package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Has a last word on the nodes where preemption would help, before one is chosen; for extenders. */
@FunctionalInterface
public interface CandidateReview {
    /** Accepts all. */
    CandidateReview NONE = candidates -> new Reviewed(candidates, null);

    /**
     * What is left.
     *
     * @param candidates possibly with other victims; empty to abandon preemption
     * @param error why it could not be said, by the rules of current releases; null when it could
     */
    record Reviewed(
            SortedMap<String, Victims> candidates, @Nullable String error) {
        /** Nothing. */
        public static final Reviewed NOTHING = new Reviewed(Collections.emptySortedMap(), null);

        public static Reviewed failed(String error) {
            return new Reviewed(Collections.emptySortedMap(), error);
        }
    }

    /**
     * The candidates that are left, possibly with other victims.
     *
     * @param candidates not empty
     */
    Reviewed review(SortedMap<String, Victims> candidates);
}
