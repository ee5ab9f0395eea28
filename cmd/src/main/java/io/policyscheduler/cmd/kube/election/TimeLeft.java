package io.policyscheduler.cmd.kube.election;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.kube.ApiIoException;
import java.time.Duration;

/** A time limit that several calls share. It starts when it is created. */
final class TimeLeft {
    private final String purpose;
    private final Duration limit;
    private final Ticker ticker;
    private final long start;

    /** @param purpose for the message when nothing is left, such as {@code to write lease NAME} */
    TimeLeft(String purpose, Duration limit, Ticker ticker) {
        this.purpose = purpose;
        this.limit = limit;
        this.ticker = ticker;
        this.start = ticker.read();
    }

    /** When it began, in ticks. */
    long start() {
        return start;
    }

    /**
     * More than zero.
     *
     * @throws ApiIoException when the time is over
     */
    Duration get() throws ApiIoException {
        long rest = limit.toNanos() - (ticker.read() - start);
        if (rest <= 0) {
            throw new ApiIoException("no time left " + purpose, 0);
        }
        return Duration.ofNanos(rest);
    }
}
