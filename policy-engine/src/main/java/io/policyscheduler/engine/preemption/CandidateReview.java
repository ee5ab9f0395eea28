package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Has a last word on the nodes where preemption would help, before one is chosen; for extenders. */
@FunctionalInterface
public interface CandidateReview {
    /** Accepts all. */
    CandidateReview NONE = candidates -> candidates;

    /**
     * The candidates that are left, possibly with other victims.
     *
     * @param candidates not empty
     * @return null to abandon preemption
     */
    @Nullable
    SortedMap<String, Victims> review(SortedMap<String, Victims> candidates);
}
