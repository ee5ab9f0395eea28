package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Copies parts of objects by the names of their fields, with other names in them. */
final class AnonymousFields {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Sources of volumes that are looked into, and what is kept of them. */
    private static final List<String> SOURCES = List.of(
            "persistentVolumeClaim",
            "ephemeral",
            "gcePersistentDisk",
            "awsElasticBlockStore",
            "iscsi",
            "rbd",
            "azureDisk",
            "azureFile",
            "cinder",
            "csi");

    private static final Set<String> OPEN_SOURCE_FIELDS = Set.of("readOnly", "driver", "lun", "partition", "kind");
    private static final Set<String> RENAMED_SOURCE_FIELDS = Set.of(
            "claimName",
            "pdName",
            "volumeID",
            "iqn",
            "image",
            "pool",
            "diskName",
            "diskURI",
            "shareName",
            "secretName",
            "volumeHandle");

    /** Fields whose texts are names, wherever they stand. */
    private static final Set<String> NAMES = Set.of(
            "nodeName",
            "priorityClassName",
            "runtimeClassName",
            "serviceAccountName",
            "nominatedNodeName",
            "volumeName",
            "storageClassName",
            "volumeAttributesClassName",
            "persistentVolumeName",
            "handler");
    /** Fields that say nothing to decisions, and perhaps a lot to others. */
    private static final Set<String> DROPPED = Set.of("nodeID", "message", "lastHeartbeatTime", "tokenRequests");
    /** What is kept of a container, and of its status. */
    private static final Set<String> CONTAINER =
            Set.of("name", "image", "ports", "resources", "restartPolicy", "allocatedResources");

    private final AnonymousTexts texts;
    private final ClaimNames claims;

    AnonymousFields(AnonymousTexts texts, ClaimNames claims) {
        this.texts = texts;
        this.claims = claims;
    }

    /** Copies what stands at a path, with other names in it; nothing where nothing stands. */
    void pick(JsonNode from, ObjectNode to, String path) {
        int dot = path.indexOf('.');
        String field = dot < 0 ? path : path.substring(0, dot);
        JsonNode value = from.path(field);
        if (value.isMissingNode() || value.isNull()) {
            return;
        }
        if (dot < 0) {
            to.set(field, value(field, value));
        } else {
            pick(value, to.withObject("/" + field), path.substring(dot + 1));
        }
    }

    private JsonNode value(String field, JsonNode value) {
        switch (field) {
            case "nodeSelector" -> {
                // A map of labels, or a selector with terms.
                return value.has("nodeSelectorTerms") ? walk(value) : texts.labels(value);
            }
            case "matchLabels" -> {
                return texts.labels(value);
            }
            case "selector" -> {
                // A map of labels, or a selector with matchLabels and matchExpressions.
                boolean whole = value.has("matchLabels") || value.has("matchExpressions") || value.isEmpty();
                return whole ? walk(value) : texts.labels(value);
            }
            case "values", "namespaces" -> {
                ArrayNode list = NODES.arrayNode();
                value.forEach(one -> list.add(texts.text(one)));
                return list;
            }
            case "tolerations", "taints" -> {
                return each(value, (name, one) -> name.equals("value") ? texts.text(one) : one);
            }
            case "containers", "initContainers", "containerStatuses", "initContainerStatuses" -> {
                return each(value, (name, one) -> CONTAINER.contains(name) ? container(name, one) : null);
            }
            case "resourceClaims", "resourceClaimStatuses" -> {
                return each(value, (name, one) -> texts.text(one));
            }
            case "volumes" -> {
                return each(value, this::volume);
            }
            case "images" -> {
                return each(value, (name, one) -> name.equals("names") ? texts.images(one) : one);
            }
            case "claimRef" -> {
                return each(NODES.arrayNode().add(value), (name, one) -> switch (name) {
                            case "name" ->
                                NODES.textNode(
                                        claims.name(value.path("namespace").asText(), one.asText()));
                            case "namespace" -> texts.text(one);
                            default -> one;
                        })
                        .get(0);
            }
            default -> {
                if (SOURCES.contains(field)) {
                    return source(value);
                }
                if (NAMES.contains(field) && value.isTextual()) {
                    return texts.text(value);
                }
                return walk(value);
            }
        }
    }

    /** A copy of all of it, with other names. */
    JsonNode walk(JsonNode value) {
        if (value.isArray()) {
            ArrayNode list = NODES.arrayNode();
            value.forEach(one -> list.add(walk(one)));
            return list;
        }
        if (!value.isObject()) {
            return value;
        }
        ObjectNode copy = NODES.objectNode();
        value.properties().forEach(field -> {
            if (!DROPPED.contains(field.getKey())) {
                copy.set(field.getKey(), value(field.getKey(), field.getValue()));
            }
        });
        return copy;
    }

    /** What becomes of one field of a list's elements; null leaves it out. */
    @FunctionalInterface
    private interface FieldCopy {
        @Nullable
        JsonNode of(String name, JsonNode value);
    }

    private static ArrayNode each(JsonNode list, FieldCopy copy) {
        ArrayNode copies = NODES.arrayNode();
        for (JsonNode element : list) {
            ObjectNode one = copies.addObject();
            element.properties().forEach(field -> {
                JsonNode value = copy.of(field.getKey(), field.getValue());
                if (value != null) {
                    one.set(field.getKey(), value);
                }
            });
        }
        return copies;
    }

    private JsonNode container(String field, JsonNode value) {
        return switch (field) {
            case "name" -> texts.text(value);
            case "image" -> NODES.textNode(texts.image(value.asText()));
            case "ports" -> each(value, (name, one) -> name.equals("name") ? texts.text(one) : one);
            case "resources" -> withoutClaims(value);
            default -> value;
        };
    }

    private static JsonNode withoutClaims(JsonNode resources) {
        if (!(resources.deepCopy() instanceof ObjectNode copy)) {
            return resources;
        }
        copy.remove("claims");
        return copy;
    }

    private JsonNode volume(String field, JsonNode value) {
        if (field.equals("name")) {
            return texts.text(value);
        }
        return SOURCES.contains(field) ? source(value) : NODES.objectNode();
    }

    private ObjectNode source(JsonNode source) {
        ObjectNode copy = NODES.objectNode();
        source.properties().forEach(field -> {
            String name = field.getKey();
            if (OPEN_SOURCE_FIELDS.contains(name)) {
                copy.set(name, field.getValue());
            } else if (RENAMED_SOURCE_FIELDS.contains(name)) {
                copy.set(name, texts.text(field.getValue()));
            } else if (name.equals("monitors")) {
                copy.set(name, value("values", field.getValue()));
            } else if (name.equals("volumeClaimTemplate")) {
                ObjectNode template = copy.putObject(name);
                claimFields().forEach(path -> pick(field.getValue(), template, path));
            }
        });
        return copy;
    }

    /** What is kept of a claim. */
    static List<String> claimFields() {
        return List.of(
                "spec.accessModes",
                "spec.selector",
                "spec.resources",
                "spec.volumeMode",
                "spec.volumeName",
                "spec.storageClassName",
                "spec.volumeAttributesClassName",
                "status.phase");
    }

    /** What is kept of a volume. */
    static List<String> volumeFields() {
        List<String> fields = new ArrayList<>(List.of(
                "spec.accessModes",
                "spec.capacity",
                "spec.claimRef",
                "spec.nodeAffinity",
                "spec.storageClassName",
                "spec.volumeMode",
                "spec.volumeAttributesClassName",
                "spec.persistentVolumeReclaimPolicy",
                "status.phase"));
        SOURCES.forEach(source -> fields.add("spec." + source));
        return List.copyOf(fields);
    }
}
