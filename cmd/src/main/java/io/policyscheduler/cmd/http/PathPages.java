package io.policyscheduler.cmd.http;

import io.policyscheduler.cmd.server.Exchange;

/** Further pages of a status port, found by their path. Thread-safe. */
@FunctionalInterface
public interface PathPages {
    /** There are none. */
    PathPages NONE = exchange -> false;

    /**
     * Answers a request, here or later, if the path is one of its own. Does not block.
     *
     * @return false when it is not
     */
    boolean answer(Exchange exchange);
}
