package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The fields that new volumes, claims, drivers, and objects of dynamic resource allocation must have. Mirrors {@code validation.go} in
 * {@code pkg/apis/core}, {@code storage}, and {@code resource}.
 */
final class StorageValidation extends FieldChecks {
    /** Fields of a volume's spec that are not its source. */
    static final Set<String> NOT_A_SOURCE = Set.of(
            "accessModes",
            "capacity",
            "claimRef",
            "mountOptions",
            "nodeAffinity",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "volumeAttributesClassName",
            "volumeMode");

    /** The sources of persistent volumes, in the order of their checks. */
    private static final List<String> VOLUME_TYPES = List.of(
            "hostPath",
            "gcePersistentDisk",
            "awsElasticBlockStore",
            "glusterfs",
            "flocker",
            "nfs",
            "rbd",
            "quobyte",
            "cephfs",
            "iscsi",
            "cinder",
            "fc",
            "flexVolume",
            "azureFile",
            "vsphereVolume",
            "photonPersistentDisk",
            "portworxVolume",
            "azureDisk",
            "scaleIO",
            "local",
            "storageos",
            "csi");

    private static final List<String> ACCESS_MODES = List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce");

    StorageValidation(ObjectNode object, Release release, List<Cause> causes) {
        super(object, release, causes);
    }

    /** Adds the errors of a new object; returns false if the type is none of this class. */
    boolean check(ResourceType type) {
        switch (type.qualifiedName()) {
            case "persistentvolumes" -> volume();
            case "persistentvolumeclaims" -> claim();
            case "storageclasses.storage.k8s.io" -> storageClass();
            case "csidrivers.storage.k8s.io" -> driver();
            case "csinodes.storage.k8s.io" -> forEach("spec.drivers", spec.path("drivers"), this::nodeDriver);
            case "csistoragecapacities.storage.k8s.io" -> {
                selector("nodeTopology", object.path("nodeTopology"));
                subdomain("storageClassName", Json.text(object, "storageClassName"));
            }
            case "volumeattachments.storage.k8s.io" -> attachment();
            case "resourceclaims.resource.k8s.io" -> deviceRequests("spec", spec);
            case "resourceclaimtemplates.resource.k8s.io" -> deviceRequests("spec.spec", spec.path("spec"));
            case "resourceslices.resource.k8s.io" -> slice();
            default -> {
                return false;
            }
        }
        return true;
    }

    private void storageClass() {
        if (requireText("provisioner", object, "provisioner")) {
            String provisioner = Json.text(object, "provisioner");
            String lower = provisioner.toLowerCase(Locale.ROOT);
            errors.all(
                    "provisioner",
                    ComponentChange.UPDATE_VALIDATION.in(release) ? lower : provisioner,
                    FieldErrors.qualifiedName(lower));
        }
        if (object.path("parameters").has("")) {
            errors.invalid("parameters", "", "field can not be empty.");
        }
        String policy = Json.text(object, "reclaimPolicy");
        if (!policy.isEmpty()) {
            unsupported("reclaimPolicy", policy, List.of("Delete", "Retain"));
        }
        unsupported(
                "volumeBindingMode",
                Json.text(object, "volumeBindingMode"),
                List.of("Immediate", "WaitForFirstConsumer"));
        Set<Map<String, Set<String>>> terms = new HashSet<>(Set.of(Map.of()));
        forEach("allowedTopologies", object.path("allowedTopologies"), (path, term) -> {
            Map<String, Set<String>> keys = new HashMap<>();
            forEach(path + ".matchLabelExpressions", term.path("matchLabelExpressions"), (place, requirement) -> {
                String key = Json.text(requirement, "key");
                Set<String> values = new HashSet<>();
                if (requirement.path("values").isEmpty()) {
                    causes.add(Cause.required(place + ".values", ""));
                }
                forEach(place + ".values", requirement.path("values"), (at, value) -> {
                    if (!values.add(value.asText())) {
                        errors.duplicate(at, "\"" + value.asText() + "\"");
                    }
                });
                qualifiedName(place + ".key", key);
                if (keys.put(key, values) != null) {
                    errors.duplicate(place + ".key", "\"" + key + "\"");
                }
            });
            // A term without requirements is equal to one that is not filled yet.
            if (!terms.add(keys)) {
                errors.duplicate(path + ".matchLabelExpressions", "\"\"");
            }
        });
    }

    private void driver() {
        forEach(
                "spec.volumeLifecycleModes",
                spec.path("volumeLifecycleModes"),
                (path, mode) ->
                        unsupported("spec.volumeLifecycleModes", mode.asText(), List.of("Persistent", "Ephemeral")));
        if (spec.has("fsGroupPolicy")) {
            unsupported(
                    "spec.fsGroupPolicy",
                    Json.text(spec, "fsGroupPolicy"),
                    List.of("File", "None", "ReadWriteOnceWithFSType"));
        }
    }

    private void nodeDriver(String path, JsonNode driver) {
        driverName(path + ".name", driver, "name");
        requireText(path + ".nodeID", driver, "nodeID");
        notNegative(path + ".allocatable.count", driver.path("allocatable").path("count"));
        for (JsonNode other : spec.path("drivers")) {
            if (other == driver) {
                break;
            }
            if (Json.text(other, "name").equals(Json.text(driver, "name"))) {
                errors.duplicate(path + ".name", "\"" + Json.text(driver, "name") + "\"");
            }
        }
        Set<String> keys = new HashSet<>();
        for (JsonNode key : driver.path("topologyKeys")) {
            if (key.asText().isEmpty()) {
                errors.required(path, "");
            }
            if (!keys.add(key.asText())) {
                errors.duplicate(path, "\"" + key.asText() + "\"");
            }
            Object shown = ComponentChange.UPDATE_VALIDATION.in(release) ? key : "{}";
            FieldErrors.qualifiedName(key.asText()).forEach(message -> errors.invalidValue(path, shown, message));
        }
    }

    private void attachment() {
        requireText("spec.attacher", spec, "attacher");
        JsonNode source = spec.path("source");
        JsonNode volume = source.path("persistentVolumeName");
        boolean isInline = !isAbsent(source.path("inlineVolumeSpec"));
        String rule = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
        if (isAbsent(volume) && !isInline) {
            causes.add(Cause.required("spec.source", rule));
        } else if (!isAbsent(volume) && isInline) {
            errors.forbidden("spec.source", rule);
        } else if (volume.isTextual() && volume.asText().isEmpty()) {
            errors.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName");
        } else if (isInline) {
            inlineVolume("spec.source.inlineVolumeSpec", source.path("inlineVolumeSpec"));
        }
        subdomain("spec.nodeName", Json.text(spec, "nodeName"));
        driverName("spec.attacher", spec, "attacher");
        if (volume.isTextual()) {
            subdomain("spec.source.persistentVolumeName", volume.asText());
        }
    }

    /** The specification of a volume without a PersistentVolume, which CSI migration attaches. */
    private void inlineVolume(String path, JsonNode volume) {
        String why = " in the context of inline volumes";
        for (String field : List.of("claimRef", "capacity", "nodeAffinity")) {
            if (!isAbsent(volume.path(field)) && !volume.path(field).isEmpty()) {
                errors.forbidden(path + "." + field, "may not be specified" + why);
            }
        }
        if (isAbsent(volume.path("csi"))) {
            errors.required(path + ".csi", "has to be specified" + why);
        }
        if (volume.path("accessModes").isEmpty()) {
            errors.required(path + ".accessModes", "");
        }
        String policy = Json.text(volume, "persistentVolumeReclaimPolicy");
        if (!policy.isEmpty() && !policy.equals("Retain")) {
            errors.forbidden(path + ".persistentVolumeReclaimPolicy", "may only be Retain" + why);
        }
    }

    private void volume() {
        VolumeValidation.spec(spec, supportedAccessModes(), errors);
        JsonNode affinity = spec.path("nodeAffinity");
        if (affinity.isObject()) {
            JsonNode required = affinity.path("required");
            if (isAbsent(required)) {
                errors.required("spec.nodeAffinity.required", "must specify required node constraints");
            } else {
                nodeSelector("spec.nodeAffinity.required.nodeSelectorTerms", required.path("nodeSelectorTerms"));
            }
        } else if (!isAbsent(spec.path("local"))) {
            errors.required("spec.nodeAffinity", "Local volume requires node affinity");
        }
        List<String> sources = spec.properties().stream()
                .filter(field -> !NOT_A_SOURCE.contains(field.getKey()) && !isAbsent(field.getValue()))
                .map(Map.Entry::getKey)
                .sorted(Comparator.comparingInt(VOLUME_TYPES::indexOf))
                .toList();
        if (sources.isEmpty()) {
            errors.required("spec", "must specify a volume type");
        }
        for (String source : sources) {
            if (!source.equals(sources.get(0))) {
                errors.forbidden("spec." + source, "may not specify more than 1 volume type");
            } else if (source.equals("csi")) {
                VolumeValidation.csi(spec.path(source), errors);
            } else {
                VolumeValidation.source("spec", source, spec.path(source), errors);
            }
        }
    }

    /** Adds the errors of a new claim, also of one in a StatefulSet. */
    void claim() {
        if (spec.path("accessModes").isEmpty()) {
            causes.add(Cause.required("spec.accessModes", "at least 1 access mode is required"));
        }
        accessModes();
        if (spec.path("accessModes").size() > 1 && hasMode("ReadWriteOncePod") && release.atLeast(29)) {
            errors.forbidden("spec.accessModes", "may not use ReadWriteOncePod with other access modes");
        }
        JsonNode storage = spec.path("resources").path("requests").path("storage");
        if (isAbsent(storage)) {
            causes.add(Cause.required("spec.resources[storage]", ""));
        } else if (Json.quantity(storage.asText()).orElse(BigDecimal.ONE).signum() <= 0) {
            errors.invalid("spec.resources[storage]", storage.asText(), "must be greater than zero");
        }
        selector("spec.selector", spec.path("selector"));
        String name = Json.text(spec, "storageClassName");
        if (!name.isEmpty()) {
            errors.all("spec.storageClassName", name, FieldErrors.subdomain(name));
        }
        volumeMode();
    }

    private boolean hasMode(String required) {
        for (JsonNode mode : spec.path("accessModes")) {
            if (mode.asText().equals(required)) {
                return true;
            }
        }
        return false;
    }

    private void accessModes() {
        List<String> modes = supportedAccessModes();
        spec.path("accessModes").forEach(mode -> unsupported("spec.accessModes", mode.asText(), modes));
    }

    private List<String> supportedAccessModes() {
        return release.atLeast(29)
                ? List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
                : ACCESS_MODES;
    }

    private void volumeMode() {
        if (spec.has("volumeMode")) {
            unsupported("spec.volumeMode", Json.text(spec, "volumeMode"), List.of("Block", "Filesystem"));
        }
    }

    private void deviceRequests(String path, JsonNode claim) {
        forEach(path + ".devices.requests", claim.path("devices").path("requests"), (place, request) -> {
            label(place + ".name", Json.text(request, "name"));
            JsonNode alternatives = request.path("firstAvailable");
            if (isAbsent(request.path("exactly")) && alternatives.isEmpty()) {
                causes.add(Cause.required(place, "exactly one of `exactly` or `firstAvailable` is required"));
            } else if (!isAbsent(request.path("exactly"))) {
                deviceRequest(place + ".exactly", request.path("exactly"));
            }
            forEach(place + ".firstAvailable", alternatives, (subPlace, alternative) -> {
                label(subPlace + ".name", Json.text(alternative, "name"));
                deviceRequest(subPlace, alternative);
            });
        });
    }

    private void deviceRequest(String path, JsonNode request) {
        requireText(path + ".deviceClassName", request, "deviceClassName");
        forEach(path + ".selectors", request.path("selectors"), (place, selector) -> {
            if (isAbsent(selector.path("cel"))) {
                causes.add(Cause.required(place + ".cel", ""));
            }
        });
        JsonNode count = request.path("count");
        if (count.isNumber()
                && count.asLong() <= 0
                && !Json.text(request, "allocationMode").equals("All")) {
            causes.add(new Cause(
                    path + ".count",
                    "FieldValueInvalid",
                    "Invalid value: " + count.asLong() + ": must be greater than zero"));
        }
    }

    private void slice() {
        driverName("spec.driver", spec, "driver");
        JsonNode pool = spec.path("pool");
        requireText("spec.pool.name", pool, "name");
        if (pool.path("resourceSliceCount").asLong() <= 0) {
            causes.add(new Cause(
                    "spec.pool.resourceSliceCount",
                    "FieldValueInvalid",
                    "Invalid value: " + pool.path("resourceSliceCount").asLong() + ": must be greater than zero"));
        }
        boolean placed = !Json.text(spec, "nodeName").isEmpty()
                || !isAbsent(spec.path("nodeSelector"))
                || spec.path("allNodes").asBoolean()
                || spec.path("perDeviceNodeSelection").asBoolean();
        if (!placed) {
            causes.add(Cause.required(
                    "spec",
                    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"));
        }
        forEach(
                "spec.devices",
                spec.path("devices"),
                (path, device) -> label(path + ".name", Json.text(device, "name")));
    }
}
