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
 * A pod on its way through the queue. Immutable. Mirrors {@code PodInfo} of {@code pkg/scheduler/framework/v1alpha1}, and
 * {@code QueuedPodInfo} of current releases.
 *
 * @param pod the pod as last seen
 * @param timestamp when it was created here or last failed
 * @param sequence settles equal timestamps, taken together with the timestamp
 * @param attempts how often it has been popped
 * @param initialAttempt when it first came in
 * @param backoffExpiry when its backoff ends; meaningful in the backoff queue only
 * @param rejectedBy plugins that rejected it in its last attempt; empty when unknown, so that any change may help
 * @param pendingOn those of them that wait for something outside of the cluster, by the code {@code PENDING}
 * @param unschedulableCount how often plugins have rejected it
 * @param consecutiveErrors how often in a row something else has failed
 * @param gatedBy the plugin that holds it back; empty for none, and for pods of policies
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

    /** An entry of which no failures are counted. */
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

    /** The same entry with a newer pod object. */
    public QueuedPod withPod(PodInfo newer) {
        return new QueuedPod(
                newer,
                timestamp,
                sequence,
                attempts,
                initialAttempt,
                backoffExpiry,
                rejectedBy,
                pendingOn,
                unschedulableCount,
                consecutiveErrors,
                gatedBy);
    }

    /** The same entry with the plugins that rejected it; none of them waits for something outside of the cluster. */
    public QueuedPod withRejectedBy(Set<String> plugins) {
        return withRejectedBy(plugins, Set.of());
    }

    /** The same where some do. */
    public QueuedPod withRejectedBy(Set<String> plugins, Set<String> pending) {
        return new QueuedPod(
                pod,
                timestamp,
                sequence,
                attempts,
                initialAttempt,
                backoffExpiry,
                plugins,
                pending,
                unschedulableCount,
                consecutiveErrors,
                gatedBy);
    }

    QueuedPod popped() {
        return new QueuedPod(
                pod,
                timestamp,
                sequence,
                attempts + 1,
                initialAttempt,
                backoffExpiry,
                Set.of(),
                Set.of(),
                unschedulableCount,
                consecutiveErrors,
                "");
    }

    /** The same entry with one attempt more, which did not pass through the queue. */
    public QueuedPod attemptedAgain() {
        return popped();
    }

    QueuedPod failedAt(Instant now, long newSequence) {
        return with(now, newSequence, backoffExpiry, unschedulableCount, consecutiveErrors);
    }

    /** A failure is counted: a rejection if plugins have rejected it, else an error. */
    QueuedPod counted() {
        return rejectedBy.isEmpty()
                ? with(timestamp, sequence, backoffExpiry, unschedulableCount, consecutiveErrors + 1)
                : with(timestamp, sequence, backoffExpiry, unschedulableCount + 1, 0);
    }

    QueuedPod backingOffUntil(Instant expiry) {
        return with(timestamp, sequence, expiry, unschedulableCount, consecutiveErrors);
    }

    /** Held back, or no longer when {@code plugin} is empty. */
    QueuedPod gatedBy(String plugin) {
        Set<String> plugins = rejectedBy;
        if (!plugin.isEmpty() && !rejectedBy.contains(plugin)) {
            plugins = new HashSet<>(rejectedBy);
            plugins.add(plugin);
        }
        return new QueuedPod(
                pod,
                timestamp,
                sequence,
                attempts,
                initialAttempt,
                backoffExpiry,
                plugins,
                pendingOn,
                unschedulableCount,
                consecutiveErrors,
                plugin);
    }

    /** Tells changes that may make a pod schedulable from mere status updates. Mirrors {@code isPodUpdated}. */
    public static final class SpecChange {
        private SpecChange() {}

        /** True when anything but the resource version and the status differs, as far as the scheduler keeps it. */
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
        /** Held back before the queue. */
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

    /** In which ways a pod has changed. Mirrors {@code PodSchedulingPropertiesChange} of {@code pkg/scheduler/framework/events.go}. */
    public static final class PodChanges {
        private PodChanges() {}

        /**
         * Returns one event for each kind of change, in the order of kube-scheduler; a general one if it is of no known kind.
         *
         * @param resource pods with a node, or without
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

        /** Returns true when the change may help pods that do not wait for this pod: its labels differ, or it requests less. */
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
