package io.policyscheduler.cmd.embedded.controller.upkeep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.Controller;
import io.policyscheduler.cmd.embedded.controller.core.Owners;
import io.policyscheduler.cmd.embedded.controller.core.WorkQueue;
import io.policyscheduler.cmd.embedded.store.Deletion;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Deletes what has lost its last owner, and lets owners go that wait for their dependents or leave them behind
 * (pkg/controller/garbagecollector).
 */
public final class GarbageCollector implements Controller {
    private record Thing(ResourceType type, ObjectKey key) {}

    private final ApiObjects objects;
    private final List<ResourceType> watched;
    private final Map<String, Set<Thing>> dependents = new HashMap<>();
    private final WorkQueue<Thing> queue;

    public GarbageCollector(ApiObjects objects) {
        this.objects = objects;
        this.queue = new WorkQueue<>(objects.clock());
        // Events own nothing and nobody owns them.
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
    public void see(ResourceType type, ObjectNode object, boolean deleted) {
        Thing thing = new Thing(type, ObjectKey.of(object));
        for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            Set<Thing> siblings = dependents.computeIfAbsent(Json.text(owner, "uid"), uid -> new LinkedHashSet<>());
            if (deleted) {
                siblings.remove(thing);
                // An owner may wait for this one.
                owner(object, owner).ifPresent(queue::add);
            } else {
                siblings.add(thing);
            }
        }
        if (deleted) {
            Set<Thing> orphans = dependents.remove(ApiObjects.uid(object));
            if (orphans != null) {
                orphans.forEach(queue::add);
            }
        } else if (!object.path("metadata").path("ownerReferences").isEmpty() || waits(object)) {
            queue.add(thing);
        }
    }

    private static boolean waits(JsonNode object) {
        return ApiObjects.isDeleted(object) && (has(object, Deletion.FOREGROUND) || has(object, Deletion.ORPHAN));
    }

    private static boolean has(JsonNode object, String finalizer) {
        for (JsonNode present : object.path("metadata").path("finalizers")) {
            if (present.asText().equals(finalizer)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean work() {
        boolean any = false;
        Optional<Thing> next = queue.poll();
        while (next.isPresent()) {
            any = true;
            Thing thing = next.get();
            objects.get(thing.type(), thing.key()).ifPresent(object -> collect(thing, object));
            next = queue.poll();
        }
        return any;
    }

    private void collect(Thing thing, ObjectNode object) {
        if (waits(object)) {
            finish(thing, object);
        }
        JsonNode owners = object.path("metadata").path("ownerReferences");
        if (owners.isEmpty() || ApiObjects.isDeleted(object)) {
            return;
        }
        boolean lost = true;
        for (JsonNode owner : owners) {
            lost &= ownerObject(object, owner)
                    .filter(found -> !(waits(found) && has(found, Deletion.FOREGROUND)))
                    .isEmpty();
        }
        if (lost) {
            objects.delete(thing.type(), object);
        }
    }

    private void finish(Thing thing, ObjectNode owner) {
        List<Thing> present = List.copyOf(dependents.getOrDefault(ApiObjects.uid(owner), Set.of()));
        if (has(owner, Deletion.ORPHAN)) {
            for (Thing dependent : present) {
                objects.get(dependent.type(), dependent.key())
                        .ifPresent(object -> objects.change(
                                dependent.type(), object, o -> Owners.release(o, ApiObjects.uid(owner))));
            }
            dependents.remove(ApiObjects.uid(owner));
            removeFinalizer(thing, owner, Deletion.ORPHAN);
        } else if (present.isEmpty()) {
            removeFinalizer(thing, owner, Deletion.FOREGROUND);
        } else {
            present.forEach(queue::add);
        }
    }

    private void removeFinalizer(Thing thing, ObjectNode object, String finalizer) {
        objects.change(thing.type(), object, present -> {
            ArrayNode kept = Json.array();
            present.path("metadata").path("finalizers").forEach(f -> {
                if (!f.asText().equals(finalizer)) {
                    kept.add(f);
                }
            });
            Json.child(present, "metadata").set("finalizers", kept);
        });
    }

    private Optional<Thing> owner(JsonNode object, JsonNode reference) {
        return objects.catalog()
                .ofManifest(Json.text(reference, "apiVersion"), Json.text(reference, "kind"))
                .map(type -> new Thing(
                        type,
                        new ObjectKey(
                                type.namespaced() ? ObjectKey.of(object).namespace() : "",
                                Json.text(reference, "name"))));
    }

    /** The owner; an object of a kind that is not served here counts as present. */
    private Optional<ObjectNode> ownerObject(ObjectNode object, JsonNode reference) {
        Optional<Thing> owner = owner(object, reference);
        if (owner.isEmpty()) {
            return Optional.of(object);
        }
        return objects.get(owner.get().type(), owner.get().key())
                .filter(found -> ApiObjects.uid(found).equals(Json.text(reference, "uid")));
    }
}
