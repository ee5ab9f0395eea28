package io.policyscheduler.framework.scheduler.queue;

import java.time.Duration;

/**
 * How long pods wait.
 *
 * @param initialBackoff after a first failure; doubles
 * @param maxBackoff the longest such wait
 * @param unschedulableTimeout how long a pod that waits for any change waits before it is tried again anyway
 * @param eventTimeout the same for a pod that waits for events
 */
public record QueueTimes(
        Duration initialBackoff, Duration maxBackoff, Duration unschedulableTimeout, Duration eventTimeout) {
    /** Those of 1.17 and of current releases. */
    public static final QueueTimes DEFAULTS = new QueueTimes(
            Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofMinutes(5));
}
