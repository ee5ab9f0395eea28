package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.STORAGE_CLASS;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.placement.VolumeZones;
import io.policyscheduler.engine.placement.VolumeZones.Rules;
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
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Requires that the node is in the zone of the pod's volumes. Mirrors {@code pkg/scheduler/framework/plugins/volumezone}. */
public final class VolumeZone implements PreFilterPlugin, FilterPlugin, EnqueueExtensions, Signers.OfVolumes {
    public static final String NAME = "VolumeZone";

    private final ClusterView cluster;
    private final Rules rules;
    private final StateKey<VolumeZones> key;

    public VolumeZone(PluginHandle handle) {
        this.cluster = handle.cluster();
        this.rules = Rules.of(handle.release());
        this.key = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(
                EventHint.of(
                        (pod, event) -> event.object() instanceof StorageClassInfo added && added.isDelayed(),
                        STORAGE_CLASS,
                        ADD),
                EventHint.of(Hint.ALWAYS, NODE, ADD, UPDATE_NODE_LABEL),
                EventHint.of(VolumeZone::isNamed, PERSISTENT_VOLUME_CLAIM, ADD, UPDATE),
                EventHint.of(Hint.ALWAYS, PERSISTENT_VOLUME, ADD),
                EventHint.of((pod, event) -> changesZone(event), PERSISTENT_VOLUME, UPDATE));
    }

    private static boolean changesZone(ObjectEvent event) {
        return !(event.old() instanceof PersistentVolumeInfo old)
                || !(event.now() instanceof PersistentVolumeInfo now)
                || VolumeZones.KEYS.stream()
                        .anyMatch(key -> !Objects.equals(
                                old.labels().get(key), now.labels().get(key)));
    }

    /** Whether the pod references the claim. */
    static boolean isNamed(PodInfo pod, ObjectEvent event) {
        ClusterObject claim = event.object();
        return claim.namespace().equals(pod.namespace())
                && pod.volumes().stream()
                        .anyMatch(volume -> volume.kind() == Volume.Kind.CLAIM
                                && volume.id().equals(claim.name()));
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        VolumeZones zones = new VolumeZones(context.pod(), cluster, rules);
        if (rules.checksClaimsFirst() && !zones.claims().fits()) {
            return PreFilterResult.of(Status.of(zones.claims()));
        }
        if (rules.checksClaimsFirst() && zones.isEmpty()) {
            return PreFilterResult.SKIP;
        }
        state.write(key, zones);
        return PreFilterResult.ALL_NODES;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        VolumeZones known = state.find(key);
        VolumeZones zones = known == null ? new VolumeZones(pod, cluster, rules) : known;
        return Status.of(zones.check(node));
    }
}
