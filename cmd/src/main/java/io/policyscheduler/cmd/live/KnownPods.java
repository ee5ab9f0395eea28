package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a scheduler that is connected to a cluster knows of pods. */
final class KnownPods implements StartGate.Pods {
    private static final Logger LOG = LoggerFactory.getLogger(KnownPods.class);

    private final ClusterFeed feed;
    private final Scheduler scheduler;
    private final PodWriter writer;

    KnownPods(ClusterFeed feed, Scheduler scheduler, PodWriter writer) {
        this.feed = feed;
        this.scheduler = scheduler;
        this.writer = writer;
    }

    @Override
    public boolean areKnown() {
        return feed.knowsPods();
    }

    @Override
    public void listFromStorage() {
        feed.listPodsFromStorage();
    }

    @Override
    public void firstWaiting(Consumer<Optional<PodInfo>> receiver) {
        scheduler.post(new ClusterChange.Task(
                "find a pending pod",
                () -> receiver.accept(scheduler.queue().pendingPods().stream().findFirst())));
    }

    @Override
    public void touch(PodInfo pod) throws ApiIoException {
        boolean written = writer.touch(pod.namespace(), pod.name(), pod.uid());
        LOG.atInfo()
                .addKeyValue("pod", pod.key())
                .log(written ? "touched, to see that the watch is up to date" : "has changed meanwhile");
    }
}
