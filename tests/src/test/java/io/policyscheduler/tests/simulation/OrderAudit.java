package io.policyscheduler.tests.simulation;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import io.policyscheduler.framework.scheduler.queue.QueuedPod.Part;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The pod that is tried is the one of highest priority, and among those the one that has waited longest. */
final class OrderAudit {
    private final Consumer<String> violations;
    /** When the pods in the queue came in or failed, as of the last look. */
    private final Map<String, Instant> waitingSince = new HashMap<>();

    /** The active pods at the decision. Its end can activate more: a failed pod loses its nomination, for which others waited. */
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

    /** A pod that comes back changed is active at once and keeps its place. */
    void requeued(PodInfo pod, Part part) {
        keepsItsTime |= part == Part.ACTIVE;
    }

    /** A pod that gives its room back at once, as a plugin will not reserve it, wakes others that were not to be tried before. */
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
