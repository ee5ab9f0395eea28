package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * How two ways of deciding relate for one pod. Which of several equally good nodes is taken is chance, so what counts are
 * the sets of best nodes.
 */
public enum Agreement {
    /** The same best nodes. */
    SAME,
    /** Some best nodes are the same: they may agree. */
    TIE,
    /** No best node is the same. */
    DIFFERENT,
    /** Only the reference finds a node. */
    ONLY_REFERENCE,
    /** Only the other finds a node. */
    ONLY_OTHER,
    /** Neither finds a node. */
    NEITHER,
    /** One of them ends with an error, the other finds a node. */
    ERROR;

    /** How two results for one pod relate. */
    public static Agreement of(Evaluation reference, Evaluation other) {
        List<String> one = reference.best();
        List<String> two = other.best();
        if (one.isEmpty() && two.isEmpty()) {
            return NEITHER;
        }
        if (isError(reference) || isError(other)) {
            return ERROR;
        }
        if (two.isEmpty()) {
            return ONLY_REFERENCE;
        }
        if (one.isEmpty()) {
            return ONLY_OTHER;
        }
        if (one.equals(two)) {
            return SAME;
        }
        return Collections.disjoint(one, two) ? DIFFERENT : TIE;
    }

    private static boolean isError(Evaluation evaluation) {
        return evaluation.error() != null && !evaluation.fitError();
    }

    /** True when the switch from one to the other need not show. */
    public boolean agrees() {
        return this == SAME || this == TIE || this == NEITHER;
    }

    /** As in reports for programs. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
