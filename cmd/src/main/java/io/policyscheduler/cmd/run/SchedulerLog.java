package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.setup.UnknownFields;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.scheduler.SchedulerListener;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what the scheduler does, one line each. */
public final class SchedulerLog implements SchedulerListener {
    private static final Logger LOG = LoggerFactory.getLogger("scheduler");

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
        LOG.warn("{}", UnknownFields.warning(path));
    }

    @Override
    public void onExpired(PodInfo pod) {
        LOG.warn(
                "W107 {} was bound to {} but the cluster never showed it; reading it again", pod.key(), pod.nodeName());
    }
}
