package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.QueueItem;
import java.time.Instant;
import java.util.Comparator;
import java.util.Set;

/**
 * A pod on its way through the queue. Immutable. Mirrors {@code PodInfo} of {@code pkg/scheduler/framework/v1alpha1}.
 *
 * @param pod the pod as last seen
 * @param timestamp when it was created here or last failed
 * @param sequence settles equal timestamps, taken together with the timestamp
 * @param attempts how often it has been popped
 * @param initialAttempt when it first came in
 * @param backoffExpiry when its backoff ends; meaningful in the backoff queue only
 * @param rejectedBy plugins that rejected it in its last attempt; empty when unknown, so that any change may help
 */
public record QueuedPod(
        PodInfo pod,
        Instant timestamp,
        long sequence,
        int attempts,
        Instant initialAttempt,
        Instant backoffExpiry,
        Set<String> rejectedBy)
        implements QueueItem {
    public QueuedPod {
        rejectedBy = Set.copyOf(rejectedBy);
    }

    /** The earlier end of backoff first. */
    static final Comparator<QueuedPod> BACKOFF_ORDER =
            Comparator.comparing(QueuedPod::backoffExpiry).thenComparingLong(QueuedPod::sequence);

    /** A pod that comes in now. */
    static QueuedPod arriving(PodInfo pod, Instant now, long sequence) {
        return new QueuedPod(pod, now, sequence, 0, now, now, Set.of());
    }

    /** {@code namespace/name}, under which the queue knows it. */
    public String key() {
        return pod.key();
    }

    /** The same entry with a newer pod object. */
    public QueuedPod withPod(PodInfo newer) {
        return new QueuedPod(newer, timestamp, sequence, attempts, initialAttempt, backoffExpiry, rejectedBy);
    }

    /** The same entry with the plugins that rejected it. */
    public QueuedPod withRejectedBy(Set<String> plugins) {
        return new QueuedPod(pod, timestamp, sequence, attempts, initialAttempt, backoffExpiry, plugins);
    }

    QueuedPod popped() {
        return new QueuedPod(pod, timestamp, sequence, attempts + 1, initialAttempt, backoffExpiry, rejectedBy);
    }

    QueuedPod failedAt(Instant now, long newSequence) {
        return new QueuedPod(pod, now, newSequence, attempts, initialAttempt, backoffExpiry, rejectedBy);
    }

    QueuedPod backingOffUntil(Instant expiry) {
        return new QueuedPod(pod, timestamp, sequence, attempts, initialAttempt, expiry, rejectedBy);
    }
}
