package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.placement.CsiVolumeLimits;
import io.policyscheduler.engine.placement.CsiVolumeLimits.Volumes;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Requires that the CSI drivers of the node can attach the pod's volumes. Mirrors
 * {@code pkg/scheduler/framework/plugins/nodevolumelimits}.
 */
public final class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin, EnqueueExtensions {
    public static final String NAME = "NodeVolumeLimits";

    private final InTreeVolumes inTree;
    private final CsiVolumeLimits limits;
    private final StateKey<Volumes> key;

    public NodeVolumeLimits(PluginHandle handle) {
        this(handle, driver -> true, false);
    }

    /** Applies the limits of some drivers only. For {@code countsOnce}, see {@link CsiVolumeLimits}. */
    public NodeVolumeLimits(PluginHandle handle, Predicate<String> drivers, boolean countsOnce) {
        this.inTree = InTreeVolumes.of(handle.release());
        this.limits = new CsiVolumeLimits(
                handle.cluster(), inTree, CsiVolumeLimits.Rules.of(handle.release()), drivers, countsOnce);
        this.key = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return VolumeHints.ofLimits();
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        for (Volume volume : context.pod().volumes()) {
            if (volume.claimName(context.pod()) != null || inTree.ofSource(volume) != null) {
                state.write(key, limits.volumes(context.pod()));
                return PreFilterResult.ALL_NODES;
            }
        }
        return PreFilterResult.SKIP;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        if (pod.volumes().isEmpty()) {
            return Status.SUCCESS;
        }
        Volumes wanted = state.find(key);
        return Status.of(limits.check(wanted == null ? limits.volumes(pod) : wanted, node));
    }
}
