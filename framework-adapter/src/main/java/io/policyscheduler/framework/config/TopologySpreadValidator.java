package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.document.QualifiedNames;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks the default constraints of PodTopologySpread. */
final class TopologySpreadValidator {
    private final FieldErrors errors;
    private final String path;

    TopologySpreadValidator(FieldErrors errors, String path) {
        this.errors = errors;
        this.path = path;
    }

    void validate(JsonNode args) {
        JsonNode constraints = args.path("defaultConstraints");
        // v1alpha2 has no type; its constraints are always a list.
        if (args.has("defaultingType")) {
            String type = args.path("defaultingType").asText();
            if (!type.equals("System") && !type.equals("List")) {
                errors.unsupported(path + ".defaultingType", type, List.of("System", "List"));
            } else if (type.equals("System") && !constraints.isEmpty()) {
                errors.invalid(path + ".defaultingType", type, "when .defaultConstraints are not empty");
            }
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < constraints.size(); i++) {
            constraint(constraints.get(i), path + ".defaultConstraints[" + i + "]", seen);
        }
    }

    private void constraint(JsonNode constraint, String at, Set<String> seen) {
        int maxSkew = constraint.path("maxSkew").asInt();
        if (maxSkew <= 0) {
            errors.invalid(at + ".maxSkew", maxSkew, "not in valid range (0, inf)");
        }
        String key = constraint.path("topologyKey").asText("");
        if (key.isEmpty()) {
            errors.required(at + ".topologyKey", "can not be empty");
        } else {
            QualifiedNames.problems(key).forEach(problem -> errors.invalid(at + ".topologyKey", key, problem));
        }
        String action = constraint.path("whenUnsatisfiable").asText("");
        if (action.isEmpty()) {
            errors.required(at + ".whenUnsatisfiable", "can not be empty");
        } else if (!action.equals("DoNotSchedule") && !action.equals("ScheduleAnyway")) {
            errors.unsupported(at + ".whenUnsatisfiable", action, List.of("DoNotSchedule", "ScheduleAnyway"));
        }
        if (constraint.hasNonNull("labelSelector")) {
            errors.forbidden(
                    at + ".labelSelector", "constraint must not define a selector, as they deduced for each pod");
        }
        String identity = "{" + key + ", " + action + "}";
        if (!seen.add(identity)) {
            errors.duplicate(at, identity);
        }
    }
}
