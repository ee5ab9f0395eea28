package io.policyscheduler.cmd.sources;

import java.time.DateTimeException;
import java.time.Instant;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a moment as Kubernetes writes them. */
public final class TimeConverter implements ITypeConverter<Instant> {
    /** @throws TypeConversionException for what is no moment, with the way out */
    @Override
    public Instant convert(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new TypeConversionException("'" + text + "' is no time; write it like 2026-03-01T22:30:00Z");
        }
    }
}
