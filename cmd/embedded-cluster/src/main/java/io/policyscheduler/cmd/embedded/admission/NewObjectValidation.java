package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.Defaults.PodDefaults;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The fields that new objects other than pods must have, so that no controller meets an object that it cannot read. Mirrors
 * {@code pkg/apis/apps/validation}, {@code pkg/apis/batch/validation}, {@code pkg/apis/storage/validation}, and the rules for
 * services, volumes, and claims in {@code pkg/apis/core/validation}.
 */
final class NewObjectValidation {
    private static final String TEMPLATE = "spec.template";
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

    private final ObjectNode object;
    private final JsonNode spec;
    private final Release release;
    private final List<Cause> causes = new ArrayList<>();

    private NewObjectValidation(ObjectNode object, Release release) {
        this.object = object;
        this.spec = object.path("spec");
        this.release = release;
    }

    /**
     * Returns what is wrong with a new object, in the order of the API server; empty if nothing is.
     *
     * @param loading whether the object comes from a file: then only what controllers need is checked, because dumps are incomplete
     */
    static List<Cause> check(ResourceType type, ObjectNode object, Release release, boolean loading) {
        NewObjectValidation validation = new NewObjectValidation(object, release);
        switch (type.qualifiedName()) {
            case "deployments.apps" -> validation.workload("deployment", true);
            case "replicasets.apps" -> validation.workload("replicaset", true);
            case "statefulsets.apps" -> validation.workload("statefulset", true);
            // A DaemonSet without a selector matches nothing, which is why its template is rejected.
            case "daemonsets.apps" -> validation.workload("daemonset", false);
            case "replicationcontrollers" -> validation.replicationController();
            case "jobs.batch" -> validation.job("spec", validation.spec);
            case "cronjobs.batch" -> validation.cronJob();
            default -> {
                if (!loading) {
                    validation.others(type);
                }
            }
        }
        return validation.causes;
    }

    private void others(ResourceType type) {
        switch (type.qualifiedName()) {
            case "persistentvolumes" -> volume();
            case "persistentvolumeclaims" -> claim();
            case "services" -> service();
            case "storageclasses.storage.k8s.io" -> requireText("provisioner");
            default -> {
                // Nothing of the other kinds is required.
            }
        }
    }

    private void requireText(String field) {
        if (Json.text(object, field).isEmpty()) {
            causes.add(Cause.required(field, ""));
        }
    }

    private void workload(String kind, boolean isSelectorRequired) {
        JsonNode selector = spec.path("selector");
        if (isAbsent(selector)) {
            if (isSelectorRequired) {
                causes.add(Cause.required("spec.selector", ""));
            }
        } else if (!selector.isObject()
                || (isEmpty(selector, "matchLabels") && isEmpty(selector, "matchExpressions"))) {
            String value = ComponentChange.MAPS_AS_JSON.in(release)
                    ? selector.toString()
                    : "v1.LabelSelector{MatchLabels:map[string]string(nil), "
                            + "MatchExpressions:[]v1.LabelSelectorRequirement(nil)}";
            causes.add(new Cause(
                    "spec.selector",
                    "FieldValueInvalid",
                    "Invalid value: " + value + ": empty selector is invalid for " + kind));
        }
        boolean matches = !isAbsent(selector) && matches(selector);
        template(TEMPLATE, spec.path("template"), matches);
        restartPolicy(TEMPLATE + ".spec.restartPolicy", spec.path("template"), List.of("Always"));
    }

    private boolean matches(JsonNode selector) {
        try {
            return LabelSelector.ofObject(selector).matches(spec.path("template"));
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void replicationController() {
        JsonNode selector = spec.path("selector");
        if (selector.isEmpty()) {
            causes.add(Cause.required("spec.selector", ""));
        }
        if (isAbsent(spec.path("template"))) {
            causes.add(Cause.required(TEMPLATE, ""));
            return;
        }
        boolean matches = true;
        for (var wanted : selector.properties()) {
            matches &= wanted.getValue()
                    .equals(spec.path("template")
                            .path("metadata")
                            .path("labels")
                            .path(wanted.getKey()));
        }
        template(TEMPLATE, spec.path("template"), matches);
        restartPolicy(TEMPLATE + ".spec.restartPolicy", spec.path("template"), List.of("Always"));
    }

    private void job(String path, JsonNode job) {
        template(path + ".template", job.path("template"), true);
        restartPolicy(path + ".template.spec.restartPolicy", job.path("template"), List.of("OnFailure", "Never"));
    }

    private void cronJob() {
        if (Json.text(spec, "schedule").isEmpty()) {
            causes.add(Cause.required("spec.schedule", ""));
        }
        job("spec.jobTemplate.spec", spec.path("jobTemplate").path("spec"));
    }

    private void template(String path, JsonNode template, boolean matchesSelector) {
        if (!matchesSelector) {
            JsonNode labels = template.path("metadata").path("labels");
            causes.add(new Cause(
                    path + ".metadata.labels",
                    "FieldValueInvalid",
                    "Invalid value: " + map(labels) + ": `selector` does not match template `labels`"));
        }
        JsonNode podSpec = template.path("spec");
        if (!podSpec.path("containers").isArray() || podSpec.path("containers").isEmpty()) {
            causes.add(Cause.required(path + ".spec.containers", ""));
            return;
        }
        if (podSpec instanceof ObjectNode) {
            ObjectNode pod = Json.object();
            pod.set("spec", podSpec);
            for (Cause cause : PodValidation.check(pod)) {
                if (!cause.field().equals("spec.restartPolicy")) {
                    causes.add(new Cause(path + "." + cause.field(), cause.reason(), cause.message()));
                }
            }
        }
    }

    /** Releases until 1.32 print maps as Go does, later ones as JSON. */
    private String map(JsonNode labels) {
        if (ComponentChange.MAPS_AS_JSON.in(release)) {
            return labels.isObject() ? labels.toString() : "null";
        }
        if (!labels.isObject()) {
            return "map[string]string(nil)";
        }
        return labels.properties().stream()
                .map(label -> "\"" + label.getKey() + "\":\"" + label.getValue().asText() + "\"")
                .sorted()
                .collect(Collectors.joining(", ", "map[string]string{", "}"));
    }

    private void restartPolicy(String path, JsonNode template, List<String> supported) {
        String policy = Json.text(template, "spec", "restartPolicy");
        if (!template.path("spec").isObject() || supported.contains(policy)) {
            return;
        }
        String values = supported.stream().map(value -> "\"" + value + "\"").collect(Collectors.joining(", "));
        if (supported.size() > 1 && ComponentChange.RESTART_POLICY_IS_REQUIRED.in(release)) {
            causes.add(Cause.required(path, "valid values: " + values));
            return;
        }
        causes.add(new Cause(
                path, "FieldValueNotSupported", "Unsupported value: \"" + policy + "\": supported values: " + values));
    }

    private void volume() {
        if (spec.path("accessModes").isEmpty()) {
            causes.add(Cause.required("spec.accessModes", ""));
        }
        if (spec.path("capacity").isEmpty()) {
            causes.add(Cause.required("spec.capacity", ""));
        }
        boolean hasSource = spec.properties().stream().anyMatch(field -> !NOT_A_SOURCE.contains(field.getKey()));
        if (!hasSource) {
            causes.add(Cause.required("spec", "must specify a volume type"));
        }
    }

    private void claim() {
        if (spec.path("accessModes").isEmpty()) {
            causes.add(Cause.required("spec.accessModes", "at least 1 access mode is required"));
        }
        if (isAbsent(spec.path("resources").path("requests").path("storage"))) {
            causes.add(Cause.required("spec.resources[storage]", ""));
        }
    }

    private void service() {
        boolean needsPorts = !Json.text(spec, "clusterIP").equals("None")
                && !Json.text(spec, "type").equals("ExternalName");
        if (needsPorts && spec.path("ports").isEmpty()) {
            causes.add(Cause.required("spec.ports", ""));
        }
    }

    private static boolean isAbsent(JsonNode node) {
        return node.isMissingNode() || node.isNull();
    }

    private static boolean isEmpty(JsonNode node, String field) {
        return node.path(field).isEmpty();
    }

    /** The checks of a new pod that matter to a scheduler (pkg/apis/core/validation). */
    static final class PodValidation {
        private static final String QUANTITY_FORM = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";

        private PodValidation() {}

        /**
         * Refuses a text that is no quantity anywhere in the pod. The real server fails while decoding, which makes it
         * BadRequest, not Invalid.
         */
        static void quantities(ObjectNode pod) {
            for (JsonNode container : PodDefaults.containers(pod.path("spec")).values()) {
                for (String kind : List.of("requests", "limits")) {
                    for (JsonNode quantity : container.path("resources").path(kind)) {
                        checkForm(quantity);
                    }
                }
            }
            pod.path("spec").path("overhead").forEach(PodValidation::checkForm);
        }

        private static void checkForm(JsonNode quantity) {
            if (Json.quantity(quantity.asText()).isEmpty()) {
                throw StatusError.badRequest(
                        "Pod in version \"v1\" cannot be handled as a Pod: quantities must match the"
                                + " regular expression '" + QUANTITY_FORM + "'");
            }
        }

        static List<Cause> check(ObjectNode pod) {
            List<Cause> causes = new ArrayList<>();
            JsonNode spec = pod.path("spec");
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
            });
            String restart = Json.text(spec, "restartPolicy");
            if (!List.of("Always", "OnFailure", "Never").contains(restart)) {
                causes.add(new Cause(
                        "spec.restartPolicy",
                        "FieldValueNotSupported",
                        "Unsupported value: \"" + restart
                                + "\": supported values: \"Always\", \"OnFailure\", \"Never\""));
            }
            return causes;
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
    }
}
