package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.queue.SchedulingQueue;
import io.policyscheduler.framework.scheduler.refusal.RefusedPlaces;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices when a kubelet has refused or evicted a pod of ours: kubelet and scheduler disagree about the node, and the successor
 * would run into it again. The watch leaves finished pods out, so that a pod that vanishes from it without having been deleted is
 * read once. Mirrors the reasons of {@code pkg/kubelet/lifecycle} and {@code pkg/kubelet/eviction}.
 */
final class KubeletRefusals {
    /** The reason of the event, and of nothing else. */
    static final String NODE_REFUSED_POD = "NodeRefusedPod";

    private static final Logger log = LoggerFactory.getLogger(KubeletRefusals.class);

    /** Of a resource, an extended one included, there was not as much as the scheduler thought. */
    private static final String OUT_OF = "OutOf";

    private static final Set<String> REASONS = Set.of(
            "Evicted",
            "NodeAffinity",
            "NodeName",
            "NodePorts",
            "MatchNodeSelector",
            "HostName",
            "PodFitsHostPorts",
            "TaintToleration",
            "TopologyAffinityError",
            "UnexpectedAdmissionError",
            "InvalidNodeInfo");

    /** When thousands of jobs end at once, the API server has better things to do. */
    private static final int READS_PER_SECOND = 20;

    private final RefusedPlaces places;
    private final ClusterWriter writer;
    private final EventInbox inbox;
    private final SchedulingQueue queue;
    private final FailureRecorder failures;
    private final SchedulerListener listener;
    private final Clock clock;
    private final BooleanSupplier leads;
    private int readsLeft = READS_PER_SECOND;
    private Instant expired;

    /** @param leads false while another process schedules, and tells what there is to tell */
    KubeletRefusals(
            RefusedPlaces places,
            ClusterWriter writer,
            EventInbox inbox,
            SchedulingQueue queue,
            FailureRecorder failures,
            SchedulerListener listener,
            Clock clock,
            BooleanSupplier leads) {
        this.places = places;
        this.writer = writer;
        this.inbox = inbox;
        this.queue = queue;
        this.failures = failures;
        this.listener = listener;
        this.clock = clock;
        this.leads = leads;
        this.expired = clock.instant();
    }

    /** A pod that was on a node is there no more, as it was shown last. */
    void vanished(PodInfo pod) {
        if (pod.terminating() || readsLeft == 0 || !leads.getAsBoolean()) {
            return;
        }
        readsLeft--;
        writer.readPod(pod, read -> {
            if (read instanceof PodRead.Found found && found.pod().isSame(pod)) {
                inbox.post(new ClusterChange.FinishedPodRead(found.pod()));
            }
        });
    }

    /** A finished pod, from the watch or read after it vanished. */
    void finished(PodInfo pod, long generation) {
        String reason = pod.failure();
        if (!leads.getAsBoolean() || pod.nodeName().isEmpty() || !isRefusal(reason)) {
            return;
        }
        Duration wait = places.refused(pod, reason, clock.instant());
        log.warn(
                "W114 node {} refused pod {}: {}; pods like it go elsewhere for {} s",
                pod.nodeName(),
                pod.key(),
                reason,
                wait.toSeconds());
        failures.event(
                pod,
                "Warning",
                NODE_REFUSED_POD,
                "Node " + pod.nodeName() + " refused the pod (" + reason + "): pods like it go elsewhere for "
                        + wait.toSeconds() + " s",
                generation);
        listener.onRefused(pod, reason);
    }

    private static boolean isRefusal(String reason) {
        return reason.startsWith(OUT_OF) || REASONS.contains(reason);
    }

    /** To be called once a second. */
    void tick() {
        readsLeft = READS_PER_SECOND;
        Instant now = clock.instant();
        if (places.expire(expired, now)) {
            queue.moveAll(ClusterEvent.NODE_WAIT_OVER);
        }
        expired = now;
    }
}
