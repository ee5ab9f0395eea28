package io.policyscheduler.cmd.embedded.controller.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.Counts;
import io.policyscheduler.cmd.embedded.controller.core.EventWriter;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;
import io.policyscheduler.cmd.embedded.controller.core.Owners;
import io.policyscheduler.cmd.embedded.controller.core.PodStates;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Numbered pods, one after the other, with claims of their own (pkg/controller/statefulset). */
public final class StatefulSetController extends KeyedController {
    static final String REVISION = "controller-revision-hash";

    private final ResourceType pods;
    private final Revisions revisions;
    private final StatefulPods numbered;
    private final EventWriter events;

    public StatefulSetController(ApiObjects objects) {
        super(objects, "statefulsets.apps", "pods");
        this.pods = objects.type("pods");
        this.revisions = new Revisions(objects, type());
        this.numbered = new StatefulPods(objects, type());
        this.events = new EventWriter(objects, "statefulset-controller");
    }

    @Override
    public void reconcile(ObjectNode set) {
        Map<Integer, ObjectNode> owned = new TreeMap<>();
        Owners.controlled(objects(), type(), set, pods)
                .forEach(pod -> StatefulPods.ordinal(set, pod).ifPresent(ordinal -> owned.put(ordinal, pod)));
        Optional<ObjectNode> update = revisions.current(set, owned.values());
        if (update.isEmpty()) {
            return;
        }
        String currentName = Json.text(set, "status", "currentRevision");
        ObjectNode current = revisions.of(set).stream()
                .filter(revision -> ObjectKey.of(revision).name().equals(currentName))
                .findFirst()
                .orElse(update.get());
        if (!ApiObjects.isDeleted(set)) {
            move(set, owned, current, update.get());
        }
        tell(set, owned, current, update.get());
        revisions.truncate(
                set,
                List.of(ObjectKey.of(current).name(), ObjectKey.of(update.get()).name()));
    }

    private void move(ObjectNode set, Map<Integer, ObjectNode> owned, ObjectNode current, ObjectNode update) {
        JsonNode spec = set.path("spec");
        int first = spec.path("ordinals").path("start").asInt();
        int end = first + spec.path("replicas").asInt(1);
        boolean parallel = Json.text(spec, "podManagementPolicy").equals("Parallel");
        int partition = spec.path("updateStrategy")
                .path("rollingUpdate")
                .path("partition")
                .asInt();
        for (int ordinal = first; ordinal < end; ordinal++) {
            ObjectNode pod = owned.get(ordinal);
            if (pod != null && PodStates.isFinished(pod) && !ApiObjects.isDeleted(pod)) {
                delete(set, pod);
                return;
            }
            if (pod == null) {
                create(set, ordinal, ordinal < partition ? current : update);
            }
            if (!parallel && (pod == null || !isHealthy(set, pod))) {
                return;
            }
        }
        List<Integer> beyond = new ArrayList<>();
        for (int ordinal : owned.keySet()) {
            if (ordinal < first || ordinal >= end) {
                beyond.add(ordinal);
            }
        }
        beyond.sort(Comparator.reverseOrder());
        for (int ordinal : beyond) {
            ObjectNode pod = owned.get(ordinal);
            if (pod != null && !ApiObjects.isDeleted(pod)) {
                delete(set, pod);
            }
            if (!parallel) {
                return;
            }
        }
        if (beyond.isEmpty() && !Json.text(spec, "updateStrategy", "type").equals("OnDelete")) {
            replaceOne(set, owned, update, Math.max(first, partition), end);
        }
    }

    /** The highest pod that still has another template goes, when all above it are well. */
    private void replaceOne(ObjectNode set, Map<Integer, ObjectNode> owned, ObjectNode update, int from, int end) {
        for (int ordinal = end - 1; ordinal >= from; ordinal--) {
            ObjectNode pod = owned.get(ordinal);
            if (pod == null) {
                return;
            }
            if (!Revisions.isOf(pod, ObjectKey.of(update).name())) {
                if (!ApiObjects.isDeleted(pod)) {
                    delete(set, pod);
                }
                return;
            }
            if (!isHealthy(set, pod)) {
                return;
            }
        }
    }

    private boolean isHealthy(ObjectNode set, ObjectNode pod) {
        int minReady = set.path("spec").path("minReadySeconds").asInt();
        boolean available = PodStates.isAvailable(pod, minReady, objects().now());
        if (!available) {
            PodStates.availableAt(pod, minReady).ifPresent(at -> lookAt(at, set));
        }
        return available && !ApiObjects.isDeleted(pod);
    }

    private void create(ObjectNode set, int ordinal, ObjectNode revision) {
        numbered.create(set, ordinal, revision)
                .ifPresent(created -> events.normal(
                        type(),
                        set,
                        "SuccessfulCreate",
                        "create Pod " + Json.text(created, "metadata", "name") + " in StatefulSet "
                                + Json.text(set, "metadata", "name") + " successful"));
    }

    private void delete(ObjectNode set, ObjectNode pod) {
        objects().delete(pods, pod);
        events.normal(
                type(),
                set,
                "SuccessfulDelete",
                "delete Pod " + Json.text(pod, "metadata", "name") + " in StatefulSet "
                        + Json.text(set, "metadata", "name") + " successful");
    }

    private void tell(ObjectNode set, Map<Integer, ObjectNode> owned, ObjectNode current, ObjectNode update) {
        int wanted = set.path("spec").path("replicas").asInt(1);
        int minReady = set.path("spec").path("minReadySeconds").asInt();
        String currentName = ObjectKey.of(current).name();
        String updateName = ObjectKey.of(update).name();
        List<ObjectNode> present = List.copyOf(owned.values());
        List<ObjectNode> living = PodStates.active(present);
        long ready = living.stream().filter(PodStates::isReady).count();
        long updated =
                living.stream().filter(pod -> Revisions.isOf(pod, updateName)).count();
        boolean done = updated == wanted && ready == wanted && present.size() == wanted;
        objects().changeStatus(type(), set, status -> {
            status.put(
                    "observedGeneration",
                    set.path("metadata").path("generation").asLong());
            status.put("replicas", present.size());
            Counts.put(status, "readyReplicas", ready);
            Counts.put(
                    status,
                    "currentReplicas",
                    done
                            ? updated
                            : living.stream()
                                    .filter(pod -> Revisions.isOf(pod, currentName))
                                    .count());
            Counts.put(status, "updatedReplicas", updated);
            status.put(
                    "availableReplicas",
                    living.stream()
                            .filter(pod -> PodStates.isAvailable(
                                    pod, minReady, objects().now()))
                            .count());
            status.put("currentRevision", done ? updateName : currentName);
            status.put("updateRevision", updateName);
            status.put("collisionCount", 0);
        });
    }
}
