package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.Counts;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** Maintains the replicas of a ReplicaSet or ReplicationController (pkg/controller/replicaset). */
public final class ReplicaSetController extends KeyedController {
    /** The order of deletion (pkg/controller ActivePodsWithRanks). */
    private static final Comparator<ObjectNode> LEAST_MISSED = Comparator.<ObjectNode, Boolean>comparing(
                    PodStates::isScheduled)
            .thenComparing(pod -> PodStates.phase(pod).equals("Running"))
            .thenComparing(PodStates::isReady)
            .thenComparing(ReplicaSetController::deletionCost)
            .thenComparing(pod -> Json.text(pod, "metadata", "creationTimestamp"), Comparator.<String>reverseOrder());

    private final ResourceType pods;
    private final EventRecorder events;

    /** A controller of {@code replicasets.apps} or {@code replicationcontrollers}. */
    public ReplicaSetController(Clientset objects, String resource, String component) {
        super(objects, resource, "pods");
        this.pods = objects.type("pods");
        this.events = new EventRecorder(objects, component);
    }

    private static int deletionCost(JsonNode pod) {
        String cost = ControllerUtils.annotation(pod, "controller.kubernetes.io/pod-deletion-cost");
        try {
            return cost.isEmpty() ? 0 : Integer.parseInt(cost);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    @Override
    public void reconcile(ObjectNode set) {
        List<ObjectNode> owned = Owners.controlled(objects(), type(), set, pods);
        List<ObjectNode> active = PodStates.active(owned);
        if (!Clientset.isDeleted(set)) {
            int missing = set.path("spec").path("replicas").asInt(1) - active.size();
            for (int i = 0; i < missing; i++) {
                create(set);
            }
            active.stream().sorted(LEAST_MISSED).limit(Math.max(0, -missing)).forEach(pod -> delete(set, pod));
        }
        updateStatus(set, active);
    }

    private void create(ObjectNode set) {
        JsonNode template = set.path("spec").path("template");
        ObjectNode pod = ControllerUtils.pod(type(), set, template);
        String prefix = Json.text(set, "metadata", "name") + "-";
        Json.child(pod, "metadata").put("generateName", prefix);
        objects()
                .create(pods, pod)
                .ifPresentOrElse(
                        created -> events.normal(
                                type(),
                                set,
                                "SuccessfulCreate",
                                "Created pod: " + Json.text(created, "metadata", "name")),
                        () -> events.warning(
                                type(),
                                set,
                                "FailedCreate",
                                "Error creating: pod "
                                        + Names.generate(prefix, objects().random()) + " was refused"));
    }

    private void delete(ObjectNode set, ObjectNode pod) {
        objects().delete(pods, pod);
        events.normal(type(), set, "SuccessfulDelete", "Deleted pod: " + Json.text(pod, "metadata", "name"));
    }

    private void updateStatus(ObjectNode set, List<ObjectNode> active) {
        int minReady = set.path("spec").path("minReadySeconds").asInt();
        JsonNode labels = set.path("spec").path("template").path("metadata").path("labels");
        LabelSelector ofTemplate = LabelSelector.ofObject(Json.object().set("matchLabels", labels));
        Instant now = objects().now();
        int available = 0;
        for (ObjectNode pod : active) {
            if (PodStates.isAvailable(pod, minReady, now)) {
                available++;
            } else {
                PodStates.availableAt(pod, minReady).ifPresent(at -> enqueueAt(at, set));
            }
        }
        int availableNow = available;
        objects().changeStatus(type(), set, status -> {
            Counts.put(
                    status,
                    "fullyLabeledReplicas",
                    active.stream().filter(ofTemplate::matches).count());
            Counts.put(
                    status,
                    "readyReplicas",
                    active.stream().filter(PodStates::isReady).count());
            Counts.put(status, "availableReplicas", availableNow);
            status.put("replicas", active.size());
            status.put(
                    "observedGeneration",
                    set.path("metadata").path("generation").asLong());
        });
    }
}
