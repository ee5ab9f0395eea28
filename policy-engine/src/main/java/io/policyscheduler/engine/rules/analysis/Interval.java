package io.policyscheduler.engine.rules.analysis;

/**
 * Numbers that a term can come to, both ends included; an end may be infinite. Ends are worked out as the rule works numbers out:
 * rounding keeps the order, so that no value lies outside.
 */
record Interval(double low, double high) {
    static final Interval ALL = new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
    static final Interval NOT_NEGATIVE = new Interval(0, Double.POSITIVE_INFINITY);

    static Interval of(double number) {
        return new Interval(number, number);
    }

    /** All between the smallest and the greatest; anything where one of them is no number, as with 0 times infinity. */
    private static Interval around(double... ends) {
        double low = ends[0];
        double high = ends[0];
        for (double end : ends) {
            if (Double.isNaN(end)) {
                return ALL;
            }
            low = Math.min(low, end);
            high = Math.max(high, end);
        }
        return new Interval(low, high);
    }

    boolean isOne() {
        return low == high;
    }

    Interval or(Interval other) {
        return new Interval(Math.min(low, other.low), Math.max(high, other.high));
    }

    Interval plus(Interval other) {
        return around(low + other.low, high + other.high);
    }

    Interval minus(Interval other) {
        return around(low - other.high, high - other.low);
    }

    Interval times(Interval other) {
        return around(low * other.low, low * other.high, high * other.low, high * other.high);
    }

    /** A division by 0 fails, it has no value; close to 0 anything can come out. */
    Interval dividedBy(Interval other) {
        return other.low > 0 || other.high < 0
                ? around(low / other.low, low / other.high, high / other.low, high / other.high)
                : ALL;
    }

    /** The remainder has the sign of the left side and is smaller than both. */
    Interval remainder(Interval other) {
        double most = Math.max(Math.abs(other.low), Math.abs(other.high));
        return new Interval(low >= 0 ? 0 : Math.max(low, -most), high <= 0 ? 0 : Math.min(high, most));
    }
}
