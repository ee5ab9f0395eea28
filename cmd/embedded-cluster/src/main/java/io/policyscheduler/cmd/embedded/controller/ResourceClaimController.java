package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import io.policyscheduler.engine.creation.ObjectCreation;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Creates claims from templates, and removes the reservations of deleted pods (pkg/controller/resourceclaim). */
public final class ResourceClaimController extends KeyedController {
    private static final String ENTRY = "resource.kubernetes.io/pod-claim-name";
    private static final String FINALIZER = "resource.kubernetes.io/delete-protection";

    private final ResourceType claims;
    private final ResourceType templates;

    public ResourceClaimController(Clientset objects) {
        super(objects, "pods", "resourceclaims.resource.k8s.io", "resourceclaimtemplates.resource.k8s.io");
        this.claims = objects.type("resourceclaims.resource.k8s.io");
        this.templates = objects.type("resourceclaimtemplates.resource.k8s.io");
    }

    @Override
    public void reconcile(ObjectNode pod) {
        if (isDone(pod)) {
            pod.path("spec").path("resourceClaims").forEach(entry -> release(pod, entry));
        } else {
            pod.path("spec").path("resourceClaims").forEach(entry -> ensureClaim(pod, entry));
        }
    }

    private static boolean isDone(JsonNode pod) {
        boolean neverRan =
                Clientset.isDeleted(pod) && Json.text(pod, "spec", "nodeName").isEmpty();
        return PodStates.isFinished(pod) || neverRan;
    }

    @Override
    public void reconcileAbsent(ObjectKey key) {
        objects().list(claims, key.namespace()).forEach(this::deallocateIfUnused);
    }

    @Override
    public void handleRelated(ResourceType other, ObjectNode object) {
        super.handleRelated(other, object);
        String namespace = ObjectKey.of(object).namespace();
        if (other.equals(templates)) {
            objects().list(type(), namespace).forEach(pod -> enqueue(ObjectKey.of(pod)));
        } else {
            deallocateIfUnused(object);
        }
    }

    private void ensureClaim(ObjectNode pod, JsonNode entry) {
        String name = Json.text(entry, "name");
        String template = Json.text(entry, "resourceClaimTemplateName");
        if (template.isEmpty() || isCreated(pod, name)) {
            return;
        }
        String namespace = ObjectKey.of(pod).namespace();
        String claim = findClaim(pod, name)
                .or(() -> objects()
                        .get(templates, new ObjectKey(namespace, template))
                        .flatMap(found -> create(pod, name, found)))
                .map(made -> Json.text(made, "metadata", "name"))
                .orElse("");
        if (!claim.isEmpty()) {
            objects().changeStatus(type(), pod, status -> {
                ObjectNode made = status.withArray("/resourceClaimStatuses").addObject();
                made.put("name", name).put("resourceClaimName", claim);
            });
        }
    }

    private static boolean isCreated(JsonNode pod, String entry) {
        for (JsonNode made : pod.path("status").path("resourceClaimStatuses")) {
            if (Json.text(made, "name").equals(entry)) {
                return true;
            }
        }
        return false;
    }

    private Optional<ObjectNode> findClaim(ObjectNode pod, String entry) {
        return objects().list(claims, ObjectKey.of(pod).namespace()).stream()
                .filter(claim -> Owners.controls(pod, claim)
                        && Json.text(claim, "metadata", "annotations", ENTRY).equals(entry))
                .findFirst();
    }

    private Optional<ObjectNode> create(ObjectNode pod, String entry, ObjectNode template) {
        ObjectNode claim = ObjectCreation.claimOfTemplate(pod, entry, template);
        ObjectNode metadata = Json.child(claim, "metadata");
        metadata.put(
                "name",
                Names.generate(Json.text(metadata, "generateName"), objects().random()));
        return objects().create(claims, claim);
    }

    private void release(ObjectNode pod, JsonNode entry) {
        String given = Json.text(entry, "resourceClaimName");
        String name = given.isEmpty() ? claimName(pod, Json.text(entry, "name")) : given;
        objects()
                .get(claims, new ObjectKey(ObjectKey.of(pod).namespace(), name))
                .ifPresent(this::deallocateIfUnused);
    }

    private static String claimName(JsonNode pod, String entry) {
        for (JsonNode made : pod.path("status").path("resourceClaimStatuses")) {
            if (Json.text(made, "name").equals(entry)) {
                return Json.text(made, "resourceClaimName");
            }
        }
        return "";
    }

    /**
     * Removes reservations of deleted pods; without reservations, the allocation is released, and a generated claim is deleted.
     */
    private void deallocateIfUnused(ObjectNode claim) {
        JsonNode before = claim.path("status").path("reservedFor");
        String namespace = ObjectKey.of(claim).namespace();
        Set<String> gone = new HashSet<>();
        for (JsonNode user : before) {
            boolean here = objects()
                    .get(type(), new ObjectKey(namespace, Json.text(user, "name")))
                    .filter(pod -> Clientset.uid(pod).equals(Json.text(user, "uid")) && !isDone(pod))
                    .isPresent();
            if (!here && Json.text(user, "resource").equals("pods")) {
                gone.add(Json.text(user, "uid"));
            }
        }
        // Another pod may have reserved it meanwhile.
        boolean[] isFree = {before.isEmpty()};
        if (!gone.isEmpty()) {
            objects().changeStatus(claims, claim, status -> isFree[0] = removeReservations(gone, status));
        }
        boolean unused = isFree[0] && (!before.isEmpty() || Clientset.isDeleted(claim));
        if (unused && Owners.hasFinalizer(claim, FINALIZER)) {
            objects().change(claims, claim, present -> Owners.removeFinalizer(present, FINALIZER));
        }
        JsonNode owner = Owners.controllerOf(claim);
        if (isFree[0] && Json.text(owner, "kind").equals("Pod")) {
            boolean ownerIsDone = objects()
                    .get(type(), new ObjectKey(namespace, Json.text(owner, "name")))
                    .filter(pod -> Clientset.uid(pod).equals(Json.text(owner, "uid")) && !isDone(pod))
                    .isEmpty();
            if (ownerIsDone && !Clientset.isDeleted(claim)) {
                objects().delete(claims, claim);
            }
        }
    }

    /** True if no reservation is left, so that the allocation is released. */
    private static boolean removeReservations(Set<String> gone, ObjectNode status) {
        ArrayNode left = Json.array();
        for (JsonNode user : status.path("reservedFor")) {
            if (!gone.contains(Json.text(user, "uid"))) {
                left.add(user);
            }
        }
        if (left.isEmpty()) {
            status.remove("reservedFor");
            status.remove("allocation");
        } else {
            status.set("reservedFor", left);
        }
        return left.isEmpty();
    }
}
