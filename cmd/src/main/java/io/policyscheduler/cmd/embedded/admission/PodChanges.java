package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import java.util.ArrayList;
import java.util.List;

/**
 * What may become of a pod besides its status: new images, an earlier deadline, more tolerations, fewer gates; as long as it has gates
 * fewer nodes, too. Mirrors {@code ValidatePodUpdate} of {@code pkg/apis/core/validation}.
 */
final class PodChanges {
    private static final String RULE_OF_1_17 = "pod updates may not change fields other than"
            + " `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or"
            + " `spec.tolerations` (only additions to existing tolerations)";
    private static final String RULE = "pod updates may not change fields other than"
            + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
            + "`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds`"
            + " (allow it to be set to 1 if it was previously negative)";
    private static final String REQUIRED_TERMS =
            "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

    private final ReleaseProfile release;
    private final JsonNode before;
    /** What is asked for; whatever of it is judged for itself is then put back to what it was. */
    private final ObjectNode after;

    private final List<Cause> causes = new ArrayList<>();

    private PodChanges(JsonNode before, ObjectNode after, ReleaseProfile release) {
        this.before = before;
        this.after = after;
        this.release = release;
    }

    /** Why the pod may not be written so; empty when it may. Both have all defaults. */
    static List<Cause> check(ObjectNode present, ObjectNode proposed, ReleaseProfile release) {
        ObjectNode after = Json.child(proposed, "spec").deepCopy();
        return new PodChanges(present.path("spec"), after, release).check();
    }

    private List<Cause> check() {
        for (String list : List.of("containers", "initContainers")) {
            if (before.path(list).size() != after.path(list).size()) {
                return List.of(Cause.forbidden("spec." + list, "pod updates may not add or remove containers"));
            }
        }
        images();
        deadline();
        tolerations();
        gates();
        long grace = before.path("terminationGracePeriodSeconds").asLong();
        if (grace < 0 && after.path("terminationGracePeriodSeconds").asLong() == 1) {
            putBack("terminationGracePeriodSeconds");
        }
        if (!before.path("schedulingGates").isEmpty()) {
            nodeSelector();
            nodeAffinity();
        }
        // One is the old name of the other.
        putBack("serviceAccount");
        if (!Sameness.same(before, after)) {
            causes.add(Cause.forbidden("spec", release == ReleaseProfile.V1_17 ? RULE_OF_1_17 : RULE));
        }
        return causes;
    }

    private void putBack(String field) {
        if (before.has(field)) {
            after.set(field, before.path(field));
        } else {
            after.remove(field);
        }
    }

    private void images() {
        for (String list : List.of("initContainers", "containers")) {
            for (int i = 0; i < after.path(list).size(); i++) {
                if (after.path(list).get(i) instanceof ObjectNode container) {
                    if (Json.text(container, "image").isEmpty()) {
                        causes.add(Cause.required("spec." + list + "[" + i + "].image", ""));
                    }
                    container.set("image", before.path(list).path(i).path("image"));
                }
            }
        }
    }

    private void deadline() {
        JsonNode had = before.path("activeDeadlineSeconds");
        JsonNode wanted = after.path("activeDeadlineSeconds");
        if (!had.isMissingNode() && (wanted.isMissingNode() || wanted.isNull())) {
            causes.add(invalid(
                    "spec.activeDeadlineSeconds", "null", "must not update from a positive integer to nil value"));
        } else if (!had.isMissingNode() && wanted.asLong() > had.asLong()) {
            causes.add(invalid(
                    "spec.activeDeadlineSeconds", wanted.toString(), "must be less than or equal to previous value"));
        }
        putBack("activeDeadlineSeconds");
    }

    private void tolerations() {
        for (JsonNode had : before.path("tolerations")) {
            boolean stays = false;
            for (JsonNode wanted : after.path("tolerations")) {
                stays |= Sameness.same(untimed(had), untimed(wanted));
            }
            if (!stays) {
                causes.add(Cause.forbidden(
                        "spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"));
                break;
            }
        }
        putBack("tolerations");
    }

    private static JsonNode untimed(JsonNode toleration) {
        JsonNode copy = toleration.deepCopy();
        if (copy instanceof ObjectNode object) {
            object.remove("tolerationSeconds");
        }
        return copy;
    }

    private void gates() {
        JsonNode wanted = after.path("schedulingGates");
        for (int i = 0; i < wanted.size(); i++) {
            String name = Json.text(wanted.path(i), "name");
            boolean isKnown = false;
            for (JsonNode had : before.path("schedulingGates")) {
                isKnown |= Json.text(had, "name").equals(name);
            }
            if (!isKnown) {
                causes.add(Cause.forbidden(
                        "spec.schedulingGates[" + i + "].name",
                        "only deletion is allowed, but found new scheduling gate '" + name + "'"));
            }
        }
        putBack("schedulingGates");
    }

    private void nodeSelector() {
        JsonNode wanted = after.path("nodeSelector");
        boolean onlyAdds = before.path("nodeSelector").properties().stream()
                .allMatch(label -> label.getValue().equals(wanted.get(label.getKey())));
        if (!onlyAdds) {
            causes.add(invalid(
                    "spec.nodeSelector",
                    wanted.toString(),
                    "only additions to spec.nodeSelector are allowed (no mutations or deletions)"));
        }
        putBack("nodeSelector");
    }

    private void nodeAffinity() {
        JsonNode had = terms(before);
        JsonNode wanted = terms(after);
        if (!had.isEmpty() && had.size() != wanted.size()) {
            causes.add(invalid(
                    REQUIRED_TERMS,
                    wanted.isMissingNode() ? "null" : wanted.toString(),
                    "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
        } else {
            for (int i = 0; i < had.size(); i++) {
                if (!onlyAdds(had.path(i), wanted.path(i))) {
                    causes.add(invalid(
                            REQUIRED_TERMS + "[" + i + "]",
                            wanted.path(i).toString(),
                            "only additions are allowed (no mutations or deletions)"));
                }
            }
        }
        JsonNode affinity = before.path("affinity").path("nodeAffinity");
        ObjectNode changed = Json.child(after, "affinity");
        if (affinity.isMissingNode()) {
            changed.remove("nodeAffinity");
        } else {
            changed.set("nodeAffinity", affinity);
        }
    }

    private static JsonNode terms(JsonNode spec) {
        return spec.path("affinity")
                .path("nodeAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution")
                .path("nodeSelectorTerms");
    }

    /** An empty term matches nothing, so that there is nothing to narrow. */
    private static boolean onlyAdds(JsonNode had, JsonNode wanted) {
        boolean wasEmpty = had.path("matchExpressions").isEmpty()
                && had.path("matchFields").isEmpty();
        if (wasEmpty) {
            return Sameness.same(had, wanted);
        }
        for (String list : List.of("matchExpressions", "matchFields")) {
            for (int i = 0; i < had.path(list).size(); i++) {
                if (!Sameness.same(had.path(list).path(i), wanted.path(list).path(i))) {
                    return false;
                }
            }
        }
        return true;
    }

    private static Cause invalid(String field, String value, String why) {
        return new Cause(field, "FieldValueInvalid", "Invalid value: " + value + ": " + why);
    }
}
