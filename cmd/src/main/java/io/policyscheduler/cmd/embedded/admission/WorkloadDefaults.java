package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.util.List;

/** What the API server fills in on workloads (pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go, their strategies). */
final class WorkloadDefaults {
    private static final String DAEMON_GENERATION = "deprecated.daemonset.template.generation";

    private WorkloadDefaults() {}

    /**
     * Completes an object in place; no effect on other kinds.
     *
     * @param release leaves out fields that it does not have
     */
    static void complete(String resource, ObjectNode object, ReleaseProfile release) {
        boolean modern = release != ReleaseProfile.V1_17;
        switch (resource) {
            case "deployments.apps" -> {
                ObjectNode spec = withTemplate(object, release);
                number(spec, "replicas", 1);
                number(spec, "revisionHistoryLimit", 10);
                number(spec, "progressDeadlineSeconds", 600);
                ObjectNode strategy = Json.child(spec, "strategy");
                Json.putIfAbsent(strategy, "type", "RollingUpdate");
                if (Json.text(strategy, "type").equals("RollingUpdate")) {
                    ObjectNode rolling = Json.child(strategy, "rollingUpdate");
                    Json.putIfAbsent(rolling, "maxSurge", "25%");
                    Json.putIfAbsent(rolling, "maxUnavailable", "25%");
                }
            }
            case "replicasets.apps" -> number(withTemplate(object, release), "replicas", 1);
            case "replicationcontrollers" -> {
                ObjectNode spec = withTemplate(object, release);
                number(spec, "replicas", 1);
            }
            case "statefulsets.apps" -> statefulSet(withTemplate(object, release), modern);
            case "daemonsets.apps" -> {
                ObjectNode spec = withTemplate(object, release);
                number(spec, "revisionHistoryLimit", 10);
                ObjectNode strategy = Json.child(spec, "updateStrategy");
                Json.putIfAbsent(strategy, "type", "RollingUpdate");
                if (Json.text(strategy, "type").equals("RollingUpdate")) {
                    number(Json.child(strategy, "rollingUpdate"), "maxUnavailable", 1);
                    if (modern) {
                        number(Json.child(strategy, "rollingUpdate"), "maxSurge", 0);
                    }
                }
                ObjectNode annotations = Json.child(Json.child(object, "metadata"), "annotations");
                Json.putIfAbsent(annotations, DAEMON_GENERATION, "1");
            }
            case "jobs.batch" -> job(object, release);
            case "cronjobs.batch" -> {
                ObjectNode spec = Json.child(object, "spec");
                Json.putIfAbsent(spec, "concurrencyPolicy", "Allow");
                flag(spec, "suspend");
                number(spec, "successfulJobsHistoryLimit", 3);
                number(spec, "failedJobsHistoryLimit", 1);
                withTemplate(Json.child(spec, "jobTemplate"), release);
                Json.child(object, "status");
            }
            default -> {}
        }
    }

    private static ObjectNode withTemplate(ObjectNode object, ReleaseProfile release) {
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode template = Json.child(spec, "template");
        Json.child(template, "metadata");
        Rules rules = Rules.of(FeatureGates.defaults().at(release.release()));
        new ObjectCreation(rules, Objects.NONE, null).templateDefaults(template);
        return spec;
    }

    private static void statefulSet(ObjectNode spec, boolean modern) {
        number(spec, "replicas", 1);
        number(spec, "revisionHistoryLimit", 10);
        Json.putIfAbsent(spec, "podManagementPolicy", "OrderedReady");
        ObjectNode strategy = Json.child(spec, "updateStrategy");
        Json.putIfAbsent(strategy, "type", "RollingUpdate");
        if (Json.text(strategy, "type").equals("RollingUpdate")) {
            number(Json.child(strategy, "rollingUpdate"), "partition", 0);
        }
        if (modern) {
            ObjectNode retention = Json.child(spec, "persistentVolumeClaimRetentionPolicy");
            Json.putIfAbsent(retention, "whenDeleted", "Retain");
            Json.putIfAbsent(retention, "whenScaled", "Retain");
        }
    }

    /** A Job finds its pods by its own uid, unless it brings a selector. */
    private static void job(ObjectNode job, ReleaseProfile release) {
        ObjectNode spec = withTemplate(job, release);
        boolean modern = release != ReleaseProfile.V1_17;
        boolean alone = !spec.has("completions") && !spec.has("parallelism");
        if (alone) {
            spec.put("completions", 1);
        }
        number(spec, "parallelism", 1);
        number(spec, "backoffLimit", 6);
        if (modern) {
            Json.putIfAbsent(spec, "completionMode", "NonIndexed");
            Json.putIfAbsent(spec, "podReplacementPolicy", "TerminatingOrFailed");
            flag(spec, "suspend");
            flag(spec, "manualSelector");
        }
        String uid = Json.text(job, "metadata", "uid");
        if (spec.path("manualSelector").asBoolean() || spec.has("selector")) {
            return;
        }
        Json.child(Json.child(spec, "selector"), "matchLabels").put("batch.kubernetes.io/controller-uid", uid);
        ObjectNode labels = Json.child(Json.child(Json.child(spec, "template"), "metadata"), "labels");
        String name = Json.text(job, "metadata", "name");
        for (String prefix : List.of("", "batch.kubernetes.io/")) {
            labels.put(prefix + "controller-uid", uid).put(prefix + "job-name", name);
        }
        // Without labels of its own a Job has those of its pods.
        ObjectNode metadata = Json.child(job, "metadata");
        if (metadata.path("labels").isEmpty()) {
            metadata.set("labels", labels.deepCopy());
        }
    }

    private static void number(ObjectNode parent, String name, int value) {
        if (!parent.path(name).isValueNode() || parent.path(name).isNull()) {
            parent.put(name, value);
        }
    }

    private static void flag(ObjectNode parent, String name) {
        if (!parent.path(name).isBoolean()) {
            parent.put(name, false);
        }
    }

    /** Whether a change of the spec is a change of what a DaemonSet's pods look like; its annotation counts those. */
    static void count(ObjectNode present, ObjectNode proposed) {
        if (!present.path("spec").path("template").equals(proposed.path("spec").path("template"))) {
            String before = Json.text(present, "metadata", "annotations", DAEMON_GENERATION);
            long next = before.isEmpty() ? 1 : Long.parseLong(before) + 1;
            Json.child(Json.child(proposed, "metadata"), "annotations").put(DAEMON_GENERATION, Long.toString(next));
        }
    }
}
