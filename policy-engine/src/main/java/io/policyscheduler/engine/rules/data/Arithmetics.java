package io.policyscheduler.engine.rules.data;

/** Arithmetic of the rule language: 64-bit floating point without infinities, NaN and negative zero. */
public final class Arithmetics {
    private Arithmetics() {}

    /** The number itself; turns -0 into 0. */
    public static double finite(double value) {
        if (!(Math.abs(value) <= Double.MAX_VALUE)) {
            throw new RuleFailure(RuleFailure.Kind.NOT_FINITE);
        }
        return value + 0.0;
    }

    /** The right side of a division. */
    public static double divisor(double value) {
        if (value == 0) {
            throw new RuleFailure(RuleFailure.Kind.DIVISION_BY_ZERO);
        }
        return finite(value);
    }

    /** The nearest integer, the larger of two; a number beyond the range of a long has none. */
    public static double rounded(double value) {
        if (!(Math.abs(value) < 0x1p63)) {
            throw new RuleFailure(RuleFailure.Kind.NOT_FINITE);
        }
        return Math.round(value);
    }
}
