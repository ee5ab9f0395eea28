package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.ObjectFilter;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import io.policyscheduler.cmd.embedded.request.Response;
import io.policyscheduler.cmd.embedded.store.DeleteOptions;
import io.policyscheduler.cmd.embedded.store.Deletion;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import io.policyscheduler.cmd.embedded.store.StoredObjects.Change;
import io.policyscheduler.cmd.embedded.store.StoredObjects.Snapshot;
import java.util.ArrayList;
import java.util.List;

/** DELETE of objects and collections. */
final class DeleteHandler {
    private final StoredObjects store;
    private final Deletion deletion;

    DeleteHandler(StoredObjects store, Deletion deletion) {
        this.store = store;
        this.deletion = deletion;
    }

    Response delete(ResourceRequest target, ApiRequest request) {
        ResourceType type = target.type();
        ObjectKey key = new ObjectKey(target.namespace(), target.name());
        Change change = deletion.delete(type, key, options(request));
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
        DeleteOptions options = options(request);
        Snapshot snapshot = store.list(target.type(), target.namespace());
        List<ObjectNode> deleted = new ArrayList<>();
        for (ObjectNode object : filter.select(snapshot.items())) {
            ObjectKey key = ObjectKey.of(object);
            deletion.deleteIfPresent(target.type(), key, options).ifPresent(c -> deleted.add(c.object()));
        }
        ObjectNode metadata = Json.object().put("resourceVersion", Long.toString(store.resourceVersion()));
        return Response.ok(ReadHandler.listOf(target, metadata, deleted));
    }

    private static DeleteOptions options(ApiRequest request) {
        DeleteOptions inBody = DeleteOptions.of(request.optionalBody());
        long inQuery = request.number("gracePeriodSeconds", -1);
        return new DeleteOptions(
                inBody.gracePeriodSeconds() == null && inQuery >= 0
                        ? Long.valueOf(inQuery)
                        : inBody.gracePeriodSeconds(),
                inBody.uid(),
                inBody.resourceVersion(),
                inBody.dryRun() || request.isDryRun(),
                inBody.propagation().isEmpty() ? request.parameter("propagationPolicy") : inBody.propagation());
    }
}
