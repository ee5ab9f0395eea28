package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Deletion;
import io.policyscheduler.cmd.embedded.api.Deletion.DeleteOptions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import java.time.Clock;
import java.util.List;
import java.util.Set;

/** POST of a Binding or an Eviction of a pod (registry/core/pod BindingREST, EvictionREST). */
final class PodSubresources {
    private static final String BINDING = "pods/binding";
    private static final Set<String> UNPROTECTED_PHASES = Set.of("Pending", "Succeeded", "Failed");

    private final StoredObjects store;
    private final Deletion deletion;
    private final ResourceType budgets;
    private final ObjectAdmission admission;
    private final boolean emptySelectsNothing;
    private final boolean clearsNomination;
    private final Clock clock;

    PodSubresources(
            StoredObjects store, ObjectAdmission admission, Deletion deletion, ResourceCatalog catalog, Clock clock) {
        this.admission = admission;
        this.clearsNomination = ComponentChange.NOMINATION_CLEARED_BY_BINDING.in(catalog.release());
        this.store = store;
        this.deletion = deletion;
        this.budgets = catalog.named("poddisruptionbudgets.policy");
        this.emptySelectsNothing = budgets.versions().contains("v1beta1");
        this.clock = clock;
    }

    /** Assigns a pod to a node, whether that node exists or not. */
    Response bind(ResourceType pods, String namespace, String name, ApiRequest request) {
        ObjectNode binding = request.bodyObject();
        if (!Json.text(binding, "metadata", "name").equals(name)) {
            throw StatusError.badRequest("name in URL does not match name in Binding object");
        }
        String node = Json.text(binding, "target", "name");
        String kind = Json.text(binding, "target", "kind");
        if (node.isEmpty()) {
            throw StatusError.internal("target.name: Required value");
        }
        if (!List.of("", "Node", "Minion").contains(kind)) {
            throw StatusError.internal(
                    "target.kind: Unsupported value: \"" + kind + "\": supported values: \"Node\", \"<empty>\"");
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
                    BINDING, name, "pod " + name + " is being deleted, cannot be assigned to a host");
        }
        String present = Json.text(spec, "nodeName");
        if (!present.isEmpty()) {
            throw StatusError.conflict(
                    BINDING, name, "pod " + name + " is already assigned to node \"" + present + "\"");
        }
        if (!spec.path("schedulingGates").isEmpty()) {
            throw StatusError.conflict(BINDING, name, "pod " + name + " has non-empty .spec.schedulingGates");
        }
        spec.put("nodeName", node);
        binding.path("metadata")
                .path("annotations")
                .properties()
                .forEach(a -> Json.child(metadata, "annotations").set(a.getKey(), a.getValue()));
        Conditions.setTrue(pod, "PodScheduled", clock.instant());
        admission.labelTopology(pod, node);
        if (clearsNomination) {
            Json.child(pod, "status").remove("nominatedNodeName");
        }
        return pod;
    }

    private static void checkPreconditions(ResourceType pods, String name, ObjectNode metadata, ObjectNode binding) {
        for (String field : List.of("uid", "resourceVersion")) {
            String expected = Json.text(binding, "metadata", field);
            String found = Json.text(metadata, field);
            if (!expected.isEmpty() && !expected.equals(found)) {
                String label = field.equals("uid") ? "UID" : "ResourceVersion";
                throw StatusError.conflict(
                        pods,
                        name,
                        "StorageError: invalid object, Code: 4, Key: /registry/pods/" + Json.text(metadata, "namespace")
                                + "/" + name + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + label
                                + " in precondition: " + expected + ", " + label + " in object meta: " + found);
            }
        }
    }

    /** Deletes a pod if the budgets allow it. */
    Response evict(ResourceType pods, String namespace, String name, ApiRequest request) {
        ObjectNode eviction = request.bodyObject();
        String evicted = Json.text(eviction, "metadata", "name");
        if (!evicted.isEmpty() && !evicted.equals(name)) {
            throw StatusError.badRequest("name in URL does not match name in Eviction object");
        }
        ObjectNode pod = store.get(pods, namespace, name).orElseThrow(() -> StatusError.notFound(pods, name));
        DeleteOptions asked = DeleteOptions.of(Json.child(eviction, "deleteOptions"));
        DeleteOptions options = new DeleteOptions(
                asked.gracePeriodSeconds(), asked.uid(), asked.resourceVersion(), asked.dryRun() || request.isDryRun());
        boolean unprotected = UNPROTECTED_PHASES.contains(Json.text(pod, "status", "phase"))
                || pod.path("metadata").has("deletionTimestamp");
        if (!unprotected) {
            checkAndDecrement(namespace, name, pod, options.dryRun());
        }
        deletion.delete(pods, new ObjectKey(namespace, name), options);
        return new Response(201, StatusError.success(201));
    }

    private void checkAndDecrement(String namespace, String name, ObjectNode pod, boolean dryRun) {
        List<ObjectNode> matching = store.list(budgets, namespace).items().stream()
                .filter(budget -> covers(budget, pod))
                .toList();
        if (matching.size() > 1) {
            throw StatusError.internal(
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
        }
        for (ObjectNode budget : matching) {
            String budgetName = ObjectKey.of(budget).name();
            store.modify(budgets, namespace, budgetName, dryRun, present -> decrement(budgetName, present, name));
        }
    }

    private boolean covers(JsonNode budget, JsonNode pod) {
        JsonNode selector = budget.path("spec").path("selector");
        if (!selector.isObject()) {
            return false;
        }
        LabelSelector labels = LabelSelector.ofObject(selector);
        return labels.isEmpty() ? !emptySelectsNothing : labels.matches(pod);
    }

    private ObjectNode decrement(String budgetName, ObjectNode budget, String podName) {
        ObjectNode status = Json.child(budget, "status");
        long allowed = status.path("disruptionsAllowed").asLong();
        if (allowed <= 0) {
            throw StatusError.disruptionBudget("The disruption budget " + budgetName + " needs "
                    + status.path("desiredHealthy").asLong() + " healthy pods and has "
                    + status.path("currentHealthy").asLong() + " currently");
        }
        status.put("disruptionsAllowed", allowed - 1);
        Json.child(status, "disruptedPods").put(podName, Json.time(clock.instant()));
        return budget;
    }
}
