package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Binds claims to volumes: to the volume that a claim or a scheduler selects, to the smallest one that matches, or, for classes
 * of a local provisioner, to a new one. Classes with {@code kubernetes.io/no-provisioner} use only existing volumes. Mirrors
 * {@code pkg/controller/volume/persistentvolume}.
 */
public final class VolumeController extends KeyedController {
    private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
    private static final String BOUND = "pv.kubernetes.io/bound-by-controller";
    private static final String COMPLETE = "pv.kubernetes.io/bind-completed";
    private static final String HOST_NAME = "kubernetes.io/hostname";

    /** Provisioners of local disks. */
    private static final Set<String> LOCAL_PROVISIONERS =
            Set.of("policy-scheduler.io/local", "rancher.io/local-path", "kubernetes.io/host-path");

    private final ResourceType volumes;
    private final ResourceType classes;

    public VolumeController(Clientset objects) {
        super(objects, "persistentvolumeclaims", "persistentvolumes", "storageclasses");
        this.volumes = objects.type("persistentvolumes");
        this.classes = objects.type("storageclasses");
    }

    /** A claim may wait for a new or released volume. */
    @Override
    public void handleRelated(ResourceType other, ObjectNode object) {
        if (other.equals(volumes)) {
            objects().get(volumes, ObjectKey.of(object)).ifPresent(this::refresh);
        }
        for (ObjectNode claim : objects().list(type(), "")) {
            if (!isBound(claim)) {
                enqueue(ObjectKey.of(claim));
            }
        }
    }

    /** The phase of a volume follows its claim. */
    private void refresh(ObjectNode volume) {
        JsonNode reference = volume.path("spec").path("claimRef");
        String phase = Json.text(volume, "status", "phase");
        if (reference.isMissingNode()) {
            if (phase.isEmpty() || phase.equals("Pending")) {
                phase(volume, "Available");
            }
            return;
        }
        String uid = Json.text(reference, "uid");
        Optional<ObjectNode> claim = objects().get(type(), keyOf(reference));
        boolean isGone = claim.isEmpty() || !Clientset.uid(claim.get()).equals(uid);
        if (!uid.isEmpty() && isGone && phase.equals("Bound")) {
            phase(volume, "Released");
            if (Json.text(volume, "spec", "persistentVolumeReclaimPolicy").equals("Delete")) {
                objects().delete(volumes, volume);
            }
        }
    }

    private void phase(ObjectNode volume, String phase) {
        objects().changeStatus(volumes, volume, status -> status.put("phase", phase));
    }

    @Override
    public void reconcileAbsent(ObjectKey key) {
        for (ObjectNode volume : objects().list(volumes, "")) {
            if (keyOf(volume.path("spec").path("claimRef")).equals(key)) {
                refresh(volume);
            }
        }
    }

    @Override
    public void reconcile(ObjectNode claim) {
        if (Clientset.isDeleted(claim) || isBound(claim)) {
            return;
        }
        String named = Json.text(claim, "spec", "volumeName");
        Optional<ObjectNode> volume = named.isEmpty()
                ? findReserved(claim)
                : objects().get(volumes, new ObjectKey("", named)).filter(found -> isClaimedBy(found, claim));
        if (volume.isEmpty() && named.isEmpty()) {
            volume = findOrProvision(claim);
        }
        volume.ifPresent(found -> bind(claim, found));
    }

    private static boolean isBound(JsonNode claim) {
        return Json.text(claim, "status", "phase").equals("Bound");
    }

    private static ObjectKey keyOf(JsonNode reference) {
        return new ObjectKey(Json.text(reference, "namespace"), Json.text(reference, "name"));
    }

    /** The volume that a scheduler or a user has reserved for the claim. */
    private Optional<ObjectNode> findReserved(ObjectNode claim) {
        return objects().list(volumes, "").stream()
                .filter(volume -> volume.path("spec").has("claimRef") && isClaimedBy(volume, claim))
                .findFirst();
    }

    private static boolean isClaimedBy(JsonNode volume, ObjectNode claim) {
        JsonNode reference = volume.path("spec").path("claimRef");
        if (reference.isMissingNode()) {
            return true;
        }
        String uid = Json.text(reference, "uid");
        return keyOf(reference).equals(ObjectKey.of(claim)) && (uid.isEmpty() || uid.equals(Clientset.uid(claim)));
    }

    private Optional<ObjectNode> findOrProvision(ObjectNode claim) {
        String className = Json.text(claim, "spec", "storageClassName");
        Optional<ObjectNode> storageClass =
                className.isEmpty() ? Optional.empty() : objects().get(classes, new ObjectKey("", className));
        boolean waits = storageClass
                .filter(found -> Json.text(found, "volumeBindingMode").equals("WaitForFirstConsumer"))
                .isPresent();
        String node = Json.text(claim, "metadata", "annotations", SELECTED_NODE);
        if (waits && node.isEmpty()) {
            // A scheduler selects the node, and a volume if there is one.
            return Optional.empty();
        }
        Optional<ObjectNode> present = waits ? Optional.empty() : findSmallest(claim, className);
        return present.isPresent()
                ? present
                : storageClass
                        .filter(found -> LOCAL_PROVISIONERS.contains(Json.text(found, "provisioner")))
                        .flatMap(found -> provision(claim, found, node));
    }

    private Optional<ObjectNode> findSmallest(ObjectNode claim, String className) {
        return objects().list(volumes, "").stream()
                .filter(volume -> !volume.path("spec").has("claimRef") && !Clientset.isDeleted(volume))
                .filter(volume -> Json.text(volume, "spec", "storageClassName").equals(className))
                .filter(volume -> matches(volume, claim))
                .min(Comparator.comparing(VolumeController::capacity)
                        .thenComparing(volume -> ObjectKey.of(volume).name()));
    }

    private static boolean matches(JsonNode volume, JsonNode claim) {
        Set<String> modes = new HashSet<>();
        volume.path("spec").path("accessModes").forEach(mode -> modes.add(mode.asText()));
        for (JsonNode mode : claim.path("spec").path("accessModes")) {
            if (!modes.contains(mode.asText())) {
                return false;
            }
        }
        JsonNode selector = claim.path("spec").path("selector");
        boolean isSelected =
                selector.isMissingNode() || LabelSelector.ofObject(selector).matches(volume);
        return isSelected
                && volumeMode(volume).equals(volumeMode(claim))
                && capacity(volume).compareTo(amount(claim.at("/spec/resources/requests/storage"))) >= 0;
    }

    private static String volumeMode(JsonNode object) {
        String mode = Json.text(object, "spec", "volumeMode");
        return mode.isEmpty() ? "Filesystem" : mode;
    }

    private static BigDecimal capacity(JsonNode volume) {
        return amount(volume.at("/spec/capacity/storage"));
    }

    private static BigDecimal amount(JsonNode quantity) {
        return Json.quantity(quantity.asText("0")).orElse(BigDecimal.ZERO);
    }

    private Optional<ObjectNode> provision(ObjectNode claim, JsonNode storageClass, String node) {
        ObjectNode volume = Json.object().put("apiVersion", "v1").put("kind", "PersistentVolume");
        String name = "pvc-" + Clientset.uid(claim);
        ObjectNode metadata = volume.putObject("metadata").put("name", name);
        metadata.putObject("annotations")
                .put("pv.kubernetes.io/provisioned-by", Json.text(storageClass, "provisioner"));
        ObjectNode spec = volume.putObject("spec");
        spec.putObject("capacity")
                .put("storage", claim.at("/spec/resources/requests/storage").asText());
        spec.set("accessModes", claim.path("spec").path("accessModes").deepCopy());
        spec.put("storageClassName", Json.text(claim, "spec", "storageClassName"));
        String reclaim = Json.text(storageClass, "reclaimPolicy");
        spec.put("persistentVolumeReclaimPolicy", reclaim.isEmpty() ? "Delete" : reclaim);
        spec.put("volumeMode", volumeMode(claim));
        spec.putObject("hostPath").put("path", "/var/local-volumes/" + name);
        if (!node.isEmpty()) {
            spec.putObject("nodeAffinity")
                    .putObject("required")
                    .putArray("nodeSelectorTerms")
                    .addObject()
                    .putArray("matchExpressions")
                    .addObject()
                    .put("key", HOST_NAME)
                    .put("operator", "In")
                    .putArray("values")
                    .add(node);
        }
        reference(spec.putObject("claimRef"), claim);
        return objects().create(volumes, volume);
    }

    private static void reference(ObjectNode reference, ObjectNode claim) {
        ObjectKey key = ObjectKey.of(claim);
        reference
                .put("apiVersion", "v1")
                .put("kind", "PersistentVolumeClaim")
                .put("namespace", key.namespace())
                .put("name", key.name())
                .put("uid", Clientset.uid(claim));
    }

    private void bind(ObjectNode claim, ObjectNode volume) {
        String name = ObjectKey.of(volume).name();
        objects().change(volumes, volume, changed -> {
            ObjectNode spec = Json.child(changed, "spec");
            if (!spec.has("claimRef")) {
                Json.child(Json.child(changed, "metadata"), "annotations").put(BOUND, "yes");
            }
            reference(Json.child(spec, "claimRef"), claim);
        });
        objects().get(volumes, new ObjectKey("", name)).ifPresent(found -> phase(found, "Bound"));
        objects().change(type(), claim, changed -> {
            ObjectNode annotations = Json.child(Json.child(changed, "metadata"), "annotations");
            if (Json.text(claim, "spec", "volumeName").isEmpty()) {
                annotations.put(BOUND, "yes");
            }
            annotations.put(COMPLETE, "yes");
            Json.child(changed, "spec").put("volumeName", name);
        });
        objects()
                .get(type(), ObjectKey.of(claim))
                .ifPresent(found -> objects().changeStatus(type(), found, status -> {
                    status.put("phase", "Bound");
                    status.set(
                            "accessModes",
                            volume.path("spec").path("accessModes").deepCopy());
                    status.set("capacity", volume.path("spec").path("capacity").deepCopy());
                }));
    }

    /** The claims of ephemeral volumes, each owned by its pod (pkg/controller/volume/ephemeral). */
    public static final class EphemeralVolumeController extends KeyedController {
        private final ResourceType claims;
        private final ObjectCreation creation;
        private final EventRecorder events;

        public EphemeralVolumeController(Clientset objects) {
            super(objects, "pods", "persistentvolumeclaims");
            this.claims = objects.type("persistentvolumeclaims");
            this.creation = new ObjectCreation(ObjectAdmission.rules(objects.catalog()), Objects.NONE, null);
            this.events = new EventRecorder(objects, "ephemeral_volume");
        }

        @Override
        public void reconcile(ObjectNode pod) {
            if (Clientset.isDeleted(pod)) {
                return;
            }
            for (ObjectNode claim : creation.generatedClaims(pod)) {
                Optional<ObjectNode> present = objects().get(claims, ObjectKey.of(claim));
                if (present.isEmpty()) {
                    objects().create(claims, claim);
                    continue;
                }
                JsonNode owner = Owners.controllerOf(present.get());
                if (!Json.text(owner, "uid").equals(Clientset.uid(pod))) {
                    events.warning(
                            type(),
                            pod,
                            "FailedBinding",
                            "PVC " + ObjectKey.of(claim) + " was not created for pod " + ObjectKey.of(pod)
                                    + " (pod is not owner)");
                }
            }
        }
    }
}
