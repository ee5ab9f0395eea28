package io.policyscheduler.engine.rules.data;

/** Numbers and bools that may be missing, as they are at run time: a number, 1 for true and 0 for false, or NaN for nothing. */
public final class Maybes {
    private Maybes() {}

    /** True when the value is there. */
    public static boolean given(double value) {
        return !Double.isNaN(value);
    }

    /** The number of what is known to be there; 0 where a failure has hidden the question. */
    public static double number(double value) {
        return given(value) ? value : 0;
    }

    /** The bool of what is known to be there; false where a failure has hidden the question. */
    public static boolean bool(double value) {
        return value == 1;
    }
}
