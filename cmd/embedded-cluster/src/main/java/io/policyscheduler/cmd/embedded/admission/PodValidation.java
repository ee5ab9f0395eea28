package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.Defaults.PodDefaults;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The fields of new pods that matter to a scheduler. Mirrors {@code validation.go} in {@code pkg/apis/core}. */
final class PodValidation extends FieldChecks {
    private PodValidation(Release release) {
        super(Json.object(), release, new ArrayList<>());
    }

    /**
     * Returns the errors of a new pod besides those of {@link #checkScheduling}.
     *
     * @param others the errors of that method; containers cannot mount a volume with an error
     */
    static List<Cause> check(ObjectNode pod, List<Cause> others) {
        List<Cause> causes = new ArrayList<>();
        JsonNode spec = pod.path("spec");
        Set<String> volumes = new HashSet<>();
        forEach("spec.volumes", spec.path("volumes"), (path, volume) -> {
            if (others.stream().noneMatch(cause -> cause.field().startsWith(path))) {
                volumes.add(Json.text(volume, "name"));
            }
        });
        if (spec.path("containers").isEmpty()) {
            causes.add(Cause.required("spec.containers", ""));
        }
        Set<String> names = new HashSet<>();
        PodDefaults.containers(spec).forEach((path, container) -> {
            String name = Json.text(container, "name");
            if (name.isEmpty()) {
                causes.add(Cause.required(path + ".name", ""));
            } else if (!Names.isLabel(name)) {
                causes.add(Cause.invalid(path + ".name", name, Names.LABEL_RULE));
            } else if (!names.add(name)) {
                causes.add(new Cause(path + ".name", "FieldValueDuplicate", "Duplicate value: \"" + name + "\""));
            }
            if (Json.text(container, "image").isEmpty()) {
                causes.add(Cause.required(path + ".image", ""));
            }
            ports(path + ".ports", container.path("ports"), causes);
            forEach(path + ".env", container.path("env"), (place, variable) -> {
                if (Json.text(variable, "name").isEmpty()) {
                    causes.add(Cause.required(place + ".name", ""));
                }
            });
            mounts(path + ".volumeMounts", container.path("volumeMounts"), volumes, causes);
        });
        String restart = Json.text(spec, "restartPolicy");
        if (!List.of("Always", "OnFailure", "Never").contains(restart)) {
            causes.add(new Cause(
                    "spec.restartPolicy",
                    "FieldValueNotSupported",
                    "Unsupported value: \"" + restart + "\": supported values: \"Always\", \"OnFailure\", \"Never\""));
        }
        return causes;
    }

    private static void mounts(String path, JsonNode mounts, Set<String> volumes, List<Cause> causes) {
        forEach(path, mounts, (place, mount) -> {
            String name = Json.text(mount, "name");
            if (name.isEmpty()) {
                causes.add(Cause.required(place + ".name", ""));
            }
            if (!volumes.contains(name)) {
                causes.add(new Cause(place + ".name", "FieldValueNotFound", "Not found: \"" + name + "\""));
            }
            if (Json.text(mount, "mountPath").isEmpty()) {
                causes.add(Cause.required(place + ".mountPath", ""));
            }
        });
    }

    /** Returns the errors of the fields of a new pod, or of a template, that a scheduler reads. */
    static List<Cause> checkScheduling(JsonNode spec, Release release) {
        PodValidation validation = new PodValidation(release);
        validation.volumes(spec.path("volumes"));
        validation.affinity("spec.affinity", spec.path("affinity"));
        validation.tolerations("spec.tolerations", spec.path("tolerations"));
        PodSpecValidation.check(spec, validation.errors, release);
        Set<String> constraints = new HashSet<>();
        for (int i = 0; i < spec.path("topologySpreadConstraints").size(); i++) {
            JsonNode constraint = spec.path("topologySpreadConstraints").path(i);
            String pair = "{" + Json.text(constraint, "topologyKey") + ", " + Json.text(constraint, "whenUnsatisfiable")
                    + "}";
            if (!constraints.add(pair)) {
                // The path has the index of the first constraint of this kind.
                validation.errors.duplicate(
                        "spec.topologySpreadConstraints[" + first(spec, pair) + "].{topologyKey, whenUnsatisfiable}",
                        "\"" + pair + "\"");
            }
        }
        forEach("spec.topologySpreadConstraints", spec.path("topologySpreadConstraints"), (path, constraint) -> {
            long skew = constraint.path("maxSkew").asLong();
            if (skew <= 0) {
                validation.causes.add(new Cause(
                        path + ".maxSkew",
                        "FieldValueInvalid",
                        "Invalid value: " + skew + ": must be greater than zero"));
            }
            validation.requireText(path + ".topologyKey", constraint, "topologyKey", EMPTY);
            validation.unsupported(
                    path + ".whenUnsatisfiable",
                    Json.text(constraint, "whenUnsatisfiable"),
                    List.of("DoNotSchedule", "ScheduleAnyway"));
            if (release.atLeast(27)) {
                validation.selector(path + ".labelSelector", constraint.path("labelSelector"));
            }
        });
        return validation.causes;
    }

    private static int first(JsonNode spec, String pair) {
        JsonNode constraints = spec.path("topologySpreadConstraints");
        for (int i = 0; i < constraints.size(); i++) {
            JsonNode constraint = constraints.path(i);
            if (pair.equals("{" + Json.text(constraint, "topologyKey") + ", "
                    + Json.text(constraint, "whenUnsatisfiable") + "}")) {
                return i;
            }
        }
        return 0;
    }

    private static void ports(String path, JsonNode ports, List<Cause> causes) {
        for (int i = 0; i < ports.size(); i++) {
            String field = path + "[" + i + "]";
            JsonNode containerPort = ports.get(i).path("containerPort");
            if (containerPort.isMissingNode() || containerPort.asInt() == 0) {
                causes.add(Cause.required(field + ".containerPort", ""));
            }
            for (String name : List.of("containerPort", "hostPort")) {
                int port = ports.get(i).path(name).asInt();
                if (port < 0 || port > 65535) {
                    causes.add(new Cause(
                            field + "." + name,
                            "FieldValueInvalid",
                            "Invalid value: " + port + ": must be between 1 and 65535, inclusive"));
                }
            }
        }
    }

    private void volumes(JsonNode volumes) {
        forEach("spec.volumes", volumes, (path, volume) -> {
            requireText(path + ".name", volume, "name");
            if (!isAbsent(volume.path("persistentVolumeClaim"))) {
                requireText(
                        path + ".persistentVolumeClaim.claimName", volume.path("persistentVolumeClaim"), "claimName");
            }
            source(path, volume);
            if (!isAbsent(volume.path("csi"))) {
                driverName(path + ".csi.driver", volume.path("csi"), "driver");
            }
            JsonNode ephemeral = volume.path("ephemeral");
            if (!isAbsent(ephemeral) && isAbsent(ephemeral.path("volumeClaimTemplate"))) {
                causes.add(Cause.required(path + ".ephemeral.volumeClaimTemplate", ""));
            }
        });
    }

    private void source(String path, JsonNode volume) {
        volume.properties().stream()
                .filter(field -> !isAbsent(field.getValue()))
                .forEach(field -> VolumeValidation.source(path, field.getKey(), field.getValue(), errors));
    }

    private void affinity(String path, JsonNode affinity) {
        String required = "requiredDuringSchedulingIgnoredDuringExecution";
        String preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        JsonNode nodes = affinity.path("nodeAffinity");
        if (!isAbsent(nodes.path(required))) {
            String terms = path + ".nodeAffinity." + required + ".nodeSelectorTerms";
            nodeSelector(terms, nodes.path(required).path("nodeSelectorTerms"));
        }
        forEach(path + ".nodeAffinity." + preferred, nodes.path(preferred), (place, term) -> {
            weight(place, term);
            nodeSelectorTerm(place + ".preference", term.path("preference"));
        });
        for (String kind : List.of("podAffinity", "podAntiAffinity")) {
            forEach(path + "." + kind + "." + required, affinity.path(kind).path(required), this::podAffinityTerm);
            forEach(path + "." + kind + "." + preferred, affinity.path(kind).path(preferred), (place, term) -> {
                weight(place, term);
                podAffinityTerm(place + ".podAffinityTerm", term.path("podAffinityTerm"));
            });
        }
    }

    private void weight(String path, JsonNode term) {
        long weight = term.path("weight").asLong();
        if (weight < 1 || weight > 100) {
            causes.add(new Cause(
                    path + ".weight",
                    "FieldValueInvalid",
                    "Invalid value: " + weight + ": must be in the range 1-100"));
        }
    }

    private void podAffinityTerm(String path, JsonNode term) {
        // Until 1.23, the path of the selector was wrong.
        selector(path + (release.atLeast(24) ? ".labelSelector" : ".matchExpressions"), term.path("labelSelector"));
        requireText(path + ".topologyKey", term, "topologyKey", EMPTY);
        qualifiedName(path + ".topologyKey", Json.text(term, "topologyKey"));
        for (JsonNode namespace : term.path("namespaces")) {
            errors.all(path + ".namespace", namespace.asText(), FieldErrors.label(namespace.asText()));
        }
    }
}
