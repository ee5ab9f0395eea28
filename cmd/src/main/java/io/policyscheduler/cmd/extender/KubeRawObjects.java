package io.policyscheduler.cmd.extender;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.UncheckedExecutionException;
import io.policyscheduler.cmd.kube.ApiResponse;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.cmd.kube.Reflector;
import io.policyscheduler.cmd.kube.ReflectorListener;
import io.policyscheduler.cmd.kube.ReflectorOptions;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raw objects of an API server. A pod is read when it is first asked for in a version, so once for an attempt. Nodes, which
 * are all sent in every call, are watched once {@link #watchNodes} is called; one that the watch does not know yet is read.
 */
public final class KubeRawObjects implements RawObjects, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KubeRawObjects.class);
    private static final int CACHED_PODS = 1000;
    private static final String NODES = "/api/v1/nodes";

    private record PodVersion(String uid, String resourceVersion) {}

    private record RawNode(String name, String json) {}

    private final KubeConnection connection;
    private final ObjectMapper mapper = new ObjectMapper();
    private final Cache<PodVersion, String> pods =
            CacheBuilder.newBuilder().maximumSize(CACHED_PODS).build();
    private final Map<String, String> nodes = new ConcurrentHashMap<>();
    private final Reflector<RawNode> nodeWatch;

    /** Reads over this connection, which stays the caller's. */
    public KubeRawObjects(KubeConnection connection, RandomGenerator random, Clock clock) {
        this.connection = connection;
        this.nodeWatch = new Reflector<>(
                connection,
                NODES,
                ClusterFile.jsonFactory(),
                this::decode,
                new NodeListener(),
                ReflectorOptions.defaults(),
                random,
                clock,
                Sleeper.REAL);
    }

    /** Starts to keep all nodes; once only. */
    public void watchNodes(ThreadFactory threads) {
        nodeWatch.start(threads);
    }

    private RawNode decode(JsonParser parser) throws IOException {
        JsonNode node = mapper.readTree(parser);
        String name = node.path("metadata").path("name").asText();
        if (name.isEmpty()) {
            throw new IOException("node without a name");
        }
        return new RawNode(name, ObjectJson.untyped(node));
    }

    @Override
    public String pod(PodInfo pod) throws IOException {
        PodVersion version = new PodVersion(pod.uid(), pod.resourceVersion());
        try {
            return pods.get(version, () -> readPod(pod));
        } catch (ExecutionException | UncheckedExecutionException e) {
            throw new IOException(
                    String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()), e);
        }
    }

    private String readPod(PodInfo pod) throws IOException {
        JsonNode read = read("/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name());
        if (!read.path("metadata").path("uid").asText().equals(pod.uid())) {
            throw new IOException("pod " + pod.key() + " was recreated");
        }
        return ObjectJson.untyped(read);
    }

    @Override
    public String node(String name) throws IOException {
        String json = nodes.get(name);
        return json == null ? ObjectJson.untyped(read(NODES + "/" + name)) : json;
    }

    private JsonNode read(String path) throws IOException {
        ApiResponse response = connection.get(path);
        if (!response.success()) {
            throw new IOException(response.message());
        }
        return response.json();
    }

    @Override
    public void close() {
        nodeWatch.close();
    }

    private final class NodeListener implements ReflectorListener<RawNode> {
        @Override
        public void onReplaced(List<RawNode> items, String resourceVersion) {
            items.forEach(this::onAdded);
            nodes.keySet().retainAll(items.stream().map(RawNode::name).collect(Collectors.toSet()));
        }

        @Override
        public void onAdded(RawNode node) {
            nodes.put(node.name(), node.json());
        }

        @Override
        public void onModified(RawNode node) {
            onAdded(node);
        }

        @Override
        public void onDeleted(RawNode node) {
            nodes.remove(node.name());
        }

        @Override
        public void onDisconnected(String why) {
            LOG.warn("W102 no connection for the node objects of extenders: {}; retrying", why);
        }
    }
}
