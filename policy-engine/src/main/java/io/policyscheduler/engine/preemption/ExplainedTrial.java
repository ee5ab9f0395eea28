package io.policyscheduler.engine.preemption;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A trial that also says why the preemptor does not fit. */
public interface ExplainedTrial extends NodeTrial {
    /**
     * Why the preemptor does not fit.
     *
     * @param reasons texts for users, or the text of an error
     * @param error the trial itself failed
     */
    record Misfit(List<String> reasons, boolean error) {
        public Misfit {
            reasons = List.copyOf(reasons);
        }
    }

    /** Null when the preemptor fits now, else why not. Nominated pods are respected. */
    @Nullable
    Misfit check();

    /** The error of the last {@link #add} or {@link #remove} that failed; empty when none has. */
    String error();

    @Override
    default boolean fits() {
        return check() == null;
    }
}
