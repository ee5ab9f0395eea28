package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Creates pods from templates, and computes hashes of templates. */
public final class ControllerUtils {
    private static final String SAFE = "bcdfghjklmnpqrstvwxz2456789";

    private ControllerUtils() {}

    /** A pod of an owner's template, without a name. */
    public static ObjectNode pod(ResourceType ownerType, ObjectNode owner, JsonNode template) {
        ObjectNode pod = Json.object();
        ObjectNode metadata = pod.putObject("metadata");
        for (String field : new String[] {"labels", "annotations", "finalizers"}) {
            if (!template.path("metadata").path(field).isEmpty()) {
                metadata.set(field, template.path("metadata").path(field).deepCopy());
            }
        }
        metadata.put("namespace", Json.text(owner, "metadata", "namespace"));
        Owners.setController(ownerType, owner, pod);
        pod.set("spec", template.path("spec").deepCopy());
        return pod;
    }

    public static void label(ObjectNode object, String name, String value) {
        Json.child(Json.child(object, "metadata"), "labels").put(name, value);
    }

    public static void annotate(ObjectNode object, String name, String value) {
        Json.child(Json.child(object, "metadata"), "annotations").put(name, value);
    }

    public static String annotation(JsonNode object, String name) {
        return Json.text(object, "metadata", "annotations", name);
    }

    /** A hash of a template with the alphabet of Kubernetes; its value differs from that of Kubernetes. */
    public static String hash(JsonNode template, long collisions) {
        String text = sorted(template) + (collisions == 0 ? "" : "#" + collisions);
        String digits = Integer.toUnsignedString(Hashing.murmur3_32_fixed()
                .hashString(text, StandardCharsets.UTF_8)
                .asInt());
        StringBuilder hash = new StringBuilder();
        digits.chars().forEach(c -> hash.append(SAFE.charAt(c % SAFE.length())));
        return hash.toString();
    }

    /** The order of fields is not part of a template, nor whether a client sent its numbers as JSON or as protobuf. */
    private static JsonNode sorted(JsonNode node) {
        if (node.isObject()) {
            Map<String, JsonNode> fields = new TreeMap<>();
            node.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
            return Json.object().setAll(fields);
        }
        if (node.isArray()) {
            ArrayNode array = Json.array();
            node.forEach(item -> array.add(sorted(item)));
            return array;
        }
        return node.isIntegralNumber() ? LongNode.valueOf(node.longValue()) : node;
    }

    /** Whether two templates are equal except for the label of the hash. */
    public static boolean equalIgnoringHash(JsonNode a, JsonNode b) {
        return sorted(withoutHash(a)).equals(sorted(withoutHash(b)));
    }

    private static JsonNode withoutHash(JsonNode template) {
        JsonNode copy = template.deepCopy();
        if (copy.path("metadata").path("labels") instanceof ObjectNode labels) {
            labels.remove("pod-template-hash");
        }
        return copy;
    }

    /** A number or a percentage of a total (apimachinery util/intstr). */
    public static final class IntOrPercent {
        private IntOrPercent() {}

        /** The number; text without a percent sign is 0. */
        public static int of(JsonNode value, int total, boolean roundUp) {
            String text = value.asText("");
            if (value.isNumber() || !text.endsWith("%")) {
                return value.asInt();
            }
            try {
                double exact = Integer.parseInt(text.substring(0, text.length() - 1)) * (double) total / 100;
                return (int) (roundUp ? Math.ceil(exact) : Math.floor(exact));
            } catch (NumberFormatException e) {
                return 0;
            }
        }
    }

    /** Properties of pods that controllers read (pkg/api/v1/pod, pkg/controller/controller_utils.go). */
    public static final class PodStates {
        private static final Set<String> TERMINAL = Set.of("Succeeded", "Failed");

        private PodStates() {}

        public static String phase(JsonNode pod) {
            return Json.text(pod, "status", "phase");
        }

        public static boolean isFinished(JsonNode pod) {
            return TERMINAL.contains(phase(pod));
        }

        /** Neither finished nor terminating. */
        public static boolean isActive(JsonNode pod) {
            return !isFinished(pod) && !Clientset.isDeleted(pod);
        }

        public static boolean isScheduled(JsonNode pod) {
            return !Json.text(pod, "spec", "nodeName").isEmpty();
        }

        public static boolean isReady(JsonNode pod) {
            return Conditions.isTrue(pod.path("status"), "Ready");
        }

        /** The time from which a ready pod counts as available; empty for a pod that is not ready. */
        public static Optional<Instant> availableAt(JsonNode pod, long minReadySeconds) {
            return isReady(pod)
                    ? Optional.of(instant(Json.text(Conditions.find(pod.path("status"), "Ready"), "lastTransitionTime"))
                            .plusSeconds(minReadySeconds))
                    : Optional.empty();
        }

        public static boolean isAvailable(JsonNode pod, long minReadySeconds, Instant now) {
            return isReady(pod)
                    && (minReadySeconds == 0
                            || availableAt(pod, minReadySeconds)
                                    .filter(at -> !at.isAfter(now))
                                    .isPresent());
        }

        /** A time of an object; that of the epoch when it is empty. */
        public static Instant instant(String time) {
            return time.isEmpty() ? Instant.EPOCH : OffsetDateTime.parse(time).toInstant();
        }

        public static <T extends JsonNode> List<T> active(List<T> pods) {
            return pods.stream().filter(PodStates::isActive).toList();
        }
    }

    /** Evaluates tolerations, including those of all daemon pods (pkg/controller/daemon/util). */
    public static final class Tolerations {
        private static final List<String> EXECUTE = List.of("not-ready", "unreachable");
        private static final List<String> SCHEDULE =
                List.of("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable");

        private Tolerations() {}

        public static boolean tolerates(JsonNode toleration, JsonNode taint) {
            String effect = Json.text(toleration, "effect");
            String key = Json.text(toleration, "key");
            boolean exists = Json.text(toleration, "operator").equals("Exists");
            if (!effect.isEmpty() && !effect.equals(Json.text(taint, "effect"))) {
                return false;
            }
            if (key.isEmpty() ? !exists : !key.equals(Json.text(taint, "key"))) {
                return false;
            }
            return exists || Json.text(toleration, "value").equals(Json.text(taint, "value"));
        }

        public static void addOfDaemons(ObjectNode pod) {
            ArrayNode tolerations = Json.list(Json.child(pod, "spec"), "tolerations");
            EXECUTE.forEach(key -> add(tolerations, key, "NoExecute"));
            SCHEDULE.forEach(key -> add(tolerations, key, "NoSchedule"));
            if (pod.path("spec").path("hostNetwork").asBoolean()) {
                add(tolerations, "network-unavailable", "NoSchedule");
            }
        }

        private static void add(ArrayNode tolerations, String key, String effect) {
            tolerations
                    .addObject()
                    .put("key", "node.kubernetes.io/" + key)
                    .put("operator", "Exists")
                    .put("effect", effect);
        }
    }

    /** Owner references: which object controls which (apimachinery meta/v1 controller_ref.go). */
    public static final class Owners {
        private Owners() {}

        /** The reference to the controlling owner; a missing node for none. */
        public static JsonNode controllerOf(JsonNode object) {
            for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
                if (owner.path("controller").asBoolean()) {
                    return owner;
                }
            }
            return MissingNode.getInstance();
        }

        public static boolean controls(JsonNode owner, JsonNode object) {
            return Json.text(controllerOf(object), "uid").equals(Clientset.uid(owner));
        }

        /** Makes the owner the controller of an object. */
        public static void setController(ResourceType ownerType, JsonNode owner, ObjectNode object) {
            Json.list(Json.child(object, "metadata"), "ownerReferences")
                    .addObject()
                    .put("apiVersion", ownerType.apiVersion(ownerType.versions().get(0)))
                    .put("kind", ownerType.kind())
                    .put("name", Json.text(owner, "metadata", "name"))
                    .put("uid", Clientset.uid(owner))
                    .put("controller", true)
                    .put("blockOwnerDeletion", true);
        }

        /**
         * The objects of the same namespace that an object controls. Orphans that match its selector are adopted, as by real
         * controllers.
         *
         * @param owner with a {@code spec.selector}
         */
        public static List<ObjectNode> controlled(
                Clientset objects, ResourceType ownerType, ObjectNode owner, ResourceType type) {
            JsonNode selector = owner.path("spec").path("selector");
            // A ReplicationController has the labels themselves.
            LabelSelector labels = LabelSelector.ofObject(
                    ownerType.plural().equals("replicationcontrollers")
                            ? Json.object().set("matchLabels", selector)
                            : selector);
            List<ObjectNode> result = new ArrayList<>();
            for (ObjectNode object : objects.list(type, ObjectKey.of(owner).namespace())) {
                if (controls(owner, object)) {
                    result.add(object);
                } else if (controllerOf(object).isMissingNode()
                        && !labels.isEmpty()
                        && labels.matches(object)
                        && !Clientset.isDeleted(object)
                        && !Clientset.isDeleted(owner)) {
                    objects.change(type, object, orphan -> setController(ownerType, owner, orphan));
                    objects.get(type, ObjectKey.of(object))
                            .filter(adopted -> controls(owner, adopted))
                            .ifPresent(result::add);
                }
            }
            return result;
        }

        /** Returns whether an object has a finalizer. */
        public static boolean hasFinalizer(JsonNode object, String finalizer) {
            for (JsonNode present : object.path("metadata").path("finalizers")) {
                if (present.asText().equals(finalizer)) {
                    return true;
                }
            }
            return false;
        }

        /** Removes a finalizer from an object. */
        public static void removeFinalizer(ObjectNode object, String finalizer) {
            ObjectNode metadata = Json.child(object, "metadata");
            ArrayNode kept = Json.array();
            for (JsonNode present : metadata.path("finalizers")) {
                if (!present.asText().equals(finalizer)) {
                    kept.add(present);
                }
            }
            setOrRemove(metadata, "finalizers", kept);
        }

        private static void setOrRemove(ObjectNode metadata, String field, ArrayNode values) {
            if (values.isEmpty()) {
                metadata.remove(field);
            } else {
                metadata.set(field, values);
            }
        }

        /** Removes an owner from an object's references. */
        public static void release(ObjectNode object, String ownerUid) {
            ObjectNode metadata = Json.child(object, "metadata");
            ArrayNode kept = Json.array();
            for (JsonNode owner : metadata.path("ownerReferences")) {
                if (!Json.text(owner, "uid").equals(ownerUid)) {
                    kept.add(owner);
                }
            }
            setOrRemove(metadata, "ownerReferences", kept);
        }
    }
}
