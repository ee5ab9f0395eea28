package io.policyscheduler.framework.grown;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;

/** Refuses pods that ask for devices, where a policy does not say that they are to be had: they would start without them. */
final class NoResourceClaims implements PreFilterPlugin, FilterPlugin {
    private static final Status REFUSED =
            Status.unresolvable("pod has resource claims (spec.resourceClaims), which this policy does not allocate");

    @Override
    public String name() {
        return KnownAlgorithms.DYNAMIC_RESOURCES;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        return context.pod().spec().resourceClaims().isEmpty() ? PreFilterResult.SKIP : PreFilterResult.of(REFUSED);
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return Status.SUCCESS;
    }
}
