package io.policyscheduler.engine.rules.data;

import org.jspecify.annotations.Nullable;

/**
 * String operations in linear time, charged for long strings. Labels and names are short enough to be included in the cost of a
 * term; annotations are not.
 */
public final class ValueOperations {
    /** Strings up to this length are not charged: the length of a label, which is compared in nanoseconds. */
    private static final int SHORT = 64;
    /** The number of characters that a comparison processes at a cost of 1. */
    private static final int COMPARED = 32;
    /** The number of characters that a search processes at a cost of 1. */
    private static final int SEARCHED = 2;
    /** Up to this length, the simple search is equally fast. */
    private static final int SIMPLE = 256;

    private static final int BLOCK = 1 << 10;

    private ValueOperations() {}

    /** Whether both are equal; missing equals missing. */
    public static boolean same(@Nullable String left, @Nullable String right, Meter meter) {
        return left == null || right == null ? left == right : equal(left, right, meter);
    }

    /** True if a text is missing or consists of white space only. */
    public static boolean blank(@Nullable String text, Meter meter) {
        if (text == null) {
            return true;
        }
        if (text.length() > SHORT) {
            meter.charge(text.length() / COMPARED);
        }
        return text.trim().isEmpty();
    }

    /** Charges for the conversion of a string to another one. */
    public static void chargeConversion(String text, Meter meter) {
        if (text.length() > SHORT) {
            meter.charge(text.length() / SEARCHED);
        }
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

    /** Knuth-Morris-Pratt search: each character of the text is visited at most twice. */
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

    /** For each prefix of a text, the length of its longest proper suffix that is also a prefix. */
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

        /** The number itself; converts -0 to 0. */
        public static double finite(double value) {
            if (!(Math.abs(value) <= Double.MAX_VALUE)) {
                throw new RuleFailure(RuleFailure.Kind.NOT_FINITE);
            }
            return value + 0.0;
        }

        /** Checks the right side of a division. */
        public static double divisor(double value) {
            if (value == 0) {
                throw new RuleFailure(RuleFailure.Kind.DIVISION_BY_ZERO);
            }
            return finite(value);
        }

        /** The nearest integer, rounding half up; numbers beyond the range of a long fail. */
        public static double rounded(double value) {
            if (!(Math.abs(value) < 0x1p63)) {
                throw new RuleFailure(RuleFailure.Kind.NOT_FINITE);
            }
            return Math.round(value);
        }
    }

    /** Optional numbers and bools at run time: a number, 1 for true and 0 for false, or NaN for missing. */
    public static final class Maybes {
        private Maybes() {}

        /** True if the value exists. */
        public static boolean given(double value) {
            return !Double.isNaN(value);
        }

        /** The value of a number that is known to exist; 0 if a failure has suppressed the null check. */
        public static double number(double value) {
            return given(value) ? value : 0;
        }

        /** The value of a bool that is known to exist; false if a failure has suppressed the null check. */
        public static boolean bool(double value) {
            return value == 1;
        }
    }
}
