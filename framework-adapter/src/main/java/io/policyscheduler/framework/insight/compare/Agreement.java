package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.Ranking;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

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
        return of(Ranking.of(reference), Ranking.of(other));
    }

    /** The same of what the two come to. */
    static Agreement of(Ranking reference, Ranking other) {
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
        return common(one, two) == null ? DIFFERENT : TIE;
    }

    /** The first of two sorted lists that is in both; null when there is none. */
    static @Nullable String common(List<String> one, List<String> two) {
        int at = 0;
        for (String name : one) {
            while (at < two.size() && two.get(at).compareTo(name) < 0) {
                at++;
            }
            if (at < two.size() && two.get(at).equals(name)) {
                return name;
            }
        }
        return null;
    }

    private static boolean isError(Ranking ranking) {
        return ranking.error() != null && !ranking.fitError();
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
