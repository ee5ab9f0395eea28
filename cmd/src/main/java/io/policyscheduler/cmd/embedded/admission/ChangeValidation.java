package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What may not become of the objects that decisions are made of. Mirrors the validation of updates in {@code pkg/apis} for pods,
 * claims and volumes, their classes, what nodes say of their drivers, priority classes, and claims and slices of devices.
 */
final class ChangeValidation {
    /** Fields of a volume that are not its source. */
    private static final Set<String> NO_SOURCE = Set.of(
            "capacity",
            "accessModes",
            "claimRef",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "mountOptions",
            "volumeMode",
            "nodeAffinity",
            "volumeAttributesClassName");

    private final ReleaseProfile release;
    private final JsonNode present;
    private final JsonNode proposed;
    private final List<Cause> causes = new ArrayList<>();

    private ChangeValidation(JsonNode present, JsonNode proposed, ReleaseProfile release) {
        this.present = present;
        this.proposed = proposed;
        this.release = release;
    }

    /** Why an object may not be written so; empty when it may. Both have all defaults. */
    static List<Cause> check(ResourceType type, ObjectNode present, ObjectNode proposed, ReleaseProfile release) {
        ChangeValidation change = new ChangeValidation(present, proposed, release);
        switch (type.plural()) {
            case "pods" -> change.causes.addAll(PodChanges.check(present, proposed, release));
            case "priorityclasses" -> change.priorityClass();
            case "storageclasses" -> change.storageClass();
            case "csinodes" -> change.drivers();
            case "persistentvolumes" -> change.volume();
            case "persistentvolumeclaims" -> change.claim();
            case "resourceclaims", "resourceclaimtemplates" -> change.immutable("spec");
            case "resourceslices" -> change.slice();
            default -> {
                // Others may become anything here.
            }
        }
        return change.causes;
    }

    private boolean isOld() {
        return release == ReleaseProfile.V1_17;
    }

    private void immutable(String... path) {
        immutable(String.join(".", path), at(present, path), at(proposed, path), "field is immutable");
    }

    private void immutable(String field, JsonNode before, JsonNode after, String why) {
        if (!Sameness.same(before, after)) {
            causes.add(new Cause(
                    field,
                    "FieldValueInvalid",
                    "Invalid value: " + (after.isMissingNode() ? "null" : after) + ": " + why));
        }
    }

    private static JsonNode at(JsonNode object, String... path) {
        JsonNode node = object;
        for (String field : path) {
            node = node.path(field);
        }
        return node;
    }

    private void priorityClass() {
        if (!Sameness.same(present.path("value"), proposed.path("value"))) {
            causes.add(Cause.forbidden(isOld() ? "Value" : "value", "may not be changed in an update."));
        }
        if (!isOld()) {
            immutable("preemptionPolicy");
        }
    }

    private void storageClass() {
        for (String field : List.of("parameters", "provisioner", "reclaimPolicy")) {
            if (!Sameness.same(present.path(field), proposed.path(field))) {
                causes.add(Cause.forbidden(field, "updates to " + field + " are forbidden."));
            }
        }
        immutable("volumeBindingMode");
    }

    /** Drivers come and go, but stay what they are. */
    private void drivers() {
        for (JsonNode driver : at(proposed, "spec", "drivers")) {
            for (JsonNode known : at(present, "spec", "drivers")) {
                if (Json.text(known, "name").equals(Json.text(driver, "name"))) {
                    immutable(isOld() ? "CSINodeDriver" : "spec.drivers", known, driver, "field is immutable");
                }
            }
        }
    }

    private void volume() {
        if (!Sameness.same(source(present), source(proposed))) {
            String field = "spec.persistentvolumesource";
            causes.add(Cause.forbidden(
                    field, isOld() ? "is immutable after creation" : field + " is immutable after creation"));
        }
        immutable(
                "volumeMode",
                at(present, "spec", "volumeMode"),
                at(proposed, "spec", "volumeMode"),
                "field is immutable");
        JsonNode affinity = at(present, "spec", "nodeAffinity");
        if (!affinity.isMissingNode()) {
            immutable(
                    "nodeAffinity",
                    affinity,
                    at(proposed, "spec", "nodeAffinity"),
                    isOld() ? "field is immutable" : "field is immutable, except for updating from beta label to GA");
        }
    }

    private static ObjectNode source(JsonNode volume) {
        ObjectNode source = Json.object();
        volume.path("spec").properties().stream()
                .filter(field -> !NO_SOURCE.contains(field.getKey()))
                .forEach(field -> source.set(field.getKey(), field.getValue()));
        return source;
    }

    private void claim() {
        ObjectNode before = spec(present);
        ObjectNode after = spec(proposed);
        if (Json.text(before, "volumeName").isEmpty()) {
            before.remove("volumeName");
            after.remove("volumeName");
        }
        if (!isOld() && before.path("storageClassName").isMissingNode()) {
            // A class that has become the default one is given to claims that were made without.
            after.remove("storageClassName");
        }
        boolean isBound = Json.text(present, "status", "phase").equals("Bound");
        if (isBound) {
            Json.child(Json.child(before, "resources"), "requests").remove("storage");
            Json.child(Json.child(after, "resources"), "requests").remove("storage");
            if (!isOld()) {
                before.remove("volumeAttributesClassName");
                after.remove("volumeAttributesClassName");
            }
        }
        if (!Sameness.same(before, after)) {
            causes.add(Cause.forbidden(
                    "spec",
                    isOld()
                            ? "is immutable after creation except resources.requests for bound claims"
                            : "spec is immutable after creation except resources.requests and"
                                    + " volumeAttributesClassName for bound claims"));
        }
    }

    private static ObjectNode spec(JsonNode object) {
        return object.path("spec") instanceof ObjectNode spec ? spec.deepCopy() : Json.object();
    }

    private void slice() {
        immutable("spec", "driver");
        immutable("spec", "pool", "name");
        immutable("spec", "nodeName");
    }
}
