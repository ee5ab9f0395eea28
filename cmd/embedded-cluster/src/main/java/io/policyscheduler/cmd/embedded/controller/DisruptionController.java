package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.IntOrPercent;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Maintains the allowed disruptions of PodDisruptionBudgets (pkg/controller/disruption). */
public final class DisruptionController extends KeyedController {
    private static final Duration FORGET_AFTER = Duration.ofMinutes(2);

    private final ResourceType pods;

    public DisruptionController(Clientset objects) {
        super(objects, "poddisruptionbudgets", "pods");
        this.pods = objects.type("pods");
    }

    @Override
    public void handleRelated(ResourceType other, ObjectNode object) {
        objects().list(type(), ObjectKey.of(object).namespace()).forEach(budget -> enqueue(ObjectKey.of(budget)));
    }

    @Override
    public void reconcile(ObjectNode budget) {
        if (Clientset.isDeleted(budget)) {
            return;
        }
        JsonNode spec = budget.path("spec");
        LabelSelector selector = LabelSelector.ofObject(spec.path("selector"));
        List<ObjectNode> covered = spec.path("selector").isObject()
                ? objects().list(pods, ObjectKey.of(budget).namespace()).stream()
                        .filter(selector::matches)
                        .filter(pod -> !PodStates.isFinished(pod))
                        .toList()
                : List.of();
        int expected = covered.size();
        int desired;
        if (spec.has("maxUnavailable")) {
            expected = expectedPods(covered);
            desired = Math.max(0, expected - IntOrPercent.of(spec.path("maxUnavailable"), expected, true));
        } else if (spec.path("minAvailable").isNumber()) {
            desired = spec.path("minAvailable").asInt();
        } else {
            expected = expectedPods(covered);
            desired = IntOrPercent.of(spec.path("minAvailable"), expected, true);
        }
        updateStatus(budget, covered, expected, desired);
    }

    /** The expected pods of the controllers; a pod without a controller counts for itself. */
    private int expectedPods(List<ObjectNode> covered) {
        Map<String, Integer> byOwner = new HashMap<>();
        int alone = 0;
        for (ObjectNode pod : covered) {
            JsonNode owner = Owners.controllerOf(pod);
            Optional<Integer> replicas = objects()
                    .catalog()
                    .ofManifest(Json.text(owner, "apiVersion"), Json.text(owner, "kind"))
                    .flatMap(kind ->
                            objects().get(kind, new ObjectKey(ObjectKey.of(pod).namespace(), Json.text(owner, "name"))))
                    .map(found -> found.path("spec").path("replicas"))
                    .filter(JsonNode::isNumber)
                    .map(JsonNode::asInt);
            if (replicas.isPresent()) {
                byOwner.put(Json.text(owner, "uid"), replicas.get());
            } else {
                alone++;
            }
        }
        return alone + byOwner.values().stream().mapToInt(Integer::intValue).sum();
    }

    private void updateStatus(ObjectNode budget, List<ObjectNode> covered, int expected, int desired) {
        ObjectNode disrupted = disruptedPods(budget, covered);
        long healthy = covered.stream()
                .filter(pod -> PodStates.isReady(pod) && !Clientset.isDeleted(pod))
                .filter(pod -> !disrupted.has(ObjectKey.of(pod).name()))
                .count();
        long allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
        objects().changeStatus(type(), budget, status -> {
            status.put(
                    "observedGeneration",
                    budget.path("metadata").path("generation").asLong());
            status.put("currentHealthy", healthy);
            status.put("desiredHealthy", desired);
            status.put("expectedPods", expected);
            status.put("disruptionsAllowed", allowed);
            if (disrupted.isEmpty()) {
                status.remove("disruptedPods");
            } else {
                status.set("disruptedPods", disrupted);
            }
            Conditions.set(
                    status,
                    "DisruptionAllowed",
                    allowed > 0 ? "True" : "False",
                    allowed > 0 ? "SufficientPods" : "InsufficientPods",
                    "",
                    objects().time());
            for (JsonNode condition : status.path("conditions")) {
                ((ObjectNode) condition).put("message", "");
                ((ObjectNode) condition)
                        .put(
                                "observedGeneration",
                                budget.path("metadata").path("generation").asLong());
            }
        });
    }

    /** Evicted pods count as gone before they are deleted, for up to two minutes. */
    private ObjectNode disruptedPods(ObjectNode budget, List<ObjectNode> covered) {
        ObjectNode kept = Json.object();
        JsonNode before = budget.path("status").path("disruptedPods");
        for (ObjectNode pod : covered) {
            String name = ObjectKey.of(pod).name();
            String since = Json.text(before, name);
            boolean fresh = !since.isEmpty()
                    && PodStates.instant(since)
                            .plus(FORGET_AFTER)
                            .isAfter(objects().now());
            if (fresh && !Clientset.isDeleted(pod)) {
                kept.put(name, since);
                enqueueAt(PodStates.instant(since).plus(FORGET_AFTER), budget);
            }
        }
        return kept;
    }
}
