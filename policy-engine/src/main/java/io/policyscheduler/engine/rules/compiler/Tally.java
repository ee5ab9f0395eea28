package io.policyscheduler.engine.rules.compiler;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a part of a rule came to in all of its evaluations: one, none, or one for each element of a list.
 *
 * @param evaluations how many there were, those that failed included
 * @param trues how many gave true
 * @param falses how many gave false
 * @param failures how many failed
 * @param same true when all of them gave the same
 * @param value the last value: a Boolean, Double or String, for a list the Integer number of its elements; null for a missing
 *     text, without evaluation and after a failure
 * @param failure why the last one failed, null when it did not
 */
public record Tally(
        long evaluations,
        long trues,
        long falses,
        long failures,
        boolean same,
        @Nullable Object value,
        @Nullable String failure) {
    /** No evaluation. */
    public static final Tally NONE = new Tally(0, 0, 0, 0, true, null, null);

    /** This and one more evaluation. */
    public Tally and(@Nullable Object next, @Nullable String why) {
        boolean equal = evaluations == 0 || (Objects.equals(value, next) && Objects.equals(failure, why));
        return new Tally(
                evaluations + 1,
                trues + (Boolean.TRUE.equals(next) ? 1 : 0),
                falses + (Boolean.FALSE.equals(next) ? 1 : 0),
                failures + (why == null ? 0 : 1),
                same && equal,
                next,
                why);
    }
}
