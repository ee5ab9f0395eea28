package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Tolerations;
import io.policyscheduler.cmd.embedded.controller.EmbeddedKubelet.PlaygroundAnnotations;
import io.policyscheduler.engine.creation.NodeTaints;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Marks annotated nodes as not ready, and sets the taints of conditions and of the spec (pkg/controller/nodelifecycle). */
public final class NodeController extends KeyedController {
    private final ResourceType pods;

    public NodeController(Clientset objects) {
        super(objects, "nodes");
        this.pods = objects.type("pods");
    }

    @Override
    public void reconcile(ObjectNode node) {
        boolean failed = PlaygroundAnnotations.isFailed(node);
        boolean unknown = Json.text(Conditions.find(node.path("status"), "Ready"), "reason")
                .equals("NodeStatusUnknown");
        if (failed && !unknown) {
            ready(node, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.");
            podsReady(node, "False");
        } else if (!failed && unknown) {
            ready(node, "True", "KubeletReady", "kubelet is posting ready status");
            podsReady(node, "True");
        }
        objects().get(type(), ObjectKey.of(node)).ifPresent(this::taint);
    }

    private void ready(ObjectNode node, String value, String reason, String message) {
        objects()
                .changeStatus(
                        type(),
                        node,
                        status -> Conditions.set(
                                status,
                                "Ready",
                                value,
                                reason,
                                message,
                                objects().time(),
                                "lastHeartbeatTime"));
    }

    /** The pods of such a node are not ready. */
    private void podsReady(ObjectNode node, String value) {
        String name = ObjectKey.of(node).name();
        for (ObjectNode pod : objects().list(pods, "")) {
            if (Json.text(pod, "spec", "nodeName").equals(name)
                    && PodStates.phase(pod).equals("Running")) {
                objects()
                        .changeStatus(
                                pods,
                                pod,
                                status -> Conditions.set(
                                        status,
                                        "Ready",
                                        value,
                                        "",
                                        "",
                                        objects().time()));
            }
        }
    }

    private void taint(ObjectNode node) {
        List<NodeTaints.Taint> desired = NodeTaints.of(node);
        ArrayNode taints = Json.array();
        Set<NodeTaints.Taint> present = new LinkedHashSet<>();
        for (JsonNode taint : node.path("spec").path("taints")) {
            NodeTaints.Taint named = new NodeTaints.Taint(Json.text(taint, "key"), Json.text(taint, "effect"));
            if (!NodeTaints.isOwn(named.key()) || desired.contains(named)) {
                taints.add(taint);
                present.add(named);
            }
        }
        for (NodeTaints.Taint taint : desired) {
            if (!present.contains(taint)) {
                taints.addObject()
                        .put("key", taint.key())
                        .put("effect", taint.effect())
                        .put("timeAdded", objects().time());
            }
        }
        if (!taints.equals(node.path("spec").path("taints"))
                && !(taints.isEmpty() && present(node).isEmpty())) {
            objects().change(type(), node, changed -> {
                if (taints.isEmpty()) {
                    Json.child(changed, "spec").remove("taints");
                } else {
                    Json.child(changed, "spec").set("taints", taints);
                }
            });
        }
    }

    private static JsonNode present(JsonNode node) {
        return node.path("spec").path("taints");
    }

    /**
     * Evicts pods that do not tolerate the taints of their node, after their toleration seconds (pkg/controller/tainteviction).
     */
    public static final class TaintEvictionController extends KeyedController {
        private final ResourceType nodes;
        private final EventRecorder events;

        public TaintEvictionController(Clientset objects) {
            super(objects, "pods", "nodes");
            this.nodes = objects.type("nodes");
            this.events = new EventRecorder(objects, "taint-eviction-controller");
        }

        @Override
        public void handleRelated(ResourceType other, ObjectNode node) {
            if (node.path("spec").path("taints").isEmpty()) {
                return;
            }
            String name = ObjectKey.of(node).name();
            objects().list(type(), "").stream()
                    .filter(pod -> Json.text(pod, "spec", "nodeName").equals(name))
                    .forEach(pod -> enqueue(ObjectKey.of(pod)));
        }

        @Override
        public void reconcile(ObjectNode pod) {
            String node = Json.text(pod, "spec", "nodeName");
            if (node.isEmpty() || !PodStates.isActive(pod)) {
                return;
            }
            Optional<Instant> due =
                    objects().get(nodes, new ObjectKey("", node)).flatMap(n -> evictedAt(pod, n));
            if (due.isPresent() && due.get().isAfter(objects().now())) {
                enqueueAt(due.get(), pod);
            } else if (due.isPresent()) {
                events.normal(
                        type(),
                        pod,
                        "TaintManagerEviction",
                        "Marking for deletion Pod " + ObjectKey.of(pod).namespace() + "/"
                                + ObjectKey.of(pod).name());
                objects().delete(type(), pod);
            }
        }

        /** The end of the first toleration; empty for a pod that may stay. */
        private Optional<Instant> evictedAt(ObjectNode pod, ObjectNode node) {
            Optional<Instant> first = Optional.empty();
            for (JsonNode taint : node.path("spec").path("taints")) {
                if (Json.text(taint, "effect").equals("NoExecute")) {
                    Optional<Instant> end = toleratedUntil(pod, taint);
                    if (end.isPresent() && (first.isEmpty() || end.get().isBefore(first.get()))) {
                        first = end;
                    }
                }
            }
            return first;
        }

        private Optional<Instant> toleratedUntil(ObjectNode pod, JsonNode taint) {
            String added = Json.text(taint, "timeAdded");
            Instant since = added.isEmpty() ? objects().now() : PodStates.instant(added);
            Optional<Instant> end = Optional.of(since);
            for (JsonNode toleration : pod.path("spec").path("tolerations")) {
                if (Tolerations.tolerates(toleration, taint)) {
                    if (!toleration.has("tolerationSeconds")) {
                        return Optional.empty();
                    }
                    Instant until = since.plusSeconds(
                            Math.max(0, toleration.path("tolerationSeconds").asLong()));
                    end = end.filter(present -> present.isAfter(until)).or(() -> Optional.of(until));
                }
            }
            return end;
        }
    }
}
