package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ChangeValidation.ClaimValidation;
import io.policyscheduler.cmd.embedded.admission.Defaults.NewerPodFields;
import io.policyscheduler.cmd.embedded.admission.Defaults.PodDefaults;
import io.policyscheduler.cmd.embedded.admission.Defaults.ServiceDefaults;
import io.policyscheduler.cmd.embedded.admission.FieldErrors.ReleaseMessages;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns a requested object into the one to store: metadata, defaults, validation; for new and for changed objects. */
public final class ObjectAdmission {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectAdmission.class);
    /** Fields of metadata that only the server writes. */
    static final List<String> SERVER_OWNED = List.of(
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "managedFields");

    private static final List<String> TOPOLOGY_LABELS =
            List.of("topology.kubernetes.io/zone", "topology.kubernetes.io/region");

    private final StoredObjects store;
    private final ResourceCatalog catalog;
    private final ObjectCreation creation;
    private final ObjectCreation loadCreation;
    private final ServiceDefaults services;
    private final Clock clock;
    private final Random random;
    private final ObjectChanges changes;

    public ObjectAdmission(StoredObjects store, ResourceCatalog catalog, Clock clock, Random random) {
        this.store = store;
        this.catalog = catalog;
        Rules rules = rules(catalog);
        Objects present = kind -> store.list(catalog.named(plural(kind)), "").items();
        this.creation = new ObjectCreation(rules, present, null);
        this.loadCreation = new ObjectCreation(
                rules, present, (kind, name) -> LOG.info("there is no {} {}", kind.objectKind(), name));
        this.services = new ServiceDefaults(store, catalog.named("services"), catalog.release());
        this.clock = clock;
        this.random = random;
        this.changes = new ObjectChanges(creation, services, catalog.release());
    }

    /** Admission of new objects. */
    public static Rules rules(ResourceCatalog catalog) {
        return Rules.of(FeatureGates.defaults().at(catalog.release()));
    }

    private static String plural(Objects.Kind kind) {
        return switch (kind) {
            case LIMIT_RANGE -> "limitranges";
            case PRIORITY_CLASS -> "priorityclasses";
            case RUNTIME_CLASS -> "runtimeclasses";
            case STORAGE_CLASS -> "storageclasses";
            case RESOURCE_CLAIM_TEMPLATE -> "resourceclaimtemplates";
        };
    }

    /**
     * Decodes an object in place; fails with BadRequest for the first value whose type is not that of its field.
     */
    public static void decode(ResourceType type, ObjectNode object) {
        FieldTypes.decode(type, object);
    }

    /** Completes and validates the object of a request in place. */
    public void admitNew(ResourceRequest target, ObjectNode object) {
        admitNew(target.type(), target.apiVersion(), target.namespace(), object, false);
    }

    /** Completes and validates a new object in place. Loading keeps its UID, times, and status. */
    public void admitNew(ResourceType type, String namespace, ObjectNode object, boolean loading) {
        admitNew(type, type.apiVersion(type.versions().get(0)), namespace, object, loading);
    }

    /** @param apiVersion group and version of the request; events depend on it */
    private void admitNew(ResourceType type, String apiVersion, String namespace, ObjectNode object, boolean loading) {
        if (!loading || type.isWorkload()) {
            FieldTypes.decode(type, object);
        }
        ObjectNode metadata = Json.child(object, "metadata");
        String given = Json.text(metadata, "resourceVersion");
        if (!loading && !given.isEmpty() && !given.equals("0")) {
            throw StatusError.badRequest("resourceVersion should not be set on objects to be created");
        }
        nameAndNamespace(type, namespace, metadata);
        boolean stored = loading && ObjectCreation.isStored(object);
        if (type.namespaced() && !loading) {
            checkNamespace(type, namespace, Json.text(metadata, "name"));
        }
        if (!loading) {
            metadata.remove(SERVER_OWNED);
        }
        Json.putIfAbsent(metadata, "uid", newUid());
        Json.putIfAbsent(metadata, "creationTimestamp", Json.time(clock.instant()));
        metadata.remove("managedFields");
        if (ObjectChanges.hasGeneration(type, catalog.release()) && !metadata.has("generation")) {
            metadata.put("generation", 1);
        }
        complete(type, object, loading, stored);
        List<Cause> causes = new ArrayList<>(MetadataValidation.check(type, metadata, catalog.release(), loading));
        if (type.isPod()) {
            List<Cause> scheduling =
                    loading ? List.of() : PodValidation.checkScheduling(object.path("spec"), catalog.release());
            causes.addAll(PodValidation.check(object, scheduling));
            causes.addAll(scheduling);
            creation.invalidFields(type.kind(), object)
                    .forEach(field -> causes.add(new Cause(field.path(), field.reason(), field.message())));
        } else if (type.qualifiedName().equals("events")) {
            causes.addAll(loading ? List.of() : EventValidation.create(object, apiVersion, catalog.release()));
        } else {
            causes.addAll(NewObjectValidation.check(type, object, catalog.release(), loading));
        }
        if (!causes.isEmpty()) {
            throw StatusError.invalid(type, Json.text(metadata, "name"), ReleaseMessages.of(causes, catalog.release()));
        }
        if (!loading) {
            checkDefaultClass(type, object);
            if (type.qualifiedName().equals("services")) {
                services.allocate(object);
            }
        }
        String node = type.isPod() ? Json.text(object, "spec", "nodeName") : "";
        if (!stored && !node.isEmpty()) {
            labelTopology(object, node);
        }
        if (!stored) {
            try {
                creation.admit(type.kind(), object);
            } catch (RejectedException e) {
                throw refusal(type, object, e);
            }
        }
    }

    private void checkNamespace(ResourceType type, String namespace, String name) {
        ResourceType namespaces = catalog.named("namespaces");
        ObjectNode found =
                store.get(namespaces, "", namespace).orElseThrow(() -> StatusError.notFound(namespaces, namespace));
        if (found.path("metadata").has("deletionTimestamp")) {
            throw StatusError.terminating(type, name, namespace);
        }
    }

    /** Mirrors {@code plugin/pkg/admission/priority}. */
    private void checkDefaultClass(ResourceType type, ObjectNode object) {
        if (!type.isPriorityClass() || !object.path("globalDefault").asBoolean()) {
            return;
        }
        String name = ObjectKey.of(object).name();
        for (ObjectNode other : store.list(type, "").items()) {
            if (other.path("globalDefault").asBoolean()
                    && !ObjectKey.of(other).name().equals(name)) {
                throw StatusError.forbidden(
                        type,
                        name,
                        "PriorityClass " + ObjectKey.of(other).name()
                                + " is already marked as default. Only one default can exist");
            }
        }
    }

    /** A version 4 UUID from the injected source of randomness. */
    private String newUid() {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L;
        long low = (random.nextLong() >>> 2) | Long.MIN_VALUE;
        return new UUID(high, low).toString();
    }

    private void nameAndNamespace(ResourceType type, String namespace, ObjectNode metadata) {
        String prefix = Json.text(metadata, "generateName");
        if (type.qualifiedName().equals("limitranges")
                && Json.text(metadata, "name").isEmpty()
                && prefix.isEmpty()) {
            metadata.put("name", newUid());
        }
        if (Json.text(metadata, "name").isEmpty() && !prefix.isEmpty()) {
            metadata.put("name", Names.generate(prefix, random));
        }
        String own = Json.text(metadata, "namespace");
        if (!type.namespaced()) {
            metadata.remove("namespace");
            return;
        }
        if (!own.isEmpty() && !own.equals(namespace)) {
            throw StatusError.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request");
        }
        metadata.put("namespace", namespace);
    }

    /** @param stored whether another API server has completed the object */
    private void complete(ResourceType type, ObjectNode object, boolean loading, boolean stored) {
        if (!loading && type.beginsWithoutStatus()) {
            object.remove("status");
        }
        Defaults.complete(type.qualifiedName(), object, catalog.release(), true);
        if (type.isPod()) {
            NewerPodFields.drop(Json.child(object, "spec"), catalog.release());
        }
        try {
            if (stored && type.isPod()) {
                creation.podDefaults(object);
            } else {
                (loading ? loadCreation : creation).complete(type.kind(), object);
            }
        } catch (RejectedException e) {
            throw refusal(type, object, e);
        }
        displayDefaults(type, object);
        Defaults.references(type, object);
        if (!loading) {
            Defaults.emptyStatus(type, object);
        }
    }

    private static StatusError refusal(ResourceType type, ObjectNode object, RejectedException e) {
        return switch (e.reason()) {
            case MALFORMED -> StatusError.badRequest(e.text());
            case INVALID, FORBIDDEN ->
                StatusError.forbidden(type, ObjectKey.of(object).name(), e.text());
        };
    }

    /**
     * Sets the zone and the region of the node as labels of a bound pod, if the release does so. Mirrors
     * {@code plugin/pkg/admission/podtopologylabels}.
     *
     * @param pod changed in place
     * @param node a name; an unknown one adds nothing
     */
    public void labelTopology(ObjectNode pod, String node) {
        if (!ComponentChange.POD_TOPOLOGY_LABELS.in(catalog.release())) {
            return;
        }
        store.get(catalog.named("nodes"), "", node).ifPresent(found -> {
            for (String label : TOPOLOGY_LABELS) {
                JsonNode value = found.path("metadata").path("labels").path(label);
                if (!value.isMissingNode()) {
                    Json.child(Json.child(pod, "metadata"), "labels").set(label, value);
                }
            }
        });
    }

    /** Fields that no decision reads, but kubectl shows. */
    private void displayDefaults(ResourceType type, ObjectNode object) {
        switch (type.qualifiedName()) {
            case "pods" -> PodDefaults.complete(object);
            case "nodes" -> Json.child(object, "spec");
            case "namespaces" -> {
                Json.putIfAbsent(Json.child(object, "status"), "phase", "Active");
                if (object.path("spec").path("finalizers").isEmpty()) {
                    Json.list(Json.child(object, "spec"), "finalizers").add("kubernetes");
                }
            }
            case "secrets" -> {
                Json.putIfAbsent(object, "type", "Opaque");
                Defaults.mergeTexts(object);
            }
            case "services" -> services.complete(object);
            default -> {}
        }
    }

    /** See {@link ObjectChanges#admit}. */
    @Nullable
    public ObjectNode admitChange(ResourceType type, ObjectNode present, ObjectNode proposed, boolean statusOnly) {
        return changes.admit(type, type.apiVersion(type.versions().get(0)), present, proposed, statusOnly);
    }

    /**
     * Computes the next state as {@link ObjectChanges#admit} does, and checks whether the writer may make this change.
     *
     * @return the next state; null after the last finalizer of a deleted object
     */
    @Nullable
    public ObjectNode admitChange(
            ResourceRequest target,
            ObjectNode present,
            ObjectNode proposed,
            boolean statusOnly,
            UpdateAuthorization writer) {
        ObjectNode next = changes.admit(target.type(), target.apiVersion(), present, proposed, statusOnly);
        if (next != null) {
            checkDefaultClass(target.type(), next);
            if (target.type().plural().equals("persistentvolumeclaims") && !statusOnly) {
                checkExpansion(target.type(), present, next);
            }
            writer.check(present, next);
        }
        return next;
    }

    /** A claim grows only if its class allows that. Mirrors {@code plugin/pkg/admission/storage/persistentvolume/resize}. */
    private void checkExpansion(ResourceType type, ObjectNode present, ObjectNode next) {
        if (ChangeValidation.storage(next).compareTo(ChangeValidation.storage(present)) <= 0) {
            return;
        }
        String name = ObjectKey.of(next).name();
        if (!Json.text(present, "status", "phase").equals("Bound")) {
            throw StatusError.forbidden(type, name, "Only bound persistent volume claims can be expanded");
        }
        boolean isExpandable = store.get(
                        catalog.named("storageclasses"), "", Json.text(present, "spec", "storageClassName"))
                .filter(found -> found.path("allowVolumeExpansion").asBoolean())
                .isPresent();
        if (!isExpandable) {
            throw StatusError.forbidden(
                    type,
                    name,
                    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must"
                            + " support resize");
        }
    }

    /** Fails if metadata has another name than the path of a request. */
    public static void checkName(String name, JsonNode metadata) {
        String own = Json.text(metadata, "name");
        if (!own.isEmpty() && !own.equals(name)) {
            throw StatusError.badRequest(
                    "the name of the object (" + own + ") does not match the name on the URL (" + name + ")");
        }
    }

    /**
     * Fails if metadata has another UID than the stored object.
     *
     * @param isDryRun whether nothing is stored; the key in the message is then that of the API server, not that of etcd
     */
    public static void checkUid(ResourceType type, ObjectKey key, JsonNode metadata, JsonNode owned, boolean isDryRun) {
        String uid = Json.text(metadata, "uid");
        if (!uid.isEmpty() && !uid.equals(Json.text(owned, "uid"))) {
            throw StatusError.conflict(
                    type,
                    key.name(),
                    "StorageError: invalid object, Code: 4, Key: " + (isDryRun ? "/" : "/registry/") + type.plural()
                            + "/"
                            + (type.namespaced() ? key.namespace() + "/" : "") + key.name()
                            + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: "
                            + uid + ", UID in object meta: " + Json.text(owned, "uid"));
        }
    }

    /** A check of the rights of the sender that depends on the change; throws a StatusError to reject it. */
    @FunctionalInterface
    public interface UpdateAuthorization {
        /** Accepts every change. */
        UpdateAuthorization NONE = (present, next) -> {};

        void check(ObjectNode present, ObjectNode next);
    }

    /** Computes the next stored object from the current one and a request. */
    static final class ObjectChanges {
        /** Kinds whose updates are not validated as new objects are. */
        private static final Set<String> VALIDATED_ONCE = Set.of(
                "pods",
                "namespaces",
                "controllerrevisions.apps",
                "priorityclasses.scheduling.k8s.io",
                "resourceclaims.resource.k8s.io");

        /** Kinds of whose metadata all rules of new objects apply to updates. */
        private static final Set<String> VALIDATED_WHOLE = Set.of(
                "configmaps",
                "secrets",
                "services",
                "endpoints",
                "limitranges",
                "serviceaccounts",
                "persistentvolumes",
                "persistentvolumeclaims",
                "jobs.batch",
                "storageclasses.storage.k8s.io",
                "volumeattachments.storage.k8s.io",
                "csinodes.storage.k8s.io");

        private final ObjectCreation creation;
        private final ServiceDefaults services;
        private final Release release;

        ObjectChanges(ObjectCreation creation, ServiceDefaults services, Release release) {
            this.creation = creation;
            this.services = services;
            this.release = release;
        }

        /**
         * Computes the next state from the current one and a proposal.
         *
         * @param apiVersion group and version of the request
         * @param present a private copy of the stored object
         * @param proposed the complete object of the client
         * @param statusOnly whether the status subresource is written
         * @return the next state; null after the last finalizer of a deleted object
         */
        @Nullable
        ObjectNode admit(
                ResourceType type, String apiVersion, ObjectNode present, ObjectNode proposed, boolean statusOnly) {
            FieldTypes.decode(type, proposed);
            ObjectKey key = ObjectKey.of(present);
            ObjectNode metadata = Json.child(proposed, "metadata");
            ObjectNode owned = Json.child(present, "metadata");
            checkIdentity(type, key, metadata, owned);
            for (String field : ObjectAdmission.SERVER_OWNED) {
                metadata.remove(field);
                if (owned.has(field)) {
                    metadata.set(field, owned.get(field));
                }
            }
            if (type.namespaced()) {
                metadata.put("namespace", key.namespace());
            }
            if (statusOnly) {
                List<Cause> statusCauses = MetadataValidation.checkChange(owned, metadata, release, false);
                statusCauses.addAll(StatusValidation.check(type, proposed.path("status")));
                checkChange(type, key, statusCauses);
                keepField(present, proposed, "spec");
                if (type.plural().equals("resourceclaims")) {
                    checkChange(type, key, ClaimValidation.statusChange(present, proposed));
                }
                return proposed;
            }
            if (type.hasStatus()) {
                keepField(present, proposed, "status");
            }
            if (type.isPod()) {
                NewerPodFields.drop(Json.child(proposed, "spec"), release);
                keepPriority(present, proposed);
            }
            if (type.qualifiedName().equals("secrets")) {
                Json.putIfAbsent(proposed, "type", "Opaque");
                Defaults.mergeTexts(proposed);
            }
            creation.change(type.kind(), proposed);
            if (type.isPod()) {
                PodDefaults.complete(proposed);
            }
            Defaults.complete(type.qualifiedName(), proposed, release, false);
            if (type.qualifiedName().equals("services")) {
                services.change(present, proposed);
                checkChange(type, key, ServiceValidation.addressErrors(proposed, release));
            }
            Defaults.references(type, proposed);
            List<Cause> causes = MetadataValidation.checkChange(
                    owned, metadata, release, VALIDATED_WHOLE.contains(type.qualifiedName()));
            if (type.qualifiedName().equals("events")) {
                causes.addAll(EventValidation.update(present, proposed, apiVersion, release));
            } else if (!VALIDATED_ONCE.contains(type.qualifiedName())
                    && !(type.plural().equals("csidrivers") && !ComponentChange.UPDATE_VALIDATION.in(release))) {
                causes.addAll(NewObjectValidation.checkChange(type, present, proposed, release));
            }
            causes.addAll(ChangeValidation.check(type, present, proposed, release));
            if (type.qualifiedName().equals("services")
                    && !causes.stream().allMatch(ServiceValidation::isCombination)) {
                causes.removeIf(ServiceValidation::isCombination);
            }
            checkChange(type, key, causes);
            if (type.qualifiedName().equals("daemonsets.apps")) {
                Defaults.count(present, proposed);
            }
            if (hasGeneration(type, release) && !present.path("spec").equals(proposed.path("spec"))) {
                metadata.put("generation", owned.path("generation").asLong() + 1);
            }
            boolean gone = metadata.has("deletionTimestamp")
                    && metadata.path("finalizers").isEmpty()
                    && (!type.isNamespace()
                            || proposed.path("spec").path("finalizers").isEmpty())
                    && metadata.path("deletionGracePeriodSeconds").asLong() == 0;
            return gone ? null : proposed;
        }

        /** Absent fields get the values of admission; removing them is rejected. */
        private static void keepPriority(ObjectNode present, ObjectNode proposed) {
            for (String field : List.of("priority", "preemptionPolicy")) {
                JsonNode had = present.path("spec").path(field);
                if (!had.isMissingNode() && proposed.path("spec").path(field).isMissingNode()) {
                    Json.child(proposed, "spec").set(field, had);
                }
            }
        }

        private void checkChange(ResourceType type, ObjectKey key, List<Cause> causes) {
            if (!causes.isEmpty()) {
                throw StatusError.invalid(type, key.name(), ReleaseMessages.of(causes, release));
            }
        }

        private static void checkIdentity(ResourceType type, ObjectKey key, ObjectNode metadata, ObjectNode owned) {
            checkName(key.name(), metadata);
            metadata.put("name", key.name());
            String namespace = Json.text(metadata, "namespace");
            if (type.namespaced() && !namespace.isEmpty() && !namespace.equals(key.namespace())) {
                throw StatusError.badRequest("the namespace of the object (" + namespace
                        + ") does not match the namespace on the request (" + key.namespace() + ")");
            }
            checkUid(type, key, metadata, owned, false);
            String version = Json.text(metadata, "resourceVersion");
            if (version.isEmpty() && !type.allowsUnconditionalUpdate()) {
                throw StatusError.invalid(
                        type,
                        key.name(),
                        List.of(new Cause(
                                "metadata.resourceVersion",
                                "FieldValueInvalid",
                                "Invalid value: 0x0: must be specified for an update")));
            }
            if (!version.isEmpty() && !version.matches("[0-9]+")) {
                throw StatusError.internal("strconv.ParseUint: parsing \"" + version + "\": invalid syntax");
            }
            if (!version.isEmpty() && !version.equals("0") && !version.equals(Json.text(owned, "resourceVersion"))) {
                throw StatusError.modified(type, key.name());
            }
        }

        private static void keepField(JsonNode present, ObjectNode proposed, String field) {
            if (present.has(field)) {
                proposed.set(field, present.get(field));
            } else {
                proposed.remove(field);
            }
        }

        /** Whether objects of the kind have generations. */
        static boolean hasGeneration(ResourceType type, Release release) {
            return type.hasGeneration() || (type.isPod() && ComponentChange.POD_GENERATION.in(release));
        }
    }
}
