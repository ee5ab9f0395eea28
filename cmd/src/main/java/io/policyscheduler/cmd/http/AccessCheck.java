package io.policyscheduler.cmd.http;

import io.policyscheduler.cmd.server.Exchange;

/** Whether a request is answered. Thread-safe. */
@FunctionalInterface
public interface AccessCheck {
    /** For a port that everybody may ask who reaches it. */
    AccessCheck NONE = (exchange, allowed) -> allowed.run();

    /**
     * Runs {@code allowed}, here or on another thread, if the request may be answered, and answers it itself if not. Does not
     * block.
     */
    void check(Exchange exchange, Runnable allowed);
}
