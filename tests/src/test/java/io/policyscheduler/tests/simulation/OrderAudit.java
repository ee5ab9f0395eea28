package io.policyscheduler.tests.simulation;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The pod that is tried has the highest priority, and among those it has waited longest. */
final class OrderAudit {
    private final Consumer<String> violations;
    /** When the queued pods were added or failed, as of the last step. */
    private final Map<String, Instant> waitingSince = new HashMap<>();

    /**
     * The active pods at the time of the decision. The end of an attempt can activate more: a failed pod loses its nomination, for which others
     * waited.
     */
    private final Set<String> active = new HashSet<>();

    private @Nullable PodInfo decided;
    private boolean keepsItsTime;

    OrderAudit(Consumer<String> violations) {
        this.violations = violations;
    }

    void beforeRun() {
        decided = null;
        keepsItsTime = false;
    }

    void decided(SchedulerProcess process, PodInfo pod) {
        decided = pod;
        active.clear();
        process.scheduler()
                .queue()
                .entries(Part.ACTIVE)
                .forEach(entry -> active.add(entry.pod().uid()));
    }

    /** A pod that changes is active immediately and keeps its place. */
    void requeued(PodInfo pod, Part part) {
        keepsItsTime |= part == Part.ACTIVE;
    }

    /** A pod whose reservation fails frees its room immediately and activates others. */
    void bindFailed(PodInfo pod) {
        keepsItsTime |= decided != null && decided.isSame(pod);
    }

    void afterRun(SchedulerProcess process) {
        PodInfo pod = decided;
        boolean isChecked = !keepsItsTime && !process.feed(ResourceKind.PODS).isStale();
        for (QueuedPod other : process.scheduler().queue().entries(Part.ACTIVE)) {
            if (pod == null || !isChecked) {
                break;
            }
            if (!active.contains(other.pod().uid())) {
                continue;
            }
            Instant since = waitingSince.get(pod.uid());
            if (other.pod().priority() > pod.priority()) {
                violations.accept("pod " + pod.name() + " goes before " + other.key() + " of higher priority");
            } else if (other.pod().priority() == pod.priority()
                    && since != null
                    && other.timestamp().isBefore(since)) {
                violations.accept("pod " + pod.name() + " goes before " + other.key() + ", which waits longer");
            }
        }
        waitingSince.clear();
        for (Part part : Part.values()) {
            for (QueuedPod entry : process.scheduler().queue().entries(part)) {
                waitingSince.put(entry.pod().uid(), entry.timestamp());
            }
        }
    }

    void restart() {
        waitingSince.clear();
    }
}
