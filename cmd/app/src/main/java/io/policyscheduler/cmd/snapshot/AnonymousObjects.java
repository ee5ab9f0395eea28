package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.snapshot.Anonymizer.AnonymousTexts;
import io.policyscheduler.cmd.snapshot.Anonymizer.ClaimNames;
import io.policyscheduler.framework.devices.cel.SelectorCompiler.AttributeReads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Copies objects with only the fields that decisions read, and with pseudonyms. Keys of labels and taints, names of resources,
 * drivers, and provisioners, quantities, times, and UIDs stay.
 */
final class AnonymousObjects {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final Set<String> METADATA =
            Set.of("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "generation");
    /** Their values are defined by Kubernetes or by drivers. */
    private static final Set<String> OPEN_ANNOTATIONS = Set.of(
            "pv.kubernetes.io/bind-completed",
            "pv.kubernetes.io/bound-by-controller",
            "pv.kubernetes.io/provisioned-by",
            "pv.kubernetes.io/migrated-to",
            "storage.alpha.kubernetes.io/migrated-plugins",
            "storageclass.kubernetes.io/is-default-class",
            "storageclass.beta.kubernetes.io/is-default-class",
            "scheduler.alpha.kubernetes.io/preferAvoidPods",
            "volume.kubernetes.io/storage-provisioner",
            "volume.beta.kubernetes.io/storage-provisioner");

    private static final Set<String> RENAMED_ANNOTATIONS = Set.of(
            "volume.beta.kubernetes.io/storage-class",
            "volume.kubernetes.io/selected-node",
            "kubernetes.io/config.mirror");
    /** The kept fields of each kind besides metadata, in the syntax of {@link AnonymousFields#pick}. */
    private static final Map<String, List<String>> BODIES = ImmutableMap.<String, List<String>>builder()
            .put(
                    "Node",
                    List.of(
                            "spec.unschedulable",
                            "spec.taints",
                            "status.allocatable",
                            "status.capacity",
                            "status.images",
                            "status.conditions",
                            "status.nodeInfo.kubeletVersion"))
            .put("Service", List.of("spec.selector"))
            .put("ReplicationController", List.of("spec.selector", "spec.replicas"))
            .put("ReplicaSet", List.of("spec.selector", "spec.replicas"))
            .put("StatefulSet", List.of("spec.selector", "spec.replicas"))
            .put("PersistentVolumeClaim", AnonymousFields.claimFields())
            .put("PersistentVolume", AnonymousFields.volumeFields())
            .put("StorageClass", List.of("provisioner", "volumeBindingMode", "reclaimPolicy", "allowedTopologies"))
            .put("CSINode", List.of("spec"))
            .put("CSIDriver", List.of("spec"))
            .put("CSIStorageCapacity", List.of("storageClassName", "nodeTopology", "capacity", "maximumVolumeSize"))
            .put("VolumeAttachment", List.of("spec", "status.attached"))
            .put(
                    "PodDisruptionBudget",
                    List.of("spec", "status.disruptionsAllowed", "status.currentHealthy", "status.desiredHealthy"))
            .put("Namespace", List.of())
            .put("ResourceSlice", List.of())
            .put("DeviceClass", List.of())
            .put("ResourceClaim", List.of())
            .put("ResourceClaimTemplate", List.of())
            .put("LimitRange", List.of("spec"))
            .put("PriorityClass", List.of("value", "globalDefault", "preemptionPolicy"))
            .put("RuntimeClass", List.of("handler", "overhead", "scheduling"))
            .put(
                    "Pod",
                    List.of(
                            "spec.nodeName",
                            "spec.schedulerName",
                            "spec.priority",
                            "spec.priorityClassName",
                            "spec.preemptionPolicy",
                            "spec.runtimeClassName",
                            "spec.serviceAccountName",
                            "spec.nodeSelector",
                            "spec.affinity",
                            "spec.tolerations",
                            "spec.topologySpreadConstraints",
                            "spec.containers",
                            "spec.initContainers",
                            "spec.volumes",
                            "spec.overhead",
                            "spec.resources",
                            "spec.resourceClaims",
                            "spec.hostNetwork",
                            "spec.schedulingGates",
                            "status.phase",
                            "status.reason",
                            "status.startTime",
                            "status.nominatedNodeName",
                            "status.conditions",
                            "status.resourceClaimStatuses",
                            "status.containerStatuses",
                            "status.initContainerStatuses"))
            .buildOrThrow();

    private final AnonymousTexts texts;
    private final ClaimNames claims;
    private final AnonymousFields fields;
    private final AnonymousDevices devices;

    /**
     * Copies with pseudonyms.
     *
     * @param objects all objects to copy
     * @param reads attributes of devices that stay as they are
     */
    AnonymousObjects(UnaryOperator<String> names, List<ObjectNode> objects, AttributeReads reads) {
        this.texts = new AnonymousTexts(names);
        this.claims = new ClaimNames(texts, objects);
        this.fields = new AnonymousFields(texts, claims);
        this.devices = new AnonymousDevices(texts, fields, reads);
    }

    /** Records the names of an object that was not in the first pass. */
    void seen(ObjectNode object) {
        claims.add(object);
    }

    /** A copy; null for an object of an unknown kind. */
    @Nullable
    ObjectNode copy(ObjectNode object) {
        String kind = object.path("kind").asText();
        List<String> body = BODIES.get(kind);
        if (body == null) {
            return null;
        }
        ObjectNode copy = NODES.objectNode();
        copy.set("apiVersion", object.path("apiVersion"));
        copy.put("kind", kind);
        copy.set("metadata", metadata(kind, object.path("metadata")));
        body.forEach(path -> fields.pick(object, copy, path));
        devices.complete(kind, object, copy);
        return copy;
    }

    private ObjectNode metadata(String kind, JsonNode metadata) {
        ObjectNode copy = NODES.objectNode();
        metadata.properties().forEach(field -> {
            if (METADATA.contains(field.getKey())) {
                copy.set(field.getKey(), field.getValue());
            }
        });
        String namespace = metadata.path("namespace").asText("");
        if (!namespace.isEmpty()) {
            copy.put("namespace", texts.name(namespace));
        }
        copy.put("name", name(kind, namespace, metadata.path("name").asText()));
        ObjectNode labels = copy.putObject("labels");
        metadata.path("labels").properties().forEach(label -> labels.set(label.getKey(), texts.label(label)));
        ObjectNode annotations = copy.putObject("annotations");
        metadata.path("annotations").properties().forEach(annotation -> {
            String key = annotation.getKey();
            if (OPEN_ANNOTATIONS.contains(key)) {
                annotations.set(key, annotation.getValue());
            } else if (RENAMED_ANNOTATIONS.contains(key)) {
                annotations.put(key, texts.name(annotation.getValue().asText()));
            }
        });
        for (JsonNode owner : metadata.path("ownerReferences")) {
            ObjectNode anonymous = copy.withArray("ownerReferences").addObject();
            owner.properties().forEach(field -> anonymous.set(field.getKey(), field.getValue()));
            anonymous.put("name", texts.name(owner.path("name").asText()));
        }
        return copy;
    }

    private String name(String kind, String namespace, String name) {
        return switch (kind) {
            case "CSIDriver" -> name;
            case "PersistentVolumeClaim" -> claims.name(namespace, name);
            default -> texts.name(name);
        };
    }

    /** Copies parts of objects by field names, with pseudonyms. */
    static final class AnonymousFields {
        private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

        /** Volume sources with their kept fields. */
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

        /** Fields whose texts are names. */
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
        /** Fields that decisions ignore and that may reveal much. */
        private static final Set<String> DROPPED = Set.of("nodeID", "message", "lastHeartbeatTime", "tokenRequests");
        /** The kept fields of a container, and of its status. */
        private static final Set<String> CONTAINER =
                Set.of("name", "image", "ports", "resources", "restartPolicy", "allocatedResources");

        private final AnonymousTexts texts;
        private final ClaimNames claims;

        AnonymousFields(AnonymousTexts texts, ClaimNames claims) {
            this.texts = texts;
            this.claims = claims;
        }

        /** Copies the value at a path, with pseudonyms; nothing if it is absent. */
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

        /** The copy of one field of a list element; null to omit it. */
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

        /** The kept fields of a claim. */
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

        /** The kept fields of a volume. */
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
}
