package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.creation.ObjectCreation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns a stored object and what a client wants of it into the next one to store. */
final class ObjectChanges {
    private final ObjectCreation creation;
    private final ReleaseProfile release;

    ObjectChanges(ObjectCreation creation, ReleaseProfile release) {
        this.creation = creation;
        this.release = release;
    }

    /**
     * Computes the next state from the present one and a proposal for it.
     *
     * @param present a private copy of the stored object
     * @param proposed the whole object as the client wants it
     * @param statusOnly whether the status subresource is written
     * @return the next state; null when the last finalizer of a deleted object goes
     */
    @Nullable
    ObjectNode admit(ResourceType type, ObjectNode present, ObjectNode proposed, boolean statusOnly) {
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
            keep(present, proposed, "spec");
            if (type.plural().equals("resourceclaims")) {
                checkChange(type, key, ClaimValidation.statusChange(present, proposed));
            }
            return proposed;
        }
        if (type.hasStatus()) {
            keep(present, proposed, "status");
        }
        if (type.isPod()) {
            if (release == ReleaseProfile.V1_17) {
                NewerPodFields.drop(Json.child(proposed, "spec"));
            }
            PodValidation.quantities(proposed);
            keepPriority(present, proposed);
        }
        creation.change(type.kind(), proposed);
        if (type.isPod()) {
            PodShownDefaults.complete(proposed);
        }
        checkChange(type, key, ChangeValidation.check(type, present, proposed, release));
        if (type.isWorkload()) {
            WorkloadDefaults.complete(type.qualifiedName(), proposed, release);
            if (type.plural().equals("daemonsets")) {
                WorkloadDefaults.count(present, proposed);
            }
        }
        if (counts(type, release) && !present.path("spec").equals(proposed.path("spec"))) {
            metadata.put("generation", owned.path("generation").asLong() + 1);
        }
        boolean gone = metadata.has("deletionTimestamp")
                && metadata.path("finalizers").isEmpty()
                && (!type.isNamespace()
                        || proposed.path("spec").path("finalizers").isEmpty())
                && metadata.path("deletionGracePeriodSeconds").asLong() == 0;
        return gone ? null : proposed;
    }

    /** Admission fills in what a client leaves out; to take it away is refused. */
    private static void keepPriority(ObjectNode present, ObjectNode proposed) {
        for (String field : List.of("priority", "preemptionPolicy")) {
            JsonNode had = present.path("spec").path(field);
            if (!had.isMissingNode() && proposed.path("spec").path(field).isMissingNode()) {
                Json.child(proposed, "spec").set(field, had);
            }
        }
    }

    private static void checkChange(ResourceType type, ObjectKey key, List<Cause> causes) {
        if (!causes.isEmpty()) {
            throw StatusError.invalid(type, key.name(), causes);
        }
    }

    private static void checkIdentity(ResourceType type, ObjectKey key, ObjectNode metadata, ObjectNode owned) {
        String name = Json.text(metadata, "name");
        if (!name.isEmpty() && !name.equals(key.name())) {
            throw StatusError.badRequest(
                    "the name of the object (" + name + ") does not match the name on the URL (" + key.name() + ")");
        }
        metadata.put("name", key.name());
        String namespace = Json.text(metadata, "namespace");
        if (type.namespaced() && !namespace.isEmpty() && !namespace.equals(key.namespace())) {
            throw StatusError.badRequest("the namespace of the object (" + namespace
                    + ") does not match the namespace on the request (" + key.namespace() + ")");
        }
        String uid = Json.text(metadata, "uid");
        if (!uid.isEmpty() && !uid.equals(Json.text(owned, "uid"))) {
            throw StatusError.conflict(
                    type,
                    key.name(),
                    "Precondition failed: UID in precondition: " + uid + ", UID in object meta: "
                            + Json.text(owned, "uid"));
        }
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
        if (!version.isEmpty() && !version.equals("0") && !version.equals(Json.text(owned, "resourceVersion"))) {
            throw StatusError.modified(type, key.name());
        }
    }

    private static void keep(JsonNode present, ObjectNode proposed, String field) {
        if (present.has(field)) {
            proposed.set(field, present.get(field));
        } else {
            proposed.remove(field);
        }
    }

    /** Whether objects of the kind have generations; pods have since 1.33. */
    static boolean counts(ResourceType type, ReleaseProfile release) {
        return type.countsGenerations() || (type.isPod() && release != ReleaseProfile.V1_17);
    }
}
