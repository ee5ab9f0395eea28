package io.policyscheduler.cmd.embedded.controller.upkeep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.Conditions;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;
import io.policyscheduler.cmd.embedded.controller.core.PodStates;
import io.policyscheduler.cmd.embedded.kubelet.PlaygroundNotes;
import io.policyscheduler.engine.creation.NodeTaints;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Nodes that fail and come back: a node that is annotated as failed is no longer ready, and its taints say what its conditions
 * and its spec say (pkg/controller/nodelifecycle).
 */
public final class NodeController extends KeyedController {
    private final ResourceType pods;

    public NodeController(ApiObjects objects) {
        super(objects, "nodes");
        this.pods = objects.type("pods");
    }

    @Override
    public void reconcile(ObjectNode node) {
        boolean failed = PlaygroundNotes.isFailed(node);
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

    /** Nobody can say of the pods of such a node that they are ready. */
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
        List<NodeTaints.Taint> wanted = NodeTaints.of(node);
        ArrayNode taints = Json.array();
        Set<NodeTaints.Taint> present = new LinkedHashSet<>();
        for (JsonNode taint : node.path("spec").path("taints")) {
            NodeTaints.Taint named = new NodeTaints.Taint(Json.text(taint, "key"), Json.text(taint, "effect"));
            if (!NodeTaints.isOwn(named.key()) || wanted.contains(named)) {
                taints.add(taint);
                present.add(named);
            }
        }
        for (NodeTaints.Taint taint : wanted) {
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
}
