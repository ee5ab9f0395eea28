package io.policyscheduler.cmd.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as Kubernetes flags have them: {@code 15s}, {@code 1m30s}, {@code 500ms}, {@code 1.5h}. */
final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern WHOLE = Pattern.compile("(?:\\d+(?:\\.\\d+)?(?:ms|h|m|s))+");
    private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|h|m|s)");

    /** A duration as {@link #convert} reads it. */
    static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    @Override
    public Duration convert(String value) {
        if (!WHOLE.matcher(value).matches()) {
            throw new TypeConversionException("'" + value + "' is not a duration (such as 15s, 1m30s or 500ms)");
        }
        Duration total = Duration.ZERO;
        Matcher part = PART.matcher(value);
        try {
            while (part.find()) {
                long unitMillis = switch (part.group(2)) {
                    case "h" -> 3_600_000;
                    case "m" -> 60_000;
                    case "s" -> 1_000;
                    default -> 1;
                };
                BigDecimal nanos = new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unitMillis * 1_000_000));
                total = total.plusNanos(nanos.toBigInteger().longValueExact());
            }
        } catch (ArithmeticException e) {
            throw new TypeConversionException("'" + value + "' is too long a duration");
        }
        return total;
    }
}
