package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.ObjectStore.Change;
import io.policyscheduler.cmd.embedded.ObjectStore.Snapshot;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * DELETE of objects and collections. A bound pod that still runs is only marked; the kubelet removes it. An object with finalizers
 * is marked until they are gone. Deleting a namespace deletes what is in it at once: no namespace controller runs here.
 */
final class DeleteHandler {
    private static final long DEFAULT_GRACE_SECONDS = 30;

    private final ObjectStore store;
    private final ResourceCatalog catalog;
    private final Clock clock;

    DeleteHandler(ObjectStore store, ResourceCatalog catalog, Clock clock) {
        this.store = store;
        this.catalog = catalog;
        this.clock = clock;
    }

    Response delete(ResourceRequest target, ApiRequest request) {
        ResourceType type = target.type();
        ObjectKey key = new ObjectKey(target.namespace(), target.name());
        Change change = delete(type, key, DeleteOptions.of(request));
        if (!change.removed() || type.isPod()) {
            return Response.ok(target.external(change.object()));
        }
        ObjectNode status = StatusError.success(200);
        status.remove("code");
        ObjectNode details = status.putObject("details").put("name", target.name());
        if (!type.group().isEmpty()) {
            details.put("group", type.group());
        }
        details.put("kind", type.plural()).put("uid", Json.text(change.object(), "metadata", "uid"));
        return Response.ok(status);
    }

    Response deleteCollection(ResourceRequest target, ApiRequest request) {
        ObjectFilter filter = ObjectFilter.of(target, request);
        DeleteOptions options = DeleteOptions.of(request);
        Snapshot snapshot = store.list(target.type(), target.namespace());
        List<ObjectNode> deleted = new ArrayList<>();
        for (ObjectNode object : filter.select(snapshot.items())) {
            ObjectKey key = ObjectKey.of(object);
            deleteIfPresent(target.type(), key, options).ifPresent(c -> deleted.add(c.object()));
        }
        ObjectNode metadata = Json.object().put("resourceVersion", Long.toString(store.resourceVersion()));
        return Response.ok(ReadHandler.listOf(target, metadata, deleted));
    }

    Optional<Change> deleteIfPresent(ResourceType type, ObjectKey key, DeleteOptions options) {
        try {
            return Optional.of(delete(type, key, options));
        } catch (StatusError e) {
            if (e.code() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    Change delete(ResourceType type, ObjectKey key, DeleteOptions options) {
        Change change = store.modify(
                type, key.namespace(), key.name(), options.dryRun(), present -> next(type, key, present, options));
        if (type.isNamespace() && change.removed() && !options.dryRun()) {
            DeleteOptions now = new DeleteOptions(0L, "", "", false);
            for (ResourceType inside : catalog.types()) {
                if (inside.namespaced() && catalog.stored(inside).equals(inside)) {
                    store.list(inside, key.name()).items().forEach(o -> deleteIfPresent(inside, ObjectKey.of(o), now));
                }
            }
        }
        return change;
    }

    private @Nullable ObjectNode next(ResourceType type, ObjectKey key, ObjectNode present, DeleteOptions options) {
        ObjectNode metadata = Json.child(present, "metadata");
        precondition(type, key, "UID", options.uid(), Json.text(metadata, "uid"));
        precondition(type, key, "ResourceVersion", options.resourceVersion(), Json.text(metadata, "resourceVersion"));
        long grace = type.isPod() ? grace(present, options) : 0;
        boolean marked = metadata.has("deletionTimestamp");
        if (grace == 0 && metadata.path("finalizers").isEmpty()) {
            return null;
        }
        if (marked && grace >= metadata.path("deletionGracePeriodSeconds").asLong()) {
            return present;
        }
        metadata.put("deletionTimestamp", Json.time(clock.instant().plusSeconds(grace)));
        metadata.put("deletionGracePeriodSeconds", grace);
        return present;
    }

    private static long grace(JsonNode pod, DeleteOptions options) {
        String phase = Json.text(pod, "status", "phase");
        if (Json.text(pod, "spec", "nodeName").isEmpty() || phase.equals("Succeeded") || phase.equals("Failed")) {
            return 0;
        }
        if (options.gracePeriodSeconds() != null) {
            return options.gracePeriodSeconds();
        }
        return Math.max(
                0, pod.path("spec").path("terminationGracePeriodSeconds").asLong(DEFAULT_GRACE_SECONDS));
    }

    private static void precondition(ResourceType type, ObjectKey key, String what, String wanted, String found) {
        if (!wanted.isEmpty() && !wanted.equals(found)) {
            throw StatusError.conflict(
                    type,
                    key.name(),
                    "Precondition failed: " + what + " in precondition: " + wanted + ", " + what + " in object meta: "
                            + found);
        }
    }
}
