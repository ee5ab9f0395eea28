package io.policyscheduler.cmd.extender.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.UncheckedExecutionException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.watch.Reflector;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.engine.reader.ProtobufParser;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Complete objects as JSON for the requests of extenders. The scheduler itself does not store them. Thread-safe. */
public interface RawObjects {
    /**
     * The JSON of a pod, without {@code kind} and {@code apiVersion}; at least as new as {@code pod}.
     *
     * @throws IOException if the pod does not exist, or cannot be read
     */
    String pod(PodInfo pod) throws IOException;

    /**
     * The JSON of a node, without {@code kind} and {@code apiVersion}.
     *
     * @throws IOException if the node does not exist, or cannot be read
     */
    String node(String name) throws IOException;

    /** Objects in the form that a scheduler's watch cache stores. */
    static final class ObjectJson {
        private ObjectJson() {}

        /** JSON without kind and apiVersion, as in lists and watches. */
        static String untyped(JsonNode object) {
            if (object instanceof ObjectNode fields) {
                return fields.deepCopy().without(List.of("kind", "apiVersion")).toString();
            }
            return object.toString();
        }
    }

    /** Complete objects from documents, for simulations; the first one of a name counts. Must be filled before use. */
    public static final class FileRawObjects implements RawObjects {
        private static final String DEFAULT_NAMESPACE = "default";

        private final Map<String, String> pods = new HashMap<>();
        private final Map<String, String> nodes = new HashMap<>();

        /** Adds the pods and nodes of a document: an object, a typed list or a List. */
        public void add(JsonNode document) {
            String kind = document.path("kind").asText();
            if (!document.path("items").isArray()) {
                put(kind, document);
                return;
            }
            String itemKind = kind.endsWith("List") ? kind.substring(0, kind.length() - "List".length()) : "";
            for (JsonNode item : document.path("items")) {
                put(item.path("kind").asText(itemKind), item);
            }
        }

        private void put(String kind, JsonNode object) {
            JsonNode metadata = object.path("metadata");
            String name = metadata.path("name").asText();
            if (kind.equals("Node")) {
                nodes.putIfAbsent(name, ObjectJson.untyped(object));
            } else if (kind.equals("Pod")) {
                String namespace = metadata.path("namespace").asText(DEFAULT_NAMESPACE);
                pods.putIfAbsent(namespace + "/" + name, ObjectJson.untyped(object));
            }
        }

        @Override
        public String pod(PodInfo pod) throws IOException {
            return found(pods.get(pod.key()), "pod", pod.key());
        }

        @Override
        public String node(String name) throws IOException {
            return found(nodes.get(name), "node", name);
        }

        private static String found(@Nullable String json, String kind, String name) throws IOException {
            if (json == null) {
                throw new IOException(kind + " \"" + name + "\" not found");
            }
            return json;
        }
    }

    /**
     * Complete objects of an API server. After {@link #keepPods}, pending pods come from the scheduler's own watch; other pods,
     * which are only sent as victims, are read. After {@link #watchNodes}, nodes, which every call contains, come from a watch.
     */
    public static final class KubeRawObjects implements RawObjects, AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger(KubeRawObjects.class);
        private static final int CACHED_PODS = 1000;
        private static final String NODES = "/api/v1/nodes";
        private static final String POD = "Pod";

        private record PodVersion(String uid, String resourceVersion) {}

        private record RawNode(String name, String json) {}

        private record RawPod(String resourceVersion, String json) {}

        private final KubeConnection connection;
        private final ObjectMapper mapper = new ObjectMapper();
        private final Cache<PodVersion, String> pods =
                CacheBuilder.newBuilder().maximumSize(CACHED_PODS).build();
        private final Map<String, RawPod> kept = new ConcurrentHashMap<>();
        private final Map<String, String> nodes = new ConcurrentHashMap<>();
        private final Reflector<RawNode> nodeWatch;
        private final CountDownLatch nodesListed = new CountDownLatch(1);
        private volatile boolean keepsPods;
        private volatile boolean watchesNodes;

        /** Reads over this connection, which the caller closes. */
        public KubeRawObjects(KubeConnection connection, RandomGenerator random, Clock clock) {
            this.connection = connection;
            this.nodeWatch = Reflector.of(connection, NODES, this::decode, new NodeListener())
                    .random(random)
                    .clock(clock)
                    .build();
        }

        /** Starts to watch nodes; call it once. */
        public void watchNodes(ThreadFactory threads) {
            watchesNodes = true;
            nodeWatch.start(threads);
        }

        /** Starts to store the pending pods that {@link #readPod} reads. */
        public void keepPods() {
            keepsPods = true;
        }

        /** Whether {@link #readPod} stores pods. */
        public boolean keepsPods() {
            return keepsPods;
        }

        /**
         * Reads a pod of the scheduler's watch and stores its JSON for extenders. A protobuf pod is not stored but read again as
         * JSON when an extender needs it.
         *
         * @param parser at the start of the object
         */
        public @Nullable ClusterObject readPod(JsonParser parser, ObjectReader reader) throws IOException {
            if (!keepsPods || parser instanceof ProtobufParser) {
                return reader.read(parser, POD);
            }
            JsonNode tree = tree(parser);
            try (JsonParser copy = mapper.treeAsTokens(tree)) {
                copy.nextToken();
                ClusterObject object = reader.read(copy, POD);
                if (object instanceof PodInfo pod) {
                    if (pod.nodeName().isEmpty()) {
                        kept.put(pod.uid(), new RawPod(pod.resourceVersion(), ObjectJson.untyped(tree)));
                    } else {
                        kept.remove(pod.uid());
                    }
                }
                return object;
            }
        }

        /** Leaves the parser at the end of the object, which the method of the mapper does not. */
        private JsonNode tree(JsonParser parser) throws IOException {
            try (TokenBuffer buffer = new TokenBuffer(parser)) {
                buffer.copyCurrentStructure(parser);
                try (JsonParser copy = buffer.asParser()) {
                    return mapper.readTree(copy);
                }
            }
        }

        /** Removes a deleted pod. */
        public void forgetPod(String uid) {
            kept.remove(uid);
        }

        /** Removes all pods except these. */
        public void retainPods(Set<String> uids) {
            kept.keySet().retainAll(uids);
        }

        private RawNode decode(JsonParser parser) throws IOException {
            JsonNode node = tree(parser);
            String name = node.path("metadata").path("name").asText();
            if (name.isEmpty()) {
                throw new IOException("node without a name");
            }
            return new RawNode(name, ObjectJson.untyped(node));
        }

        @Override
        public String pod(PodInfo pod) throws IOException {
            RawPod known = kept.get(pod.uid());
            if (known != null && isAtLeast(known.resourceVersion(), pod.resourceVersion())) {
                return known.json();
            }
            PodVersion version = new PodVersion(pod.uid(), pod.resourceVersion());
            try {
                return pods.get(version, () -> readPod(pod));
            } catch (ExecutionException | UncheckedExecutionException e) {
                throw new IOException(
                        String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()), e);
            }
        }

        private static boolean isAtLeast(String version, String other) {
            return version.equals(other)
                    || (version.length() == other.length()
                            ? version.compareTo(other) > 0
                            : version.length() > other.length());
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
            if (!watchesNodes) {
                return ObjectJson.untyped(read(NODES + "/" + name));
            }
            String json = nodes.get(name);
            if (json == null) {
                // The scheduler's own watch can be ahead of this one, in particular at the start.
                awaitNodes();
                json = nodes.get(name);
            }
            if (json == null) {
                throw new IOException("nodes \"" + name + "\" not found");
            }
            return json;
        }

        private void awaitNodes() throws IOException {
            try {
                if (!nodesListed.await(KubeConnection.DEFAULT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IOException("the list of nodes is not complete yet");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
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

        private final class NodeListener implements Listener<RawNode> {
            @Override
            public void onReplaced(List<RawNode> items, String resourceVersion) {
                items.forEach(this::onAdded);
                nodes.keySet().retainAll(items.stream().map(RawNode::name).collect(Collectors.toSet()));
                nodesListed.countDown();
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
                LOG.warn("W102 cannot watch the node objects for extenders: {}; retrying", why);
            }
        }
    }
}
