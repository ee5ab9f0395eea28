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
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
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
 * {@code pkg/scheduler/framework/plugins/nodevolumelimits/csi.go}. Releases up to 1.31 also apply limits in the allocatable resources of
 * the node. Later releases count volumes that are attached although no pod mounts them.
 */
public final class CsiVolumeLimits {
    /** The verdict on a pod with a claim without a name. */
    public static final Verdict NAMELESS = Verdict.error("PersistentVolumeClaim had no name");

    private static final Verdict TOO_MANY = Verdict.unfit(FailureReasons.MAX_VOLUME_COUNT);
    private static final String LIMIT_PREFIX = ResourceNames.ATTACHABLE_PREFIX + "csi-";
    private static final int RESOURCE_NAME_LIMIT = 63;

    /** The consequence of a missing claim of the incoming pod. */
    public enum MissingClaim {
        /** Up to 1.22: its volume does not count. */
        IGNORED,
        /** 1.23 to 1.29: the attempt ends with an error. */
        FAILS,
        /** Since 1.30: nodes are rejected. */
        REJECTS;

        /** The consequence in a release. */
        public static MissingClaim of(Release release) {
            if (!SchedulerChange.LIMITS_NEED_CLAIMS.in(release)) {
                return IGNORED;
            }
            return SchedulerChange.LIMITS_REJECT_WITHOUT_CLAIMS.in(release) ? REJECTS : FAILS;
        }

        /** Returns the verdict for all nodes for a pod whose claim is missing; null if there is none. */
        public @Nullable Verdict verdict(String namespace, String claim) {
            String text = "looking up PVC " + namespace + "/" + claim + ": " + VolumeZones.claimNotFound(claim);
            return switch (this) {
                case IGNORED -> null;
                case FAILS -> Verdict.error(text);
                case REJECTS -> Verdict.unfit(FailureReason.unresolvable(text));
            };
        }
    }

    /**
     * The rules of a release.
     *
     * @param missingClaim since 1.23, ephemeral volumes count, too
     * @param countsInline whether volumes of migrated in-tree plugins count without a claim
     * @param countsAttached whether attached volumes count; then limits are those of the CSINode only
     */
    public record Rules(MissingClaim missingClaim, boolean countsInline, boolean countsAttached) {
        /** The rules of 1.17. */
        public static final Rules V1_17 = new Rules(MissingClaim.IGNORED, false, false);

        /** The rules of a release since 1.18. */
        public static Rules of(Release release) {
            return new Rules(
                    MissingClaim.of(release),
                    SchedulerChange.INLINE_VOLUMES_COUNT.in(release),
                    SchedulerChange.ATTACHED_VOLUMES_COUNT.in(release));
        }
    }

    /**
     * A volume of a pod.
     *
     * @param plugin null, or the plugin that must be migrated on a node for the volume to count there
     * @param failure null, or the verdict on nodes where the volume counts, because its handle is invalid
     */
    private record Mounted(
            CsiVolume volume,
            @Nullable Plugin plugin,
            @Nullable Verdict failure) {}

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
                all.add(new Mounted(new CsiVolume(driver, handle), plugin, null));
            }
        }
    }

    private final ClusterView cluster;
    private final InTreeVolumes inTree;
    private final Rules rules;
    private final Predicate<String> drivers;
    private final boolean countsOnce;

    /** The limits of 1.17. */
    public CsiVolumeLimits(ClusterView cluster, InTreeVolumes inTree) {
        this(cluster, inTree, Rules.V1_17, driver -> true, false);
    }

    /**
     * The limits of some drivers.
     *
     * @param countsOnce whether a volume that is attached, but mounted by no pod, counts once when a pod needs it. Releases up to 1.34
     *     count it twice, so that a pod which replaces another one on a full node waits until the volume is detached
     */
    public CsiVolumeLimits(
            ClusterView cluster, InTreeVolumes inTree, Rules rules, Predicate<String> drivers, boolean countsOnce) {
        this.cluster = cluster;
        this.inTree = inTree;
        this.rules = rules;
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
            boolean countsEphemeral = rules.missingClaim() != MissingClaim.IGNORED;
            String claimName = isClaim || countsEphemeral ? volume.claimName(pod) : null;
            if (claimName == null) {
                addInline(volume, volumes);
                continue;
            }
            if (!countsEphemeral && claimName.isEmpty()) {
                return NAMELESS;
            }
            ClaimInfo claim = cluster.claim(pod.namespace(), claimName);
            if (claim == null) {
                Verdict missing = incoming ? rules.missingClaim().verdict(pod.namespace(), claimName) : null;
                if (missing != null) {
                    return missing;
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
        Plugin plugin = rules.countsInline() ? inTree.ofSource(volume) : null;
        if (plugin == null || !inTree.canCount(plugin)) {
            return;
        }
        InTreeVolumes.Handle handle = InTreeVolumes.inlineHandle(plugin, volume);
        // Unlike that of a persistent volume, an empty handle counts, and an invalid one ends the attempt.
        Verdict failure =
                handle.error() == null ? null : Verdict.error("converting an inline volume to CSI: " + handle.error());
        volumes.all.add(new Mounted(new CsiVolume(plugin.driver(), handle.text()), plugin, failure));
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
    public Verdict check(Volumes requested, NodeInfo node) {
        if (requested.failure != null) {
            return requested.failure;
        }
        CsiNodeInfo csiNode = cluster.csiNode(node.name());
        if (csiNode == null && rules.countsAttached()) {
            return Verdict.FITS;
        }
        Verdict invalid = failureOn(csiNode, requested);
        if (invalid != null) {
            return invalid;
        }
        Set<CsiVolume> added = countedVolumes(csiNode, requested);
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
        Verdict invalidOfPods = failureOn(csiNode, ofPods);
        if (invalidOfPods != null) {
            return invalidOfPods;
        }
        Set<CsiVolume> attached = countedVolumes(csiNode, ofPods);
        attached.forEach(added::remove);
        if (rules.countsAttached()) {
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

    private Set<CsiVolume> countedVolumes(@Nullable CsiNodeInfo csiNode, Volumes volumes) {
        Set<CsiVolume> counted = new HashSet<>();
        for (Mounted mounted : volumes.all) {
            if (counts(mounted, csiNode)) {
                counted.add(mounted.volume);
            }
        }
        return counted;
    }

    private @Nullable Verdict failureOn(@Nullable CsiNodeInfo csiNode, Volumes volumes) {
        for (Mounted mounted : volumes.all) {
            if (mounted.failure != null && counts(mounted, csiNode)) {
                return mounted.failure;
            }
        }
        return null;
    }

    private boolean counts(Mounted mounted, @Nullable CsiNodeInfo csiNode) {
        return mounted.plugin == null || inTree.counts(mounted.plugin, csiNode);
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
        for (int i = 0; !rules.countsAttached() && i < allocatable.scalarCount(); i++) {
            if (allocatable.scalarName(i).startsWith(ResourceNames.ATTACHABLE_PREFIX)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of volumes of a driver that a node can attach, or null. The CSINode precedes the node. */
    private @Nullable Long limit(String name, NodeInfo node, @Nullable CsiNodeInfo csiNode) {
        String key = limitKey(name);
        boolean readsNodes = !rules.countsAttached();
        Long limit = readsNodes && node.allocatable().hasScalar(key)
                ? Long.valueOf(node.allocatable().scalar(key))
                : null;
        if (csiNode != null && drivers.test(name)) {
            for (CsiNodeInfo.Driver driver : csiNode.drivers()) {
                Integer count = driver.allocatableCount();
                boolean same = readsNodes
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
