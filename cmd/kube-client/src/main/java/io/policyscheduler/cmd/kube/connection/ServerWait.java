package io.policyscheduler.cmd.kube.connection;

import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;

/**
 * The wait for an API server that is not available when a program starts.
 *
 * @param sleeper waits between two requests; it may throw to end the wait
 * @param clock clock that does not jump
 * @param problems receives the reason of the wait, at once and then every 30 seconds
 */
public record ServerWait(Sleeper sleeper, InstantSource clock, Consumer<String> problems) {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration REPORT_PERIOD = Duration.ofSeconds(30);
    private static final int SERVER_ERROR = 500;

    /**
     * The first request of a program, or several that belong together.
     *
     * @param <T> what the program needs of the response
     */
    @FunctionalInterface
    public interface Request<T> {
        /** Sends it. */
        T send() throws ApiIoException;
    }

    /**
     * Sends a request until it succeeds or the time is over. The last request starts then. Errors other than 5xx are final, because
     * credentials and permissions do not come with time.
     *
     * @param limit zero to send it once
     * @throws ApiIoException the last error
     */
    public <T> T until(Duration limit, Request<T> request) throws ApiIoException, InterruptedException {
        Instant end = clock.instant().plus(limit);
        Instant nextReport = Instant.MIN;
        while (true) {
            Duration left;
            try {
                return request.send();
            } catch (ApiIoException e) {
                boolean isFinal = e.code() != 0 && e.code() < SERVER_ERROR;
                Instant now = clock.instant();
                if (isFinal || !now.isBefore(end)) {
                    throw e;
                }
                left = Duration.between(now, end);
                if (!now.isBefore(nextReport)) {
                    problems.accept(String.valueOf(e.getMessage()));
                    nextReport = now.plus(REPORT_PERIOD);
                }
            }
            sleeper.sleep(left.compareTo(PAUSE) < 0 ? left : PAUSE);
        }
    }
}
