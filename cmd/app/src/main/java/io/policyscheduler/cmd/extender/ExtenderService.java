package io.policyscheduler.cmd.extender;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.extender.ExtenderService.ServedRequest.MalformedRequestException;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.engine.reader.ObjectReader.MalformedObjectException;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Implements the extender protocol according to a policy. Thread-safe; only the owner thread accesses the cluster.
 *
 * <p>Scores are relative to the nodes of a request: the best get {@value #MAX_SCORE}, the worst 0, in between they are
 * proportional and rounded down. Dividing by the largest possible total instead would leave no difference between nodes where one
 * priority has a weight of 10,000, as in v1.17's defaults.
 */
final class ExtenderService {
    private static final int MAX_SCORE = 10;

    private final SchedulingCycle cycle;
    private final ClusterState cluster;
    private final FeatureGates gates;
    private final Executor owner;

    /**
     * A service.
     *
     * @param cycle scheduling cycle for {@code cluster}
     * @param owner runs tasks on the thread that owns {@code cluster}
     */
    public ExtenderService(SchedulingCycle cycle, ClusterState cluster, FeatureGates gates, Executor owner) {
        this.cycle = cycle;
        this.cluster = cluster;
        this.gates = gates;
        this.owner = owner;
    }

    private record Verdict(Evaluation evaluation, List<String> unknown) {}

    /** Handles a filter call. Nodes are returned in the form of the request, as names or as objects. */
    public JsonNode filter(InputStream body) throws IOException, MalformedRequestException {
        ServedRequest request = ServedRequest.read(body, gates);
        Verdict verdict = onOwner(() -> evaluate(request));
        Evaluation evaluation = verdict.evaluation();
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        String error = evaluation.error();
        if (error != null && !evaluation.fitError()) {
            return answer.putNull("Nodes")
                    .putNull("NodeNames")
                    .putNull("FailedNodes")
                    .put("Error", error);
        }
        Set<String> kept = new HashSet<>(evaluation.feasible());
        if (request.names() != null) {
            answer.putNull("Nodes");
            ArrayNode names = answer.putArray("NodeNames");
            request.names().stream().filter(kept::contains).forEach(names::add);
        } else {
            ObjectNode nodes = answer.putObject("Nodes");
            nodes.putObject("metadata");
            ArrayNode items = nodes.putArray("items");
            request.nodes().stream()
                    .filter(sent -> kept.contains(sent.node().name()))
                    .forEach(sent -> items.add(sent.json()));
            answer.putNull("NodeNames");
        }
        ObjectNode failed = answer.putObject("FailedNodes");
        // Newer schedulers do not try preemption on these nodes; v1.17 ignores the key.
        ObjectNode unresolvable = answer.putObject("FailedAndUnresolvableNodes");
        for (Map.Entry<String, NodeFailure> failure : evaluation.failures().entrySet()) {
            String reasons = String.join(", ", failure.getValue().reasons());
            failed.put(failure.getKey(), reasons);
            if (failure.getValue().unresolvable()) {
                unresolvable.put(failure.getKey(), reasons);
            }
        }
        verdict.unknown().forEach(name -> failed.put(name, "node not found in the extender's cache"));
        return answer.put("Error", "");
    }

    /**
     * Handles a prioritize call. Infeasible nodes get 0.
     *
     * @throws IllegalStateException if the pod cannot be evaluated, with the reason as message
     */
    public JsonNode prioritize(InputStream body) throws IOException, MalformedRequestException {
        ServedRequest request = ServedRequest.read(body, gates);
        Evaluation evaluation = onOwner(() -> evaluate(request)).evaluation();
        if (evaluation.error() != null && !evaluation.fitError()) {
            throw new IllegalStateException(evaluation.error());
        }
        NodeValues totals = evaluation.totals();
        long max = Long.MIN_VALUE;
        long min = Long.MAX_VALUE;
        for (long total : totals.values()) {
            max = Math.max(max, total);
            min = Math.min(min, total);
        }
        ArrayNode answer = JsonNodeFactory.instance.arrayNode();
        for (String name : names(request)) {
            Long total = totals.get(name);
            answer.addObject().put("Host", name).put("Score", total == null ? 0 : scaled(total, min, max));
        }
        return answer;
    }

    /** In floating point, because weights can be so large that differences overflow; exact for the best and the worst. */
    private static long scaled(long total, long min, long max) {
        return max == min ? MAX_SCORE : (long) (((double) total - min) / ((double) max - min) * MAX_SCORE);
    }

    private static List<String> names(ServedRequest request) {
        return request.names() != null
                ? request.names()
                : request.nodes().stream().map(sent -> sent.node().name()).toList();
    }

    private Verdict evaluate(ServedRequest request) {
        cluster.startCompleteCycle();
        List<NodeInfo> nodes = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        if (request.names() != null) {
            for (String name : request.names()) {
                NodeInfo node = cluster.node(name);
                if (node == null) {
                    unknown.add(name);
                } else {
                    nodes.add(node);
                }
            }
        } else {
            request.nodes().forEach(sent -> nodes.add(node(sent)));
        }
        return new Verdict(cycle.evaluate(request.pod(), NominatedPods.NONE, nodes), unknown);
    }

    /** The node of the request, with its pods from the cache. */
    private NodeInfo node(ServedRequest.SentNode sent) {
        NodeInfo known = cluster.node(sent.node().name());
        if (known == null) {
            NodeInfo node = new NodeInfo(sent.node().name());
            node.setNode(sent.node(), Map.of());
            return node;
        }
        if (known.node().equals(sent.node())) {
            return known;
        }
        NodeInfo node = known.copy();
        node.setNode(sent.node(), known.images());
        return node;
    }

    private <T> T onOwner(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        owner.execute(() -> {
            try {
                answer.complete(question.get());
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            } catch (Error e) {
                answer.completeExceptionally(e);
                throw e;
            }
        });
        return answer.join();
    }

    /**
     * A filter or prioritize request as a scheduler sends it ({@code ExtenderArgs}).
     *
     * @param pod the pod to place
     * @param names names of the nodes with {@code nodeCacheCapable}; else null
     * @param nodes the node objects otherwise
     */
    record ServedRequest(PodInfo pod, @Nullable List<String> names, List<SentNode> nodes) {
        /** A node object of a request, and its JSON for the response. */
        record SentNode(Node node, JsonNode json) {}

        /** Reads a request. */
        static ServedRequest read(InputStream in, FeatureGates gates) throws IOException, MalformedRequestException {
            try (JsonParser parser = ClusterFile.jsonFactory().createParser(in)) {
                parser.setCodec(new ObjectMapper());
                return read(parser, new ObjectReader(gates, false));
            } catch (JacksonException e) {
                throw new MalformedRequestException(
                        e.getOriginalMessage().lines().findFirst().orElse("malformed JSON"));
            } catch (MalformedObjectException e) {
                throw new MalformedRequestException(String.valueOf(e.getMessage()));
            }
        }

        private static ServedRequest read(JsonParser parser, ObjectReader reader)
                throws IOException, MalformedRequestException {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new MalformedRequestException("expected an object with Pod and Nodes or NodeNames");
            }
            @Nullable PodInfo pod = null;
            @Nullable List<String> names = null;
            List<SentNode> nodes = new ArrayList<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equalsIgnoreCase("Pod") && value == JsonToken.START_OBJECT) {
                    pod = reader.read(parser, "Pod") instanceof PodInfo read ? read : null;
                } else if (field.equalsIgnoreCase("NodeNames") && value == JsonToken.START_ARRAY) {
                    names = names(parser);
                } else if (field.equalsIgnoreCase("Nodes") && value == JsonToken.START_OBJECT) {
                    nodes(parser, reader, nodes);
                } else {
                    parser.skipChildren();
                }
            }
            if (pod == null) {
                throw new MalformedRequestException("the request has no Pod");
            }
            return new ServedRequest(pod, names, nodes);
        }

        private static List<String> names(JsonParser parser) throws IOException, MalformedRequestException {
            List<String> names = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (parser.currentToken() != JsonToken.VALUE_STRING) {
                    throw new MalformedRequestException("NodeNames contains a value that is not a string");
                }
                names.add(parser.getText());
            }
            return names;
        }

        private static void nodes(JsonParser parser, ObjectReader reader, List<SentNode> nodes)
                throws IOException, MalformedRequestException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean items = parser.currentName().equalsIgnoreCase("items");
                if (parser.nextToken() != JsonToken.START_ARRAY || !items) {
                    parser.skipChildren();
                    continue;
                }
                while (parser.nextToken() == JsonToken.START_OBJECT) {
                    JsonNode json = parser.readValueAsTree();
                    nodes.add(new SentNode(node(json, reader), json));
                }
                if (parser.currentToken() != JsonToken.END_ARRAY) {
                    throw new MalformedRequestException("Nodes contains a value that is not a node");
                }
            }
        }

        private static Node node(JsonNode json, ObjectReader reader) throws IOException, MalformedRequestException {
            try (JsonParser parser = json.traverse()) {
                parser.nextToken();
                ClusterObject object = reader.read(parser, "Node");
                if (object instanceof Node node) {
                    return node;
                }
                throw new MalformedRequestException("Nodes contains a value that is not a node");
            }
        }

        /** An invalid request, with the reason as message. */
        static final class MalformedRequestException extends Exception {
            private static final long serialVersionUID = 1L;

            MalformedRequestException(String message) {
                super(message);
            }
        }
    }
}
