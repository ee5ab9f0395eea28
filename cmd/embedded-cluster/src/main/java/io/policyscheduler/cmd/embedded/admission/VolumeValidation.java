package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.api.Json;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Validates the sources of volumes and the spec of a PersistentVolume. Mirrors {@code ValidatePersistentVolumeSpec} and
 * {@code validateVolumeSource} of {@code pkg/apis/core/validation}.
 */
final class VolumeValidation {
    private static final List<String> HOST_PATH_TYPES = List.of(
            "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket");
    private static final Pattern ISCSI_NAME = Pattern.compile(
            "iqn\\.\\d{4}-\\d{2}\\.[A-Za-z0-9.-]+:[^,;*&$|\\s]+|eui.[A-Za-z0-9]{16}|naa.[A-Za-z0-9]{32}");
    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[^\\[\\]]*]|[^:\\[\\]]*):[^:\\[\\]]*");
    private static final String REGISTRY_RULE = "must be a host:port pair or multiple pairs separated by commas";
    private static final int LONGEST_TENANT = 64;
    private static final int LAST_NUMBER = 255;
    /** The required texts of each source, in the order of their checks. */
    private static final Map<String, List<String>> REQUIRED = Map.ofEntries(
            Map.entry("hostPath", List.of("path")),
            Map.entry("gcePersistentDisk", List.of("pdName")),
            Map.entry("awsElasticBlockStore", List.of("volumeID")),
            Map.entry("secret", List.of("secretName")),
            Map.entry("configMap", List.of("name")),
            Map.entry("nfs", List.of("server", "path")),
            Map.entry("iscsi", List.of("targetPortal", "iqn")),
            Map.entry("glusterfs", List.of("endpoints", "path")),
            Map.entry("flexVolume", List.of("driver")),
            Map.entry("cinder", List.of("volumeID")),
            Map.entry("azureFile", List.of("secretName", "shareName")),
            Map.entry("azureDisk", List.of("diskName", "diskURI")),
            Map.entry("vsphereVolume", List.of("volumePath")),
            Map.entry("photonPersistentDisk", List.of("pdID")),
            Map.entry("portworxVolume", List.of("volumeID")),
            Map.entry("quobyte", List.of("volume")),
            Map.entry("storageos", List.of("volumeName")),
            Map.entry("local", List.of("path")),
            Map.entry("scaleIO", List.of("gateway", "system", "volumeName")));
    /** The secrets of a CSI volume by the path in messages: Kubernetes appends a space to one of them. */
    private static final Map<String, String> CSI_SECRETS = ImmutableMap.of(
            "controllerPublishSecretRef", "controllerPublishSecretRef",
            "controllerExpandSecretRef", "controllerExpandSecretRef",
            "nodePublishSecretRef", "nodePublishSecretRef ");

    private final FieldErrors errors;

    private VolumeValidation(FieldErrors errors) {
        this.errors = errors;
    }

    /** Adds the errors of the source of a volume, by the name of the source. Sources of other names have no requirements. */
    static void source(String path, String name, JsonNode source, FieldErrors errors) {
        new VolumeValidation(errors)
                .source(path + "." + (name.equals("gcePersistentDisk") ? "persistentDisk" : name), name, source);
    }

    /** Adds the errors of the spec of a PersistentVolume that do not depend on the kind of its source. */
    static void spec(JsonNode spec, List<String> accessModes, FieldErrors errors) {
        if (spec.path("accessModes").isEmpty()) {
            errors.required("spec.accessModes", "");
        }
        spec.path("accessModes").forEach(mode -> errors.oneOf("spec.accessModes", mode.asText(), accessModes));
        JsonNode capacity = spec.path("capacity");
        if (capacity.isEmpty()) {
            errors.required("spec.capacity", "");
        }
        if (capacity.size() != 1 || !capacity.has("storage")) {
            errors.notSupportedValue("spec.capacity", capacity.isObject() ? capacity : "null", List.of("storage"));
        }
        capacity.properties().forEach(amount -> {
            String text = amount.getValue().asText();
            if (Json.quantity(text).orElse(BigDecimal.ONE).signum() <= 0) {
                errors.invalid("spec.capacity[" + amount.getKey() + "]", text, "must be greater than zero");
            }
        });
        String policy = Json.text(spec, "persistentVolumeReclaimPolicy");
        if (!policy.isEmpty()) {
            errors.oneOf("spec.persistentVolumeReclaimPolicy", policy, List.of("Delete", "Recycle", "Retain"));
        }
        if (policy.equals("Recycle")
                && spec.path("hostPath").path("path").asText().matches("/+")) {
            errors.forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
        }
        if (!Json.text(spec, "storageClassName").isEmpty()) {
            String name = Json.text(spec, "storageClassName");
            errors.all("spec.storageClassName", name, FieldErrors.subdomain(name));
        }
        if (spec.path("volumeMode").isTextual()) {
            errors.oneOf("spec.volumeMode", spec.path("volumeMode").asText(), List.of("Block", "Filesystem"));
        }
    }

    private void source(String path, String name, JsonNode source) {
        REQUIRED.getOrDefault(name, List.of()).forEach(field -> errors.requireText(path, source, field));
        switch (name) {
            case "hostPath" -> {
                noBacksteps(path, source);
                errors.oneOf(path + ".type", Json.text(source, "type"), HOST_PATH_TYPES);
            }
            case "local" -> noBacksteps(path, source);
            case "nfs" -> {
                if (!Json.text(source, "path").startsWith("/")) {
                    errors.invalid(path + ".path", Json.text(source, "path"), "must be an absolute path");
                }
            }
            case "gcePersistentDisk", "awsElasticBlockStore" -> {
                long partition = source.path("partition").asLong();
                if (partition < 0 || partition > LAST_NUMBER) {
                    errors.invalidValue(path + ".partition", partition, "must be between 1 and 255, inclusive");
                }
            }
            case "rbd", "cephfs" -> {
                if (source.path("monitors").isEmpty()) {
                    errors.required(path + ".monitors", "");
                }
                if (name.equals("rbd")) {
                    errors.requireText(path, source, "image");
                }
            }
            case "iscsi" -> iscsi(path, source);
            case "fc" -> fibreChannel(path, source);
            case "flocker" -> flocker(path, source);
            case "azureFile" -> {
                if (source.path("secretNamespace").isTextual()) {
                    errors.requireText(path, source, "secretNamespace");
                }
            }
            case "azureDisk" -> azureDisk(path, source);
            case "quobyte" -> quobyte(path, source);
            case "storageos" -> {
                for (String field : List.of("volumeName", "volumeNamespace")) {
                    String value = Json.text(source, field);
                    if (!value.isEmpty()) {
                        errors.all(path + "." + field, value, FieldErrors.label(value));
                    }
                }
            }
            default -> {
                // The other sources have required texts at most.
            }
        }
    }

    private void noBacksteps(String path, JsonNode source) {
        String text = Json.text(source, "path");
        if (List.of(text.split("/", -1)).contains("..")) {
            errors.invalid(path + ".path", text, "must not contain '..'");
        }
    }

    private void iscsi(String path, JsonNode source) {
        String target = Json.text(source, "iqn");
        if (!target.isEmpty() && !ISCSI_NAME.matcher(target).lookingAt()) {
            errors.invalid(path + ".iqn", target, "must be valid format");
        }
        unitNumber(path, source);
        boolean authenticates = source.path("chapAuthDiscovery").asBoolean()
                || source.path("chapAuthSession").asBoolean();
        if (source.path("secretRef").isObject()) {
            errors.requireText(path + ".secretRef", source.path("secretRef"), "name");
        } else if (authenticates) {
            errors.required(path + ".secretRef", "");
        }
        JsonNode initiator = source.path("initiatorName");
        if (initiator.isTextual() && !ISCSI_NAME.matcher(initiator.asText()).lookingAt()) {
            errors.invalid(path + ".initiatorname", initiator.asText(), "must be valid format");
        }
    }

    private void unitNumber(String path, JsonNode source) {
        long lun = source.path("lun").asLong();
        if (lun < 0 || lun > LAST_NUMBER) {
            errors.invalidValue(path + ".lun", lun, "must be between 0 and 255, inclusive");
        }
    }

    private void fibreChannel(String path, JsonNode source) {
        boolean hasTargets = !source.path("targetWWNs").isEmpty();
        boolean hasIds = !source.path("wwids").isEmpty();
        if (!hasTargets && !hasIds) {
            errors.required(path + ".targetWWNs", "must specify either targetWWNs or wwids, but not both");
        }
        if (hasTargets && hasIds) {
            errors.invalidValue(
                    path + ".targetWWNs",
                    source.path("targetWWNs"),
                    "targetWWNs and wwids can not be specified simultaneously");
        }
        if (hasTargets && !source.path("lun").isNumber()) {
            errors.required(path + ".lun", "lun is required if targetWWNs is specified");
        } else if (hasTargets) {
            unitNumber(path, source);
        }
    }

    private void flocker(String path, JsonNode source) {
        String name = Json.text(source, "datasetName");
        boolean hasId = !Json.text(source, "datasetUUID").isEmpty();
        if (name.isEmpty() && !hasId) {
            errors.required(path, "one of datasetName and datasetUUID is required");
        }
        if (!name.isEmpty() && hasId) {
            errors.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
        }
        if (name.contains("/")) {
            errors.invalid(path + ".datasetName", name, "must not contain '/'");
        }
    }

    /** The defaults of the kind and the cache are Shared and ReadWrite. */
    private void azureDisk(String path, JsonNode source) {
        String uri = Json.text(source, "diskURI");
        String kind = source.path("kind").asText("Shared");
        errors.oneOf(
                path + ".cachingMode",
                source.path("cachingMode").asText("ReadWrite"),
                List.of("None", "ReadOnly", "ReadWrite"));
        errors.oneOf(path + ".kind", kind, List.of("Dedicated", "Managed", "Shared"));
        boolean isManaged = kind.equals("Managed");
        if (!uri.startsWith(isManaged ? "/subscriptions/" : "https://")) {
            errors.notSupported(
                    path + ".diskURI",
                    uri,
                    List.of(
                            isManaged
                                    ? "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
                                    : "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"));
        }
    }

    private void quobyte(String path, JsonNode source) {
        String registry = Json.text(source, "registry");
        if (registry.isEmpty()) {
            errors.required(path + ".registry", REGISTRY_RULE);
        } else if (Json.text(source, "tenant").length() > LONGEST_TENANT) {
            errors.required(path + ".tenant", "must be a UUID and may not exceed a length of 64 characters");
        } else {
            for (String pair : registry.split(",", -1)) {
                if (!HOST_AND_PORT.matcher(pair).matches()) {
                    errors.invalid(path + ".registry", registry, REGISTRY_RULE);
                }
            }
        }
    }

    /** Adds the errors of the CSI source of a PersistentVolume. */
    static void csi(JsonNode source, FieldErrors errors) {
        String driver = Json.text(source, "driver");
        errors.requireText("spec.csi", source, "driver");
        errors.all("spec.csi.driver", driver, FieldErrors.subdomain(driver.toLowerCase(Locale.ROOT)));
        errors.requireText("spec.csi", source, "volumeHandle");
        CSI_SECRETS.forEach((field, place) -> {
            if (source.path(field).isObject()) {
                errors.requireText("spec.csi." + place, source.path(field), "name");
                errors.requireText("spec.csi." + place, source.path(field), "namespace");
            }
        });
    }
}
