package io.policyscheduler.predicates.volume;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
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
import org.jspecify.annotations.Nullable;

/**
 * The CSI drivers of the node can attach the pod's volumes besides those of its pods. Only volumes behind claims count.
 * Mirrors {@code pkg/scheduler/algorithm/predicates/csi_volume_predicate.go}.
 */
public final class MaxCSIVolumeCount implements Predicate {
    /** Name in a Policy file. */
    public static final String NAME = "MaxCSIVolumeCountPred";

    private static final String LIMIT_PREFIX = ResourceNames.ATTACHABLE_PREFIX + "csi-";
    private static final int RESOURCE_NAME_LIMIT = 63;
    private static final Verdict TOO_MANY = Verdict.unfit(FailureReasons.MAX_VOLUME_COUNT);

    private final CsiMigration migration;

    /** Reads the migration gates of {@code config}. */
    public MaxCSIVolumeCount(AlgorithmConfig config) {
        this.migration = new CsiMigration(config.gates());
    }

    /**
     * A volume of a CSI driver.
     *
     * @param plugin null, or the in-tree plugin that must be migrated on the node for the volume to count
     */
    private record CsiVolume(
            String driver, String handle, @Nullable InTreePlugin plugin) {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodFilter start(PodContext context) {
        List<CsiVolume> wanted = new ArrayList<>();
        if (!collect(context.pod(), context.cluster(), wanted)) {
            return node -> MaxVolumeCount.NAMELESS;
        }
        return wanted.isEmpty() ? PodFilter.FITS_ALL : node -> check(node, wanted, context.cluster());
    }

    private Verdict check(NodeInfo node, List<CsiVolume> wanted, ClusterView cluster) {
        CsiNodeInfo csiNode = cluster.csiNode(node.name());
        Set<CsiVolume> added = countedOn(csiNode, wanted);
        if (added.isEmpty() || !hasLimits(node, csiNode)) {
            return Verdict.FITS;
        }
        List<CsiVolume> existing = new ArrayList<>();
        for (int i = 0; i < node.podCount(); i++) {
            if (!collect(node.pod(i), cluster, existing)) {
                return MaxVolumeCount.NAMELESS;
            }
        }
        // By name, so that a volume counts once whether it was translated or not.
        Map<String, Set<String>> attachedByDriver = handlesByDriver(countedOn(csiNode, existing));
        for (Map.Entry<String, Set<String>> entry : handlesByDriver(added).entrySet()) {
            Set<String> attached = attachedByDriver.getOrDefault(entry.getKey(), Set.of());
            Set<String> further = new HashSet<>(entry.getValue());
            further.removeAll(attached);
            Long limit = further.isEmpty() ? null : limit(entry.getKey(), node, csiNode);
            if (limit != null && attached.size() + further.size() > limit) {
                return TOO_MANY;
            }
        }
        return Verdict.FITS;
    }

    private Set<CsiVolume> countedOn(@Nullable CsiNodeInfo csiNode, List<CsiVolume> volumes) {
        Set<CsiVolume> counted = new HashSet<>();
        for (CsiVolume volume : volumes) {
            if (volume.plugin() == null || migration.isMigrated(volume.plugin(), csiNode)) {
                counted.add(volume);
            }
        }
        return counted;
    }

    private static Map<String, Set<String>> handlesByDriver(Set<CsiVolume> volumes) {
        Map<String, Set<String>> handles = new HashMap<>();
        for (CsiVolume volume : volumes) {
            handles.computeIfAbsent(volume.driver(), d -> new HashSet<>()).add(volume.handle());
        }
        return handles;
    }

    private static boolean hasLimits(NodeInfo node, @Nullable CsiNodeInfo csiNode) {
        if (csiNode != null) {
            for (CsiNodeInfo.Driver driver : csiNode.drivers()) {
                if (driver.allocatableCount() != null) {
                    return true;
                }
            }
        }
        ResourceVector allocatable = node.allocatable();
        for (int i = 0; i < allocatable.scalarCount(); i++) {
            if (allocatable.scalarName(i).startsWith(ResourceNames.ATTACHABLE_PREFIX)) {
                return true;
            }
        }
        return false;
    }

    /** How many volumes of the driver the node can attach, or null when nobody says. The CSINode wins over the node. */
    private static @Nullable Long limit(String driverName, NodeInfo node, @Nullable CsiNodeInfo csiNode) {
        String key = limitKey(driverName);
        Long limit = node.allocatable().hasScalar(key)
                ? Long.valueOf(node.allocatable().scalar(key))
                : null;
        if (csiNode != null) {
            for (CsiNodeInfo.Driver driver : csiNode.drivers()) {
                Integer count = driver.allocatableCount();
                if (count != null && limitKey(driver.name()).equals(key)) {
                    limit = count.longValue();
                }
            }
        }
        return limit;
    }

    /**
     * The node resource that holds a driver's limit; a long driver name is shortened with a hash. Mirrors
     * {@code GetCSIAttachLimitKey} of {@code pkg/volume/util/attach_limit.go}.
     */
    static String limitKey(String driver) {
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

    /** Adds the pod's volumes that count on some node; false when one of its claims has no name. */
    private boolean collect(PodInfo pod, ClusterView cluster, List<CsiVolume> volumes) {
        List<Volume> mounted = pod.volumes();
        for (int i = 0; i < mounted.size(); i++) {
            if (mounted.get(i).kind() != Volume.Kind.CLAIM) {
                continue;
            }
            String name = mounted.get(i).id();
            if (name.isEmpty()) {
                return false;
            }
            ClaimInfo claim = cluster.claim(pod.namespace(), name);
            CsiVolume volume = claim == null ? null : behind(claim, cluster);
            if (volume != null && !volume.driver().isEmpty() && !volume.handle().isEmpty()) {
                volumes.add(volume);
            }
        }
        return true;
    }

    private @Nullable CsiVolume behind(ClaimInfo claim, ClusterView cluster) {
        PersistentVolumeInfo volume = claim.volumeName().isEmpty() ? null : cluster.volume(claim.volumeName());
        if (volume == null) {
            return toBeProvisioned(claim, cluster);
        }
        Volume source = volume.source();
        if (source.kind() == Volume.Kind.CSI) {
            return new CsiVolume(source.detail(), source.id(), null);
        }
        InTreePlugin plugin = InTreePlugin.ofSource(source);
        if (plugin == null || !migration.isEnabled(plugin)) {
            return null;
        }
        CsiTranslation translation = CsiTranslation.of(plugin, volume);
        return translation.error() != null ? null : new CsiVolume(plugin.csiDriver(), translation.handle(), plugin);
    }

    private @Nullable CsiVolume toBeProvisioned(ClaimInfo claim, ClusterView cluster) {
        String className = claim.className();
        StorageClassInfo storageClass = className.isEmpty() ? null : cluster.storageClass(className);
        if (storageClass == null) {
            return null;
        }
        InTreePlugin plugin = InTreePlugin.ofName(storageClass.provisioner());
        if (plugin == null) {
            return new CsiVolume(storageClass.provisioner(), MaxVolumeCount.standIn(claim), null);
        }
        return migration.isEnabled(plugin)
                ? new CsiVolume(plugin.csiDriver(), MaxVolumeCount.standIn(claim), plugin)
                : null;
    }
}
