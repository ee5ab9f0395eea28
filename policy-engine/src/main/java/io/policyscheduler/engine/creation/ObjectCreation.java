package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.LimitRanges.LimitChecks;
import io.policyscheduler.engine.creation.ObjectCreation.Objects.MissingObjects;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException.InvalidField;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Converts a new object to the form that an API server stores: defaults, then admission in its order (LimitRanger, Priority,
 * DefaultTolerationSeconds, RuntimeClass, DefaultStorageClass), then strategy. Covers the fields that affect scheduling and their
 * neighbors. Then validates amounts and sizes. Stored objects are not changed.
 */
public final class ObjectCreation {
    private final Rules rules;
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
     * @param missing receives missing classes, whose pods are accepted; null rejects such pods and those that contradict their
     *     classes, as an API server does
     */
    public ObjectCreation(Rules rules, Objects objects, @Nullable MissingObjects missing) {
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

    /** Whether an API server has stored the object: only a stored one has a UID and a creation timestamp. */
    public static boolean isStored(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return !Fields.text(metadata, "resourceVersion").isEmpty()
                || !Fields.text(metadata, "creationTimestamp").isEmpty();
    }

    /** The values of the built-in priority classes, by name. */
    public static SortedMap<String, Integer> systemClasses() {
        return new TreeMap<>(Priorities.SYSTEM_CLASSES);
    }

    /**
     * Completes a new object in place; objects of unsupported kinds stay unchanged.
     *
     * @param kind field {@code kind} of such objects
     * @param object with its namespace in the metadata, if it is namespaced
     * @throws RejectedException if the object is rejected
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
                Fields.putIfMissing(object, "reclaimPolicy", "Delete");
                Fields.putIfMissing(object, "volumeBindingMode", "Immediate");
            }
            case "PriorityClass" -> priorities.defaults(object);
            case "LimitRange" -> LimitRanges.defaults(object);
            case "ResourceClaim" -> ResourceClaims.completeRequests(object.path("spec"));
            case "ResourceClaimTemplate" ->
                ResourceClaims.completeRequests(object.path("spec").path("spec"));
            case "ReplicationController" -> replicationController(object);
            default -> {
                // Other kinds have no defaults that affect scheduling.
            }
        }
    }

    /** The labels of the template are also the selector and the labels of the object if it has none. */
    private static void replicationController(ObjectNode object) {
        JsonNode labels = object.path("spec").path("template").path("metadata").path("labels");
        if (labels.isEmpty()) {
            return;
        }
        if (object.path("spec").path("selector").isEmpty()) {
            Fields.child(object, "spec").set("selector", labels.deepCopy());
        }
        if (object.path("metadata").path("labels").isEmpty()) {
            Fields.child(object, "metadata").set("labels", labels.deepCopy());
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

    /** The invalid amounts of a completed object, with which it is rejected; empty for most. */
    public List<InvalidField> invalidFields(String kind, ObjectNode object) {
        return kind.equals("Pod") ? amountChecks.of(object) : List.of();
    }

    /**
     * Runs the validating admission plugins on a completed object: LimitRanger.
     *
     * @throws RejectedException if one rejects the object
     */
    public void admit(String kind, ObjectNode object) {
        limitChecks.check(kind, object);
    }

    /**
     * Completes a new object in place like {@link #complete}, and validates it.
     *
     * @throws RejectedException if it is invalid
     */
    public void create(String kind, ObjectNode object) {
        complete(kind, object);
        List<InvalidField> invalid = invalidFields(kind, object);
        if (!invalid.isEmpty()) {
            throw RejectedException.invalid(invalid);
        }
        admit(kind, object);
    }

    /** Applies on creation what the volume controller would do, because none runs here. */
    private static void volume(ObjectNode volume) {
        ObjectNode spec = Fields.child(volume, "spec");
        Fields.putIfAbsent(
                Fields.child(volume, "status"), "phase", Fields.has(spec, "claimRef") ? "Bound" : "Available");
        Fields.putIfAbsent(spec, "persistentVolumeReclaimPolicy", "Retain");
        Fields.putIfMissing(spec, "volumeMode", "Filesystem");
    }

    /** Applies defaults to an updated object in place, and of admission only the automatic tolerations. */
    public void change(String kind, ObjectNode object) {
        switch (kind) {
            case "Pod" -> {
                podDefaults.pod(object);
                NodeTaints.addAutomatic(Fields.child(object, "spec"));
            }
            case "PersistentVolumeClaim" -> Claims.defaults(object);
            case "PersistentVolume",
                    "StorageClass",
                    "PriorityClass",
                    "ResourceClaim",
                    "ResourceClaimTemplate",
                    "ReplicationController",
                    "LimitRange",
                    "Namespace" -> complete(kind, object);
            default -> {
                // As in complete.
            }
        }
    }

    /** Defaults of every pod, new or changed, without admission. */
    public void podDefaults(ObjectNode pod) {
        podDefaults.pod(pod);
    }

    /** Changes of a pod that depend on no other object: defaults and label keys. */
    public void defaultPod(ObjectNode pod) {
        podDefaults.pod(pod);
        PodDefaults.mergeLabelKeys(pod, rules);
    }

    /** Defaults of the pod template of a workload. */
    public void templateDefaults(ObjectNode template) {
        podDefaults.template(template);
    }

    /** Applies what controllers do immediately after creation: taints for node conditions. */
    public void addConditionTaints(String kind, ObjectNode object) {
        if (kind.equals("Node")) {
            NodeTaints.add(object);
        }
    }

    /**
     * The claim that a controller creates from a template for one pod.
     *
     * @param entry of the pod's {@code spec.resourceClaims}
     * @return without a name, which an API server generates from {@code generateName}
     */
    public static ObjectNode claimOfTemplate(ObjectNode pod, String entry, ObjectNode template) {
        return ResourceClaims.claimOf(pod, entry, template);
    }

    /** Creates the claims of a new pod from their templates, with names, and writes them to its status. */
    public List<ObjectNode> createResourceClaims(ObjectNode pod) {
        return resourceClaims.create(pod);
    }

    /** The claims of a pod's ephemeral volumes, as they are stored after the pod; rejected ones are omitted. */
    public List<ObjectNode> generatedClaims(ObjectNode pod) {
        List<ObjectNode> stored = new ArrayList<>();
        for (ObjectNode claim : claims.ofEphemeralVolumes(pod)) {
            try {
                create("PersistentVolumeClaim", claim);
                stored.add(claim);
            } catch (RejectedException e) {
                // The controller retries, and the pod waits for its claim.
                continue;
            }
        }
        return stored;
    }

    /** Sets owner references of created objects. */
    static final class Owned {
        private Owned() {}

        /** Makes the pod the controlling owner. */
        static void byPod(ObjectNode metadata, ObjectNode pod) {
            metadata.putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "v1")
                    .put("kind", "Pod")
                    .put("name", Fields.text(pod, "metadata", "name"))
                    .put("uid", Fields.text(pod, "metadata", "uid"))
                    .put("controller", true)
                    .put("blockOwnerDeletion", true);
        }
    }

    /** The objects of a cluster that affect the creation of others. */
    @FunctionalInterface
    public interface Objects {
        /** An empty cluster. */
        Objects NONE = kind -> List.of();

        /** The kinds that are read. */
        enum Kind {
            /** Defaults of containers, by namespace. */
            LIMIT_RANGE("LimitRange"),
            /** Priorities by name, and the default one. */
            PRIORITY_CLASS("PriorityClass"),
            /** Overhead, node selector and tolerations by name. */
            RUNTIME_CLASS("RuntimeClass"),
            /** Default classes of claims. */
            STORAGE_CLASS("StorageClass"),
            /** Templates of claims, by namespace and name. */
            RESOURCE_CLAIM_TEMPLATE("ResourceClaimTemplate");

            private final String objectKind;

            Kind(String objectKind) {
                this.objectKind = objectKind;
            }

            /** The {@code kind} field of such objects. */
            public String objectKind() {
                return objectKind;
            }
        }

        /** All objects of the kind, of all namespaces, in any order. Callers must not change them. */
        List<ObjectNode> all(Kind kind);

        /** Receives missing references of objects that are accepted nevertheless. */
        @FunctionalInterface
        public interface MissingObjects {
            /**
             * An object refers to a missing one.
             *
             * @param kind of the other one
             * @param name of the other one
             */
            void missing(Objects.Kind kind, String name);
        }
    }

    /** The release-specific rules of an API server for new objects. Immutable. */
    public static final class Rules {
        private final FeatureGates gates;

        private Rules(FeatureGates gates) {
            this.gates = gates;
        }

        /** The rules of the release of these gates, without ignored fields. */
        public static Rules of(FeatureGates gates) {
            return new Rules(gates);
        }

        /** The release whose rules apply. */
        public Release release() {
            return gates.release();
        }

        /** Whether pods have the field. */
        boolean has(NewerField field) {
            return gates.honours(field);
        }

        /** Whether each namespace gets a label with its name. */
        boolean labelsNamespaces() {
            return ComponentChange.NAMESPACE_NAME_LABEL.in(release());
        }

        /** Whether the newest of several default StorageClasses is used; earlier releases reject a claim without a class. */
        boolean takesNewestDefaultClass() {
            return ComponentChange.NEWEST_DEFAULT_CLASS.in(release());
        }

        /** Whether container ports of templates with hostNetwork become host ports, too. */
        boolean fillsHostPortsOfTemplates() {
            return !ComponentChange.NO_HOST_PORTS_IN_TEMPLATES.in(release());
        }

        /** Whether the rejection of a request above its limit contains the limit. */
        boolean reportsLimits() {
            return ComponentChange.LIMIT_IN_MESSAGE.in(release());
        }

        /** Whether messages contain values as JSON; before, in the syntax of Go. */
        boolean printsJson() {
            return ComponentChange.MAPS_AS_JSON.in(release());
        }

        /** Whether label keys of spread constraints become requirements of their selectors. */
        boolean mergesSpreadKeys() {
            return ComponentChange.MERGED_SPREAD_KEYS.in(release()) && has(NewerField.SPREAD_MATCH_LABEL_KEYS);
        }
    }

    /** Thrown if an API server would reject the object. The message is that of its admission, without the name of the object. */
    public static final class RejectedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** The kinds of rejections. */
        public enum Reason {
            /** 400: a field has the wrong type. */
            MALFORMED,
            /** 422: fields have invalid values. */
            INVALID,
            /** 403: an admission plugin rejects the object. */
            FORBIDDEN
        }

        private final Reason reason;

        RejectedException(Reason reason, String message) {
            super(message);
            this.reason = reason;
        }

        static RejectedException forbidden(String message) {
            return new RejectedException(Reason.FORBIDDEN, message);
        }

        /** @param fields at least one */
        static RejectedException invalid(List<InvalidField> fields) {
            String all = fields.stream().map(InvalidField::toString).collect(Collectors.joining(", "));
            return new RejectedException(Reason.INVALID, fields.size() == 1 ? all : "[" + all + "]");
        }

        /** The kind of rejection. */
        public Reason reason() {
            return reason;
        }

        /** The message of admission; never null. */
        public String text() {
            return String.valueOf(getMessage());
        }

        /**
         * A field with which an API server rejects an object.
         *
         * @param path of the field, such as {@code spec.containers[0].resources.requests}
         * @param reason machine-readable, such as {@code FieldValueInvalid}
         * @param message the text after the path
         */
        public record InvalidField(String path, String reason, String message) {
            static InvalidField value(String path, Object value, String detail) {
                return new InvalidField(path, "FieldValueInvalid", "Invalid value: \"" + value + "\": " + detail);
            }

            /** A value that messages show in the syntax of Go. */
            static InvalidField structure(String path, String value, String detail) {
                return new InvalidField(path, "FieldValueInvalid", "Invalid value: " + value + ": " + detail);
            }

            static InvalidField required(String path, String detail) {
                return new InvalidField(path, "FieldValueRequired", "Required value: " + detail);
            }

            static InvalidField forbidden(String path, String detail) {
                return new InvalidField(path, "FieldValueForbidden", "Forbidden: " + detail);
            }

            static InvalidField unsupported(String path, String value, String supported) {
                return new InvalidField(
                        path,
                        "FieldValueNotSupported",
                        "Unsupported value: \"" + value + "\": supported values: " + supported);
            }

            @Override
            public String toString() {
                return path + ": " + message;
            }
        }
    }

    /**
     * Applies the overhead, node selector and tolerations of RuntimeClasses to pods ({@code plugin/pkg/admission/runtimeclass}).
     */
    static final class RuntimeClasses {
        private final Rules rules;
        private final Objects objects;
        private final @Nullable MissingObjects missing;

        /** @param missing receives missing classes, whose pods are accepted; null rejects the pods */
        RuntimeClasses(Rules rules, Objects objects, @Nullable MissingObjects missing) {
            this.rules = rules;
            this.objects = objects;
            this.missing = missing;
        }

        void admit(ObjectNode spec) {
            String name = Fields.text(spec, "runtimeClassName");
            if (name.isEmpty()) {
                return;
            }
            Optional<ObjectNode> found = objects.all(Objects.Kind.RUNTIME_CLASS).stream()
                    .filter(one -> Fields.text(one, "metadata", "name").equals(name))
                    .findFirst();
            if (found.isEmpty()) {
                if (missing == null) {
                    throw RejectedException.forbidden("pod rejected: RuntimeClass \"" + name + "\" not found");
                }
                missing.missing(Objects.Kind.RUNTIME_CLASS, name);
                return;
            }
            overhead(spec, found.get());
            scheduling(spec, found.get().path("scheduling"));
        }

        private void overhead(ObjectNode spec, ObjectNode runtimeClass) {
            if (!rules.has(NewerField.OVERHEAD)) {
                return;
            }
            JsonNode fixed = runtimeClass.path("overhead").path("podFixed");
            JsonNode given = spec.path("overhead");
            if (!given.isEmpty() && !given.equals(fixed) && missing == null) {
                throw RejectedException.forbidden(
                        "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
            }
            if (!fixed.isEmpty() && given.isEmpty()) {
                spec.set("overhead", fixed.deepCopy());
            }
        }

        private void scheduling(ObjectNode spec, JsonNode scheduling) {
            JsonNode selector = scheduling.path("nodeSelector");
            for (Map.Entry<String, JsonNode> entry : selector.properties()) {
                ObjectNode own = Fields.child(spec, "nodeSelector");
                String label = entry.getKey();
                if (own.has(label) && !own.path(label).equals(entry.getValue()) && missing == null) {
                    throw RejectedException.forbidden("conflict: runtimeClass.scheduling.nodeSelector["
                            + label + "] = " + entry.getValue().asText() + "; pod.spec.nodeSelector[" + label + "] = "
                            + own.path(label).asText());
                }
                own.set(label, entry.getValue());
            }
            if (!scheduling.path("tolerations").isEmpty()) {
                NodeTaints.mergeTolerations(spec, scheduling.path("tolerations"));
            }
        }
    }

    /** Resolves {@code priorityClassName} to a priority ({@code plugin/pkg/admission/priority}). */
    static final class Priorities {
        private static final String POLICY = "preemptionPolicy";
        private static final String DEFAULT_POLICY = "PreemptLowerPriority";
        /** The built-in priority classes. */
        static final Map<String, Integer> SYSTEM_CLASSES =
                new TreeMap<>(Map.of("system-cluster-critical", 2_000_000_000, "system-node-critical", 2_000_001_000));

        private final Rules rules;
        private final Objects objects;
        private final @Nullable MissingObjects missing;

        /** @param missing receives missing classes, whose pods are accepted; null rejects the pods */
        Priorities(Rules rules, Objects objects, @Nullable MissingObjects missing) {
            this.rules = rules;
            this.objects = objects;
            this.missing = missing;
        }

        /** The defaults of a priority class. */
        void defaults(ObjectNode priorityClass) {
            if (rules.has(NewerField.PREEMPTION_POLICY)) {
                Fields.putIfMissing(priorityClass, POLICY, DEFAULT_POLICY);
            }
        }

        /** The priority class of a pod. */
        private record Rank(String className, int value, String preemptionPolicy) {}

        void admit(ObjectNode spec) {
            String name = Fields.text(spec, "priorityClassName");
            Optional<Rank> found = name.isEmpty() ? globalDefault() : named(name);
            if (found.isEmpty() && !name.isEmpty()) {
                if (missing == null) {
                    throw RejectedException.forbidden("no PriorityClass with name " + name + " was found");
                }
                if (!Fields.has(spec, "priority")) {
                    missing.missing(Objects.Kind.PRIORITY_CLASS, name);
                }
            }
            JsonNode given = spec.path("priority");
            if (missing != null && given.isNumber()) {
                return;
            }
            Rank rank = found.orElse(new Rank(name, 0, DEFAULT_POLICY));
            if (given.isNumber() && given.asInt() != rank.value()) {
                throw RejectedException.forbidden("the integer value of priority (" + given.asInt()
                        + ") must not be provided in pod spec; priority admission controller computed " + rank.value()
                        + " from the given PriorityClass name");
            }
            spec.put("priority", rank.value());
            if (!rank.className().isEmpty()) {
                spec.put("priorityClassName", rank.className());
            }
            if (rules.has(NewerField.PREEMPTION_POLICY)) {
                preemptionPolicy(spec, rank.preemptionPolicy());
            }
        }

        private void preemptionPolicy(ObjectNode spec, String computed) {
            String given = Fields.text(spec, POLICY);
            if (!given.isEmpty() && !given.equals(computed) && missing == null) {
                throw RejectedException.forbidden("the string value of PreemptionPolicy (" + given
                        + ") must not be provided in pod spec; priority admission controller computed " + computed
                        + " from the given PriorityClass name");
            }
            Fields.putIfAbsent(spec, POLICY, computed);
        }

        private Optional<Rank> named(String name) {
            Optional<Rank> found = objects.all(Objects.Kind.PRIORITY_CLASS).stream()
                    .filter(one -> Fields.text(one, "metadata", "name").equals(name))
                    .findFirst()
                    .map(Priorities::rank);
            Integer system = SYSTEM_CLASSES.get(name);
            return found.isEmpty() && system != null ? Optional.of(new Rank(name, system, DEFAULT_POLICY)) : found;
        }

        private Optional<Rank> globalDefault() {
            return objects.all(Objects.Kind.PRIORITY_CLASS).stream()
                    .filter(one -> one.path("globalDefault").asBoolean())
                    .map(Priorities::rank)
                    .min(Comparator.comparingInt(Rank::value).thenComparing(Rank::className));
        }

        private static Rank rank(ObjectNode priorityClass) {
            String policy = Fields.text(priorityClass, POLICY);
            return new Rank(
                    Fields.text(priorityClass, "metadata", "name"),
                    priorityClass.path("value").asInt(),
                    policy.isEmpty() ? DEFAULT_POLICY : policy);
        }
    }
}
