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
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.LabelSyntax;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The node can attach the pod's disks of one in-tree plugin besides those of its pods. {@link DiskPlugin} lists the four of
 * them. Mirrors {@code MaxPDVolumeCountChecker} of {@code pkg/scheduler/algorithm/predicates/predicates.go}.
 */
public final class MaxVolumeCount implements Predicate {
    /** Environment variable with a limit for nodes that state none. */
    public static final String LIMIT_VARIABLE = "KUBE_MAX_PD_VOLS";

    static final String NAMELESS_CLAIM = "PersistentVolumeClaim had no name";
    static final Verdict NAMELESS = Verdict.error(NAMELESS_CLAIM);

    private static final Verdict TOO_MANY = Verdict.unfit(FailureReasons.MAX_VOLUME_COUNT);

    private final DiskPlugin disks;
    private final AlgorithmConfig config;
    private final CsiMigration migration;
    private final boolean notesCounts;

    /** Counts {@code disks}, reading gates and environment of {@code config}. */
    public MaxVolumeCount(DiskPlugin disks, AlgorithmConfig config) {
        this.disks = disks;
        this.config = config;
        this.migration = new CsiMigration(config.gates());
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
        Set<String> wanted = new HashSet<>();
        if (!collect(pod, context.cluster(), wanted)) {
            return node -> NAMELESS;
        }
        return wanted.isEmpty() ? PodFilter.FITS_ALL : node -> check(node, wanted, context.cluster());
    }

    private Verdict check(NodeInfo node, Set<String> wanted, ClusterView cluster) {
        if (migration.isMigrated(disks.plugin(), cluster.csiNode(node.name()))) {
            return Verdict.FITS;
        }
        Set<String> attached = new HashSet<>();
        for (int i = 0; i < node.podCount(); i++) {
            if (!collect(node.pod(i), cluster, attached)) {
                return NAMELESS;
            }
        }
        long added = wanted.size();
        for (String id : wanted) {
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

    /** Adds the ids of the pod's disks of this kind; false when one of its claims has no name. */
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

    /** The disk behind a claim, a stand-in when it is not known yet, or null when it is none of this kind. */
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
        return classMatches(claim, cluster) ? standIn(claim) : null;
    }

    /** Names the volume of a claim that has none yet; no volume id contains a zero character. */
    static String standIn(ClaimInfo claim) {
        return "\0" + claim.key();
    }

    private boolean classMatches(ClaimInfo claim, ClusterView cluster) {
        // The field only: the beta annotation is not looked at here.
        String className = claim.storageClassName();
        StorageClassInfo storageClass = className == null ? null : cluster.storageClass(className);
        return storageClass != null
                && storageClass.provisioner().equals(disks.plugin().pluginName());
    }
}
