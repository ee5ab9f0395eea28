package io.policyscheduler.cmd.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.extender.ServedRequest.MalformedRequestException;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
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

/**
 * Answers what schedulers ask their extenders, by a policy. Thread-safe; the cluster is only touched by its owner.
 *
 * <p>Scores are relative to the nodes of a request: the best get {@value #MAX_SCORE}, the worst 0, in between they are
 * proportional and rounded down. Dividing by the largest possible total instead would leave no difference between nodes where
 * one priority has a weight of 10,000, as in v1.17's defaults.
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
     * @param cycle decides on {@code cluster}
     * @param owner runs tasks on the thread that owns {@code cluster}
     */
    public ExtenderService(SchedulingCycle cycle, ClusterState cluster, FeatureGates gates, Executor owner) {
        this.cycle = cycle;
        this.cluster = cluster;
        this.gates = gates;
        this.owner = owner;
    }

    private record Verdict(Evaluation evaluation, List<String> unknown) {}

    /** Answers a filter call; nodes are given back as they came, by name or as objects. */
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
        // Newer schedulers do not try preemption there; v1.17 does not know the key.
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
     * Answers a prioritize call. Nodes that do not take the pod get 0.
     *
     * @throws IllegalStateException when the pod cannot be judged; the message says why
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

    /** In floating point, as weights may be so large that differences overflow; exact for the best and the worst. */
    private static long scaled(long total, long min, long max) {
        return max == min ? MAX_SCORE : (long) (((double) total - min) / ((double) max - min) * MAX_SCORE);
    }

    private static List<String> names(ServedRequest request) {
        return request.names() != null
                ? request.names()
                : request.nodes().stream().map(sent -> sent.node().name()).toList();
    }

    private Verdict evaluate(ServedRequest request) {
        cluster.startCycle();
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

    /** The node as it was sent, with the pods that we know of. */
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
}
