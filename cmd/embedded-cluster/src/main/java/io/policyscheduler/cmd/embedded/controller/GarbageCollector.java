package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Deletion;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import io.policyscheduler.cmd.embedded.controller.Controllers.Controller;
import io.policyscheduler.cmd.embedded.controller.KeyedController.WorkQueue;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Deletes objects whose last owner is gone, and finishes foreground and orphan deletions (pkg/controller/garbagecollector). */
public final class GarbageCollector implements Controller {
    private record ObjectReference(ResourceType type, ObjectKey key) {}

    private final Clientset objects;
    private final List<ResourceType> watched;
    private final Map<String, Set<ObjectReference>> dependents = new HashMap<>();
    private final WorkQueue<ObjectReference> queue;

    public GarbageCollector(Clientset objects) {
        this.objects = objects;
        this.queue = new WorkQueue<>(objects.clock());
        // Events have neither owners nor dependents.
        this.watched = objects.catalog().types().stream()
                .filter(type -> objects.catalog().stored(type).equals(type))
                .filter(type -> !type.plural().equals("events"))
                .toList();
    }

    @Override
    public List<ResourceType> watches() {
        return watched;
    }

    @Override
    public void handle(ResourceType type, ObjectNode object, boolean deleted) {
        ObjectReference thing = new ObjectReference(type, ObjectKey.of(object));
        for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            Set<ObjectReference> siblings =
                    dependents.computeIfAbsent(Json.text(owner, "uid"), uid -> new LinkedHashSet<>());
            if (deleted) {
                siblings.remove(thing);
                // An owner may wait for this object.
                owner(object, owner).ifPresent(queue::add);
            } else {
                siblings.add(thing);
            }
        }
        if (deleted) {
            Set<ObjectReference> orphans = dependents.remove(Clientset.uid(object));
            if (orphans != null) {
                orphans.forEach(queue::add);
            }
        } else if (!object.path("metadata").path("ownerReferences").isEmpty() || awaitsDependents(object)) {
            queue.add(thing);
        }
    }

    private static boolean awaitsDependents(JsonNode object) {
        return Clientset.isDeleted(object)
                && (Owners.hasFinalizer(object, Deletion.FOREGROUND) || Owners.hasFinalizer(object, Deletion.ORPHAN));
    }

    @Override
    public boolean work() {
        boolean any = false;
        Optional<ObjectReference> next = queue.poll();
        while (next.isPresent()) {
            any = true;
            ObjectReference thing = next.get();
            objects.get(thing.type(), thing.key()).ifPresent(object -> collect(thing, object));
            next = queue.poll();
        }
        return any;
    }

    private void collect(ObjectReference thing, ObjectNode object) {
        if (awaitsDependents(object)) {
            processDependents(thing, object);
        }
        JsonNode owners = object.path("metadata").path("ownerReferences");
        if (owners.isEmpty() || Clientset.isDeleted(object)) {
            return;
        }
        boolean lost = true;
        for (JsonNode owner : owners) {
            lost &= ownerObject(object, owner)
                    .filter(found -> !(awaitsDependents(found) && Owners.hasFinalizer(found, Deletion.FOREGROUND)))
                    .isEmpty();
        }
        if (lost) {
            objects.delete(thing.type(), object);
        }
    }

    private void processDependents(ObjectReference thing, ObjectNode owner) {
        List<ObjectReference> present = List.copyOf(dependents.getOrDefault(Clientset.uid(owner), Set.of()));
        if (Owners.hasFinalizer(owner, Deletion.ORPHAN)) {
            for (ObjectReference dependent : present) {
                objects.get(dependent.type(), dependent.key())
                        .ifPresent(object ->
                                objects.change(dependent.type(), object, o -> Owners.release(o, Clientset.uid(owner))));
            }
            dependents.remove(Clientset.uid(owner));
            removeFinalizer(thing, owner, Deletion.ORPHAN);
        } else if (present.isEmpty()) {
            removeFinalizer(thing, owner, Deletion.FOREGROUND);
        } else {
            present.forEach(queue::add);
        }
    }

    private void removeFinalizer(ObjectReference thing, ObjectNode object, String finalizer) {
        objects.change(thing.type(), object, present -> Owners.removeFinalizer(present, finalizer));
    }

    private Optional<ObjectReference> owner(JsonNode object, JsonNode reference) {
        return objects.catalog()
                .ofManifest(Json.text(reference, "apiVersion"), Json.text(reference, "kind"))
                .map(type -> new ObjectReference(
                        type,
                        new ObjectKey(
                                type.namespaced() ? ObjectKey.of(object).namespace() : "",
                                Json.text(reference, "name"))));
    }

    /** The owner; an object of a kind that is not served here counts as present. */
    private Optional<ObjectNode> ownerObject(ObjectNode object, JsonNode reference) {
        Optional<ObjectReference> owner = owner(object, reference);
        if (owner.isEmpty()) {
            return Optional.of(object);
        }
        return objects.get(owner.get().type(), owner.get().key())
                .filter(found -> Clientset.uid(found).equals(Json.text(reference, "uid")));
    }

    /**
     * Deletes pods that no kubelet deletes: those whose node has been gone for {@link #QUARANTINE}, and terminating ones without
     * a node. Mirrors {@code pkg/controller/podgc}.
     */
    public static final class PodGarbageCollector extends KeyedController {
        /** How long a node must be absent: a node can register again. */
        static final Duration QUARANTINE = Duration.ofSeconds(40);

        private static final List<String> FINISHED = List.of("Succeeded", "Failed");

        private final ResourceType nodes;
        private final boolean disrupts;
        private final Map<String, Instant> absentSince = new HashMap<>();

        public PodGarbageCollector(Clientset objects) {
            super(objects, "pods", "nodes");
            this.nodes = objects.type("nodes");
            this.disrupts =
                    ComponentChange.DISRUPTION_CONDITION.in(objects.catalog().release());
        }

        @Override
        public void handleRelated(ResourceType other, ObjectNode node) {
            String name = ObjectKey.of(node).name();
            if (objects().get(nodes, new ObjectKey("", name)).isPresent()) {
                absentSince.remove(name);
                return;
            }
            for (ObjectNode pod : objects().list(type(), "")) {
                if (Json.text(pod, "spec", "nodeName").equals(name)) {
                    enqueue(ObjectKey.of(pod));
                }
            }
        }

        @Override
        public void reconcile(ObjectNode pod) {
            String node = Json.text(pod, "spec", "nodeName");
            if (node.isEmpty()) {
                if (Clientset.isDeleted(pod)) {
                    objects().deleteNow(type(), pod);
                }
                return;
            }
            if (objects().get(nodes, new ObjectKey("", node)).isPresent()) {
                return;
            }
            Instant due =
                    absentSince.computeIfAbsent(node, key -> objects().now()).plus(QUARANTINE);
            if (objects().now().isBefore(due)) {
                enqueueAt(due, pod);
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
}
