package io.policyscheduler.cmd.embedded.controller.workload;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.controller.core.IntOrPercent;

/** How many pods a Deployment may have more and fewer than it wants while it rolls out (deployment_util.go). */
record RolloutPlan(int wanted, int surge, int unavailable, boolean recreates) {
    RolloutPlan(JsonNode deployment) {
        this(deployment.path("spec"), deployment.path("spec").path("replicas").asInt(1));
    }

    private RolloutPlan(JsonNode spec, int wanted) {
        this(spec.path("strategy"), wanted, Json.text(spec, "strategy", "type").equals("Recreate"));
    }

    private RolloutPlan(JsonNode strategy, int wanted, boolean recreates) {
        this(
                wanted,
                recreates ? 0 : IntOrPercent.of(strategy.path("rollingUpdate").path("maxSurge"), wanted, true),
                recreates ? 0 : unavailable(strategy.path("rollingUpdate"), wanted),
                recreates);
    }

    /** Both may not be zero: nothing could move. */
    private static int unavailable(JsonNode rolling, int wanted) {
        int surge = IntOrPercent.of(rolling.path("maxSurge"), wanted, true);
        int unavailable = IntOrPercent.of(rolling.path("maxUnavailable"), wanted, false);
        return Math.min(wanted, surge == 0 && unavailable == 0 ? 1 : unavailable);
    }

    /** How many pods the newest set may have now, which has {@code present} beside {@code older} ones. */
    int newReplicas(int present, int older) {
        if (recreates) {
            return older == 0 ? wanted : present;
        }
        int room = wanted + surge - present - older;
        return room <= 0 ? present : present + Math.min(room, Math.max(0, wanted - present));
    }
}
