package io.policyscheduler.cmd.kube.connection;

import java.time.Duration;

/** A way to wait, so that tests need not. */
@FunctionalInterface
public interface Sleeper {
    /** Really waits. */
    Sleeper REAL = delay -> Thread.sleep(delay.toMillis());

    void sleep(Duration delay) throws InterruptedException;
}
