package io.policyscheduler.cmd.options;

import io.policyscheduler.engine.document.GoDuration;
import java.time.DateTimeException;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as Kubernetes flags have them: {@code 15s}, {@code 1m30s}, {@code 500ms}, {@code 1.5h}; none of them negative. */
public final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String value) {
        try {
            Duration duration = GoDuration.parse(value);
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (DateTimeException e) {
            // Reported below.
        }
        throw new TypeConversionException("'" + value + "' is not a duration (such as 15s, 1m30s or 500ms)");
    }
}
