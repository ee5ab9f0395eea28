package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.watch.ReflectorListener;
import io.policyscheduler.cmd.kube.watch.UnreadableObject;
import io.policyscheduler.cmd.world.WatchedResource;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.UnreadablePod;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns one resource's events into changes in a scheduler's inbox; runs on that resource's thread. */
public final class InboxListener implements ReflectorListener<ClusterObject> {
    private static final Logger LOG = LoggerFactory.getLogger(InboxListener.class);

    private final EventInbox inbox;
    private final WatchedResource resource;
    private final UnreadableObjects unreadables;
    private boolean lost;

    /** Posts to {@code inbox} what is heard of {@code resource}. */
    public InboxListener(EventInbox inbox, WatchedResource resource) {
        this(inbox, resource, new UnreadableObjects(true));
    }

    /** The same; what cannot be read is noted in {@code unreadables}. */
    InboxListener(EventInbox inbox, WatchedResource resource, UnreadableObjects unreadables) {
        this.inbox = inbox;
        this.resource = resource;
        this.unreadables = unreadables;
    }

    @Override
    public void onReplaced(List<ClusterObject> items, String resourceVersion) {
        onReplaced(items, List.of(), resourceVersion);
    }

    @Override
    public void onReplaced(List<ClusterObject> items, List<UnreadableObject> unreadable, String resourceVersion) {
        unreadables.replaced(resource, unreadable);
        ResourceKind kind = resource.kind();
        if (kind == ResourceKind.PODS) {
            inbox.post(new ClusterChange.PodsReplaced(
                    only(items, PodInfo.class),
                    unreadable.stream()
                            .filter(InboxListener::isNamed)
                            .map(this::pod)
                            .toList(),
                    resourceVersion));
        } else if (kind == ResourceKind.NODES) {
            inbox.post(new ClusterChange.NodesReplaced(only(items, Node.class)));
        } else {
            inbox.post(new ClusterChange.ObjectsReplaced(kind, items));
        }
    }

    private static boolean isNamed(UnreadableObject object) {
        return !object.name().isEmpty();
    }

    private UnreadablePod pod(UnreadableObject object) {
        return new UnreadablePod(
                object.namespace(),
                object.name(),
                object.uid(),
                object.nodeName(),
                object.schedulerName(),
                object.reason(),
                unreadables.closesNodes());
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
        unreadables.remove(resource, object.key());
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
        unreadables.remove(resource, object.key());
        if (object instanceof PodInfo pod) {
            inbox.post(new ClusterChange.PodDeleted(pod.namespace(), pod.name(), pod.uid()));
        } else if (object instanceof Node node) {
            inbox.post(new ClusterChange.NodeDeleted(node.name()));
        } else {
            inbox.post(new ClusterChange.ObjectDeleted(resource.kind(), object.namespace(), object.name()));
        }
    }

    @Override
    public void onUnreadable(UnreadableObject object) {
        unreadables.add(resource, object);
        if (!isNamed(object)) {
            return;
        }
        if (resource.kind() == ResourceKind.PODS) {
            inbox.post(new ClusterChange.PodUnreadable(pod(object)));
        } else if (resource.kind() == ResourceKind.NODES) {
            // Nobody knows any more what it has, or for whom.
            inbox.post(new ClusterChange.NodeDeleted(object.name()));
        }
    }

    @Override
    public void onUnreadableDeleted(UnreadableObject object) {
        unreadables.remove(resource, object.key());
        if (!isNamed(object)) {
            return;
        }
        if (resource.kind() == ResourceKind.PODS) {
            inbox.post(new ClusterChange.PodDeleted(object.namespace(), object.name(), object.uid()));
        } else if (resource.kind() == ResourceKind.NODES) {
            inbox.post(new ClusterChange.NodeDeleted(object.name()));
        } else {
            inbox.post(new ClusterChange.ObjectDeleted(resource.kind(), object.namespace(), object.name()));
        }
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
        LOG.warn("W102 cannot watch {}: {}; retrying", resource.resource(), why);
    }
}
