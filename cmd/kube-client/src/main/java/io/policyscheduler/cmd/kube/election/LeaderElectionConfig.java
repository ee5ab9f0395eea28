package io.policyscheduler.cmd.kube.election;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.UUID;

/**
 * The settings of leader election. All candidates should have the same durations.
 *
 * @param lock the kinds of lock objects
 * @param namespace of these objects
 * @param name of these objects
 * @param identity unique identity of this candidate
 * @param leaseDuration how long other candidates respect a lease that is not renewed ({@code --leader-elect-lease-duration})
 * @param renewDeadline how long a leader continues without a renewal
 * @param retryPeriod wait between two attempts
 * @param releaseOnClose whether the lease is released on shutdown, so that another candidate does not wait for its expiration
 */
public record LeaderElectionConfig(
        ResourceLock lock,
        String namespace,
        String name,
        String identity,
        Duration leaseDuration,
        Duration renewDeadline,
        Duration retryPeriod,
        boolean releaseOnClose) {
    /** Maximum jitter of a candidate's wait, as a share of the retry period. */
    static final double JITTER = 1.2;

    /** A record in an annotation can be unchanged for up to a second, although it is renewed. */
    private static final Duration ANNOTATION_STEP = Duration.ofSeconds(1);

    public static final Duration DEFAULT_LEASE_DURATION = Duration.ofSeconds(15);
    public static final Duration DEFAULT_RENEW_DEADLINE = Duration.ofSeconds(10);
    public static final Duration DEFAULT_RETRY_PERIOD = Duration.ofSeconds(2);

    public LeaderElectionConfig {
        requireText("resourceNamespace", namespace);
        requireText("resourceName", name);
        requireText("identity", identity);
        requirePositive("leaseDuration", leaseDuration);
        requirePositive("renewDeadline", renewDeadline);
        requirePositive("retryPeriod", retryPeriod);
        if (leaseDuration.compareTo(renewDeadline) <= 0) {
            throw new IllegalArgumentException("leaseDuration " + text(leaseDuration)
                    + " must be greater than renewDeadline " + text(renewDeadline));
        }
        if (lock != ResourceLock.LEASES && leaseDuration.compareTo(renewDeadline.plus(ANNOTATION_STEP)) < 0) {
            throw new IllegalArgumentException("leaseDuration " + text(leaseDuration) + " must be at least "
                    + text(ANNOTATION_STEP) + " greater than renewDeadline " + text(renewDeadline)
                    + " with the resourceLock " + lock.text() + ", whose records have whole seconds");
        }
        if (renewDeadline.toNanos() <= retryPeriod.toNanos() * JITTER) {
            throw new IllegalArgumentException("renewDeadline " + text(renewDeadline)
                    + " must be greater than retryPeriod " + text(retryPeriod) + " * " + JITTER);
        }
    }

    private static void requireText(String what, String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException(what + " is required");
        }
    }

    private static void requirePositive(String what, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(what + " " + text(value) + " must be greater than zero");
        }
    }

    private static String text(Duration value) {
        long millis = value.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }

    /** A Lease with the durations of kube-scheduler: 15 s, 10 s, 2 s; released on shutdown. */
    public static LeaderElectionConfig defaults(String namespace, String name, String identity) {
        return new LeaderElectionConfig(
                ResourceLock.LEASES,
                namespace,
                name,
                identity,
                DEFAULT_LEASE_DURATION,
                DEFAULT_RENEW_DEADLINE,
                DEFAULT_RETRY_PERIOD,
                true);
    }

    /** A unique identity: host name, underscore, random UUID. */
    public static String newIdentity() {
        return hostName() + "_" + UUID.randomUUID();
    }

    /** The name of this host; {@code unknown} if it has none. */
    public static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    /** {@code namespace/name} of the lock's objects. */
    public String key() {
        return namespace + "/" + name;
    }
}
