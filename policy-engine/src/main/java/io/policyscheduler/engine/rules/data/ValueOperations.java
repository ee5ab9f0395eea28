package io.policyscheduler.engine.rules.data;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tests of strings, in time proportional to their lengths, and charged for what is long. Labels and names are short enough to
 * be covered by what a term costs; annotations are not.
 */
public final class ValueOperations {
    /** Strings up to this length are not charged: no longer than a label, and a full comparison takes nanoseconds. */
    private static final int SHORT = 64;
    /** Characters that a comparison of two strings goes through at the cost of 1. */
    private static final int COMPARED = 32;
    /** Characters that a search goes through at the cost of 1. */
    private static final int SEARCHED = 2;
    /** In texts up to this length the simple search is as good. */
    private static final int SIMPLE = 256;

    private static final int BLOCK = 1 << 10;

    private ValueOperations() {}

    /** Whether both are the same; what is missing equals what is missing. */
    public static boolean same(@Nullable String left, @Nullable String right, Meter meter) {
        return left == null || right == null ? left == right : equal(left, right, meter);
    }

    /** True when a text is missing or has nothing but white space. */
    public static boolean blank(@Nullable String text, Meter meter) {
        if (text == null) {
            return true;
        }
        if (text.length() > SHORT) {
            meter.charge(text.length() / COMPARED);
        }
        return text.trim().isEmpty();
    }

    /** In capital or small letters, whatever the language of the machine. */
    public static String inCase(boolean upper, String text, Meter meter) {
        if (text.length() > SHORT) {
            meter.charge(text.length() / SEARCHED);
        }
        return upper ? text.toUpperCase(Locale.ROOT) : text.toLowerCase(Locale.ROOT);
    }

    public static boolean equal(String left, String right, Meter meter) {
        int length = left.length();
        if (length > SHORT && length == right.length()) {
            meter.charge(length / COMPARED);
        }
        return left.equals(right);
    }

    public static boolean startsWith(String text, String part, Meter meter) {
        compare(text, part, meter);
        return text.startsWith(part);
    }

    public static boolean endsWith(String text, String part, Meter meter) {
        compare(text, part, meter);
        return text.endsWith(part);
    }

    private static void compare(String text, String part, Meter meter) {
        int length = part.length();
        if (length > SHORT && length <= text.length()) {
            meter.charge(length / COMPARED);
        }
    }

    public static boolean contains(String text, String part, Meter meter) {
        int length = text.length();
        if (length > SIMPLE && part.length() <= length && !part.isEmpty()) {
            return search(text, part, meter);
        }
        if (length > SHORT) {
            meter.charge(length / SEARCHED);
        }
        return text.contains(part);
    }

    /** Knuth, Morris and Pratt: each character of the text is looked at twice at most. */
    private static boolean search(String text, String part, Meter meter) {
        meter.charge(part.length() / SEARCHED);
        int[] borders = borders(part);
        int matched = 0;
        for (int i = 0; i < text.length(); i++) {
            if ((i & (BLOCK - 1)) == 0) {
                meter.charge(Math.min(BLOCK, text.length() - i) / SEARCHED);
            }
            char c = text.charAt(i);
            while (matched > 0 && part.charAt(matched) != c) {
                matched = borders[matched - 1];
            }
            if (part.charAt(matched) == c && ++matched == part.length()) {
                return true;
            }
        }
        return false;
    }

    /** For each beginning of a text the length of its longest end that is another beginning. */
    private static int[] borders(String text) {
        int[] borders = new int[text.length()];
        int matched = 0;
        for (int i = 1; i < borders.length; i++) {
            while (matched > 0 && text.charAt(matched) != text.charAt(i)) {
                matched = borders[matched - 1];
            }
            if (text.charAt(matched) == text.charAt(i)) {
                matched++;
            }
            borders[i] = matched;
        }
        return borders;
    }

    /** Arithmetic of the rule language: 64-bit floating point without infinities, NaN and negative zero. */
    public static final class Arithmetics {
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

    /** Numbers and bools that may be missing, as they are at run time: a number, 1 for true and 0 for false, or NaN for nothing. */
    public static final class Maybes {
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
}
