package io.policyscheduler.tests.e2e;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerSettings;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;

/** Starts schedulers whose calls end early. */
public final class Connecting {
    private Connecting() {}

    /**
     * Starts one, as a supervisor would: the first call of a server that is busy starting may take longer than the test lets
     * calls take, and then the program ends.
     */
    public static LiveScheduler start(
            SchedulerSettings settings, KubeConnection connection, String identity, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                return LiveScheduler.start(settings, connection, identity, Clock.systemUTC());
            } catch (ApiIoException e) {
                if (System.nanoTime() > deadline) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
