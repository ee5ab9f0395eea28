package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_DRIVER;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_STORAGE_CAPACITY;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.STORAGE_CLASS;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.VOLUME_ATTACHMENT;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.InTreeVolumes.DiskConflicts;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import io.policyscheduler.engine.placement.VolumeZones;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The changes that may help pods that were rejected because of their volumes: VolumeRestrictions, NodeVolumeLimits, VolumeBinding
 * and VolumeZone. Mirrors the {@code EventsToRegister} of these plugins.
 */
final class VolumeHints {
    private static final InTreeVolumes IN_TREE = InTreeVolumes.of(Release.NEWEST);

    private VolumeHints() {}

    static List<EventHint> ofRestrictions() {
        return List.of(
                EventHint.of(VolumeHints::sharesVolume, POD, DELETE),
                EventHint.of(Hint.ALWAYS, NODE, ADD),
                EventHint.of(VolumeHints::isNamed, PERSISTENT_VOLUME_CLAIM, ADD));
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

    static List<EventHint> ofLimits() {
        return List.of(
                EventHint.of(Hint.ALWAYS, CSI_NODE, ADD),
                // The CSINode of a new node may have been added before the node.
                EventHint.of(Hint.ALWAYS, NODE, ADD),
                EventHint.of((pod, event) -> allowsMore(event), CSI_NODE, UPDATE),
                EventHint.of(VolumeHints::mayDetach, POD, DELETE),
                EventHint.of(VolumeHints::isUsed, PERSISTENT_VOLUME_CLAIM, ADD),
                EventHint.of(VolumeHints::mayBeAttachedLike, VOLUME_ATTACHMENT, DELETE));
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
        PodInfo gone = (PodInfo) event.object();
        boolean hadPlace =
                !gone.nodeName().isEmpty() || !gone.nominatedNodeName().isEmpty();
        return hadPlace
                && gone.volumes().stream()
                        .anyMatch(volume -> volume.claimName(gone) != null || IN_TREE.ofSource(volume) != null);
    }

    private static boolean mayBeAttachedLike(PodInfo pod, ObjectEvent event) {
        String attacher = ((VolumeAttachmentInfo) event.object()).attacher();
        return pod.volumes().stream().anyMatch(volume -> {
            Plugin migrated = IN_TREE.ofSource(volume);
            return volume.kind() == Volume.Kind.CLAIM
                    || (migrated != null && migrated.driver().equals(attacher));
        });
    }

    static List<EventHint> ofBinding() {
        return List.of(
                EventHint.of(Hint.ALWAYS, STORAGE_CLASS, ADD),
                EventHint.of((pod, event) -> hasOtherTopologies(event), STORAGE_CLASS, UPDATE),
                EventHint.of(VolumeHints::isUsed, PERSISTENT_VOLUME_CLAIM, ADD, UPDATE),
                EventHint.of(Hint.ALWAYS, PERSISTENT_VOLUME, ADD, UPDATE),
                EventHint.of(Hint.ALWAYS, NODE, ADD, UPDATE_NODE_LABEL),
                EventHint.of(Hint.ALWAYS, CSI_NODE, ADD),
                EventHint.of((pod, event) -> hasMigratedOthers(event), CSI_NODE, UPDATE),
                EventHint.of(VolumeHints::losesCapacityCheck, CSI_DRIVER, UPDATE),
                EventHint.of(Hint.ALWAYS, CSI_STORAGE_CAPACITY, ADD),
                EventHint.of((pod, event) -> hasMoreSpace(event), CSI_STORAGE_CAPACITY, UPDATE));
    }

    private static boolean hasOtherTopologies(ObjectEvent event) {
        return !(event.old() instanceof StorageClassInfo old)
                || !(event.now() instanceof StorageClassInfo now)
                || !old.allowedTopologies().equals(now.allowedTopologies());
    }

    private static boolean hasMigratedOthers(ObjectEvent event) {
        return !(event.old() instanceof CsiNodeInfo old)
                || !(event.now() instanceof CsiNodeInfo now)
                || !old.annotations()
                        .getOrEmpty(InTreeVolumes.MIGRATED_PLUGINS)
                        .equals(now.annotations().getOrEmpty(InTreeVolumes.MIGRATED_PLUGINS));
    }

    /**
     * Whether the pod may use a storage class whose driver no longer checks capacity. Only inline volumes contain the driver, and
     * the cache does not store it.
     */
    private static boolean losesCapacityCheck(PodInfo pod, ObjectEvent event) {
        return event.old() instanceof CsiDriverInfo old
                && event.now() instanceof CsiDriverInfo now
                && old.storageCapacity()
                && !now.storageCapacity()
                && pod.spec().podVolumes().stream()
                        .anyMatch(volume -> volume.kind().equals("csi"));
    }

    private static boolean hasMoreSpace(ObjectEvent event) {
        if (!(event.old() instanceof StorageCapacityInfo old) || !(event.now() instanceof StorageCapacityInfo now)) {
            return true;
        }
        Long before = limit(old);
        Long after = limit(now);
        return after != null && (before == null || after > before);
    }

    private static @Nullable Long limit(StorageCapacityInfo capacity) {
        Long largest = capacity.maximumVolumeSize();
        return largest != null ? largest : capacity.capacity();
    }

    static List<EventHint> ofZone() {
        return List.of(
                EventHint.of(
                        (pod, event) -> event.object() instanceof StorageClassInfo added && added.isDelayed(),
                        STORAGE_CLASS,
                        ADD),
                EventHint.of(Hint.ALWAYS, NODE, ADD, UPDATE_NODE_LABEL),
                EventHint.of(VolumeHints::isNamed, PERSISTENT_VOLUME_CLAIM, ADD, UPDATE),
                EventHint.of(Hint.ALWAYS, PERSISTENT_VOLUME, ADD),
                EventHint.of((pod, event) -> isElsewhere(event), PERSISTENT_VOLUME, UPDATE));
    }

    private static boolean isElsewhere(ObjectEvent event) {
        return !(event.old() instanceof PersistentVolumeInfo old)
                || !(event.now() instanceof PersistentVolumeInfo now)
                || VolumeZones.KEYS.stream()
                        .anyMatch(key -> !Objects.equals(
                                old.labels().get(key), now.labels().get(key)));
    }

    /** Whether the pod references the claim. */
    private static boolean isNamed(PodInfo pod, ObjectEvent event) {
        ClusterObject claim = event.object();
        return claim.namespace().equals(pod.namespace())
                && pod.volumes().stream()
                        .anyMatch(volume -> volume.kind() == Volume.Kind.CLAIM
                                && volume.id().equals(claim.name()));
    }

    /** Whether the pod references the claim, or the claim is created for an ephemeral volume of the pod. */
    private static boolean isUsed(PodInfo pod, ObjectEvent event) {
        ClusterObject claim = event.object();
        return claim.namespace().equals(pod.namespace())
                && pod.volumes().stream().anyMatch(volume -> claim.name().equals(volume.claimName(pod)));
    }
}
