package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.Discovery;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.cmd.kube.Reflector;
import io.policyscheduler.cmd.kube.ReflectorListener;
import io.policyscheduler.cmd.kube.ReflectorOptions;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.engine.cluster.ClusterObject;
import io.policyscheduler.engine.cluster.FeatureGates;
import io.policyscheduler.engine.cluster.Node;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.scheduler.ClusterChange;
import io.policyscheduler.framework.scheduler.EventInbox;
import io.policyscheduler.framework.scheduler.ResourceKind;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lists and watches everything the scheduler looks at, one thread a resource, and posts it to the scheduler's inbox. */
final class ClusterFeed implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterFeed.class);

    private final EventInbox inbox;
    private final List<Reflector<ClusterObject>> reflectors = new ArrayList<>();

    /**
     * Finds out what the server serves. A resource that it does not have counts as empty.
     *
     * @throws ApiIoException when the server does not answer
     */
    ClusterFeed(
            KubeConnection connection,
            Discovery discovery,
            EventInbox inbox,
            FeatureGates gates,
            RandomGenerator random,
            Clock clock)
            throws ApiIoException {
        this.inbox = inbox;
        JsonFactory json = ClusterFile.jsonFactory();
        for (WatchedResource resource : WatchedResource.all()) {
            Optional<String> path = discovery.path(resource.group(), resource.resource(), resource.versions());
            if (path.isEmpty()) {
                LOG.info("the server has no {}; none are assumed", resource.resource());
                inbox.post(new ClusterChange.ObjectsReplaced(resource.kind(), List.of()));
                continue;
            }
            ObjectReader reader = new ObjectReader(gates, false);
            reflectors.add(new Reflector<>(
                    connection,
                    path.get(),
                    json,
                    parser -> reader.read(parser, resource.objectKind()),
                    new InboxListener(resource),
                    ReflectorOptions.defaults().withFieldSelector(resource.fieldSelector()),
                    random,
                    clock,
                    Sleeper.REAL));
        }
    }

    void start(ThreadFactory threads) {
        reflectors.forEach(reflector -> reflector.start(threads));
    }

    @Override
    public void close() {
        reflectors.forEach(Reflector::close);
    }

    /** Turns one resource's events into changes; runs on that resource's thread. */
    private final class InboxListener implements ReflectorListener<ClusterObject> {
        private final WatchedResource resource;
        private boolean connected;

        InboxListener(WatchedResource resource) {
            this.resource = resource;
        }

        @Override
        public void onReplaced(List<ClusterObject> items, String resourceVersion) {
            ResourceKind kind = resource.kind();
            if (kind == ResourceKind.PODS) {
                inbox.post(new ClusterChange.PodsReplaced(only(items, PodInfo.class)));
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
            if (!connected) {
                connected = true;
                LOG.debug("watching {}", resource.resource());
            }
        }

        @Override
        public void onDisconnected(String why) {
            if (connected) {
                connected = false;
                LOG.warn("W102 lost the connection for {}: {}; retrying", resource.resource(), why);
            }
        }
    }
}
