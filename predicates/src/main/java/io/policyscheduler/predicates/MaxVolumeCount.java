package io.policyscheduler.predicates;

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
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.LabelSyntax;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.CsiVolumeLimits;
import io.policyscheduler.engine.placement.CsiVolumeLimits.Volumes;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The node can attach the pod's disks of one in-tree plugin in addition to those of its pods. {@link Disks} lists the four plugins.
 * Mirrors {@code MaxPDVolumeCountChecker} of {@code pkg/scheduler/algorithm/predicates/predicates.go}.
 */
public final class MaxVolumeCount implements Predicate {
    /** Environment variable with the limit of nodes that report none. */
    public static final String LIMIT_VARIABLE = "KUBE_MAX_PD_VOLS";

    /** The disks with a limit per node, with the limits of v1.17: one entry per volume-count predicate. */
    public enum Disks {
        /** AWS Elastic Block Store. */
        EBS("MaxEBSVolumeCount", Plugin.AWS_EBS, "attachable-volumes-aws-ebs", 39),
        /** GCE persistent disk. */
        GCE_PD("MaxGCEPDVolumeCount", Plugin.GCE_PD, "attachable-volumes-gce-pd", 16),
        /** Azure managed and blob disks. */
        AZURE_DISK("MaxAzureDiskVolumeCount", Plugin.AZURE_DISK, "attachable-volumes-azure-disk", 16),
        /** OpenStack Cinder. */
        CINDER("MaxCinderVolumeCount", Plugin.CINDER, "attachable-volumes-cinder", 256);

        private static final String INSTANCE_TYPE = "beta.kubernetes.io/instance-type";
        private static final String STABLE_INSTANCE_TYPE = "node.kubernetes.io/instance-type";
        /** Instances on Nitro hardware; only the first alternative is anchored. */
        private static final Pattern NITRO = Pattern.compile("^[cmr]5.*|t3|z1d");

        private static final int NITRO_LIMIT = 25;

        private final String predicateName;
        private final Plugin plugin;
        private final String limitKey;
        private final int defaultLimit;

        Disks(String predicateName, Plugin plugin, String limitKey, int defaultLimit) {
            this.predicateName = predicateName;
            this.plugin = plugin;
            this.limitKey = limitKey;
            this.defaultLimit = defaultLimit;
        }

        /** Name of the predicate in a Policy file, e.g. {@code MaxEBSVolumeCount}. */
        public String predicateName() {
            return predicateName;
        }

        Plugin plugin() {
            return plugin;
        }

        /** The allocatable resource with the limit of a node. */
        String limitKey() {
            return limitKey;
        }

        /** The limit of a node that reports none, if the environment variable is not set. */
        int defaultLimit(Labels nodeLabels) {
            if (this != EBS) {
                return defaultLimit;
            }
            String type = nodeLabels.get(INSTANCE_TYPE);
            if (type == null) {
                type = nodeLabels.getOrEmpty(STABLE_INSTANCE_TYPE);
            }
            return NITRO.matcher(type).find() ? NITRO_LIMIT : defaultLimit;
        }
    }

    private static final Verdict TOO_MANY = Verdict.unfit(FailureReasons.MAX_VOLUME_COUNT);

    private final Disks disks;
    private final AlgorithmConfig config;
    private final InTreeVolumes inTree;
    private final boolean notesCounts;

    /** Counts {@code disks}, reading gates and environment of {@code config}. */
    public MaxVolumeCount(Disks disks, AlgorithmConfig config) {
        this.disks = disks;
        this.config = config;
        this.inTree = InTreeVolumes.v117(config.gates());
        this.notesCounts = config.gates().enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
    }

    @Override
    public String name() {
        return disks.predicateName();
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodFilter start(PodContext context) {
        PodInfo pod = context.pod();
        if (pod.volumes().isEmpty()) {
            return PodFilter.FITS_ALL;
        }
        Set<String> requested = new HashSet<>();
        if (!collect(pod, context.cluster(), requested)) {
            return node -> CsiVolumeLimits.NAMELESS;
        }
        return requested.isEmpty() ? PodFilter.FITS_ALL : node -> check(node, requested, context.cluster());
    }

    private Verdict check(NodeInfo node, Set<String> requested, ClusterView cluster) {
        if (inTree.isMigrated(disks.plugin(), cluster.csiNode(node.name()))) {
            return Verdict.FITS;
        }
        Set<String> attached = new HashSet<>();
        for (int i = 0; i < node.podCount(); i++) {
            if (!collect(node.pod(i), cluster, attached)) {
                return CsiVolumeLimits.NAMELESS;
            }
        }
        long added = requested.size();
        for (String id : requested) {
            if (attached.contains(id)) {
                added--;
            }
        }
        long limit = limit(node);
        if (attached.size() + added > limit) {
            return TOO_MANY;
        }
        if (notesCounts) {
            node.setVolumeCounts(limit - attached.size(), added);
        }
        return Verdict.FITS;
    }

    private long limit(NodeInfo node) {
        if (node.allocatable().hasScalar(disks.limitKey())) {
            return node.allocatable().scalar(disks.limitKey());
        }
        Long configured = LabelSyntax.parseInt64(config.environment().apply(LIMIT_VARIABLE));
        if (configured != null && configured > 0) {
            return configured;
        }
        return disks.defaultLimit(node.node().labels());
    }

    /** Adds the IDs of the pod's disks of this kind; false if one of its claims has no name. */
    private boolean collect(PodInfo pod, ClusterView cluster, Set<String> ids) {
        List<Volume> volumes = pod.volumes();
        for (int i = 0; i < volumes.size(); i++) {
            Volume volume = volumes.get(i);
            if (volume.kind() == disks.plugin().kind()) {
                ids.add(volume.id());
            } else if (volume.kind() == Volume.Kind.CLAIM) {
                if (volume.id().isEmpty()) {
                    return false;
                }
                String id = idBehindClaim(pod.namespace(), volume.id(), cluster);
                if (id != null) {
                    ids.add(id);
                }
            }
        }
        return true;
    }

    /** The disk of a claim, a placeholder if it is unknown yet, or null if it is of another kind. */
    private @Nullable String idBehindClaim(String namespace, String name, ClusterView cluster) {
        ClaimInfo claim = cluster.claim(namespace, name);
        if (claim == null) {
            return null;
        }
        PersistentVolumeInfo volume = claim.volumeName().isEmpty() ? null : cluster.volume(claim.volumeName());
        if (volume != null) {
            return volume.source().kind() == disks.plugin().kind()
                    ? volume.source().id()
                    : null;
        }
        return classMatches(claim, cluster) ? CsiVolumeLimits.placeholder(claim) : null;
    }

    private boolean classMatches(ClaimInfo claim, ClusterView cluster) {
        // Only the field: this predicate ignores the beta annotation.
        String className = claim.storageClassName();
        StorageClassInfo storageClass = className == null ? null : cluster.storageClass(className);
        return storageClass != null
                && storageClass.provisioner().equals(disks.plugin().pluginName());
    }

    /**
     * The CSI drivers of the node can attach the pod's volumes in addition to those of its pods. Only volumes of claims count.
     * Mirrors {@code pkg/scheduler/algorithm/predicates/csi_volume_predicate.go}.
     */
    public static final class MaxCSIVolumeCount implements Predicate {
        /** Name in a Policy file. */
        public static final String NAME = "MaxCSIVolumeCountPred";

        private final InTreeVolumes inTree;

        /** Reads the migration gates of {@code config}. */
        public MaxCSIVolumeCount(AlgorithmConfig config) {
            this.inTree = InTreeVolumes.v117(config.gates());
        }

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
            CsiVolumeLimits limits = new CsiVolumeLimits(context.cluster(), inTree);
            Volumes requested = limits.volumes(context.pod());
            return requested.isEmpty() ? PodFilter.FITS_ALL : node -> limits.check(requested, node);
        }
    }
}
