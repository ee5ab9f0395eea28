package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.creation.CreationObjects.MissingObjects;
import io.policyscheduler.engine.creation.CreationRefusedException.InvalidField;
import io.policyscheduler.engine.creation.LimitRanges.LimitChecks;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes of an object that somebody wrote what an API server stores: defaults, then admission in its order (LimitRanger, Priority,
 * DefaultTolerationSeconds, RuntimeClass, DefaultStorageClass), then strategy. Only what a decision about a pod reads, and what
 * stands beside it. Then it says which amounts and sizes are refused. What has been stored once does not change any more.
 */
public final class ObjectCreation {
    private final CreationRules rules;
    private final PodDefaults podDefaults;
    private final LimitRanges limitRanges;
    private final Priorities priorities;
    private final RuntimeClasses runtimeClasses;
    private final Claims claims;
    private final ResourceClaims resourceClaims;
    private final AmountChecks amountChecks;
    private final LimitChecks limitChecks;

    /**
     * Creation in a cluster with these objects.
     *
     * @param missing is told of classes that are not there, for pods that count nevertheless; null refuses such pods, as an API
     *     server does, and those that contradict their classes
     */
    public ObjectCreation(CreationRules rules, CreationObjects objects, @Nullable MissingObjects missing) {
        this.rules = rules;
        this.podDefaults = new PodDefaults(rules);
        this.limitRanges = new LimitRanges(objects);
        this.priorities = new Priorities(rules, objects, missing);
        this.runtimeClasses = new RuntimeClasses(rules, objects, missing);
        this.claims = new Claims(rules, objects);
        this.resourceClaims = new ResourceClaims(rules, objects, missing);
        this.amountChecks = new AmountChecks(rules);
        this.limitChecks = new LimitChecks(rules, objects);
    }

    /** Whether an API server has written the object: only such a one numbers and dates it. */
    public static boolean isStored(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return !Fields.text(metadata, "resourceVersion").isEmpty()
                || !Fields.text(metadata, "creationTimestamp").isEmpty();
    }

    /** The priority classes that every cluster has, by name. */
    public static SortedMap<String, Integer> systemClasses() {
        return new TreeMap<>(Priorities.SYSTEM_CLASSES);
    }

    /**
     * Completes a new object in place; of a kind that is not known here it changes nothing.
     *
     * @param kind field {@code kind} of such objects
     * @param object with its namespace in the metadata, if it lives in one
     * @throws CreationRefusedException when the object is not stored at all
     */
    public void complete(String kind, ObjectNode object) {
        switch (kind) {
            case "Pod" -> pod(object);
            case "PersistentVolumeClaim" -> claims.complete(object);
            case "PersistentVolume" -> volume(object);
            case "Node" -> {
                ObjectNode status = Fields.child(object, "status");
                JsonNode capacity = status.path("capacity");
                if (!Fields.has(status, "allocatable") && !capacity.isEmpty()) {
                    status.set("allocatable", capacity.deepCopy());
                }
            }
            case "Namespace" -> {
                if (rules.labelsNamespaces()) {
                    ObjectNode metadata = Fields.child(object, "metadata");
                    Fields.child(metadata, "labels").put("kubernetes.io/metadata.name", Fields.text(metadata, "name"));
                }
            }
            case "StorageClass" -> {
                Fields.putIfAbsent(object, "reclaimPolicy", "Delete");
                Fields.putIfAbsent(object, "volumeBindingMode", "Immediate");
            }
            case "PriorityClass" -> priorities.defaults(object);
            case "LimitRange" -> LimitRanges.defaults(object);
            case "ResourceClaim" -> ResourceClaims.completeRequests(object.path("spec"));
            case "ResourceClaimTemplate" ->
                ResourceClaims.completeRequests(object.path("spec").path("spec"));
            case "ReplicationController" -> {
                ObjectNode spec = Fields.child(object, "spec");
                JsonNode labels = spec.path("template").path("metadata").path("labels");
                if (spec.path("selector").isEmpty() && !labels.isEmpty()) {
                    spec.set("selector", labels.deepCopy());
                }
            }
            default -> {
                // Nothing that a decision reads is added to others.
            }
        }
    }

    private void pod(ObjectNode pod) {
        podDefaults.pod(pod);
        limitRanges.admit(pod);
        ObjectNode spec = Fields.child(pod, "spec");
        priorities.admit(spec);
        NodeTaints.addAutomatic(spec);
        runtimeClasses.admit(spec);
        PodDefaults.mergeLabelKeys(pod, rules);
    }

    /** The fields with which a completed object is not stored, as far as amounts go; empty for most. */
    public List<InvalidField> invalidFields(String kind, ObjectNode object) {
        return kind.equals("Pod") ? amountChecks.of(object) : List.of();
    }

    /**
     * Asks the admission plugins that look at a completed object without changing it: LimitRanger.
     *
     * @throws CreationRefusedException when one says no
     */
    public void admit(String kind, ObjectNode object) {
        limitChecks.check(kind, object);
    }

    /**
     * Completes a new object in place as {@link #complete} does, and says whether it would be stored.
     *
     * @throws CreationRefusedException when it would not
     */
    public void create(String kind, ObjectNode object) {
        complete(kind, object);
        List<InvalidField> invalid = invalidFields(kind, object);
        if (!invalid.isEmpty()) {
            throw CreationRefusedException.invalid(invalid);
        }
        admit(kind, object);
    }

    /** No controller of volumes runs here, so what it would do at once is done on creation. */
    private static void volume(ObjectNode volume) {
        ObjectNode spec = Fields.child(volume, "spec");
        Fields.putIfAbsent(
                Fields.child(volume, "status"), "phase", Fields.has(spec, "claimRef") ? "Bound" : "Available");
        Fields.putIfAbsent(spec, "persistentVolumeReclaimPolicy", "Retain");
        Fields.putIfAbsent(spec, "volumeMode", "Filesystem");
    }

    /** Completes an object in place that is written again: with defaults, and of admission only the automatic tolerations. */
    public void change(String kind, ObjectNode object) {
        switch (kind) {
            case "Pod" -> {
                podDefaults.pod(object);
                NodeTaints.addAutomatic(Fields.child(object, "spec"));
            }
            case "PersistentVolumeClaim" -> Claims.defaults(object);
            case "PersistentVolume", "StorageClass", "PriorityClass", "ResourceClaim", "ResourceClaimTemplate" ->
                complete(kind, object);
            default -> {
                // As in complete.
            }
        }
    }

    /** What stands in every pod, new or changed: no admission. */
    public void podDefaults(ObjectNode pod) {
        podDefaults.pod(pod);
    }

    /** What a pod gets that depends on no other object: defaults and label keys. */
    public void podAlone(ObjectNode pod) {
        podDefaults.pod(pod);
        PodDefaults.mergeLabelKeys(pod, rules);
    }

    /** What stands in the template of a workload. */
    public void templateDefaults(ObjectNode template) {
        podDefaults.template(template);
    }

    /** What controllers make of a created object within moments: taints of nodes in trouble. */
    public void settle(String kind, ObjectNode object) {
        if (kind.equals("Node")) {
            NodeTaints.add(object);
        }
    }

    /**
     * The claim that a controller makes of a template for one pod.
     *
     * @param entry of the pod's {@code spec.resourceClaims}
     * @return without a name, which an API server makes of {@code generateName}
     */
    public static ObjectNode claimOfTemplate(ObjectNode pod, String entry, ObjectNode template) {
        return ResourceClaims.made(pod, entry, template);
    }

    /** The claims that a new pod has templates for, with names, as they are stored; its status then says which they are. */
    public List<ObjectNode> makeResourceClaims(ObjectNode pod) {
        return resourceClaims.make(pod);
    }

    /** The claims of a pod's ephemeral volumes, as they are stored when the pod has been; without those that are refused. */
    public List<ObjectNode> generatedClaims(ObjectNode pod) {
        List<ObjectNode> stored = new ArrayList<>();
        for (ObjectNode claim : claims.ofEphemeralVolumes(pod)) {
            try {
                create("PersistentVolumeClaim", claim);
                stored.add(claim);
            } catch (CreationRefusedException e) {
                // The controller tries again and again, and the pod waits for its claim.
                continue;
            }
        }
        return stored;
    }
}
