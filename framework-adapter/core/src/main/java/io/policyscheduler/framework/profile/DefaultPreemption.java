package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.Map;

/** Evicts pods of lower priority. Mirrors {@code pkg/scheduler/framework/plugins/defaultpreemption}. */
public final class DefaultPreemption implements PostFilterPlugin, EnqueueExtensions {
    /** The plugin's name in configurations. */
    public static final String NAME = "DefaultPreemption";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(EventHint.of(EventHint.Hint.NEVER, EventResource.POD, EventAction.DELETE));
    }

    @Override
    public Status postFilter(CycleState state, PodInfo pod, Map<String, NodeFailure> failures, Services services) {
        Status status = services.preempt();
        return status.message().isEmpty()
                ? status
                : new Status(status.code(), List.of("preemption: " + status.message()));
    }

    @Override
    public boolean wantsFailures() {
        return false;
    }
}
