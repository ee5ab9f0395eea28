package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Validates updates of objects that decisions depend on. Mirrors the validation of updates in {@code pkg/apis} for pods, claims
 * and volumes, their classes, CSINodes, priority classes, and claims and slices of devices.
 */
final class ChangeValidation {
    /** Former keys of node labels with their present ones. */
    private static final Map<String, String> PRESENT_KEYS = Map.of(
            "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region",
            "beta.kubernetes.io/os", "kubernetes.io/os",
            "beta.kubernetes.io/arch", "kubernetes.io/arch",
            "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type");

    private final Release release;
    private final JsonNode present;
    private final JsonNode proposed;
    private final List<Cause> causes = new ArrayList<>();

    private ChangeValidation(JsonNode present, JsonNode proposed, Release release) {
        this.present = present;
        this.proposed = proposed;
        this.release = release;
    }

    /** Returns the error of an update; empty if it is valid. Both objects have all defaults. */
    static List<Cause> check(ResourceType type, ObjectNode present, ObjectNode proposed, Release release) {
        ChangeValidation change = new ChangeValidation(present, proposed, release);
        switch (type.plural()) {
            case "pods" -> change.causes.addAll(PodChanges.check(present, proposed, release));
            case "configmaps" -> change.immutableData(List.of("data", "binaryData"));
            case "secrets" -> {
                change.immutableText("type");
                change.immutableData(List.of("data"));
            }
            case "controllerrevisions" -> change.revision();
            case "deployments", "replicasets", "daemonsets" -> change.immutable("spec", "selector");
            case "statefulsets" -> change.statefulSet();
            case "jobs" ->
                JobValidation.change(
                        present,
                        proposed,
                        release,
                        (field, before, after) -> change.immutable(field, before, after, "field is immutable"),
                        new FieldErrors(change.causes));
            case "rolebindings", "clusterrolebindings" ->
                change.immutable("roleRef", present.path("roleRef"), proposed.path("roleRef"), "cannot change roleRef");
            case "csidrivers" -> change.driver();
            case "volumeattachments" -> change.attachment();
            case "runtimeclasses" -> change.immutableText("handler");
            case "nodes" -> change.node();
            case "services" ->
                ServiceValidation.checkChange(present, proposed, new FieldErrors(change.causes), release);
            case "priorityclasses" -> change.priorityClass();
            case "storageclasses" -> change.storageClass();
            case "csinodes" -> change.drivers();
            case "persistentvolumes" -> change.volume();
            case "persistentvolumeclaims" -> change.claim();
            case "resourceclaims", "resourceclaimtemplates" -> change.immutable("spec");
            case "resourceslices" -> change.slice();
            default -> {
                // Other kinds have no restrictions.
            }
        }
        return change.causes;
    }

    private boolean hasFormerMessages() {
        return !ComponentChange.UPDATE_VALIDATION.in(release);
    }

    private void immutable(String... path) {
        immutable(String.join(".", path), Json.at(present, path), Json.at(proposed, path), "field is immutable");
    }

    private void immutable(String field, JsonNode before, JsonNode after, String why) {
        if (!SemanticEquality.same(before, after)) {
            causes.add(new Cause(
                    field,
                    "FieldValueInvalid",
                    "Invalid value: " + (after.isMissingNode() ? hasFormerMessages() ? "\"null\"" : "null" : after)
                            + ": " + why));
        }
    }

    /** The data of a revision is of any kind, so that an empty value in it counts. */
    private void revision() {
        new FieldErrors(causes).notNegative("revision", proposed.path("revision"));
        JsonNode data = Json.at(proposed, "data");
        if (data.isMissingNode() && hasFormerMessages()) {
            causes.add(Cause.required("data", "data is mandatory"));
        }
        if (!Json.at(present, "data").equals(data)) {
            String shown = data.isMissingNode() ? hasFormerMessages() ? "\"null\"" : "null" : data.toString();
            causes.add(new Cause("data", "FieldValueInvalid", "Invalid value: " + shown + ": field is immutable"));
        }
    }

    private void immutableText(String field) {
        if (!Json.text(present, field).equals(Json.text(proposed, field))) {
            causes.add(Cause.invalid(field, Json.text(proposed, field), "field is immutable"));
        }
    }

    /** The data of an object that is marked as immutable. */
    private void immutableData(List<String> fields) {
        if (!present.path("immutable").asBoolean()) {
            return;
        }
        String why = "field is immutable when `immutable` is set";
        if (!proposed.path("immutable").asBoolean()) {
            causes.add(Cause.forbidden("immutable", why));
        }
        for (String field : fields) {
            if (!SemanticEquality.same(present.path(field), proposed.path(field))) {
                causes.add(Cause.forbidden(field, why));
            }
        }
    }

    private void statefulSet() {
        ObjectNode before = spec(present);
        ObjectNode after = spec(proposed);
        List<String> free = List.of(
                "replicas",
                "template",
                "updateStrategy",
                "persistentVolumeClaimRetentionPolicy",
                "minReadySeconds",
                "ordinals");
        before.remove(free);
        after.remove(free);
        if (!hasFormerMessages()) {
            before.remove("revisionHistoryLimit");
            after.remove("revisionHistoryLimit");
        }
        if (!SemanticEquality.same(before, after)) {
            causes.add(Cause.forbidden(
                    "spec",
                    hasFormerMessages()
                            ? "updates to statefulset spec for fields other than 'replicas', 'template', and"
                                    + " 'updateStrategy' are forbidden"
                            : "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template',"
                                    + " 'updateStrategy', 'revisionHistoryLimit',"
                                    + " 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
        }
    }

    private void node() {
        boolean changed = false;
        String rule = " except from \"\" to valid";
        JsonNode ranges = Json.at(present, "spec", "podCIDRs");
        if (!ranges.isEmpty() && !ranges.equals(Json.at(proposed, "spec", "podCIDRs"))) {
            changed = true;
            causes.add(Cause.forbidden("spec.podCIDRs", "node updates may not change podCIDR" + rule));
        }
        String provider = Json.text(present, "spec", "providerID");
        if (!provider.isEmpty() && !provider.equals(Json.text(proposed, "spec", "providerID"))) {
            changed = true;
            causes.add(Cause.forbidden("spec.providerID", "node updates may not change providerID" + rule));
        }
        boolean renamed = !Json.text(proposed, "spec", "externalID").equals(Json.text(present, "spec", "externalID"));
        if (renamed && !hasFormerMessages()) {
            causes.add(Cause.forbidden("spec.externalID", "may not be updated"));
        } else if ((changed || renamed) && hasFormerMessages()) {
            causes.add(Cause.forbidden(
                    "[]",
                    "node updates may only change labels, taints, or capacity (or configSource, if the"
                            + " DynamicKubeletConfig feature gate is enabled)"));
        }
        JsonNode source = Json.at(proposed, "spec", "configSource");
        if (hasFormerMessages() && !source.isMissingNode() && !source.has("configMap")) {
            causes.add(new Cause(
                    "spec.configSource",
                    "FieldValueInvalid",
                    "Invalid value: {}: exactly one reference subfield must be non-nil"));
        }
    }

    private void attachment() {
        JsonNode before = present.path("spec");
        JsonNode after = proposed.path("spec");
        // An empty specification of a volume is one.
        boolean isSame = before.path("source").has("inlineVolumeSpec")
                == after.path("source").has("inlineVolumeSpec");
        if (!isSame || !SemanticEquality.same(before, after)) {
            causes.add(new Cause("spec", "FieldValueInvalid", "Invalid value: {}: field is immutable"));
        }
    }

    /** Later releases allow to change all but two fields. */
    private void driver() {
        if (hasFormerMessages()) {
            immutable("spec");
            return;
        }
        immutable(
                "spec.attachedRequired",
                Json.at(present, "spec", "attachRequired"),
                Json.at(proposed, "spec", "attachRequired"),
                "field is immutable");
        immutable("spec", "volumeLifecycleModes");
    }

    private void priorityClass() {
        if (!SemanticEquality.same(present.path("value"), proposed.path("value"))) {
            causes.add(Cause.forbidden(hasFormerMessages() ? "Value" : "value", "may not be changed in an update."));
        }
        if (ComponentChange.IMMUTABLE_FIELD_IN_MESSAGE.in(release)) {
            immutable("preemptionPolicy");
        }
    }

    private void storageClass() {
        for (String field : List.of("parameters", "provisioner", "reclaimPolicy")) {
            if (!release.atLeast(36)) {
                if (!SemanticEquality.same(present.path(field), proposed.path(field))) {
                    causes.add(Cause.forbidden(field, "updates to " + field + " are forbidden."));
                }
            } else if (field.equals("provisioner")) {
                immutableText(field);
            } else {
                immutable(field);
            }
        }
        immutable("volumeBindingMode");
    }

    /** Drivers can be added and removed, but not changed. */
    private void drivers() {
        for (JsonNode driver : Json.at(proposed, "spec", "drivers")) {
            for (JsonNode known : Json.at(present, "spec", "drivers")) {
                if (Json.text(known, "name").equals(Json.text(driver, "name"))) {
                    JsonNode before = known;
                    if (release.atLeast(35) && known instanceof ObjectNode object) {
                        before = object.deepCopy().set("allocatable", driver.path("allocatable"));
                    }
                    immutable(
                            hasFormerMessages() ? "CSINodeDriver" : "spec.drivers",
                            before,
                            driver,
                            "field is immutable");
                }
            }
        }
    }

    private void volume() {
        if (!SemanticEquality.same(source(present), source(proposed))) {
            String field = "spec.persistentvolumesource";
            causes.add(Cause.forbidden(
                    field,
                    !ComponentChange.IMMUTABLE_FIELD_IN_MESSAGE.in(release)
                            ? "is immutable after creation"
                            : field + " is immutable after creation"));
        }
        immutable(
                "volumeMode",
                Json.at(present, "spec", "volumeMode"),
                Json.at(proposed, "spec", "volumeMode"),
                "field is immutable");
        JsonNode affinity = Json.at(present, "spec", "nodeAffinity");
        if (!affinity.isMissingNode()) {
            immutable(
                    "nodeAffinity",
                    affinity,
                    hasFormerMessages()
                            ? Json.at(proposed, "spec", "nodeAffinity")
                            : renamedKeys(affinity, Json.at(proposed, "spec", "nodeAffinity")),
                    hasFormerMessages()
                            ? "field is immutable"
                            : "field is immutable, except for updating from beta label to GA");
        }
    }

    /**
     * A copy of an affinity with the former keys where only they changed to their present names. Kubernetes also allows to
     * remove other keys, because they have no present name.
     */
    private static JsonNode renamedKeys(JsonNode before, JsonNode after) {
        JsonNode copy = after.deepCopy();
        JsonNode terms = copy.path("required").path("nodeSelectorTerms");
        for (int i = 0; i < terms.size(); i++) {
            JsonNode known =
                    before.path("required").path("nodeSelectorTerms").path(i).path("matchExpressions");
            JsonNode expressions = terms.path(i).path("matchExpressions");
            for (int j = 0; j < expressions.size(); j++) {
                String key = Json.text(known.path(j), "key");
                if (expressions.path(j) instanceof ObjectNode expression
                        && PRESENT_KEYS.getOrDefault(key, "").equals(Json.text(expression, "key"))) {
                    expression.put("key", key);
                }
            }
        }
        return copy;
    }

    private static ObjectNode source(JsonNode volume) {
        ObjectNode source = Json.object();
        volume.path("spec").properties().stream()
                .filter(field -> !StorageValidation.NOT_A_SOURCE.contains(field.getKey()))
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
        if (!hasFormerMessages() && before.path("storageClassName").isMissingNode()) {
            // When a class becomes the default, claims without a class get it.
            after.remove("storageClassName");
        }
        boolean isBound = Json.text(present, "status", "phase").equals("Bound");
        if (isBound) {
            Json.child(Json.child(before, "resources"), "requests").remove("storage");
            Json.child(Json.child(after, "resources"), "requests").remove("storage");
            if (!hasFormerMessages()) {
                before.remove("volumeAttributesClassName");
                after.remove("volumeAttributesClassName");
            }
        }
        if (!SemanticEquality.same(before, after)) {
            causes.add(Cause.forbidden(
                    "spec",
                    hasFormerMessages()
                            ? (ComponentChange.IMMUTABLE_FIELD_IN_MESSAGE.in(release) ? "spec " : "")
                                    + "is immutable after creation except resources.requests for bound claims"
                            : "spec is immutable after creation except resources.requests and"
                                    + " volumeAttributesClassName for bound claims"));
        }
        claimSize();
        immutable(
                "volumeMode",
                Json.at(present, "spec", "volumeMode"),
                Json.at(proposed, "spec", "volumeMode"),
                "field is immutable");
    }

    /** Since 1.34 (gate RecoverVolumeExpansionFailure), a claim may become smaller, but not smaller than its volume. */
    private void claimSize() {
        BigDecimal size = storage(proposed);
        if (size.compareTo(storage(present)) >= 0) {
            return;
        }
        String path = "spec.resources.requests.storage";
        if (hasFormerMessages()) {
            causes.add(Cause.forbidden(path, "field can not be less than previous value"));
        } else if (size.compareTo(amount(present, "status", "capacity", "storage")) <= 0) {
            causes.add(Cause.forbidden(path, "field can not be less than status.capacity"));
        }
    }

    /** Returns the storage that a claim requests; 0 for none. */
    static BigDecimal storage(JsonNode claim) {
        return amount(claim, "spec", "resources", "requests", "storage");
    }

    private static BigDecimal amount(JsonNode object, String... path) {
        return Json.quantity(Json.text(object, path)).orElse(BigDecimal.ZERO);
    }

    private static ObjectNode spec(JsonNode object) {
        return object.path("spec") instanceof ObjectNode spec ? spec.deepCopy() : Json.object();
    }

    private void slice() {
        immutable("spec", "driver");
        immutable("spec", "pool", "name");
        immutable("spec", "nodeName");
    }

    /** Validates the status of a resource claim. Mirrors {@code pkg/apis/resource/validation} of 1.34. */
    static final class ClaimValidation {
        private ClaimValidation() {}

        /** Returns the error of a status update; empty if it is valid. */
        static List<Cause> statusChange(ObjectNode present, ObjectNode proposed) {
            JsonNode before = present.path("status");
            JsonNode after = proposed.path("status");
            JsonNode consumers = after.path("reservedFor");
            JsonNode allocation = after.path("allocation");
            boolean isDeleted = present.path("metadata").has("deletionTimestamp");
            List<Cause> causes = new ArrayList<>();
            if (!consumers.isEmpty() && allocation.isMissingNode()) {
                causes.add(Cause.forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
            } else if (isDeleted && addsConsumer(before.path("reservedFor"), consumers)) {
                causes.add(Cause.forbidden(
                        "status.reservedFor",
                        "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"));
            }
            JsonNode old = before.path("allocation");
            if (!old.isMissingNode() && !allocation.isMissingNode() && !old.equals(allocation)) {
                causes.add(immutable("status.allocation", allocation));
            }
            return causes;
        }

        private static Cause immutable(String field, JsonNode value) {
            return new Cause(field, "FieldValueInvalid", "Invalid value: " + value + ": field is immutable");
        }

        private static boolean addsConsumer(JsonNode before, JsonNode after) {
            for (JsonNode consumer : after) {
                boolean isKnown = false;
                for (JsonNode other : before) {
                    isKnown |= Json.text(other, "uid").equals(Json.text(consumer, "uid"));
                }
                if (!isKnown) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * Validates changes of a pod besides its status: images, an earlier deadline, added tolerations, removed gates; and, with
     * gates, a narrower node affinity. Mirrors {@code ValidatePodUpdate} of {@code pkg/apis/core/validation}.
     */
    static final class PodChanges {
        private static final String RULE_OF_1_17 = "pod updates may not change fields other than"
                + " `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or"
                + " `spec.tolerations` (only additions to existing tolerations)";
        private static final String RULE = "pod updates may not change fields other than"
                + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                + "`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds`"
                + " (allow it to be set to 1 if it was previously negative)";
        private static final String REQUIRED_TERMS =
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

        private final Release release;
        private final JsonNode before;
        /** The requested pod; each part with its own validation is then reset to the old value. */
        private final ObjectNode after;

        private final List<Cause> causes = new ArrayList<>();

        private PodChanges(JsonNode before, ObjectNode after, Release release) {
            this.before = before;
            this.after = after;
            this.release = release;
        }

        /** Returns the error of a pod update; empty if it is valid. Both objects have all defaults. */
        static List<Cause> check(ObjectNode present, ObjectNode proposed, Release release) {
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
                restore("terminationGracePeriodSeconds");
            }
            if (!before.path("schedulingGates").isEmpty()) {
                nodeSelector();
                nodeAffinity();
            }
            // One is the deprecated name of the other.
            restore("serviceAccount");
            if (!SemanticEquality.same(before, after)) {
                causes.add(
                        Cause.forbidden("spec", !ComponentChange.UPDATE_VALIDATION.in(release) ? RULE_OF_1_17 : RULE));
            }
            return causes;
        }

        private void restore(String field) {
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
            JsonNode old = before.path("activeDeadlineSeconds");
            JsonNode updated = after.path("activeDeadlineSeconds");
            if (!old.isMissingNode() && (updated.isMissingNode() || updated.isNull())) {
                causes.add(invalid(
                        "spec.activeDeadlineSeconds", "null", "must not update from a positive integer to nil value"));
            } else if (!old.isMissingNode() && updated.asLong() > old.asLong()) {
                causes.add(invalid(
                        "spec.activeDeadlineSeconds",
                        updated.toString(),
                        "must be less than or equal to previous value"));
            }
            restore("activeDeadlineSeconds");
        }

        private void tolerations() {
            for (JsonNode old : before.path("tolerations")) {
                boolean stays = false;
                for (JsonNode updated : after.path("tolerations")) {
                    stays |= SemanticEquality.same(withoutSeconds(old), withoutSeconds(updated));
                }
                if (!stays) {
                    causes.add(Cause.forbidden(
                            "spec.tolerations",
                            "existing toleration can not be modified except its tolerationSeconds"));
                    break;
                }
            }
            restore("tolerations");
        }

        private static JsonNode withoutSeconds(JsonNode toleration) {
            JsonNode copy = toleration.deepCopy();
            if (copy instanceof ObjectNode object) {
                object.remove("tolerationSeconds");
            }
            return copy;
        }

        private void gates() {
            JsonNode updated = after.path("schedulingGates");
            for (int i = 0; i < updated.size(); i++) {
                String name = Json.text(updated.path(i), "name");
                boolean isKnown = false;
                for (JsonNode old : before.path("schedulingGates")) {
                    isKnown |= Json.text(old, "name").equals(name);
                }
                if (!isKnown) {
                    causes.add(Cause.forbidden(
                            "spec.schedulingGates[" + i + "].name",
                            "only deletion is allowed, but found new scheduling gate '" + name + "'"));
                }
            }
            restore("schedulingGates");
        }

        private void nodeSelector() {
            JsonNode updated = after.path("nodeSelector");
            boolean onlyAdds = before.path("nodeSelector").properties().stream()
                    .allMatch(label -> label.getValue().equals(updated.get(label.getKey())));
            if (!onlyAdds) {
                causes.add(invalid(
                        "spec.nodeSelector",
                        updated.toString(),
                        "only additions to spec.nodeSelector are allowed (no mutations or deletions)"));
            }
            restore("nodeSelector");
        }

        private void nodeAffinity() {
            JsonNode old = terms(before);
            JsonNode updated = terms(after);
            if (!old.isEmpty() && old.size() != updated.size()) {
                causes.add(invalid(
                        REQUIRED_TERMS,
                        updated.isMissingNode() ? "null" : updated.toString(),
                        "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
            } else {
                for (int i = 0; i < old.size(); i++) {
                    if (!onlyAdds(old.path(i), updated.path(i))) {
                        causes.add(invalid(
                                REQUIRED_TERMS + "[" + i + "]",
                                updated.path(i).toString(),
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

        /** An empty term matches nothing, so that it cannot be narrowed. */
        private static boolean onlyAdds(JsonNode old, JsonNode updated) {
            boolean wasEmpty = old.path("matchExpressions").isEmpty()
                    && old.path("matchFields").isEmpty();
            if (wasEmpty) {
                return SemanticEquality.same(old, updated);
            }
            for (String list : List.of("matchExpressions", "matchFields")) {
                for (int i = 0; i < old.path(list).size(); i++) {
                    if (!SemanticEquality.same(
                            old.path(list).path(i), updated.path(list).path(i))) {
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

    /**
     * Semantic equality of parts of objects (apimachinery {@code equality.Semantic}): an empty value equals an absent one, 1
     * equals 1000m.
     */
    static final class SemanticEquality {
        /** Fields with quantities. */
        private static final Set<String> AMOUNTS = Set.of("requests", "limits", "overhead", "capacity", "allocatable");

        private SemanticEquality() {}

        static boolean same(JsonNode one, JsonNode two) {
            return one.equals(two) || plain(one, false).equals(plain(two, false));
        }

        private static JsonNode plain(JsonNode node, boolean isAmount) {
            if (node instanceof ObjectNode object) {
                ObjectNode plain = JsonNodeFactory.instance.objectNode();
                object.properties().forEach(field -> {
                    boolean amounts = isAmount || AMOUNTS.contains(field.getKey());
                    JsonNode value = plain(field.getValue(), amounts);
                    boolean isEmpty =
                            value.isMissingNode() || value.isNull() || (value.isContainerNode() && value.isEmpty());
                    if (!isEmpty) {
                        plain.set(field.getKey(), value);
                    }
                });
                return plain;
            }
            if (node instanceof ArrayNode array) {
                ArrayNode plain = JsonNodeFactory.instance.arrayNode();
                array.forEach(element -> plain.add(plain(element, isAmount)));
                return plain;
            }
            return isAmount && node.isValueNode() ? JsonNodeFactory.instance.textNode(amount(node.asText())) : node;
        }

        private static String amount(String text) {
            return Json.quantity(text)
                    .map(BigDecimal::stripTrailingZeros)
                    .map(BigDecimal::toPlainString)
                    .orElse(text);
        }
    }
}
