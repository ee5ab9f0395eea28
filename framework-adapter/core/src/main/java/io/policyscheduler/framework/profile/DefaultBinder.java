package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.BindPlugin;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Status;

/**
 * Stands for the scheduler's own way to bind in the list of bind plugins: by an extender that binds, else by the API server. It
 * does nothing itself; a profile that names it binds so when the plugins before it have skipped the pod.
 */
public final class DefaultBinder implements BindPlugin {
    /** Its name in configurations. */
    public static final String NAME = "DefaultBinder";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status bind(CycleState state, PodInfo pod, String node) {
        return Status.SKIP;
    }
}
