package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;

/**
 * Keeps pods with scheduling gates out of the queue; the API server would reject their binding. Mirrors
 * {@code pkg/scheduler/framework/plugins/schedulinggates}. Also keeps out pods of groups: without gang scheduling, part of a group
 * could occupy the nodes that another group waits for.
 */
public final class SchedulingGates implements PreEnqueuePlugin, EnqueueExtensions {
    /** The plugin's name in configurations. */
    public static final String NAME = "SchedulingGates";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(EventHint.of(
                (pod, event) -> event.object() instanceof PodInfo changed
                        && changed.uid().equals(pod.uid()),
                EventResource.POD,
                EventAction.UPDATE_POD_SCHEDULING_GATES_ELIMINATED));
    }

    @Override
    public Status preEnqueue(PodInfo pod) {
        if (pod.spec().grouped()) {
            return Status.unresolvable("spec.schedulingGroup is not supported");
        }
        return pod.spec().schedulingGates().isEmpty()
                ? Status.SUCCESS
                : Status.unresolvable("waiting for scheduling gates: ["
                        + String.join(" ", pod.spec().schedulingGates()) + "]");
    }
}
