package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import java.nio.charset.StandardCharsets;

/**
 * The resourceclaim controller of kube-controller-manager, in random steps: it creates claims from templates, removes deleted pods from reservedFor,
 * deallocates unused claims, and deletes the claims of deleted pods.
 */
final class DeviceControllers {
    private final SimulationRun simulation;
    private final RandomChoices random;
    private final ResourceType pods;
    private final ResourceType claims;
    private int made;

    DeviceControllers(SimulationRun simulation) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.pods = simulation.cluster().catalog().named("pods");
        this.claims = simulation.cluster().catalog().named(DeviceManifests.CLAIMS);
    }

    void tick() {
        for (ObjectNode pod : simulation.cluster().list("pods")) {
            if (!isDone(pod)) {
                for (JsonNode entry : pod.path("spec").path("resourceClaims")) {
                    if (entry.has("resourceClaimTemplateName") && random.percent(60)) {
                        make(pod, entry);
                    }
                }
            }
        }
        for (ObjectNode claim : simulation.cluster().list(DeviceManifests.CLAIMS)) {
            if (random.percent(60)) {
                release(claim);
            }
        }
    }

    private static boolean isDone(JsonNode pod) {
        boolean neverRan = Manifests.isTerminating(pod) && Manifests.nodeOf(pod).isEmpty();
        return Manifests.isFinished(pod) || neverRan;
    }

    private void make(ObjectNode pod, JsonNode entry) {
        String name = Manifests.text(entry, "name");
        String known = DeviceManifests.claimName(pod, entry);
        if (!known.isEmpty()
                && simulation
                        .cluster()
                        .get(DeviceManifests.CLAIMS, Manifests.NAMESPACE, known)
                        .isPresent()) {
            return;
        }
        for (ObjectNode claim : simulation.cluster().list(DeviceManifests.CLAIMS)) {
            boolean isOfEntry = Manifests.text(claim, "metadata", "annotations", DeviceManifests.ENTRY)
                    .equals(name);
            if (isOfEntry && owner(claim).equals(Manifests.uid(pod))) {
                setClaimName(pod, name, Manifests.name(claim));
                return;
            }
        }
        simulation
                .cluster()
                .get(DeviceManifests.TEMPLATES, Manifests.NAMESPACE, Manifests.text(entry, "resourceClaimTemplateName"))
                .ifPresent(template -> {
                    String claim = Manifests.name(pod) + "-" + name + "-" + made++;
                    simulation.cluster().load(DeviceManifests.madeClaim(claim, pod, name, template));
                    simulation.trace().add("made claim " + claim);
                    if (random.percent(70)) {
                        setClaimName(pod, name, claim);
                    }
                });
    }

    private static String owner(JsonNode claim) {
        return Manifests.text(claim.path("metadata").path("ownerReferences").path(0), "uid");
    }

    private void setClaimName(ObjectNode pod, String entry, String claim) {
        modify(pods, pod, present -> {
            ArrayNode statuses = present.withObject("/status").withArray("resourceClaimStatuses");
            for (int i = statuses.size() - 1; i >= 0; i--) {
                if (Manifests.text(statuses.get(i), "name").equals(entry)) {
                    statuses.remove(i);
                }
            }
            statuses.addObject().put("name", entry).put("resourceClaimName", claim);
            return present;
        });
    }

    private void release(ObjectNode claim) {
        int before = claim.path("status").path("reservedFor").size();
        int valid = 0;
        for (JsonNode user : claim.path("status").path("reservedFor")) {
            valid += isInUse(user) ? 1 : 0;
        }
        boolean isDeleted = Manifests.isTerminating(claim);
        if (valid < before || (isDeleted && valid == 0 && DeviceManifests.isAllocated(claim))) {
            int left = valid;
            modify(claims, claim, present -> {
                ObjectNode status = present.withObject("/status");
                ArrayNode users = status.withArray("reservedFor");
                for (int i = users.size() - 1; i >= 0; i--) {
                    if (!isInUse(users.get(i))) {
                        users.remove(i);
                    }
                }
                if (left == 0) {
                    status.remove("reservedFor");
                    status.remove("allocation");
                }
                return present;
            });
            simulation.trace().add("released " + Manifests.name(claim));
        } else if (valid == 0 && !DeviceManifests.isAllocated(claim) && isDeleted) {
            modify(claims, claim, present -> null);
            simulation.trace().add("let go of " + Manifests.name(claim));
        } else if (valid == 0 && !owner(claim).isEmpty() && !isDeleted && isOwnerDone(claim)) {
            simulation.trace().add("delete " + Manifests.name(claim));
            simulation
                    .cluster()
                    .call(
                            "DELETE",
                            "/apis/resource.k8s.io/v1/namespaces/" + Manifests.NAMESPACE + "/resourceclaims/"
                                    + Manifests.name(claim),
                            "application/json",
                            "{}".getBytes(StandardCharsets.UTF_8));
        }
    }

    private boolean isInUse(JsonNode user) {
        return simulation
                .cluster()
                .get("pods", Manifests.NAMESPACE, Manifests.text(user, "name"))
                .filter(pod -> Manifests.uid(pod).equals(Manifests.text(user, "uid")) && !isDone(pod))
                .isPresent();
    }

    private boolean isOwnerDone(JsonNode claim) {
        return simulation
                .cluster()
                .get(
                        "pods",
                        Manifests.NAMESPACE,
                        Manifests.text(
                                claim.path("metadata").path("ownerReferences").path(0), "name"))
                .filter(pod -> Manifests.uid(pod).equals(owner(claim)) && !isDone(pod))
                .isEmpty();
    }

    private void modify(ResourceType type, ObjectNode object, StoredObjects.Mutation mutation) {
        try {
            simulation.cluster().store().modify(type, Manifests.NAMESPACE, Manifests.name(object), false, present -> {
                boolean isSame = Manifests.uid(present).equals(Manifests.uid(object));
                return isSame ? mutation.apply(present) : present;
            });
        } catch (StatusError e) {
            simulation.trace().add("gone: " + Manifests.name(object));
        }
    }
}
