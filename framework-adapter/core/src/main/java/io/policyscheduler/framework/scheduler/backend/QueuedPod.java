package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A pod in the queue or in an attempt.
 *
 * @param pod the last observed version
 * @param timestamp when it was added or last failed
 * @param sequence orders equal timestamps, set together with the timestamp
 * @param attempts how often it has been popped
 * @param initialAttempt when it was first added
 * @param backoffExpiry the end of its backoff; used in the backoff queue only
 * @param rejectedBy plugins that rejected it in its last attempt; empty if unknown, so that any change may help
 * @param pendingOn those of them that returned the code {@code PENDING}
 * @param unschedulableCount how often plugins have rejected it
 * @param consecutiveErrors number of consecutive failures other than rejections
 * @param gatedBy the plugin that gates it; empty for none, and for pods of policies
 */
public record QueuedPod(
        PodInfo pod,
        Instant timestamp,
        long sequence,
        int attempts,
        Instant initialAttempt,
        Instant backoffExpiry,
        Set<String> rejectedBy,
        Set<String> pendingOn,
        int unschedulableCount,
        int consecutiveErrors,
        String gatedBy)
        implements QueueItem {
    public QueuedPod {
        rejectedBy = Set.copyOf(rejectedBy);
        pendingOn = Set.copyOf(pendingOn);
    }

    /** An entry without failures. */
    public QueuedPod(
            PodInfo pod,
            Instant timestamp,
            long sequence,
            int attempts,
            Instant initialAttempt,
            Instant backoffExpiry,
            Set<String> rejectedBy) {
        this(pod, timestamp, sequence, attempts, initialAttempt, backoffExpiry, rejectedBy, Set.of(), 0, 0, "");
    }

    /** Orders by the end of the backoff. */
    static final Comparator<QueuedPod> BACKOFF_ORDER =
            Comparator.comparing(QueuedPod::backoffExpiry).thenComparingLong(QueuedPod::sequence);

    /** The entry of a new pod. */
    static QueuedPod arriving(PodInfo pod, Instant now, long sequence) {
        return new QueuedPod(pod, now, sequence, 0, now, now, Set.of());
    }

    /** {@code namespace/name}, the key in the queue. */
    public String key() {
        return pod.key();
    }

    private QueuedPod with(Instant time, long number, Instant expiry, int rejections, int errors) {
        return new QueuedPod(
                pod,
                time,
                number,
                attempts,
                initialAttempt,
                expiry,
                rejectedBy,
                pendingOn,
                rejections,
                errors,
                gatedBy);
    }

    private QueuedPod with(PodInfo newer, int tries, Set<String> plugins, Set<String> pending, String gate) {
        return new QueuedPod(
                newer,
                timestamp,
                sequence,
                tries,
                initialAttempt,
                backoffExpiry,
                plugins,
                pending,
                unschedulableCount,
                consecutiveErrors,
                gate);
    }

    /** A copy with a newer version of the pod. */
    public QueuedPod withPod(PodInfo newer) {
        return with(newer, attempts, rejectedBy, pendingOn, gatedBy);
    }

    /** A copy with the plugins that rejected the pod, none of them with the code {@code PENDING}. */
    public QueuedPod withRejectedBy(Set<String> plugins) {
        return withRejectedBy(plugins, Set.of());
    }

    /** A copy with the plugins that rejected the pod, and those with the code {@code PENDING}. */
    public QueuedPod withRejectedBy(Set<String> plugins, Set<String> pending) {
        return with(pod, attempts, plugins, pending, gatedBy);
    }

    QueuedPod popped() {
        return with(pod, attempts + 1, Set.of(), Set.of(), "");
    }

    /** A copy with one more attempt that did not pass through the queue. */
    public QueuedPod attemptedAgain() {
        return popped();
    }

    QueuedPod failedAt(Instant now, long newSequence) {
        return with(now, newSequence, backoffExpiry, unschedulableCount, consecutiveErrors);
    }

    /** A copy with one more failure: a rejection if plugins have rejected it, else an error. */
    QueuedPod counted() {
        return rejectedBy.isEmpty()
                ? with(timestamp, sequence, backoffExpiry, unschedulableCount, consecutiveErrors + 1)
                : with(timestamp, sequence, backoffExpiry, unschedulableCount + 1, 0);
    }

    QueuedPod backingOffUntil(Instant expiry) {
        return with(timestamp, sequence, expiry, unschedulableCount, consecutiveErrors);
    }

    /** A copy with the plugin that gates it, empty for none. */
    QueuedPod gatedBy(String plugin) {
        Set<String> plugins = rejectedBy;
        if (!plugin.isEmpty() && !rejectedBy.contains(plugin)) {
            plugins = new HashSet<>(rejectedBy);
            plugins.add(plugin);
        }
        return with(pod, attempts, plugins, pendingOn, plugin);
    }

    /** Distinguishes changes that may make a pod schedulable from status updates. Mirrors {@code isPodUpdated}. */
    public static final class SpecChange {
        private SpecChange() {}

        /** Whether the pods differ in anything but the resource version and the status, as far as the scheduler caches it. */
        public static boolean isBetween(PodInfo old, PodInfo newer) {
            return !old.labels().equals(newer.labels())
                    || !old.annotations().equals(newer.annotations())
                    || !Objects.equals(old.controller(), newer.controller())
                    || old.terminating() != newer.terminating()
                    || !old.nodeName().equals(newer.nodeName())
                    || !old.spec().equals(newer.spec());
        }
    }

    /** The parts of the scheduling queue; the label is the value of metric label {@code queue}. */
    public enum Part {
        ACTIVE("active"),
        BACKOFF("backoff"),
        UNSCHEDULABLE("unschedulable"),
        /** Gated pods. */
        GATED("gated");

        private final String label;

        Part(String label) {
            this.label = label;
        }

        /** The name in metrics. */
        public String label() {
            return label;
        }
    }

    /**
     * The kinds of changes of a pod. Mirrors {@code PodSchedulingPropertiesChange} of {@code pkg/scheduler/framework/events.go}.
     */
    public static final class PodChanges {
        private PodChanges() {}

        /**
         * Returns one event for each kind of change, in the order of kube-scheduler; a general one if it is of no known kind.
         *
         * @param resource assigned or unscheduled pods
         */
        public static List<ObjectEvent> of(EventResource resource, PodInfo old, PodInfo now) {
            List<EventAction> actions = new ArrayList<>();
            if (!old.labels().equals(now.labels())) {
                actions.add(EventAction.UPDATE_POD_LABEL);
            }
            if (isScaledDown(old, now)) {
                actions.add(EventAction.UPDATE_POD_SCALE_DOWN);
            }
            if (!old.spec().schedulingGates().isEmpty()
                    && now.spec().schedulingGates().isEmpty()) {
                actions.add(EventAction.UPDATE_POD_SCHEDULING_GATES_ELIMINATED);
            }
            if (old.tolerations().size() != now.tolerations().size()) {
                actions.add(EventAction.UPDATE_POD_TOLERATION);
            }
            if (!old.madeClaims().equals(now.madeClaims())) {
                actions.add(EventAction.UPDATE_POD_GENERATED_RESOURCE_CLAIM);
            }
            if (actions.isEmpty()) {
                actions.add(EventAction.UPDATE);
            }
            return actions.stream()
                    .map(action -> ObjectEvent.updated(resource, action, old, now))
                    .toList();
        }

        /** Returns true if the change may help pods that do not wait for this pod: its labels differ, or it requests less. */
        static boolean mayHelpAny(PodInfo old, PodInfo now) {
            return !old.labels().equals(now.labels()) || isScaledDown(old, now);
        }

        private static boolean isScaledDown(PodInfo old, PodInfo now) {
            ResourceVector before = old.resources().current().filter();
            ResourceVector after = now.resources().current().filter();
            if (before.equals(after)) {
                return false;
            }
            boolean less = after.milliCpu() < before.milliCpu()
                    || after.memory() < before.memory()
                    || after.ephemeralStorage() < before.ephemeralStorage();
            for (int i = 0; !less && i < before.scalarCount(); i++) {
                String name = before.scalarName(i);
                less = !after.hasScalar(name) || after.scalar(name) < before.scalarAmount(i);
            }
            return less;
        }
    }
}
