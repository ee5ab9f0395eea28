package io.policyscheduler.cmd.http;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One thing that {@code /healthz} and its kin look at.
 *
 * @param name in the path and in the verbose answer
 * @param problem asked at each request, on the server's threads: what is wrong, empty when all is well
 * @param note what a verbose answer says though all is well, for everybody to read; empty for nothing
 */
public record HealthCheck(String name, Supplier<Optional<String>> problem, Supplier<Optional<String>> note) {
    /** A check that says nothing when all is well. */
    public HealthCheck(String name, Supplier<Optional<String>> problem) {
        this(name, problem, Optional::empty);
    }

    /** Never fails, but may have something to say. */
    public static HealthCheck noting(String name, Supplier<Optional<String>> note) {
        return new HealthCheck(name, Optional::empty, note);
    }

    /** Succeeds whenever the process can answer at all. */
    public static final HealthCheck PING = new HealthCheck("ping", Optional::empty);

    /** Fails with the given words unless the condition holds. */
    public static HealthCheck of(String name, BooleanSupplier condition, String otherwise) {
        return new HealthCheck(name, () -> condition.getAsBoolean() ? Optional.empty() : Optional.of(otherwise));
    }
}
