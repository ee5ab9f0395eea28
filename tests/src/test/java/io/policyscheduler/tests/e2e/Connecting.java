package io.policyscheduler.tests.e2e;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerSettings;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;

/** Starts schedulers with short request timeouts. */
public final class Connecting {
    private Connecting() {}

    /** Starts a scheduler and restarts it if its first request times out because the server is still starting, as a supervisor would. */
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
