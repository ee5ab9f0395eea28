package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.framework.devices.cel.AttributeReads;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes copies of objects that have nothing in them but what decisions read, with other names. Keys of labels and taints, names of
 * resources, drivers and provisioners, amounts, times and uids stay.
 */
final class AnonymousObjects {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final Set<String> METADATA =
            Set.of("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "generation");
    /** Their values are words of Kubernetes or of drivers. */
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
    /** What is kept of the body of a kind, besides metadata, as it is told to {@link #pick}. */
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
     * Copies with other names.
     *
     * @param objects all that are to be copied
     * @param reads which attributes of devices must stay as they are
     */
    AnonymousObjects(UnaryOperator<String> names, List<ObjectNode> objects, AttributeReads reads) {
        this.texts = new AnonymousTexts(names);
        this.claims = new ClaimNames(texts, objects);
        this.fields = new AnonymousFields(texts, claims);
        this.devices = new AnonymousDevices(texts, fields, reads);
    }

    /** A copy; null for an object of a kind of which it is not known what it tells. */
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
            ObjectNode told = copy.withArray("ownerReferences").addObject();
            owner.properties().forEach(field -> told.set(field.getKey(), field.getValue()));
            told.put("name", texts.name(owner.path("name").asText()));
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
}
