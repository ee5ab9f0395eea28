package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelectorText;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.Response;
import io.policyscheduler.cmd.embedded.store.DeleteOptions;
import io.policyscheduler.cmd.embedded.store.Deletion;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import java.time.Clock;
import java.util.List;
import java.util.Set;

/** POST of an Eviction: deletes a pod if the budgets allow it (registry/core/pod EvictionREST). */
final class EvictionHandler {
    private static final Set<String> UNPROTECTED_PHASES = Set.of("Pending", "Succeeded", "Failed");

    private final StoredObjects store;
    private final Deletion deletion;
    private final ResourceType budgets;
    private final boolean emptySelectsNothing;
    private final Clock clock;

    EvictionHandler(StoredObjects store, Deletion deletion, ResourceCatalog catalog, Clock clock) {
        this.store = store;
        this.deletion = deletion;
        this.budgets = catalog.named("poddisruptionbudgets.policy");
        this.emptySelectsNothing = catalog.release().policyVersion().equals("v1beta1");
        this.clock = clock;
    }

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
            spendBudget(namespace, name, pod, options.dryRun());
        }
        deletion.delete(pods, new ObjectKey(namespace, name), options);
        return new Response(201, StatusError.success(201));
    }

    private void spendBudget(String namespace, String name, ObjectNode pod, boolean dryRun) {
        List<ObjectNode> matching = store.list(budgets, namespace).items().stream()
                .filter(budget -> covers(budget, pod))
                .toList();
        if (matching.size() > 1) {
            throw StatusError.of(
                    500,
                    "InternalError",
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
        }
        for (ObjectNode budget : matching) {
            String budgetName = ObjectKey.of(budget).name();
            store.modify(budgets, namespace, budgetName, dryRun, present -> spend(budgetName, present, name));
        }
    }

    private boolean covers(JsonNode budget, JsonNode pod) {
        JsonNode selector = budget.path("spec").path("selector");
        if (!selector.isObject()) {
            return false;
        }
        LabelSelectorText labels = LabelSelectorText.ofObject(selector);
        return labels.isEmpty() ? !emptySelectsNothing : labels.matches(pod);
    }

    private ObjectNode spend(String budgetName, ObjectNode budget, String podName) {
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
