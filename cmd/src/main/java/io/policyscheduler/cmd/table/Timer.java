package io.policyscheduler.cmd.table;

import java.time.Duration;

/** Runs something later, on a thread of its own. */
@FunctionalInterface
interface Timer {
    /** Runs a task once, unless everything has ended before. */
    void after(Duration delay, Runnable task);
}
