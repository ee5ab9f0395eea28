package io.policyscheduler.cmd.embedded.controller.upkeep;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.Conditions;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;
import io.policyscheduler.cmd.embedded.controller.core.PodStates;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Deletes pods that no kubelet deletes: those whose node has been gone for {@link #QUARANTINE}, and those that were deleted before
 * they had a node. Mirrors {@code pkg/controller/podgc}.
 */
public final class PodGarbageCollector extends KeyedController {
    /** How long a node must be absent: a node can register again. */
    static final Duration QUARANTINE = Duration.ofSeconds(40);

    private static final List<String> FINISHED = List.of("Succeeded", "Failed");

    private final ResourceType nodes;
    private final boolean disrupts;
    private final Map<String, Instant> absentSince = new HashMap<>();

    public PodGarbageCollector(ApiObjects objects) {
        super(objects, "pods", "nodes");
        this.nodes = objects.type("nodes");
        this.disrupts = objects.catalog().release().release().atLeast(26);
    }

    @Override
    public void seeOther(ResourceType other, ObjectNode node) {
        String name = ObjectKey.of(node).name();
        if (objects().get(nodes, new ObjectKey("", name)).isPresent()) {
            absentSince.remove(name);
            return;
        }
        for (ObjectNode pod : objects().list(type(), "")) {
            if (Json.text(pod, "spec", "nodeName").equals(name)) {
                look(ObjectKey.of(pod));
            }
        }
    }

    @Override
    public void reconcile(ObjectNode pod) {
        String node = Json.text(pod, "spec", "nodeName");
        if (node.isEmpty()) {
            if (ApiObjects.isDeleted(pod)) {
                objects().deleteNow(type(), pod);
            }
            return;
        }
        if (objects().get(nodes, new ObjectKey("", node)).isPresent()) {
            return;
        }
        Instant due = absentSince.computeIfAbsent(node, key -> objects().now()).plus(QUARANTINE);
        if (objects().now().isBefore(due)) {
            lookAt(due, pod);
            return;
        }
        if (!FINISHED.contains(PodStates.phase(pod))) {
            objects().changeStatus(type(), pod, status -> {
                status.put("phase", "Failed");
                if (disrupts) {
                    Conditions.set(
                            status,
                            "DisruptionTarget",
                            "True",
                            "DeletionByPodGC",
                            "PodGC: node no longer exists",
                            objects().time());
                }
            });
        }
        objects().deleteNow(type(), pod);
    }
}
