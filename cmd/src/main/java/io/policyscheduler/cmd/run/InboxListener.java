package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.kube.ReflectorListener;
import io.policyscheduler.engine.cluster.ClusterObject;
import io.policyscheduler.engine.cluster.Node;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.scheduler.ClusterChange;
import io.policyscheduler.framework.scheduler.EventInbox;
import io.policyscheduler.framework.scheduler.ResourceKind;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns one resource's events into changes in a scheduler's inbox; runs on that resource's thread. */
public final class InboxListener implements ReflectorListener<ClusterObject> {
    private static final Logger LOG = LoggerFactory.getLogger(InboxListener.class);

    private final EventInbox inbox;
    private final WatchedResource resource;
    private boolean lost;

    /** Posts to {@code inbox} what is heard of {@code resource}. */
    public InboxListener(EventInbox inbox, WatchedResource resource) {
        this.inbox = inbox;
        this.resource = resource;
    }

    @Override
    public void onReplaced(List<ClusterObject> items, String resourceVersion) {
        ResourceKind kind = resource.kind();
        if (kind == ResourceKind.PODS) {
            inbox.post(new ClusterChange.PodsReplaced(only(items, PodInfo.class), resourceVersion));
        } else if (kind == ResourceKind.NODES) {
            inbox.post(new ClusterChange.NodesReplaced(only(items, Node.class)));
        } else {
            inbox.post(new ClusterChange.ObjectsReplaced(kind, items));
        }
    }

    private static <T> List<T> only(List<ClusterObject> items, Class<T> type) {
        return items.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Override
    public void onAdded(ClusterObject object) {
        upserted(object);
    }

    @Override
    public void onModified(ClusterObject object) {
        upserted(object);
    }

    private void upserted(ClusterObject object) {
        if (object instanceof PodInfo pod) {
            inbox.post(new ClusterChange.PodUpserted(pod));
        } else if (object instanceof Node node) {
            inbox.post(new ClusterChange.NodeUpserted(node));
        } else {
            inbox.post(new ClusterChange.ObjectUpserted(object));
        }
    }

    @Override
    public void onDeleted(ClusterObject object) {
        if (object instanceof PodInfo pod) {
            inbox.post(new ClusterChange.PodDeleted(pod.namespace(), pod.name(), pod.uid()));
        } else if (object instanceof Node node) {
            inbox.post(new ClusterChange.NodeDeleted(node.name()));
        } else {
            inbox.post(new ClusterChange.ObjectDeleted(resource.kind(), object.namespace(), object.name()));
        }
    }

    @Override
    public void onMalformed(String path, String objectName, String reason) {
        LOG.warn("W101 skipped a malformed object of {}: {} ({})", path, objectName, reason);
    }

    @Override
    public void onConnected() {
        if (lost) {
            lost = false;
            LOG.info("watching {} again", resource.resource());
            if (resource.kind() == ResourceKind.PODS) {
                inbox.post(new ClusterChange.ServerBack());
            }
        }
    }

    @Override
    public void onDisconnected(String why) {
        lost = true;
        LOG.warn("W102 no connection for {}: {}; retrying", resource.resource(), why);
    }
}
