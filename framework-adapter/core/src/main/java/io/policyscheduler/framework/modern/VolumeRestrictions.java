package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.placement.InTreeVolumes.DiskConflicts;
import io.policyscheduler.engine.placement.VolumeZones;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prevents conflicts of disks that can be attached once and of claims with ReadWriteOncePod. Mirrors
 * {@code pkg/scheduler/framework/plugins/volumerestrictions}.
 */
public final class VolumeRestrictions implements PreFilterPlugin, FilterPlugin, EnqueueExtensions, Signers.OfVolumes {
    public static final String NAME = "VolumeRestrictions";

    private static final String ONE_POD = "ReadWriteOncePod";
    private static final Status DISK_CONFLICT = Status.unschedulable("node(s) had no available disk");
    private static final Status CLAIM_IN_USE = Status.unschedulable(
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by"
                    + " another pod");

    private static final Status EARLIER_CLAIM_IN_USE = Status.unschedulable(
            "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode");

    private final StateKey<ClaimUse> key;
    private final Status claimInUse;
    private final boolean checksClaims;

    /** The number of conflicting uses of the pod's ReadWriteOncePod claims. */
    private static final class ClaimUse {
        private final Set<String> claims;
        private int uses;

        ClaimUse(Set<String> claims, int uses) {
            this.claims = claims;
            this.uses = uses;
        }

        ClaimUse copy() {
            return new ClaimUse(claims, uses);
        }

        /** Adds or removes a pod. Namespaces are not compared here. */
        void update(PodInfo other, int delta) {
            for (Volume volume : other.volumes()) {
                if (volume.kind() == Volume.Kind.CLAIM && claims.contains(volume.id())) {
                    uses += delta;
                }
            }
        }
    }

    public VolumeRestrictions(PluginHandle handle) {
        this.checksClaims = SchedulerChange.READ_WRITE_ONCE_POD.in(handle.release());
        this.claimInUse =
                SchedulerChange.READ_WRITE_ONCE_POD_TEXT.in(handle.release()) ? CLAIM_IN_USE : EARLIER_CLAIM_IN_USE;
        this.key = handle.stateKeys().create("PreFilter" + NAME, ClaimUse::copy);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(
                EventHint.of(VolumeRestrictions::sharesVolume, POD, DELETE),
                EventHint.of(Hint.ALWAYS, NODE, ADD),
                EventHint.of(VolumeZone::isNamed, PERSISTENT_VOLUME_CLAIM, ADD));
    }

    private static boolean sharesVolume(PodInfo pod, ObjectEvent event) {
        PodInfo gone = (PodInfo) event.object();
        return gone.namespace().equals(pod.namespace())
                && pod.volumes().stream()
                        .anyMatch(own -> gone.volumes().stream().anyMatch(other -> isShared(own, other)));
    }

    private static boolean isShared(Volume own, Volume other) {
        boolean sameClaim = own.kind() == Volume.Kind.CLAIM
                && other.kind() == Volume.Kind.CLAIM
                && own.id().equals(other.id());
        return sameClaim || (DiskConflicts.isDisk(own) && DiskConflicts.conflict(own, other));
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        PodInfo pod = context.pod();
        boolean hasDisks = false;
        Set<String> exclusive = new HashSet<>();
        for (Volume volume : pod.volumes()) {
            hasDisks |= DiskConflicts.isDisk(volume);
            if (volume.kind() != Volume.Kind.CLAIM || !checksClaims) {
                continue;
            }
            ClaimInfo claim = context.cluster().claim(pod.namespace(), volume.id());
            if (claim == null) {
                return PreFilterResult.of(Status.unresolvable(VolumeZones.claimNotFound(volume.id())));
            }
            if (claim.accessModes().contains(ONE_POD)) {
                exclusive.add(claim.name());
            }
        }
        int uses = exclusive.isEmpty() ? 0 : countInUse(exclusive, pod.namespace(), context.cluster());
        if (!hasDisks && uses == 0) {
            return PreFilterResult.SKIP;
        }
        state.write(key, new ClaimUse(Set.copyOf(exclusive), uses));
        return PreFilterResult.ALL_NODES;
    }

    private static int countInUse(Set<String> claims, String namespace, ClusterView cluster) {
        Set<String> used = new HashSet<>();
        for (NodeInfo node : cluster.nodes()) {
            for (int i = 0; i < node.podCount(); i++) {
                PodInfo pod = node.pod(i);
                if (!pod.volumes().isEmpty() && pod.namespace().equals(namespace)) {
                    pod.volumes().stream()
                            .filter(volume -> volume.kind() == Volume.Kind.CLAIM)
                            .map(Volume::id)
                            .filter(claims::contains)
                            .forEach(used::add);
                }
            }
        }
        return used.size();
    }

    @Override
    public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        state.read(key).update(added, 1);
        return null;
    }

    @Override
    public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        state.read(key).update(removed, -1);
        return null;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        List<Volume> disks = pod.volumes().isEmpty() ? List.of() : disks(pod);
        if (!disks.isEmpty() && DiskConflicts.any(disks, node)) {
            return DISK_CONFLICT;
        }
        ClaimUse use = state.find(key);
        if (use == null) {
            return Status.error("cannot read \"" + key + "\" from cycleState");
        }
        return use.uses > 0 ? claimInUse : Status.SUCCESS;
    }

    private static List<Volume> disks(PodInfo pod) {
        return pod.volumes().stream().filter(DiskConflicts::isDisk).toList();
    }
}
