package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.PodConditions;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.Response;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import java.time.Clock;
import java.util.List;

/** POST of a Binding: assigns a pod to a node, whether that node exists or not (registry/core/pod BindingREST). */
final class BindingHandler {
    private static final String RESOURCE = "pods/binding";

    private final StoredObjects store;
    private final Clock clock;

    BindingHandler(StoredObjects store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    Response bind(ResourceType pods, String namespace, String name, ApiRequest request) {
        ObjectNode binding = request.bodyObject();
        String node = Json.text(binding, "target", "name");
        String kind = Json.text(binding, "target", "kind");
        if (node.isEmpty()) {
            throw StatusError.invalid(pods, name, List.of(Cause.required("target.name", "")));
        }
        if (!List.of("", "Node", "Minion").contains(kind)) {
            throw StatusError.invalid(
                    pods,
                    name,
                    List.of(new Cause(
                            "target.kind",
                            "FieldValueNotSupported",
                            "Unsupported value: \"" + kind + "\": supported values: \"Node\", \"<empty>\"")));
        }
        String bound = Json.text(binding, "metadata", "name");
        if (!bound.isEmpty() && !bound.equals(name)) {
            throw StatusError.badRequest("name in URL does not match name in Binding object");
        }
        store.modify(pods, namespace, name, request.isDryRun(), pod -> assign(pods, name, pod, binding, node));
        return new Response(201, StatusError.success(201));
    }

    private ObjectNode assign(ResourceType pods, String name, ObjectNode pod, ObjectNode binding, String node) {
        ObjectNode metadata = Json.child(pod, "metadata");
        checkPreconditions(pods, name, metadata, binding);
        ObjectNode spec = Json.child(pod, "spec");
        if (metadata.has("deletionTimestamp")) {
            throw StatusError.conflict(
                    RESOURCE, name, "pod " + name + " is being deleted, cannot be assigned to a host");
        }
        String present = Json.text(spec, "nodeName");
        if (!present.isEmpty()) {
            throw StatusError.conflict(
                    RESOURCE, name, "pod " + name + " is already assigned to node \"" + present + "\"");
        }
        if (!spec.path("schedulingGates").isEmpty()) {
            throw StatusError.conflict(RESOURCE, name, "pod " + name + " has non-empty .spec.schedulingGates");
        }
        spec.put("nodeName", node);
        binding.path("metadata")
                .path("annotations")
                .properties()
                .forEach(a -> Json.child(metadata, "annotations").set(a.getKey(), a.getValue()));
        PodConditions.setTrue(pod, "PodScheduled", clock.instant());
        return pod;
    }

    private static void checkPreconditions(ResourceType pods, String name, ObjectNode metadata, ObjectNode binding) {
        for (String field : List.of("uid", "resourceVersion")) {
            String wanted = Json.text(binding, "metadata", field);
            String found = Json.text(metadata, field);
            if (!wanted.isEmpty() && !wanted.equals(found)) {
                String label = field.equals("uid") ? "UID" : "ResourceVersion";
                throw StatusError.conflict(
                        pods,
                        name,
                        "StorageError: invalid object, Code: 4, Key: /registry/pods/" + Json.text(metadata, "namespace")
                                + "/" + name + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + label
                                + " in precondition: " + wanted + ", " + label + " in object meta: " + found);
            }
        }
    }
}
