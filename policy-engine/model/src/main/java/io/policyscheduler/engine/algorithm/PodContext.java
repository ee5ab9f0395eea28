package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.Volume;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to place one pod.
 *
 * @param pod the pod to place
 * @param cluster the cluster at the start of the attempt
 * @param metadataAvailable false if v1.17 could not compute its shared predicate metadata, because a selector of the pod or of an
 *     existing pod's required anti-affinity is invalid; see {@code GetPredicateMetadata} of
 *     {@code pkg/scheduler/algorithm/predicates/metadata.go}
 */
public record PodContext(PodInfo pod, ClusterView cluster, boolean metadataAvailable) {
    /** The context of an attempt that starts now. */
    public static PodContext of(PodInfo pod, ClusterView cluster) {
        return new PodContext(pod, cluster, selectorsAreValid(pod, cluster));
    }

    /**
     * Whether labels of namespaces matter: some term of inter-pod affinity, of the pod or of a running pod, has a namespace
     * selector.
     */
    public boolean selectsNamespaces() {
        if (pod.affinity().selectsNamespaces()) {
            return true;
        }
        ClusterIndex index = cluster.index();
        if (index != null) {
            return index.affinityOwners().anySelectsNamespaces();
        }
        for (NodeInfo node : cluster.nodesWithAffinity()) {
            for (PodInfo other : node.podsWithAffinity()) {
                if (other.affinity().selectsNamespaces()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean selectorsAreValid(PodInfo pod, ClusterView cluster) {
        for (TopologySpreadConstraint constraint : pod.spec().spreadConstraints()) {
            if (constraint.isHard()
                    && constraint.selector() != null
                    && constraint.selector().error() != null) {
                return false;
            }
        }
        Affinity affinity = pod.affinity();
        if (affinity.podAffinity() != null && affinity.podAffinity().requiredError() != null) {
            return false;
        }
        // Own anti-affinity terms are parsed only when an existing pod is compared with them.
        if (affinity.podAntiAffinity() != null
                && affinity.podAntiAffinity().requiredError() != null
                && anyPod(cluster)) {
            return false;
        }
        return cluster.podsWithInvalidAntiAffinity() == 0 || !invalidOnKnownNode(cluster);
    }

    private static boolean invalidOnKnownNode(ClusterView cluster) {
        for (NodeInfo node : cluster.nodesWithAffinity()) {
            for (PodInfo pod : node.podsWithAffinity()) {
                Affinity.PodTerms anti = pod.affinity().podAntiAffinity();
                if (anti != null && anti.requiredError() != null) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean anyPod(ClusterView cluster) {
        for (NodeInfo node : cluster.nodes()) {
            if (node.podCount() > 0) {
                return true;
            }
        }
        return false;
    }

    /** The checks of a pod that run before any filter. Mirrors {@code podPassesBasicChecks} of the 1.17 scheduler. */
    public static final class PodChecks {
        /** The error of an attempt in a cluster without nodes. */
        public static final String NO_NODES = "no nodes available to schedule pods";

        private PodChecks() {}

        /** Null, or the error: a claim of the pod is missing or being deleted. */
        public static @Nullable String error(PodInfo pod, ClusterView cluster) {
            for (Volume volume : pod.volumes()) {
                if (volume.kind() == Volume.Kind.CLAIM) {
                    ClaimInfo claim = cluster.claim(pod.namespace(), volume.id());
                    if (claim == null) {
                        return "persistentvolumeclaim \"" + volume.id() + "\" not found";
                    }
                    if (claim.terminating()) {
                        return "persistentvolumeclaim \"" + volume.id() + "\" is being deleted";
                    }
                }
            }
            return null;
        }
    }
}
