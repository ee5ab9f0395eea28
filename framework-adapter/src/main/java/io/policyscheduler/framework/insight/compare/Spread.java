package io.policyscheduler.framework.insight.compare;

/**
 * How values differ among each other.
 *
 * @param mean 0 without values, as the others are
 * @param deviation standard deviation of all values, not of a sample
 */
public record Spread(double mean, double deviation, double min, double max) {
    /** The spread of some values. */
    public static Spread of(double[] values) {
        if (values.length == 0) {
            return new Spread(0, 0, 0, 0);
        }
        double sum = 0;
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            sum += value;
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        double mean = sum / values.length;
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return new Spread(mean, Math.sqrt(squares / values.length), min, max);
    }
}
