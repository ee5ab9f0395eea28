package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.FieldManager;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission.UpdateAuthorization;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Deletion;
import io.policyscheduler.cmd.embedded.api.Deletion.DeleteOptions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.SelectionPredicate;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Change;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Snapshot;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** POST, PUT, PATCH, and DELETE of objects, of their status, and of their scale. */
final class WriteHandler {
    private static final ResourceType SCALE =
            new ResourceType("autoscaling", List.of("v1"), "scales", "scale", "Scale", List.of(), true, false);

    private final StoredObjects store;
    private final ObjectAdmission admission;
    private final Deletion deletion;
    private final FieldManager owners;

    WriteHandler(StoredObjects store, ObjectAdmission admission, Deletion deletion, FieldManager owners) {
        this.store = store;
        this.admission = admission;
        this.deletion = deletion;
        this.owners = owners;
    }

    Response create(ResourceRequest target, ApiRequest request) {
        ObjectNode body = request.bodyObject(target.served().kind());
        checkType(target, body);
        ObjectNode object = target.internal(body);
        admission.admitNew(target, object);
        ObjectNode owned = owners.afterCreate(target, request, object);
        ObjectNode stored = store.create(target.type(), owned, request.isDryRun());
        return new Response(201, target.external(stored));
    }

    private static void checkType(ResourceRequest target, ObjectNode body) {
        String kind = Json.text(body, "kind");
        String apiVersion = Json.text(body, "apiVersion");
        String version = apiVersion.substring(apiVersion.indexOf('/') + 1);
        boolean sameKind = kind.isEmpty() || kind.equals(target.served().kind());
        boolean sameVersion = apiVersion.isEmpty() || apiVersion.equals(target.apiVersion());
        if (!sameKind || !sameVersion) {
            throw StatusError.badRequest((kind.isEmpty() ? target.served().kind() : kind) + " in version \""
                    + (version.isEmpty() ? target.version() : version) + "\" cannot be handled as a "
                    + target.served().kind() + ": the object provided is " + apiVersion
                    + ", Kind=" + kind);
        }
    }

    Response update(ResourceRequest target, ApiRequest request) {
        return update(target, request, UpdateAuthorization.NONE);
    }

    Response update(ResourceRequest target, ApiRequest request, UpdateAuthorization writer) {
        ObjectNode body = request.bodyObject(target.served().kind());
        checkType(target, body);
        ObjectNode proposed = target.internal(body);
        ResourceType type = target.type();
        if (Json.text(proposed, "metadata", "name").isEmpty()) {
            throw StatusError.badRequest("the name of the object (" + target.name()
                    + " based on URL) was undeterminable: name must be provided");
        }
        ObjectAdmission.checkName(target.name(), proposed.path("metadata"));
        boolean absent = store.get(type, target.namespace(), target.name()).isEmpty();
        if (absent && type.allowsCreateOnUpdate() && target.subresource().isEmpty()) {
            Json.putIfAbsent(Json.child(proposed, "metadata"), "name", target.name());
            admission.admitNew(target, proposed);
            return new Response(201, target.external(store.create(type, proposed, request.isDryRun())));
        }
        boolean status = isStatus(target);
        Change change = store.modify(type, target.namespace(), target.name(), request.isDryRun(), present -> {
            ObjectAdmission.checkUid(
                    type,
                    ObjectKey.of(present),
                    proposed.path("metadata"),
                    present.path("metadata"),
                    request.isDryRun());
            @Nullable ObjectNode next = admission.admitChange(target, present, proposed, status, writer);
            return owned(target, request, present, next);
        });
        return Response.ok(target.external(change.object()));
    }

    private @Nullable ObjectNode owned(
            ResourceRequest target, ApiRequest request, ObjectNode present, @Nullable ObjectNode next) {
        return next == null ? null : owners.afterUpdate(target, request, present, next);
    }

    Response patch(ResourceRequest target, ApiRequest request) {
        return patch(target, request, UpdateAuthorization.NONE);
    }

    Response patch(ResourceRequest target, ApiRequest request, UpdateAuthorization writer) {
        if (request.contentType().equals(ApiRequest.APPLY)) {
            return apply(target, request, writer);
        }
        JsonNode patch = patchOf(request);
        ResourceType type = target.type();
        boolean status = isStatus(target);
        Change change = store.modify(type, target.namespace(), target.name(), request.isDryRun(), present -> {
            ObjectNode patched = Patches.apply(request.contentType(), target.external(present.deepCopy()), patch);
            checkPatched(target, present, patched);
            @Nullable
            ObjectNode next = admission.admitChange(target, present, target.internal(patched), status, writer);
            return owned(target, request, present, next);
        });
        return Response.ok(target.external(change.object()));
    }

    private static JsonNode patchOf(ApiRequest request) {
        boolean isMerge = request.contentType().equals("application/merge-patch+json");
        try {
            JsonNode patch = request.bodyTree();
            if (isMerge && !patch.isObject()) {
                throw StatusError.invalidPatch(patch.toString(), "couldn't get version/kind");
            }
            return patch;
        } catch (StatusError e) {
            if (!ApiRequest.isTruncated(e)) {
                throw e;
            }
            throw isMerge ? StatusError.internal("Invalid JSON Patch") : StatusError.badRequest("unexpected EOF");
        }
    }

    /** Fails if the patched object is of another kind or cannot be decoded, or has another UID. */
    private static void checkPatched(ResourceRequest target, ObjectNode present, ObjectNode patched) {
        try {
            checkType(target, patched);
            ObjectAdmission.decode(target.type(), target.internal(patched.deepCopy()));
        } catch (StatusError e) {
            throw StatusError.invalidPatch(patched.toString(), String.valueOf(e.getMessage()));
        }
        String uid = Json.text(patched, "metadata", "uid");
        if (!uid.isEmpty() && !uid.equals(Json.text(present, "metadata", "uid"))) {
            throw StatusError.invalid(
                    target.type(), target.name(), List.of(Cause.invalid("metadata.uid", uid, "field is immutable")));
        }
    }

    private Response apply(ResourceRequest target, ApiRequest request, UpdateAuthorization writer) {
        ObjectNode body = request.bodyObject();
        if (!Json.text(body, "apiVersion").equals(target.apiVersion())) {
            throw StatusError.badRequest("Incorrect version specified in apply patch. Specified patch version: "
                    + Json.text(body, "apiVersion") + ", expected: " + target.apiVersion());
        }
        checkType(target, body);
        ObjectNode applied = target.internal(body);
        ResourceType type = target.type();
        if (store.get(type, target.namespace(), target.name()).isEmpty() && !isStatus(target)) {
            ObjectNode created = owners.apply(target, request, Json.object(), applied);
            Json.putIfAbsent(Json.child(created, "metadata"), "name", target.name());
            JsonNode managed = created.path("metadata").path("managedFields");
            admission.admitNew(target, created);
            Json.child(created, "metadata").set("managedFields", managed);
            return new Response(201, target.external(store.create(type, created, request.isDryRun())));
        }
        boolean status = isStatus(target);
        Change change = store.modify(type, target.namespace(), target.name(), request.isDryRun(), present -> {
            ObjectNode merged = owners.apply(target, request, present.deepCopy(), applied.deepCopy());
            JsonNode managed = merged.path("metadata").path("managedFields");
            ObjectNode next = admission.admitChange(target, present, merged, status, writer);
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
        throw StatusError.pathNotFound();
    }

    /** Sets the number of pods of a workload through its subresource {@code scale} (registry/apps). */
    Response scale(ResourceRequest target, ApiRequest request) {
        ObjectNode changed = store.modify(
                        target.type(), target.namespace(), target.name(), request.isDryRun(), present -> {
                            ObjectNode updated = request.method().equals("PUT")
                                    ? request.bodyObject()
                                    : Patches.apply(
                                            request.contentType(), ReadHandler.scale(present), request.bodyTree());
                            return scaled(target, present, updated, request);
                        })
                .object();
        return Response.ok(ReadHandler.scale(changed));
    }

    private ObjectNode scaled(ResourceRequest target, ObjectNode present, ObjectNode updated, ApiRequest request) {
        ObjectNode proposed = present.deepCopy();
        JsonNode replicas = updated.path("spec").path("replicas");
        String name = Json.text(updated, "metadata", "name");
        if (!name.equals(target.name())) {
            throw StatusError.badRequest(
                    "the name of the object (" + name + ") does not match the name on the URL (" + target.name() + ")");
        }
        if (!replicas.isMissingNode() && !replicas.canConvertToInt()) {
            throw StatusError.invalidPatch(updated.toString(), "spec.replicas is not a number");
        }
        List<Cause> causes = new ArrayList<>();
        if (Json.text(updated, "metadata", "namespace").isEmpty()) {
            causes.add(Cause.required("metadata.namespace", ""));
        }
        if (replicas.asInt() < 0) {
            causes.add(new Cause(
                    "spec.replicas",
                    "FieldValueInvalid",
                    "Invalid value: " + replicas.asInt() + ": must be greater than or equal to 0"));
        }
        if (!causes.isEmpty()) {
            throw StatusError.invalid(SCALE, target.name(), causes);
        }
        Json.child(proposed, "spec").put("replicas", replicas.asInt());
        String version = Json.text(updated, "metadata", "resourceVersion");
        if (!version.isEmpty()) {
            Json.child(proposed, "metadata").put("resourceVersion", version);
        }
        ObjectNode next = admission.admitChange(target.type(), present, proposed, false);
        if (next == null) {
            throw StatusError.notFound(target.type(), target.name());
        }
        return owners.afterUpdate(target, request, present, next);
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
        SelectionPredicate filter = SelectionPredicate.of(target, request);
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

    private static ObjectNode deleteOptions(ApiRequest request) {
        ObjectNode body;
        try {
            body = request.optionalBody();
        } catch (StatusError e) {
            throw ApiRequest.isTruncated(e)
                    ? StatusError.internal("couldn't get version/kind; json parse error: unexpected end of JSON input")
                    : e;
        }
        String kind = Json.text(body, "kind");
        if (!kind.isEmpty() && !kind.equals("DeleteOptions")) {
            throw StatusError.internal("no kind \"" + kind + "\" is registered for version \""
                    + Json.text(body, "apiVersion")
                    + "\" in scheme \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"");
        }
        return body;
    }

    /** Sets the finalizers of a namespace; without any, a terminating one is removed. */
    Response finalizeNamespace(ResourceRequest target, ApiRequest request) {
        JsonNode finalizers = request.bodyObject().path("spec").path("finalizers");
        Change change = store.modify(target.type(), "", target.name(), request.isDryRun(), present -> {
            ObjectNode spec = Json.child(present, "spec");
            if (finalizers.isEmpty()) {
                spec.remove("finalizers");
            } else {
                spec.set("finalizers", finalizers.deepCopy());
            }
            JsonNode metadata = present.path("metadata");
            boolean isGone = finalizers.isEmpty()
                    && metadata.has("deletionTimestamp")
                    && metadata.path("finalizers").isEmpty();
            return isGone ? null : present;
        });
        ObjectNode shown = change.object().deepCopy();
        if (finalizers.isEmpty()) {
            Json.child(shown, "spec").remove("finalizers");
        }
        return Response.ok(target.external(shown));
    }

    private static DeleteOptions options(ApiRequest request) {
        ObjectNode body = deleteOptions(request);
        RequestOptions.checkDelete(body);
        DeleteOptions inBody = DeleteOptions.of(body);
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
