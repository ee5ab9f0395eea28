package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.Status;

/**
 * Holds pods back while their spec names scheduling gates; the API server would refuse to bind them. Mirrors
 * {@code pkg/scheduler/framework/plugins/schedulinggates}.
 */
public final class SchedulingGates implements PreEnqueuePlugin {
    /** Its name in configurations. */
    public static final String NAME = "SchedulingGates";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preEnqueue(PodInfo pod) {
        return pod.spec().schedulingGates().isEmpty()
                ? Status.SUCCESS
                : Status.unresolvable("waiting for scheduling gates: ["
                        + String.join(" ", pod.spec().schedulingGates()) + "]");
    }
}
