package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterResult;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.StateKey;
import io.policyscheduler.framework.plugin.Status;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Pods that ask for devices through resource claims. Claims themselves are not followed here, so a pod that has any is not
 * placed; for all others this does what Kubernetes does, which shows in messages. Mirrors
 * {@code pkg/scheduler/framework/plugins/dynamicresources}.
 */
final class DynamicResources implements PreFilterPlugin, FilterPlugin, PostFilterPlugin, ReservePlugin, PreBindPlugin {
    static final String NAME = "DynamicResources";

    private static final Status NOTHING_TO_FREE = Status.unschedulable("no new claims to deallocate");
    private static final Status NOT_FOUND = Status.error("not found");
    private static final Status UNSUPPORTED = Status.unresolvable(
            "pod has resource claims (spec.resourceClaims), which this scheduler does not allocate");

    private final StateKey<Boolean> key;

    DynamicResources(PluginHandle handle) {
        this.key = handle.stateKeys().create(NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        state.write(key, Boolean.TRUE);
        return context.pod().spec().resourceClaims().isEmpty() ? PreFilterResult.SKIP : PreFilterResult.of(UNSUPPORTED);
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return state.find(key) == null ? NOT_FOUND : Status.SUCCESS;
    }

    /** Fails when an earlier plugin has ended the attempt before this one had its turn, which keeps preemption from running. */
    @Override
    public Status postFilter(
            CycleState state, PodInfo pod, Map<String, NodeFailure> failures, PostFilterPlugin.Services services) {
        return state.find(key) == null ? NOT_FOUND : NOTHING_TO_FREE;
    }

    @Override
    public boolean wantsFailures() {
        return false;
    }

    @Override
    public Status reserve(CycleState state, PodInfo pod, String node) {
        return state.find(key) == null ? NOT_FOUND : Status.SUCCESS;
    }

    /** No pod with claims comes so far. */
    @Override
    public Status preBind(CycleState state, PodInfo pod, String node) {
        return Status.SUCCESS;
    }
}
