package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The fields that new workloads and Jobs must have. Mirrors {@code validation.go} in {@code pkg/apis/apps}, {@code batch}, and
 * {@code core}.
 */
final class WorkloadValidation extends FieldChecks {
    private static final String TEMPLATE = "spec.template";

    WorkloadValidation(ObjectNode object, Release release, List<Cause> causes) {
        super(object, release, causes);
    }

    /**
     * Adds the errors of a new object.
     *
     * @param loading whether the object comes from a file
     * @return false if the type is none of this class
     */
    boolean check(ResourceType type, boolean loading) {
        switch (type.qualifiedName()) {
            case "deployments.apps" -> workload("deployment", true);
            case "replicasets.apps" -> workload("replicaset", true);
            case "statefulsets.apps" -> {
                workload("statefulset", true);
                if (ComponentChange.UPDATE_VALIDATION.in(release) && !loading) {
                    newStatefulSet();
                }
            }
            // A DaemonSet without a selector matches nothing, which is why its template is rejected.
            case "daemonsets.apps" -> workload("daemonset", false);
            case "replicationcontrollers" -> replicationController();
            case "jobs.batch" -> {
                if (!loading) {
                    jobSelector();
                }
                job("spec", spec);
            }
            case "cronjobs.batch" -> cronJob();
            default -> {
                return false;
            }
        }
        return true;
    }

    private void workload(String kind, boolean isSelectorRequired) {
        boolean isStatefulSet = kind.equals("statefulset");
        notNegative("spec", spec, "replicas", "minReadySeconds");
        if (!isStatefulSet) {
            notNegative("spec", spec, "revisionHistoryLimit");
        }
        strategy(kind);
        JsonNode selector = spec.path("selector");
        if (isAbsent(selector)) {
            if (isSelectorRequired) {
                causes.add(Cause.required("spec.selector", ""));
            }
        } else if (!selector.isObject()
                || (isEmpty(selector, "matchLabels") && isEmpty(selector, "matchExpressions"))) {
            // ReplicaSets are validated with the code of Deployments.
            errors.invalidValue(
                    "spec.selector",
                    selectorText(selector),
                    "empty selector is invalid for " + (kind.equals("replicaset") ? "deployment" : kind));
        }
        int before = causes.size();
        selector("spec.selector", selector);
        boolean isReadable = causes.size() == before && hasValidValues(selector);
        if (!isReadable && isStatefulSet) {
            causes.add(new Cause("spec.selector", "FieldValueInvalid", "Invalid value: " + selectorText(selector)));
        } else if (!isReadable && isSelectorRequired) {
            errors.invalidValue("spec.selector", selectorText(selector), "invalid label selector");
        }
        if (isReadable || !isSelectorRequired) {
            boolean matches = !isReadable || (!isAbsent(selector) && matches(selector));
            if (isStatefulSet) {
                claimedTemplate(matches);
            } else {
                template(TEMPLATE, spec.path("template"), matches);
            }
        }
        if (isReadable || isStatefulSet || !isSelectorRequired) {
            restartPolicy(TEMPLATE + ".spec.restartPolicy", spec.path("template"), List.of("Always"));
            forbidDeadline(
                    switch (kind) {
                        case "statefulset" -> "StatefulSet";
                        case "daemonset" -> "DaemonSet";
                        default -> "ReplicaSet";
                    });
        }
    }

    /** The validation of a selector does not look at its values, but its conversion does. */
    private static boolean hasValidValues(JsonNode selector) {
        for (JsonNode expression : selector.path("matchExpressions")) {
            for (JsonNode value : expression.path("values")) {
                if (!FieldErrors.labelValue(value.asText()).isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    private void forbidDeadline(String kind) {
        if (!isAbsent(spec.path("template").path("spec").path("activeDeadlineSeconds"))) {
            errors.forbidden(
                    TEMPLATE + ".spec.activeDeadlineSeconds", "activeDeadlineSeconds in " + kind + " is not Supported");
        }
    }

    /** Until 1.33, the containers of a StatefulSet were not validated, because the volumes of its claims are in the pods only. */
    private void claimedTemplate(boolean matches) {
        JsonNode template = spec.path("template");
        if (!ComponentChange.UPDATE_VALIDATION.in(release)) {
            JsonNode metadata = template.path("metadata");
            if (!matches) {
                selectorMismatch(TEMPLATE, metadata.path("labels"));
            }
            errors.labels(TEMPLATE + ".labels", metadata.path("labels"));
            MetadataValidation.annotations(errors, TEMPLATE + ".annotations", metadata.path("annotations"));
            return;
        }
        ObjectNode copy = template instanceof ObjectNode object ? object.deepCopy() : Json.object();
        ObjectNode pod = Json.child(copy, "spec");
        pod.remove(List.of("hostname", "subdomain"));
        Map<String, JsonNode> volumes = new TreeMap<>();
        for (JsonNode claim : spec.path("volumeClaimTemplates")) {
            ObjectNode volume = Json.object();
            String name = Json.text(claim, "metadata", "name");
            volume.put("name", name).putObject("persistentVolumeClaim").put("claimName", name);
            volumes.put(name, volume);
        }
        ArrayNode all = Json.array().addAll(volumes.values());
        pod.path("volumes").forEach(volume -> {
            if (!volumes.containsKey(Json.text(volume, "name"))) {
                all.add(volume);
            }
        });
        pod.set("volumes", all);
        template(TEMPLATE, copy, matches);
    }

    private void newStatefulSet() {
        String service = Json.text(spec, "serviceName");
        if (!service.isEmpty()) {
            label("spec.serviceName", service);
        }
        forEach("spec.volumeClaimTemplates", spec.path("volumeClaimTemplates"), (path, template) -> {
            ObjectNode claim = Json.object();
            claim.set("spec", template.path("spec").isObject() ? template.path("spec") : Json.object());
            StorageValidation validation = new StorageValidation(claim, release, new ArrayList<>());
            validation.claim();
            validation.causes.forEach(
                    cause -> causes.add(new Cause(path + "." + cause.field(), cause.reason(), cause.message())));
        });
    }

    private String selectorText(JsonNode selector) {
        return ComponentChange.MAPS_AS_JSON.in(release)
                ? selector.toString()
                : "v1.LabelSelector{MatchLabels:map[string]string(nil), "
                        + "MatchExpressions:[]v1.LabelSelectorRequirement(nil)}";
    }

    private void strategy(String kind) {
        JsonNode strategy = spec.path(kind.equals("deployment") ? "strategy" : "updateStrategy");
        String type = Json.text(strategy, "type");
        JsonNode rolling = strategy.path("rollingUpdate");
        switch (kind) {
            case "deployment" -> deploymentStrategy(type, strategy, rolling);
            case "daemonset" -> {
                if (type.equals("RollingUpdate")) {
                    String path = "spec.updateStrategy.rollingUpdate.maxUnavailable";
                    JsonNode most = rolling.path("maxUnavailable");
                    percentage(path, most);
                    if (ComponentChange.DAEMON_SET_SURGE.in(release)) {
                        surge(path, most, rolling.path("maxSurge"));
                    } else if (isZero(most)) {
                        errors.invalidValue(path, intOrStringText(most), "cannot be 0");
                    }
                    atMostAll(path, most);
                } else if (!type.equals("OnDelete")) {
                    unsupportedValue("spec.updateStrategy", "\"RollingUpdate\", \"OnDelete\"");
                }
            }
            case "statefulset" -> {
                String policy = Json.text(spec, "podManagementPolicy");
                if (!List.of("OrderedReady", "Parallel").contains(policy)) {
                    errors.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
                }
                if (type.equals("OnDelete") && !isAbsent(rolling)) {
                    errors.invalidValue(
                            "spec.updateStrategy.rollingUpdate",
                            "{}",
                            "only allowed for updateStrategy 'RollingUpdate'");
                } else if (type.equals("RollingUpdate")) {
                    errors.notNegative("spec.updateStrategy.rollingUpdate.partition", rolling.path("partition"));
                } else if (!type.equals("OnDelete")) {
                    errors.invalidValue("spec.updateStrategy", "{}", "must be 'RollingUpdate' or 'OnDelete'");
                }
            }
            default -> {
                // A ReplicaSet has no strategy.
            }
        }
    }

    /** Either the number of additional pods of a DaemonSet or that of its unavailable ones is not zero. */
    private void surge(String path, JsonNode unavailable, JsonNode surge) {
        String other = "spec.updateStrategy.rollingUpdate.maxSurge";
        percentage(other, surge);
        atMostAll(other, surge);
        if (!isZero(unavailable) && !isZero(surge)) {
            errors.invalidValue(other, intOrStringText(surge), "may not be set when maxUnavailable is non-zero");
        } else if (isZero(unavailable) && isZero(surge)) {
            errors.required(path, "cannot be 0 when maxSurge is 0");
        }
    }

    private void unsupportedValue(String path, String supported) {
        causes.add(new Cause(path, "FieldValueNotSupported", "Unsupported value: {}: supported values: " + supported));
    }

    private void deploymentStrategy(String type, JsonNode strategy, JsonNode rolling) {
        String path = "spec.strategy";
        if (type.equals("Recreate")) {
            if (!isAbsent(rolling)) {
                errors.forbidden(path + ".rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
            }
        } else if (type.equals("RollingUpdate")) {
            JsonNode unavailable = rolling.path("maxUnavailable");
            JsonNode surge = rolling.path("maxSurge");
            percentage(path + ".rollingUpdate.maxUnavailable", unavailable);
            percentage(path + ".rollingUpdate.maxSurge", surge);
            if (isZero(unavailable) && isZero(surge)) {
                errors.invalidValue(
                        path + ".rollingUpdate.maxUnavailable",
                        intOrStringText(unavailable),
                        "may not be 0 when `maxSurge` is 0");
            }
            atMostAll(path + ".rollingUpdate.maxUnavailable", unavailable);
        } else {
            unsupportedValue(path, "\"Recreate\", \"RollingUpdate\"");
        }
        JsonNode deadline = spec.path("progressDeadlineSeconds");
        if (!isAbsent(deadline)) {
            errors.notNegative("spec.progressDeadlineSeconds", deadline);
            if (deadline.asLong() <= spec.path("minReadySeconds").asLong()) {
                errors.invalidValue(
                        "spec.progressDeadlineSeconds", deadline.asLong(), "must be greater than minReadySeconds");
            }
        }
    }

    private static boolean isZero(JsonNode value) {
        return value.isNumber() ? value.asLong() == 0 : !value.asText().matches("0*[1-9][0-9]*%");
    }

    private boolean matches(JsonNode selector) {
        try {
            return LabelSelector.ofObject(selector).matches(spec.path("template"));
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void replicationController() {
        notNegative("spec", spec, "replicas", "minReadySeconds");
        JsonNode selector = spec.path("selector");
        if (selector.isEmpty()) {
            causes.add(Cause.required("spec.selector", ""));
        }
        if (isAbsent(spec.path("template"))) {
            causes.add(Cause.required(TEMPLATE, ""));
            return;
        }
        forbidDeadline("ReplicationController");
        boolean matches = true;
        for (Map.Entry<String, JsonNode> required : selector.properties()) {
            matches &= required.getValue()
                    .equals(spec.path("template")
                            .path("metadata")
                            .path("labels")
                            .path(required.getKey()));
        }
        template(TEMPLATE, spec.path("template"), matches);
        restartPolicy(TEMPLATE + ".spec.restartPolicy", spec.path("template"), List.of("Always"));
    }

    private void job(String path, JsonNode job) {
        JobValidation validation = new JobValidation(job, path, errors);
        validation.check();
        template(path + ".template", job.path("template"), true);
        JsonNode template = job.path("template");
        List<String> all = List.of("Always", "OnFailure", "Never");
        if (template.path("spec").isObject()) {
            unsupported(path + ".template.spec.restartPolicy", Json.text(template, "spec", "restartPolicy"), all);
        }
        restartPolicy(path + ".template.spec.restartPolicy", template, List.of("OnFailure", "Never"));
        if (validation.mustNotRestart()) {
            errors.invalid(
                    path + ".template.spec.restartPolicy",
                    "OnFailure",
                    "only \"Never\" is supported when podFailurePolicy is specified");
        }
    }

    /** Mirrors {@code ValidateJob} of {@code pkg/apis/batch/validation} for the selector, which is generated unless it is manual. */
    private void jobSelector() {
        JsonNode selector = spec.path("selector");
        JsonNode labels = spec.path("template").path("metadata").path("labels");
        if (isAbsent(selector)) {
            errors.required("spec.selector", "");
        } else {
            selector("spec.selector", selector);
        }
        if (!spec.path("manualSelector").asBoolean() && !isAbsent(selector)) {
            String uid = Json.text(object, "metadata", "uid");
            String name = Json.text(object, "metadata", "name");
            Map<String, String> generated = new TreeMap<>(Map.of("controller-uid", uid, "job-name", name));
            if (ComponentChange.JOB_LABEL_PREFIX.in(release)) {
                generated.put("batch.kubernetes.io/controller-uid", uid);
                generated.put("batch.kubernetes.io/job-name", name);
            }
            generated.forEach((key, value) -> {
                if (!labels.has(key)) {
                    errors.required("spec.template.metadata.labels[" + key + "]", "must be '" + value + "'");
                } else if (!Json.text(labels, key).equals(value)) {
                    errors.invalidValue("spec.template.metadata.labels[" + key + "]", "{}", "must be '" + value + "'");
                }
            });
            boolean isGenerated = selector.path("matchLabels").size() == 1
                    && selector.path("matchExpressions").isEmpty()
                    && (selector.path("matchLabels").has("controller-uid")
                            || selector.path("matchLabels").has("batch.kubernetes.io/controller-uid"));
            if (!isGenerated) {
                errors.invalidValue("spec.selector", "{}", "`selector` not auto-generated");
            }
        }
        if (isAbsent(selector) || !matches(selector)) {
            selectorMismatch(TEMPLATE, labels);
        }
        long completions = spec.path("completions").asLong();
        String host = Json.text(object, "metadata", "name") + "-" + (completions - 1);
        if (release.atLeast(25)
                && Json.text(spec, "completionMode").equals("Indexed")
                && completions > 0
                && !FieldErrors.label(host).isEmpty()) {
            errors.invalid(
                    "metadata.name",
                    Json.text(object, "metadata", "name"),
                    "will not able to create pod with invalid DNS label: " + host);
        }
    }

    private void cronJob() {
        JobValidation.schedule(spec, release, errors);
        notNegative("spec", spec, "startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit");
        unsupported(
                "spec.concurrencyPolicy", Json.text(spec, "concurrencyPolicy"), List.of("Allow", "Forbid", "Replace"));
        JsonNode job = spec.path("jobTemplate").path("spec");
        if (job.path("manualSelector").asBoolean()) {
            causes.add(new Cause(
                    "spec.jobTemplate.spec.manualSelector",
                    "FieldValueNotSupported",
                    "Unsupported value: true: supported values: \"nil\", \"false\""));
        }
        if (!isAbsent(job.path("selector"))) {
            errors.invalidValue("spec.jobTemplate.spec.selector", "{}", "`selector` will be auto-generated");
        }
        job("spec.jobTemplate.spec", spec.path("jobTemplate").path("spec"));
    }

    private void selectorMismatch(String path, JsonNode labels) {
        causes.add(new Cause(
                path + ".metadata.labels",
                "FieldValueInvalid",
                "Invalid value: " + map(labels) + ": `selector` does not match template `labels`"));
    }

    private void template(String path, JsonNode template, boolean matchesSelector) {
        JsonNode metadata = template.path("metadata");
        if (!matchesSelector) {
            selectorMismatch(path, metadata.path("labels"));
        }
        errors.labels(path + ".labels", metadata.path("labels"));
        MetadataValidation.annotations(errors, path + ".annotations", metadata.path("annotations"));
        JsonNode podSpec = template.path("spec");
        if (!podSpec.path("containers").isArray() || podSpec.path("containers").isEmpty()) {
            causes.add(Cause.required(path + ".spec.containers", ""));
            return;
        }
        if (release.atLeast(23) && !podSpec.path("ephemeralContainers").isEmpty()) {
            errors.forbidden(path + ".spec.ephemeralContainers", "ephemeral containers not allowed in pod template");
        }
        if (podSpec instanceof ObjectNode) {
            ObjectNode pod = Json.object();
            pod.set("spec", podSpec);
            Rules rules = Rules.of(FeatureGates.defaults().at(release));
            new ObjectCreation(rules, Objects.NONE, null)
                    .invalidFields("Pod", pod)
                    .forEach(
                            field -> causes.add(new Cause(path + "." + field.path(), field.reason(), field.message())));
            List<Cause> scheduling = PodValidation.checkScheduling(podSpec, release);
            for (Cause cause : PodValidation.check(pod, scheduling)) {
                if (!cause.field().equals("spec.restartPolicy")) {
                    causes.add(new Cause(path + "." + cause.field(), cause.reason(), cause.message()));
                }
            }
            for (Cause cause : scheduling) {
                causes.add(new Cause(path + "." + cause.field(), cause.reason(), cause.message()));
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
        if (supported.size() > 1 && policy.equals("Always") && ComponentChange.RESTART_POLICY_IS_REQUIRED.in(release)) {
            causes.add(Cause.required(path, "valid values: " + values));
            return;
        }
        causes.add(new Cause(
                path, "FieldValueNotSupported", "Unsupported value: \"" + policy + "\": supported values: " + values));
    }
}
