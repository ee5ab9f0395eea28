package io.policyscheduler.framework.config.setting;

import java.time.Duration;

/**
 * How replicas agree on which of them schedules.
 *
 * @param leaderElect whether to elect at all
 * @param leaseDuration how long others wait before they take over a lease that is not renewed
 * @param renewDeadline how long the leader tries to renew before it gives up
 * @param retryPeriod wait between two tries
 * @param resourceLock {@code leases}; old versions also {@code endpoints}, {@code configmaps}, {@code endpointsleases} and
 *     {@code configmapsleases}
 */
public record LeaderElectionSettings(
        boolean leaderElect,
        Duration leaseDuration,
        Duration renewDeadline,
        Duration retryPeriod,
        String resourceLock,
        String resourceNamespace,
        String resourceName) {}
