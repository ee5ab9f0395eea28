package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.fields.FieldOwners;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import io.policyscheduler.cmd.embedded.request.Response;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import java.util.ArrayList;
import java.util.List;

/** GET, PUT and PATCH of the subresource {@code scale}: how many pods a workload has and wants (registry/apps). */
final class ScaleHandler {
    private final StoredObjects store;
    private final ObjectAdmission admission;
    private final FieldOwners owners;

    ScaleHandler(StoredObjects store, ObjectAdmission admission, FieldOwners owners) {
        this.store = store;
        this.admission = admission;
        this.owners = owners;
    }

    Response get(ResourceRequest target) {
        ObjectNode found = store.get(target.type(), target.namespace(), target.name())
                .orElseThrow(() -> StatusError.notFound(target.type(), target.name()));
        return Response.ok(scale(found));
    }

    Response write(ResourceRequest target, ApiRequest request) {
        ObjectNode changed = store.modify(
                        target.type(), target.namespace(), target.name(), request.isDryRun(), present -> {
                            ObjectNode wanted = request.method().equals("PUT")
                                    ? request.bodyObject()
                                    : Patches.apply(request.contentType(), scale(present), request.bodyTree());
                            return next(target, present, wanted, request);
                        })
                .object();
        return Response.ok(scale(changed));
    }

    private ObjectNode next(ResourceRequest target, ObjectNode present, ObjectNode wanted, ApiRequest request) {
        ObjectNode proposed = present.deepCopy();
        JsonNode replicas = wanted.path("spec").path("replicas");
        if (replicas.asInt() < 0) {
            throw StatusError.invalid(
                    target.type(),
                    target.name(),
                    List.of(StatusError.Cause.invalid(
                            "spec.replicas", replicas.asText(), "must be greater than or equal to 0")));
        }
        Json.child(proposed, "spec").put("replicas", replicas.asInt());
        String version = Json.text(wanted, "metadata", "resourceVersion");
        if (!version.isEmpty()) {
            Json.child(proposed, "metadata").put("resourceVersion", version);
        }
        ObjectNode next = admission.admitChange(target.type(), present, proposed, false);
        if (next == null) {
            throw StatusError.notFound(target.type(), target.name());
        }
        return owners.afterUpdate(target, request, present, next);
    }

    private static ObjectNode scale(ObjectNode object) {
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            metadata.put(field, Json.text(object, "metadata", field));
        }
        scale.putObject("spec")
                .put("replicas", object.path("spec").path("replicas").asInt());
        ObjectNode status = scale.putObject("status");
        status.put("replicas", object.path("status").path("replicas").asInt());
        JsonNode selector = object.path("spec").path("selector");
        List<String> terms = new ArrayList<>();
        JsonNode labels = selector.has("matchLabels") ? selector.path("matchLabels") : selector;
        labels.properties().forEach(label -> {
            if (label.getValue().isTextual()) {
                terms.add(label.getKey() + "=" + label.getValue().asText());
            }
        });
        if (!terms.isEmpty()) {
            status.put("selector", String.join(",", terms));
        }
        return scale;
    }
}
