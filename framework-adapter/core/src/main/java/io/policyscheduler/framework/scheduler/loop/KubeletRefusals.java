package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.KubeletRejection;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.binding.PodReports;
import io.policyscheduler.framework.scheduler.binding.ProfilesInForce;
import io.policyscheduler.framework.scheduler.binding.Surroundings;
import io.policyscheduler.framework.scheduler.queue.SchedulingQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices when a kubelet has refused or evicted a pod of ours: kubelet and scheduler disagree about the node, and the successor
 * would run into it again. The watch leaves finished pods out, so that a pod that vanishes from it without having been deleted is
 * read once. {@link KubeletRejection} has the reasons.
 */
public final class KubeletRefusals {
    /** The reason of the event, and of nothing else. */
    static final String NODE_REFUSED_POD = "NodeRefusedPod";

    private static final Logger log = LoggerFactory.getLogger(KubeletRefusals.class);

    /** When thousands of jobs end at once, the API server has better things to do. */
    private static final int READS_PER_SECOND = 20;

    private final RefusedPlaces places;
    private final SchedulingQueue queue;
    private final Surroundings surroundings;
    private final PodReports reports;
    private final ProfilesInForce profiles;
    private final BooleanSupplier leads;
    private int readsLeft = READS_PER_SECOND;
    private Instant expired;

    /** @param leads false while another process schedules, and tells what there is to tell */
    public KubeletRefusals(
            RefusedPlaces places,
            SchedulingQueue queue,
            Surroundings surroundings,
            PodReports reports,
            ProfilesInForce profiles,
            BooleanSupplier leads) {
        this.places = places;
        this.queue = queue;
        this.surroundings = surroundings;
        this.reports = reports;
        this.profiles = profiles;
        this.leads = leads;
        this.expired = surroundings.clock().instant();
    }

    /** A pod is there no more, as it was shown last. */
    public void vanished(PodInfo pod) {
        boolean isOurs = !pod.nodeName().isEmpty() && profiles.isOurs(pod);
        if (!isOurs || pod.terminating() || readsLeft == 0 || !leads.getAsBoolean()) {
            return;
        }
        readsLeft--;
        surroundings.writer().readPod(pod, read -> {
            if (read instanceof PodRead.Found found && found.pod().isSame(pod)) {
                surroundings.inbox().post("the end of a pod", () -> finished(found.pod()));
            }
        });
    }

    /** A pod that gives its room back, from the watch or read after it vanished. */
    public void finished(PodInfo pod) {
        String reason = pod.failure();
        boolean wasOurs = pod.isFinished() && !pod.nodeName().isEmpty() && profiles.isOurs(pod);
        if (!wasOurs || !leads.getAsBoolean() || !KubeletRejection.is(reason, false)) {
            return;
        }
        Duration wait = places.refused(pod, reason, surroundings.clock().instant());
        log.atWarn()
                .addKeyValue("pod", pod.key())
                .addKeyValue("node", pod.nodeName())
                .log(
                        "W114 rejected by the kubelet: {}; similar pods avoid the node for {} s",
                        reason,
                        wait.toSeconds());
        reports.warn(
                pod,
                NODE_REFUSED_POD,
                "Node " + pod.nodeName() + " rejected the pod (" + reason + "): similar pods avoid the node for "
                        + wait.toSeconds() + " s");
        surroundings.listener().onRefused(pod, reason);
    }

    /** A kubelet has started the pod, so that nodes do not reject all pods of its kind. */
    public void started(PodInfo pod) {
        if (places.accepted(pod)) {
            queue.moveAll(ClusterEvent.NODE_WAIT_OVER);
        }
    }

    /** To be called once a second. */
    public void tick() {
        readsLeft = READS_PER_SECOND;
        Instant now = surroundings.clock().instant();
        if (places.expire(expired, now)) {
            queue.moveAll(ClusterEvent.NODE_WAIT_OVER);
        }
        expired = now;
    }
}
