package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.preemption.ExplainedTrial.Misfit;
import io.policyscheduler.engine.preemption.PodPreemption.Found;
import io.policyscheduler.engine.preemption.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import org.jspecify.annotations.Nullable;

/**
 * What is known of making room on one node.
 *
 * @param victims and {@code cost}: of a node where pods may be evicted, else null
 * @param misfit why nothing helps on a node that was tried; else null
 */
public record EvictionAnswer(
        Kind kind,
        @Nullable Victims victims,
        @Nullable EvictionCost cost,
        @Nullable Misfit misfit) {
    /** How an answer is to be understood. */
    public enum Kind {
        /** There is no node. */
        NONE,
        /** The node takes the pod as it is. */
        FITS,
        /** Whoever wants to know has to ask. */
        ODD,
        /** Evicting pods cannot help. */
        HOPELESS,
        /** It could help but does not. */
        UNHELPED,
        /** It helps. */
        CANDIDATE
    }

    /** {@link Kind#NONE}. */
    static final EvictionAnswer NONE = new EvictionAnswer(Kind.NONE, null, null, null);
    /** {@link Kind#FITS}. */
    public static final EvictionAnswer FITS = new EvictionAnswer(Kind.FITS, null, null, null);
    /** {@link Kind#ODD}. */
    public static final EvictionAnswer ODD = new EvictionAnswer(Kind.ODD, null, null, null);
    /** {@link Kind#HOPELESS}. */
    public static final EvictionAnswer HOPELESS = new EvictionAnswer(Kind.HOPELESS, null, null, null);

    /** What a search has come to. */
    public static EvictionAnswer of(Found found) {
        Victims victims = found.victims();
        return victims != null
                ? new EvictionAnswer(Kind.CANDIDATE, victims, EvictionCost.of(victims), null)
                : new EvictionAnswer(Kind.UNHELPED, null, null, found.misfit());
    }
}
