package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import java.util.ArrayList;
import java.util.List;

/** Validates the status of workloads. Mirrors the validation of status updates in {@code pkg/apis/apps} and {@code batch}. */
final class StatusValidation {
    private static final String REPLICAS = "cannot be greater than status.replicas";

    private StatusValidation() {}

    /** Returns the errors of a written status; empty if it is valid. */
    static List<Cause> check(ResourceType type, JsonNode status) {
        FieldErrors errors = new FieldErrors(new ArrayList<>());
        switch (type.qualifiedName()) {
            case "deployments.apps" -> {
                notNegative(
                        errors,
                        status,
                        "observedGeneration",
                        "replicas",
                        "updatedReplicas",
                        "readyReplicas",
                        "availableReplicas",
                        "unavailableReplicas",
                        "collisionCount");
                atMost(errors, status, "replicas", REPLICAS, "updatedReplicas", "readyReplicas", "availableReplicas");
                atMost(errors, status, "readyReplicas", "cannot be greater than readyReplicas", "availableReplicas");
            }
            case "replicasets.apps", "replicationcontrollers" -> {
                notNegative(
                        errors,
                        status,
                        "replicas",
                        "fullyLabeledReplicas",
                        "readyReplicas",
                        "availableReplicas",
                        "observedGeneration");
                atMost(
                        errors,
                        status,
                        "replicas",
                        REPLICAS,
                        "fullyLabeledReplicas",
                        "readyReplicas",
                        "availableReplicas");
                atMost(errors, status, "readyReplicas", "cannot be greater than readyReplicas", "availableReplicas");
            }
            case "statefulsets.apps" -> {
                notNegative(
                        errors,
                        status,
                        "replicas",
                        "readyReplicas",
                        "currentReplicas",
                        "updatedReplicas",
                        "observedGeneration",
                        "collisionCount");
                atMost(errors, status, "replicas", REPLICAS, "readyReplicas", "currentReplicas", "updatedReplicas");
            }
            case "daemonsets.apps" ->
                notNegative(
                        errors,
                        status,
                        "currentNumberScheduled",
                        "numberMisscheduled",
                        "desiredNumberScheduled",
                        "numberReady",
                        "observedGeneration",
                        "updatedNumberScheduled",
                        "numberAvailable",
                        "numberUnavailable",
                        "collisionCount");
            case "jobs.batch" -> notNegative(errors, status, "active", "succeeded", "failed");
            default -> {
                // The status of other kinds has no numbers.
            }
        }
        return errors.causes();
    }

    private static void notNegative(FieldErrors errors, JsonNode status, String... fields) {
        for (String field : fields) {
            errors.notNegative("status." + field, status.path(field));
        }
    }

    private static void atMost(FieldErrors errors, JsonNode status, String bound, String message, String... fields) {
        for (String field : fields) {
            long number = status.path(field).asLong();
            if (number > status.path(bound).asLong()) {
                errors.invalidValue("status." + field, number, message);
            }
        }
    }
}
