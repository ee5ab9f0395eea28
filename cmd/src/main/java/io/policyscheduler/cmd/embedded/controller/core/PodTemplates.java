package io.policyscheduler.cmd.embedded.controller.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** Pods made of templates, and the hashes by which templates are told apart. */
public final class PodTemplates {
    private static final String SAFE = "bcdfghjklmnpqrstvwxz2456789";

    private PodTemplates() {}

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

    /** A short text that is the same for equal templates, in the letters that Kubernetes uses; the hash itself is another one. */
    public static String hash(JsonNode template, long collisions) {
        String text = sorted(template) + (collisions == 0 ? "" : "#" + collisions);
        String digits = Integer.toUnsignedString(Hashing.murmur3_32_fixed()
                .hashString(text, StandardCharsets.UTF_8)
                .asInt());
        StringBuilder hash = new StringBuilder();
        digits.chars().forEach(c -> hash.append(SAFE.charAt(c % SAFE.length())));
        return hash.toString();
    }

    /** The order of fields is not part of a template. */
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
        return node;
    }

    /** Whether two templates ask for the same pods; the label of the hash does not count. */
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
}
