package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import java.util.Map;
import java.util.Optional;

/** Resolves priorityClassName to a priority (plugin/pkg/admission/priority). */
public final class PriorityAdmission {
    private static final Map<String, Integer> SYSTEM_CLASSES =
            Map.of("system-cluster-critical", 2_000_000_000, "system-node-critical", 2_000_001_000);

    private final StoredObjects store;
    private final ResourceType classes;
    private final boolean preemptionPolicies;

    PriorityAdmission(StoredObjects store, ResourceCatalog catalog) {
        this.store = store;
        this.classes = catalog.named("priorityclasses");
        this.preemptionPolicies = catalog.release() != ReleaseProfile.V1_17;
    }

    /** The classes that every cluster has. */
    public static Map<String, Integer> systemClasses() {
        return SYSTEM_CLASSES;
    }

    /** Sets the priority; when loading, a priority without its class is kept as it is. */
    void admit(ResourceType pods, ObjectNode pod, boolean loading) {
        ObjectNode spec = Json.child(pod, "spec");
        String name = Json.text(spec, "priorityClassName");
        Optional<ObjectNode> found = name.isEmpty() ? globalDefault() : store.get(classes, "", name);
        if (found.isEmpty() && !name.isEmpty() && !loading) {
            throw StatusError.forbidden(
                    pods, ObjectKey.of(pod).name(), "no PriorityClass with name " + name + " was found");
        }
        if (loading && spec.has("priority")) {
            return;
        }
        int priority = found.map(c -> c.path("value").asInt()).orElse(0);
        JsonNode given = spec.path("priority");
        if (given.isNumber() && given.asInt() != priority) {
            throw StatusError.forbidden(
                    pods,
                    ObjectKey.of(pod).name(),
                    "the integer value of priority (" + given.asInt() + ") must not be provided in pod spec; priority"
                            + " admission controller computed " + priority + " from the given PriorityClass name");
        }
        spec.put("priority", priority);
        found.ifPresent(c -> spec.put("priorityClassName", ObjectKey.of(c).name()));
        if (preemptionPolicies) {
            String policy = found.map(c -> Json.text(c, "preemptionPolicy")).orElse("");
            Json.putIfAbsent(spec, "preemptionPolicy", policy.isEmpty() ? "PreemptLowerPriority" : policy);
        }
    }

    private Optional<ObjectNode> globalDefault() {
        return store.list(classes, "").items().stream()
                .filter(c -> c.path("globalDefault").asBoolean())
                .findFirst();
    }
}
