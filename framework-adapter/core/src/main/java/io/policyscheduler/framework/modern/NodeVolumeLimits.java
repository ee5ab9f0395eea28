package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.VOLUME_ATTACHMENT;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.placement.CsiVolumeLimits;
import io.policyscheduler.engine.placement.CsiVolumeLimits.Volumes;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import io.policyscheduler.framework.modern.NodeResourcesFit.Hints;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Requires that the CSI drivers of the node can attach the pod's volumes. Mirrors
 * {@code pkg/scheduler/framework/plugins/nodevolumelimits}.
 */
public final class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin, EnqueueExtensions, Signers.OfVolumes {
    public static final String NAME = "NodeVolumeLimits";

    private static final InTreeVolumes CURRENT_IN_TREE = InTreeVolumes.of(Release.NEWEST);

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
        return List.of(
                EventHint.of(Hint.ALWAYS, CSI_NODE, ADD),
                // The CSINode of a new node may have been added before the node.
                EventHint.of(Hint.ALWAYS, NODE, ADD),
                EventHint.of((pod, event) -> allowsMore(event), CSI_NODE, UPDATE),
                EventHint.of(NodeVolumeLimits::mayDetach, POD, DELETE),
                EventHint.of(VolumeBinding::isUsed, PERSISTENT_VOLUME_CLAIM, ADD),
                EventHint.of(NodeVolumeLimits::mayUseAttacher, VOLUME_ATTACHMENT, DELETE));
    }

    private static boolean allowsMore(ObjectEvent event) {
        if (!(event.old() instanceof CsiNodeInfo old) || !(event.now() instanceof CsiNodeInfo now)) {
            return true;
        }
        Map<String, Integer> before = limits(old);
        return limits(now).entrySet().stream()
                .anyMatch(limit -> limit.getValue() > before.getOrDefault(limit.getKey(), 0));
    }

    private static Map<String, Integer> limits(CsiNodeInfo node) {
        Map<String, Integer> limits = new HashMap<>();
        for (CsiNodeInfo.Driver driver : node.drivers()) {
            Integer count = driver.allocatableCount();
            limits.put(driver.name(), count == null ? 0 : count);
        }
        return limits;
    }

    private static boolean mayDetach(PodInfo pod, ObjectEvent event) {
        PodInfo gone = event.pod();
        return Hints.wasAssignedOrNominated(gone)
                && gone.volumes().stream()
                        .anyMatch(volume -> volume.claimName(gone) != null || CURRENT_IN_TREE.ofSource(volume) != null);
    }

    private static boolean mayUseAttacher(PodInfo pod, ObjectEvent event) {
        String attacher = ((VolumeAttachmentInfo) event.object()).attacher();
        return pod.volumes().stream().anyMatch(volume -> {
            Plugin migrated = CURRENT_IN_TREE.ofSource(volume);
            return volume.kind() == Volume.Kind.CLAIM
                    || (migrated != null && migrated.driver().equals(attacher));
        });
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
        Volumes volumes = state.find(key);
        return Status.of(limits.check(volumes == null ? limits.volumes(pod) : volumes, node));
    }
}
