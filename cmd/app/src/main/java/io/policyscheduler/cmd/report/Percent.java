package io.policyscheduler.cmd.report;

import java.util.Locale;

/**
 * Percentages as all commands show them: with one decimal, rounded to the nearest, but never to all or nothing where something is
 * missing or there.
 */
public final class Percent {
    private static final double ALL = 100;
    private static final double STEP = 0.1;
    private static final double NEARLY_ALL = 99.9;

    private Percent() {}

    /** A number from 0 to 100, or above where more is asked for than is there: {@code 99.9} for 99.96, {@code 0.1} for 0.01. */
    public static String of(double percent) {
        double shown = percent;
        if (percent < ALL && percent > NEARLY_ALL) {
            shown = NEARLY_ALL;
        } else if (percent > 0 && percent < STEP) {
            shown = STEP;
        }
        return String.format(Locale.ROOT, "%.1f", shown);
    }

    /** The same of a share of 1. */
    public static String ofShare(double share) {
        return of(share * ALL);
    }
}
