package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.creation.CreationObjects.MissingObjects;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Gives pods the overhead, node selector and tolerations of their RuntimeClass ({@code plugin/pkg/admission/runtimeclass}). */
final class RuntimeClasses {
    private final CreationRules rules;
    private final CreationObjects objects;
    private final @Nullable MissingObjects missing;

    /** @param missing is told of a class that is not there, for pods that count nevertheless; null refuses them */
    RuntimeClasses(CreationRules rules, CreationObjects objects, @Nullable MissingObjects missing) {
        this.rules = rules;
        this.objects = objects;
        this.missing = missing;
    }

    void admit(ObjectNode spec) {
        String name = Fields.text(spec, "runtimeClassName");
        if (name.isEmpty()) {
            return;
        }
        Optional<ObjectNode> found = objects.all(CreationObjects.Kind.RUNTIME_CLASS).stream()
                .filter(one -> Fields.text(one, "metadata", "name").equals(name))
                .findFirst();
        if (found.isEmpty()) {
            if (missing == null) {
                throw CreationRefusedException.forbidden("pod rejected: RuntimeClass \"" + name + "\" not found");
            }
            missing.missing(CreationObjects.Kind.RUNTIME_CLASS, name);
            return;
        }
        overhead(spec, found.get());
        scheduling(spec, found.get().path("scheduling"));
    }

    private void overhead(ObjectNode spec, ObjectNode runtimeClass) {
        if (!rules.has(NewerField.OVERHEAD)) {
            return;
        }
        JsonNode fixed = runtimeClass.path("overhead").path("podFixed");
        JsonNode given = spec.path("overhead");
        if (!given.isEmpty() && !given.equals(fixed) && missing == null) {
            throw CreationRefusedException.forbidden(
                    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
        }
        if (!fixed.isEmpty() && given.isEmpty()) {
            spec.set("overhead", fixed.deepCopy());
        }
    }

    private void scheduling(ObjectNode spec, JsonNode scheduling) {
        JsonNode selector = scheduling.path("nodeSelector");
        for (Map.Entry<String, JsonNode> entry : selector.properties()) {
            ObjectNode own = Fields.child(spec, "nodeSelector");
            String label = entry.getKey();
            if (own.has(label) && !own.path(label).equals(entry.getValue()) && missing == null) {
                throw CreationRefusedException.forbidden("conflict: runtimeClass.scheduling.nodeSelector["
                        + label + "] = " + entry.getValue().asText() + "; pod.spec.nodeSelector[" + label + "] = "
                        + own.path(label).asText());
            }
            own.set(label, entry.getValue());
        }
        if (!scheduling.path("tolerations").isEmpty()) {
            NodeTaints.mergeTolerations(spec, scheduling.path("tolerations"));
        }
    }
}
