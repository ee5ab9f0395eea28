package io.policyscheduler.engine.rules;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How the numbers of a priority rule become scores from 0 to 100. */
public enum Normalize {
    /** Rounded to whole numbers and cut to 0..100. */
    NONE,
    /** The greatest number becomes 100, 0 stays 0, negative ones become 0. */
    MAX,
    /** The smallest number becomes 0, the greatest 100; all are 0 when they are equal. */
    MINMAX,
    /** 100 minus {@link #MAX}: the smaller the number the better; all are 100 when none is above 0. */
    REVERSE;

    /** The word in a Policy file. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The value that a word of a Policy file stands for. */
    public static Optional<Normalize> of(String word) {
        for (Normalize value : values()) {
            if (value.word().equals(word)) {
                return Optional.of(value);
            }
        }
        return Optional.empty();
    }

    /**
     * Turns the bits of numbers into scores, in place; a failed rule, marked by NaN, scores 0.
     *
     * @param together one failure makes all scores 0
     */
    void apply(long[] scores, boolean together) {
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        for (long bits : scores) {
            double number = Double.longBitsToDouble(bits);
            if (together && Double.isNaN(number)) {
                Arrays.fill(scores, 0);
                return;
            }
            // Neither is true of NaN.
            min = number < min ? number : min;
            max = number > max ? number : max;
        }
        // Many nodes have the number of the node before them.
        long lastBits = Double.doubleToLongBits(Double.NaN);
        long lastScore = 0;
        for (int i = 0; i < scores.length; i++) {
            if (scores[i] != lastBits) {
                lastBits = scores[i];
                double number = Double.longBitsToDouble(lastBits);
                lastScore = Double.isNaN(number) ? 0 : score(number, min, max);
            }
            scores[i] = lastScore;
        }
    }

    private long score(double number, double min, double max) {
        return switch (this) {
            case NONE -> cut(number);
            case MAX -> max <= 0 ? 0 : cut(100 * (number / max));
            case MINMAX -> max <= min ? 0 : cut(100 * (number / 2 - min / 2) / (max / 2 - min / 2));
            case REVERSE -> max <= 0 ? 100 : 100 - cut(100 * (number / max));
        };
    }

    /** Halves are rounded up. */
    private static long cut(double number) {
        return Math.max(0, Math.min(100, Math.round(number)));
    }
}
