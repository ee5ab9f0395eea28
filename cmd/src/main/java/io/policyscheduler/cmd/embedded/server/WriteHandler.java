package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.fields.FieldOwners;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import io.policyscheduler.cmd.embedded.request.Response;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import io.policyscheduler.cmd.embedded.store.StoredObjects.Change;
import org.jspecify.annotations.Nullable;

/** POST, PUT and PATCH of objects and of their status. */
final class WriteHandler {
    private final StoredObjects store;
    private final ObjectAdmission admission;
    private final FieldOwners owners;

    WriteHandler(StoredObjects store, ObjectAdmission admission, FieldOwners owners) {
        this.store = store;
        this.admission = admission;
        this.owners = owners;
    }

    Response create(ResourceRequest target, ApiRequest request) {
        ObjectNode body = request.bodyObject();
        checkType(target, body);
        ObjectNode object = target.internal(body);
        admission.admitNew(target.type(), target.namespace(), object, false);
        ObjectNode owned = owners.afterCreate(target, request, object);
        ObjectNode stored = store.create(target.type(), owned, request.isDryRun());
        return new Response(201, target.external(stored));
    }

    private static void checkType(ResourceRequest target, ObjectNode body) {
        String kind = Json.text(body, "kind");
        String apiVersion = Json.text(body, "apiVersion");
        boolean sameKind = kind.isEmpty() || kind.equals(target.served().kind());
        boolean sameVersion = apiVersion.isEmpty() || apiVersion.equals(target.apiVersion());
        if (!sameKind || !sameVersion) {
            throw StatusError.badRequest(target.served().kind() + " in version \"" + target.version()
                    + "\" cannot be handled as a " + target.served().kind() + ": the object provided is " + apiVersion
                    + ", Kind=" + kind);
        }
    }

    Response update(ResourceRequest target, ApiRequest request) {
        ObjectNode body = request.bodyObject();
        checkType(target, body);
        ObjectNode proposed = target.internal(body);
        ResourceType type = target.type();
        boolean absent = store.get(type, target.namespace(), target.name()).isEmpty();
        if (absent && type.allowsCreateOnUpdate() && target.subresource().isEmpty()) {
            Json.putIfAbsent(Json.child(proposed, "metadata"), "name", target.name());
            admission.admitNew(type, target.namespace(), proposed, false);
            return new Response(201, target.external(store.create(type, proposed, request.isDryRun())));
        }
        boolean status = isStatus(target);
        Change change = store.modify(
                type,
                target.namespace(),
                target.name(),
                request.isDryRun(),
                present -> owned(target, request, present, admission.admitChange(type, present, proposed, status)));
        return Response.ok(target.external(change.object()));
    }

    private @Nullable ObjectNode owned(
            ResourceRequest target, ApiRequest request, ObjectNode present, @Nullable ObjectNode next) {
        return next == null ? null : owners.afterUpdate(target, request, present, next);
    }

    Response patch(ResourceRequest target, ApiRequest request) {
        if (request.contentType().equals(ApiRequest.APPLY)) {
            return apply(target, request);
        }
        JsonNode patch = request.bodyTree();
        ResourceType type = target.type();
        boolean status = isStatus(target);
        Change change = store.modify(type, target.namespace(), target.name(), request.isDryRun(), present -> {
            ObjectNode patched = Patches.apply(request.contentType(), target.external(present.deepCopy()), patch);
            return owned(
                    target, request, present, admission.admitChange(type, present, target.internal(patched), status));
        });
        return Response.ok(target.external(change.object()));
    }

    private Response apply(ResourceRequest target, ApiRequest request) {
        ObjectNode body = request.bodyObject();
        checkType(target, body);
        ObjectNode applied = target.internal(body);
        ResourceType type = target.type();
        if (store.get(type, target.namespace(), target.name()).isEmpty() && !isStatus(target)) {
            ObjectNode created = owners.apply(target, request, Json.object(), applied);
            Json.putIfAbsent(Json.child(created, "metadata"), "name", target.name());
            JsonNode managed = created.path("metadata").path("managedFields");
            admission.admitNew(type, target.namespace(), created, false);
            Json.child(created, "metadata").set("managedFields", managed);
            return new Response(201, target.external(store.create(type, created, request.isDryRun())));
        }
        boolean status = isStatus(target);
        Change change = store.modify(type, target.namespace(), target.name(), request.isDryRun(), present -> {
            ObjectNode merged = owners.apply(target, request, present.deepCopy(), applied.deepCopy());
            JsonNode managed = merged.path("metadata").path("managedFields");
            ObjectNode next = admission.admitChange(type, present, merged, status);
            if (next != null) {
                Json.child(next, "metadata").set("managedFields", managed);
            }
            return next;
        });
        return Response.ok(target.external(change.object()));
    }

    private static boolean isStatus(ResourceRequest target) {
        if (target.subresource().isEmpty()) {
            return false;
        }
        if (target.subresource().equals("status") && target.type().hasStatus()) {
            return true;
        }
        throw StatusError.noSuchPath();
    }
}
