package io.policyscheduler.engine.algorithm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A predicate's answer for one node: fits, does not fit for these reasons, or an error that aborts the attempt.
 *
 * @param reasons why not, in order; empty when it fits or on error
 * @param error null, or the text of the error
 */
public record Verdict(List<FailureReason> reasons, @Nullable String error) {
    /** The node takes the pod. */
    public static final Verdict FITS = new Verdict(List.of(), null);

    public Verdict {
        reasons = List.copyOf(reasons);
    }

    /** Does not fit. Keep the result where the reasons are constant: this runs for every node. */
    public static Verdict unfit(FailureReason... reasons) {
        return new Verdict(List.of(reasons), null);
    }

    /** Does not fit for these reasons; an empty list means that it fits. */
    public static Verdict of(List<FailureReason> reasons) {
        return reasons.isEmpty() ? FITS : new Verdict(reasons, null);
    }

    /** The attempt must stop. */
    public static Verdict error(String text) {
        return new Verdict(List.of(), text);
    }

    /** True when the node takes the pod. */
    public boolean fits() {
        return reasons.isEmpty() && error == null;
    }
}
