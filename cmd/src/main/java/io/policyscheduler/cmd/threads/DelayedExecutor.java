package io.policyscheduler.cmd.threads;

import java.time.Duration;

/** Runs things once, later. */
@FunctionalInterface
public interface DelayedExecutor {
    /** Runs {@code task} after {@code delay}; {@code task} must be short. */
    void execute(Runnable task, Duration delay);
}
