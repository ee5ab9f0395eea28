package io.policyscheduler.framework.scheduler;

import java.math.BigDecimal;
import java.time.Duration;

/** Durations as Go prints them, e.g. {@code 1m30s}, {@code 15m0s}, {@code 1.5s}, {@code 100ms}, {@code 0s}. */
final class GoDuration {
    private static final long SECOND = 1_000_000_000L;

    private GoDuration() {}

    static String text(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos == 0) {
            return "0s";
        }
        String sign = nanos < 0 ? "-" : "";
        nanos = Math.abs(nanos);
        if (nanos < 1_000) {
            return sign + nanos + "ns";
        }
        if (nanos < 1_000_000) {
            return sign + decimal(nanos, 3) + "µs";
        }
        if (nanos < SECOND) {
            return sign + decimal(nanos, 6) + "ms";
        }
        long minutes = nanos / SECOND / 60;
        String seconds = decimal(nanos - minutes * 60 * SECOND, 9) + "s";
        if (minutes == 0) {
            return sign + seconds;
        }
        return minutes < 60 ? sign + minutes + "m" + seconds : sign + minutes / 60 + "h" + minutes % 60 + "m" + seconds;
    }

    private static String decimal(long value, int places) {
        BigDecimal decimal = BigDecimal.valueOf(value, places).stripTrailingZeros();
        return (decimal.scale() < 0 ? decimal.setScale(0) : decimal).toPlainString();
    }
}
