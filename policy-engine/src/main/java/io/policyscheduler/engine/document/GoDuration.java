package io.policyscheduler.engine.document;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in Go syntax, such as {@code 15s} or {@code 1m30s}. Mirrors {@code time.ParseDuration}. */
public final class GoDuration {
    private static final Map<String, Long> UNITS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "\u00b5s", 1_000L,
            "\u03bcs", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);
    private static final Pattern PART = Pattern.compile("([0-9]*)(?:\\.([0-9]*))?([^0-9.]*)");
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);

    private GoDuration() {}

    /**
     * Parses a duration.
     *
     * @throws DateTimeException with Go's message if the text is invalid, or beyond 292 years
     */
    public static Duration parse(String text) {
        String quoted = "\"" + text + "\"";
        boolean signed = text.startsWith("-") || text.startsWith("+");
        String rest = signed ? text.substring(1) : text;
        if (rest.equals("0")) {
            return Duration.ZERO;
        }
        if (rest.isEmpty()) {
            throw new DateTimeException("time: invalid duration " + quoted);
        }
        BigInteger nanos = BigInteger.ZERO;
        Matcher part = PART.matcher(rest);
        int start = 0;
        while (start < rest.length()) {
            part.region(start, rest.length());
            if (!part.lookingAt() || digits(part).isEmpty()) {
                throw new DateTimeException("time: invalid duration " + quoted);
            }
            nanos = nanos.add(nanos(part, quoted));
            start = part.end();
        }
        if (nanos.compareTo(MAX) > 0) {
            throw new DateTimeException("time: invalid duration " + quoted);
        }
        return Duration.ofNanos(text.startsWith("-") ? -nanos.longValue() : nanos.longValue());
    }

    private static String digits(Matcher part) {
        return part.group(1) + (part.group(2) == null ? "" : part.group(2));
    }

    private static BigInteger nanos(Matcher part, String quoted) {
        String unit = part.group(3);
        if (unit.isEmpty()) {
            throw new DateTimeException("time: missing unit in duration " + quoted);
        }
        Long factor = UNITS.get(unit);
        if (factor == null) {
            throw new DateTimeException("time: unknown unit \"" + unit + "\" in duration " + quoted);
        }
        String fraction = part.group(2) == null || part.group(2).isEmpty() ? "0" : part.group(2);
        String whole = part.group(1).isEmpty() ? "0" : part.group(1);
        return new BigDecimal(whole + "." + fraction)
                .multiply(BigDecimal.valueOf(factor))
                .setScale(0, RoundingMode.DOWN)
                .toBigInteger();
    }

    /** A duration as Go prints it: {@code 1h0m0s}, {@code 1m30s}, {@code 1.5s}, {@code 20ms}, {@code 0s}. */
    public static String format(Duration duration) {
        if (duration.isZero()) {
            return "0s";
        }
        String sign = duration.isNegative() ? "-" : "";
        Duration size = duration.abs();
        if (size.compareTo(Duration.ofSeconds(1)) < 0) {
            long nanos = size.toNanos();
            long unit = nanos >= 1_000_000 ? 1_000_000 : nanos >= 1_000 ? 1_000 : 1;
            String name = unit == 1 ? "ns" : unit == 1_000 ? "\u00b5s" : "ms";
            return sign + decimal(nanos, unit) + name;
        }
        long hours = size.toHours();
        long minutes = size.toMinutesPart();
        String seconds = decimal(size.toSecondsPart() * 1_000_000_000L + size.toNanosPart(), 1_000_000_000L) + "s";
        if (hours > 0) {
            return sign + hours + "h" + minutes + "m" + seconds;
        }
        return sign + (minutes > 0 ? minutes + "m" : "") + seconds;
    }

    private static String decimal(long value, long unit) {
        return BigDecimal.valueOf(value)
                .divide(BigDecimal.valueOf(unit))
                .stripTrailingZeros()
                .toPlainString();
    }
}
