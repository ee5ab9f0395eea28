package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The number of volumes that the CSI drivers of a node can attach. Mirrors
 * {@code pkg/scheduler/algorithm/predicates/csi_volume_predicate.go} of 1.17 and
 * {@code pkg/scheduler/framework/plugins/nodevolumelimits/csi.go}. Release 1.17 counts volumes of claims only, and also applies limits in
 * the allocatable resources of the node. Later releases count volumes that are attached although no pod mounts them.
 */
public final class CsiVolumeLimits {
    /** The verdict on a pod with a claim without a name. */
    public static final Verdict NAMELESS = Verdict.error("PersistentVolumeClaim had no name");

    private static final Verdict TOO_MANY = Verdict.unfit(FailureReasons.MAX_VOLUME_COUNT);
    private static final String LIMIT_PREFIX = ResourceNames.ATTACHABLE_PREFIX + "csi-";
    private static final int RESOURCE_NAME_LIMIT = 63;

    /** @param plugin null, or the plugin that must be migrated on a node for the volume to count there */
    private record Mounted(CsiVolume volume, @Nullable Plugin plugin) {}

    private record CsiVolume(String driver, String handle) {}

    /** The volumes of a pod that can count on a node. */
    public static final class Volumes {
        private final List<Mounted> all = new ArrayList<>();
        private @Nullable Verdict failure;

        /** Returns whether the volumes are known, and none can count. */
        public boolean isEmpty() {
            return all.isEmpty() && failure == null;
        }

        private void add(String driver, @Nullable String handle, @Nullable Plugin plugin) {
            if (handle != null && !driver.isEmpty() && !handle.isEmpty()) {
                all.add(new Mounted(new CsiVolume(driver, handle), plugin));
            }
        }
    }

    private final ClusterView cluster;
    private final InTreeVolumes inTree;
    private final boolean v117;
    private final Predicate<String> drivers;
    private final boolean countsOnce;

    /** The limits of 1.17. */
    public CsiVolumeLimits(ClusterView cluster, InTreeVolumes inTree) {
        this(cluster, inTree, driver -> true, false);
    }

    /**
     * The limits of some drivers.
     *
     * @param countsOnce whether a volume that is attached, but mounted by no pod, counts once when a pod needs it. Releases up to 1.34
     *     count it twice, so that a pod which replaces another one on a full node waits until the volume is detached
     */
    public CsiVolumeLimits(ClusterView cluster, InTreeVolumes inTree, Predicate<String> drivers, boolean countsOnce) {
        this.cluster = cluster;
        this.inTree = inTree;
        this.v117 = inTree.isV117();
        this.drivers = drivers;
        this.countsOnce = countsOnce;
    }

    /** Returns the volumes of an incoming pod. */
    public Volumes volumes(PodInfo pod) {
        Volumes volumes = new Volumes();
        volumes.failure = collect(pod, true, volumes);
        return volumes;
    }

    /** Adds the volumes of a pod; returns null, or the verdict if they are unknown. */
    private @Nullable Verdict collect(PodInfo pod, boolean incoming, Volumes volumes) {
        List<Volume> mounted = pod.volumes();
        for (int i = 0; i < mounted.size(); i++) {
            Volume volume = mounted.get(i);
            boolean isClaim = volume.kind() == Volume.Kind.CLAIM;
            String claimName = isClaim || !v117 ? volume.claimName(pod) : null;
            if (claimName == null) {
                addInline(volume, volumes);
                continue;
            }
            if (v117 && claimName.isEmpty()) {
                return NAMELESS;
            }
            ClaimInfo claim = cluster.claim(pod.namespace(), claimName);
            if (claim == null) {
                if (incoming && !v117) {
                    return Verdict.unfit(FailureReason.unresolvable("looking up PVC " + pod.namespace() + "/"
                            + claimName + ": " + VolumeZones.claimNotFound(claimName)));
                }
                continue;
            }
            String problem = isClaim ? null : claim.ownerProblem(pod);
            if (problem != null) {
                return Verdict.error(problem);
            }
            addClaim(claim, volumes);
        }
        return null;
    }

    private void addInline(Volume volume, Volumes volumes) {
        Plugin plugin = v117 ? null : inTree.ofSource(volume);
        if (plugin != null && inTree.canCount(plugin)) {
            volumes.add(plugin.driver(), inTree.handle(plugin, volume), plugin);
        }
    }

    private void addClaim(ClaimInfo claim, Volumes volumes) {
        PersistentVolumeInfo bound = claim.volumeName().isEmpty() ? null : cluster.volume(claim.volumeName());
        if (bound == null) {
            addUnbound(claim, volumes);
            return;
        }
        Volume source = bound.source();
        Plugin plugin = inTree.ofSource(source);
        if (source.kind() == Volume.Kind.CSI) {
            volumes.add(source.detail(), source.id(), null);
        } else if (plugin != null && inTree.canCount(plugin)) {
            volumes.add(plugin.driver(), inTree.handle(plugin, bound), plugin);
        }
    }

    private void addUnbound(ClaimInfo claim, Volumes volumes) {
        StorageClassInfo storageClass = claim.className().isEmpty() ? null : cluster.storageClass(claim.className());
        if (storageClass == null) {
            return;
        }
        Plugin plugin = inTree.ofProvisioner(storageClass.provisioner());
        if (plugin == null) {
            volumes.add(storageClass.provisioner(), placeholder(claim), null);
        } else if (inTree.canCount(plugin)) {
            volumes.add(plugin.driver(), placeholder(claim), plugin);
        }
    }

    /** Returns a handle for the volume of a claim that has none yet. No volume handle contains a zero character. */
    public static String placeholder(ClaimInfo claim) {
        return "\0" + claim.key();
    }

    /** Checks whether a node can attach the volumes of a pod. */
    public Verdict check(Volumes wanted, NodeInfo node) {
        if (wanted.failure != null) {
            return wanted.failure;
        }
        CsiNodeInfo csiNode = cluster.csiNode(node.name());
        if (csiNode == null && !v117) {
            return Verdict.FITS;
        }
        Set<CsiVolume> added = countedOn(csiNode, wanted);
        if (added.isEmpty() || !hasLimits(node, csiNode)) {
            return Verdict.FITS;
        }
        Volumes ofPods = new Volumes();
        for (int i = 0; i < node.podCount(); i++) {
            Verdict failure = collect(node.pod(i), false, ofPods);
            if (failure != null) {
                return failure;
            }
        }
        Set<CsiVolume> attached = countedOn(csiNode, ofPods);
        attached.forEach(added::remove);
        if (!v117) {
            addAttachments(attached, node.name());
        }
        if (countsOnce) {
            attached.forEach(added::remove);
        }
        Map<String, Integer> attachedByDriver = byDriver(attached);
        for (Map.Entry<String, Integer> more : byDriver(added).entrySet()) {
            Long limit = limit(more.getKey(), node, csiNode);
            if (limit != null && attachedByDriver.getOrDefault(more.getKey(), 0) + more.getValue() > limit) {
                return TOO_MANY;
            }
        }
        return Verdict.FITS;
    }

    private Set<CsiVolume> countedOn(@Nullable CsiNodeInfo csiNode, Volumes volumes) {
        Set<CsiVolume> counted = new HashSet<>();
        for (Mounted mounted : volumes.all) {
            if (mounted.plugin == null || inTree.counts(mounted.plugin, csiNode)) {
                counted.add(mounted.volume);
            }
        }
        return counted;
    }

    private void addAttachments(Set<CsiVolume> attached, String node) {
        Volumes volumes = new Volumes();
        for (VolumeAttachmentInfo attachment : cluster.volumeAttachments(node)) {
            PersistentVolumeInfo volume =
                    attachment.volumeName().isEmpty() ? null : cluster.volume(attachment.volumeName());
            if (volume != null && volume.source().kind() == Volume.Kind.CSI) {
                volumes.add(attachment.attacher(), volume.source().id(), null);
            }
        }
        volumes.all.forEach(mounted -> attached.add(mounted.volume));
    }

    private static Map<String, Integer> byDriver(Set<CsiVolume> volumes) {
        Map<String, Integer> counts = new HashMap<>();
        for (CsiVolume volume : volumes) {
            counts.merge(volume.driver, 1, Integer::sum);
        }
        return counts;
    }

    private boolean hasLimits(NodeInfo node, @Nullable CsiNodeInfo csiNode) {
        if (csiNode != null) {
            for (CsiNodeInfo.Driver driver : csiNode.drivers()) {
                if (driver.allocatableCount() != null && drivers.test(driver.name())) {
                    return true;
                }
            }
        }
        ResourceVector allocatable = node.allocatable();
        for (int i = 0; v117 && i < allocatable.scalarCount(); i++) {
            if (allocatable.scalarName(i).startsWith(ResourceNames.ATTACHABLE_PREFIX)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of volumes of a driver that a node can attach, or null. The CSINode precedes the node. */
    private @Nullable Long limit(String name, NodeInfo node, @Nullable CsiNodeInfo csiNode) {
        String key = limitKey(name);
        Long limit = v117 && node.allocatable().hasScalar(key)
                ? Long.valueOf(node.allocatable().scalar(key))
                : null;
        if (csiNode != null && drivers.test(name)) {
            for (CsiNodeInfo.Driver driver : csiNode.drivers()) {
                Integer count = driver.allocatableCount();
                boolean same = v117
                        ? limitKey(driver.name()).equals(key)
                        : driver.name().equals(name);
                if (same && count != null) {
                    limit = count.longValue();
                }
            }
        }
        return limit;
    }

    /**
     * Returns the node resource for the limit of a driver, in which a long driver name is shortened with a hash. Mirrors
     * {@code GetCSIAttachLimitKey} of {@code pkg/volume/util/attach_limit.go}.
     */
    public static String limitKey(String driver) {
        if (LIMIT_PREFIX.length() + driver.length() < RESOURCE_NAME_LIMIT) {
            return LIMIT_PREFIX + driver;
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(driver.getBytes(StandardCharsets.UTF_8));
            return LIMIT_PREFIX + driver.substring(0, 23) + HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
