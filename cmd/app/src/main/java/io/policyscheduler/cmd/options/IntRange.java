package io.policyscheduler.cmd.options;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for integer options that reject values out of range. */
public abstract sealed class IntRange implements ITypeConverter<Integer> {
    private static final int LAST_PORT = 65_535;
    private static final int ALL = 100;

    private final int least;
    private final int greatest;
    private final String range;

    private IntRange(int least, int greatest, String range) {
        this.least = least;
        this.greatest = greatest;
        this.range = range;
    }

    @Override
    public final Integer convert(String value) {
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= greatest) {
                return (int) number;
            }
        } catch (NumberFormatException e) {
            // Reported below with the valid range.
        }
        throw new TypeConversionException("'" + value + "' is not " + range);
    }

    /** 1 or more. */
    public static final class Positive extends IntRange {
        public Positive() {
            super(1, Integer.MAX_VALUE, "a positive integer");
        }
    }

    /** 0 or more. */
    public static final class NotNegative extends IntRange {
        public NotNegative() {
            super(0, Integer.MAX_VALUE, "a non-negative integer");
        }
    }

    /** A port. 0 selects a free one. */
    public static final class Port extends IntRange {
        public Port() {
            super(0, LAST_PORT, "a port from 0 to " + LAST_PORT);
        }
    }

    /** A percentage. */
    public static final class Percent extends IntRange {
        public Percent() {
            super(0, ALL, "an integer from 0 to " + ALL);
        }
    }
}
