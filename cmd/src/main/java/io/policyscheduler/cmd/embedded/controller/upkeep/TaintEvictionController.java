package io.policyscheduler.cmd.embedded.controller.upkeep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.EventWriter;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;
import io.policyscheduler.cmd.embedded.controller.core.PodStates;
import io.policyscheduler.cmd.embedded.controller.core.Tolerations;
import java.time.Instant;
import java.util.Optional;

/** Deletes pods that no longer tolerate their node, after the time that they do (pkg/controller/tainteviction). */
public final class TaintEvictionController extends KeyedController {
    private final ResourceType nodes;
    private final EventWriter events;

    public TaintEvictionController(ApiObjects objects) {
        super(objects, "pods", "nodes");
        this.nodes = objects.type("nodes");
        this.events = new EventWriter(objects, "taint-eviction-controller");
    }

    @Override
    public void seeOther(ResourceType other, ObjectNode node) {
        if (node.path("spec").path("taints").isEmpty()) {
            return;
        }
        String name = ObjectKey.of(node).name();
        objects().list(type(), "").stream()
                .filter(pod -> Json.text(pod, "spec", "nodeName").equals(name))
                .forEach(pod -> look(ObjectKey.of(pod)));
    }

    @Override
    public void reconcile(ObjectNode pod) {
        String node = Json.text(pod, "spec", "nodeName");
        if (node.isEmpty() || !PodStates.isActive(pod)) {
            return;
        }
        Optional<Instant> due = objects().get(nodes, new ObjectKey("", node)).flatMap(n -> evictedAt(pod, n));
        if (due.isPresent() && due.get().isAfter(objects().now())) {
            lookAt(due.get(), pod);
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

    /** When the first toleration ends; empty for a pod that may stay. */
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
