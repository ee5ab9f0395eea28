package io.policyscheduler.cmd.embedded.controller.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.Conditions;
import io.policyscheduler.cmd.embedded.controller.core.Counts;
import java.util.List;
import java.util.Optional;

/** What a Deployment's status says of its ReplicaSets (pkg/controller/deployment/sync.go, progress.go). */
final class DeploymentStatus {
    private DeploymentStatus() {}

    static void tell(
            ApiObjects objects,
            ResourceType type,
            ObjectNode deployment,
            Optional<ObjectNode> newest,
            List<ObjectNode> sets) {
        RolloutPlan plan = new RolloutPlan(deployment);
        int total = sum(sets, "replicas");
        int available = sum(sets, "availableReplicas");
        int updated =
                newest.map(set -> set.path("status").path("replicas").asInt()).orElse(0);
        String now = objects.time();
        objects.changeStatus(type, deployment, status -> {
            status.put(
                    "observedGeneration",
                    deployment.path("metadata").path("generation").asLong());
            Counts.put(status, "replicas", total);
            Counts.put(status, "updatedReplicas", updated);
            Counts.put(status, "readyReplicas", sum(sets, "readyReplicas"));
            Counts.put(status, "availableReplicas", available);
            Counts.put(status, "unavailableReplicas", Math.max(0, plan.wanted() - available));
            availability(status, available >= plan.wanted() - plan.unavailable(), now);
            if (newest.isPresent()) {
                boolean complete = updated == plan.wanted() && total == plan.wanted() && available >= plan.wanted();
                progress(status, Json.text(newest.get(), "metadata", "name"), complete, now);
            }
        });
    }

    private static int sum(List<ObjectNode> sets, String field) {
        return sets.stream()
                .mapToInt(set -> set.path("status").path(field).asInt())
                .sum();
    }

    private static void availability(ObjectNode status, boolean enough, String now) {
        Conditions.set(
                status,
                "Available",
                enough ? "True" : "False",
                enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                "Deployment " + (enough ? "has" : "does not have") + " minimum availability.",
                now,
                "lastUpdateTime");
    }

    /** A deployment that has been complete stays so when it is scaled: only a new template is progress. */
    private static void progress(ObjectNode status, String set, boolean complete, String now) {
        String done = "ReplicaSet \"" + set + "\" has successfully progressed.";
        boolean before =
                Json.text(Conditions.find(status, "Progressing"), "message").equals(done);
        if (complete || before) {
            Conditions.set(status, "Progressing", "True", "NewReplicaSetAvailable", done, now, "lastUpdateTime");
        } else {
            Conditions.set(
                    status,
                    "Progressing",
                    "True",
                    "ReplicaSetUpdated",
                    "ReplicaSet \"" + set + "\" is progressing.",
                    now,
                    "lastUpdateTime");
        }
    }
}
