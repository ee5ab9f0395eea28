package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterChange.UnreadablePod;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the events of one resource into changes in the scheduler's inbox, on the thread of that resource. */
public final class EventHandlers implements Listener<ClusterObject> {
    private static final Logger LOG = LoggerFactory.getLogger(EventHandlers.class);

    private final EventInbox inbox;
    private final WatchedResource resource;
    private final UnreadableObjects unreadables;
    private boolean lost;

    /** Posts changes of {@code resource} to {@code inbox}. */
    public EventHandlers(EventInbox inbox, WatchedResource resource) {
        this(inbox, resource, new UnreadableObjects(true));
    }

    /** Handlers that also record unreadable objects in {@code unreadables}. */
    EventHandlers(EventInbox inbox, WatchedResource resource, UnreadableObjects unreadables) {
        this.inbox = inbox;
        this.resource = resource;
        this.unreadables = unreadables;
    }

    @Override
    public void onReplaced(List<ClusterObject> items, String resourceVersion) {
        onReplaced(items, List.of(), resourceVersion);
    }

    @Override
    public void onReplaced(List<ClusterObject> items, List<Unreadable> unreadable, String resourceVersion) {
        unreadables.replaced(resource, unreadable);
        ResourceKind kind = resource.kind();
        if (kind == ResourceKind.PODS) {
            inbox.post(new ClusterChange.PodsReplaced(
                    only(items, PodInfo.class),
                    unreadable.stream()
                            .filter(EventHandlers::isNamed)
                            .map(this::pod)
                            .toList(),
                    resourceVersion));
        } else if (kind == ResourceKind.NODES) {
            inbox.post(new ClusterChange.NodesReplaced(only(items, Node.class)));
        } else {
            inbox.post(new ClusterChange.ObjectsReplaced(kind, items));
        }
    }

    private static boolean isNamed(Unreadable object) {
        return !object.name().isEmpty();
    }

    private UnreadablePod pod(Unreadable object) {
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
    public void onUnreadable(Unreadable object) {
        unreadables.add(resource, object);
        if (!isNamed(object)) {
            return;
        }
        if (resource.kind() == ResourceKind.PODS) {
            inbox.post(new ClusterChange.PodUnreadable(pod(object)));
        } else if (resource.kind() == ResourceKind.NODES) {
            // The requests of the unreadable pod are unknown.
            inbox.post(new ClusterChange.NodeDeleted(object.name()));
        }
    }

    @Override
    public void onUnreadableDeleted(Unreadable object) {
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

    /** A listener that also removes deleted pods from the cache of raw pods. */
    static final class RawPods implements Listener<ClusterObject> {
        private final KubeRawObjects rawObjects;
        private final Listener<ClusterObject> next;

        RawPods(KubeRawObjects rawObjects, Listener<ClusterObject> next) {
            this.rawObjects = rawObjects;
            this.next = next;
        }

        @Override
        public void onReplaced(List<ClusterObject> items, String resourceVersion) {
            onReplaced(items, List.of(), resourceVersion);
        }

        @Override
        public void onReplaced(List<ClusterObject> items, List<Unreadable> unreadable, String resourceVersion) {
            Set<String> present = items.stream()
                    .filter(PodInfo.class::isInstance)
                    .map(item -> ((PodInfo) item).uid())
                    .collect(Collectors.toSet());
            rawObjects.retainPods(present);
            next.onReplaced(items, unreadable, resourceVersion);
        }

        @Override
        public void onAdded(ClusterObject object) {
            next.onAdded(object);
        }

        @Override
        public void onModified(ClusterObject object) {
            next.onModified(object);
        }

        @Override
        public void onDeleted(ClusterObject object) {
            if (object instanceof PodInfo pod) {
                rawObjects.forgetPod(pod.uid());
            }
            next.onDeleted(object);
        }

        @Override
        public void onUnreadable(Unreadable object) {
            rawObjects.forgetPod(object.uid());
            next.onUnreadable(object);
        }

        @Override
        public void onUnreadableDeleted(Unreadable object) {
            rawObjects.forgetPod(object.uid());
            next.onUnreadableDeleted(object);
        }

        @Override
        public void onConnected() {
            next.onConnected();
        }

        @Override
        public void onDisconnected(String why) {
            next.onDisconnected(why);
        }
    }

    /**
     * The objects of the cluster that are unreadable now. Logs each object once for each reason, and at most 60 in a minute, because
     * tenants can create any number of them. Thread-safe.
     */
    static final class UnreadableObjects {
        private static final Logger LOG = LoggerFactory.getLogger(UnreadableObjects.class);
        /** Warnings that are remembered: an object that comes and goes must not fill the log. */
        private static final int MAX_LOGGED = 10_000;

        /** Lines in a minute. */
        static final int MAX_LINES = 60;

        private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

        private final LongSupplier nanoTime;
        private long windowStart;
        private int lines;

        private final boolean closesNodes;
        private final Map<String, Map<String, Unreadable>> byKind = new TreeMap<>();
        private final Map<String, Boolean> logged = new LinkedHashMap<>();

        /** @param closesNodes whether nodes with unreadable pods accept no other pods */
        public UnreadableObjects(boolean closesNodes) {
            this(closesNodes, System::nanoTime);
        }

        /** @param nanoTime the monotonic time */
        UnreadableObjects(boolean closesNodes, LongSupplier nanoTime) {
            this.closesNodes = closesNodes;
            this.nanoTime = nanoTime;
            this.windowStart = nanoTime.getAsLong();
            for (WatchedResource resource : WatchedResource.all()) {
                byKind.put(resource.objectKind(), new HashMap<>());
            }
        }

        boolean closesNodes() {
            return closesNodes;
        }

        /** Replaces the unreadable objects of a kind after a complete list. */
        synchronized void replaced(WatchedResource resource, Collection<Unreadable> objects) {
            of(resource).clear();
            objects.forEach(object -> add(resource, object));
        }

        /** An object cannot be read. */
        synchronized void add(WatchedResource resource, Unreadable object) {
            of(resource).put(object.key(), object);
            String cause = resource.objectKind() + " " + object.key() + " " + object.uid() + " " + object.reason();
            if (!logged.containsKey(cause) && mayLog()) {
                if (logged.size() >= MAX_LOGGED) {
                    logged.remove(logged.keySet().iterator().next());
                }
                logged.put(cause, true);
                LOG.warn(
                        "W101 skipped an unreadable object of {}: {} ({}){}",
                        resource.resource(),
                        object.key(),
                        object.reason(),
                        consequence(resource, object));
            }
        }

        private boolean mayLog() {
            long now = nanoTime.getAsLong();
            if (now - windowStart >= MINUTE) {
                windowStart = now;
                lines = 0;
            }
            lines++;
            if (lines == MAX_LINES + 1) {
                LOG.warn(
                        "W101 {} unreadable objects were logged in a minute, and further ones are not: the metric"
                                + " policy_scheduler_unreadable_objects counts them",
                        MAX_LINES);
            }
            return lines <= MAX_LINES;
        }

        /** The object is readable or deleted. */
        synchronized void remove(WatchedResource resource, String key) {
            of(resource).remove(key);
        }

        private Map<String, Unreadable> of(WatchedResource resource) {
            return byKind.computeIfAbsent(resource.objectKind(), kind -> new HashMap<>());
        }

        private String consequence(WatchedResource resource, Unreadable object) {
            return switch (resource.kind()) {
                case NODES -> "; no pods are scheduled to the node";
                case PODS -> {
                    if (object.nodeName().isEmpty()) {
                        yield "; the pod is not scheduled";
                    }
                    yield closesNodes
                            ? "; no pods are scheduled to node " + object.nodeName()
                                    + " until the pod is readable or deleted"
                                    + " (unless --ignore-unreadable-pods is set)"
                            : "; its resources on node " + object.nodeName() + " are not counted";
                }
                default -> "; its last readable state is used, if there is one";
            };
        }

        /** How many there are by kind, 0 included. */
        public synchronized Map<String, Integer> counts() {
            Map<String, Integer> counts = new TreeMap<>();
            byKind.forEach((kind, objects) -> counts.put(kind, objects.size()));
            return counts;
        }
    }
}
