package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.world.UnknownPodFields;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what the scheduler does, one line each. */
public final class SchedulerLog implements SchedulerListener {
    private static final Logger LOG = LoggerFactory.getLogger("scheduler");
    private static final int MOST_TOLD = 1000;

    private final Set<String> toldOutOfRange = new HashSet<>();

    @Override
    public void onScoreOutOfRange(String algorithm, PodInfo pod, String node, long score) {
        // One line for each algorithm and node is enough; so many nodes are not made up by anybody.
        if (toldOutOfRange.size() < MOST_TOLD && toldOutOfRange.add(algorithm + " " + node)) {
            LOG.warn(
                    "W113 {} gave {} the score {} for {}, which is out of range and counts as its end: look for amounts of"
                            + " absurd size on the node; not told again",
                    algorithm,
                    node,
                    score,
                    pod.key());
        }
    }

    @Override
    public void onSynced() {
        LOG.info("the cluster's state is known");
    }

    @Override
    public void onBound(QueuedPod entry, String node, long nanos) {
        LOG.info("bound {} to {} in {} ms", entry.pod().key(), node, TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    @Override
    public void onBindFailed(PodInfo pod, String node, String message) {
        LOG.warn("W106 binding {} to {} failed: {}", pod.key(), node, message);
    }

    @Override
    public void onFailure(PodInfo pod, String reason, String message) {
        LOG.info("{} not scheduled ({}): {}", pod.key(), reason, message);
    }

    @Override
    public void onUnknownPodField(String path) {
        LOG.warn("{}", UnknownPodFields.warning(path));
    }

    @Override
    public void onExpired(PodInfo pod) {
        LOG.warn(
                "W107 {} was bound to {} but the cluster never showed it; reading it again", pod.key(), pod.nodeName());
    }
}
