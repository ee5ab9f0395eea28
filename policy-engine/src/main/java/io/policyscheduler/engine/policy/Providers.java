package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/** The algorithm providers of v1.17, including the algorithms of enabled feature gates. */
public final class Providers {
    public static final String DEFAULT = "DefaultProvider";
    public static final String CLUSTER_AUTOSCALER = "ClusterAutoscalerProvider";

    private static final ImmutableList<String> MANDATORY =
            ImmutableList.of("CheckNodeUnschedulable", "PodToleratesNodeTaints");

    /**
     * The sets of one provider.
     *
     * @param predicates names, sorted
     * @param priorities names and registered weights, sorted by name
     */
    public record Provider(String name, SortedSet<String> predicates, SortedMap<String, Long> priorities) {}

    private Providers() {}

    /** Predicates that are part of every configuration. */
    public static List<String> mandatoryPredicates() {
        return MANDATORY;
    }

    /** The provider of this name, empty if it is not registered. */
    public static Optional<Provider> find(String name, FeatureGates gates) {
        if (!name.equals(DEFAULT) && !name.equals(CLUSTER_AUTOSCALER)) {
            return Optional.empty();
        }
        ImmutableSortedSet.Builder<String> predicates = ImmutableSortedSet.naturalOrder();
        predicates.add(
                "CheckNodeUnschedulable",
                "CheckVolumeBinding",
                "GeneralPredicates",
                "MatchInterPodAffinity",
                "MaxAzureDiskVolumeCount",
                "MaxCSIVolumeCountPred",
                "MaxEBSVolumeCount",
                "MaxGCEPDVolumeCount",
                "NoDiskConflict",
                "NoVolumeZoneConflict",
                "PodToleratesNodeTaints");
        ImmutableSortedSet.Builder<String> priorities = ImmutableSortedSet.naturalOrder();
        priorities.add(
                "SelectorSpreadPriority",
                "InterPodAffinityPriority",
                name.equals(DEFAULT) ? "LeastRequestedPriority" : "MostRequestedPriority",
                "BalancedResourceAllocation",
                "NodePreferAvoidPodsPriority",
                "NodeAffinityPriority",
                "TaintTolerationPriority",
                "ImageLocalityPriority");
        for (KnownAlgorithm known : KnownAlgorithms.predicateRows()) {
            if (isBehindOpenGate(known, gates)) {
                predicates.add(known.name());
            }
        }
        Set<String> listed = priorities.build();
        ImmutableSortedMap.Builder<String, Long> weights = ImmutableSortedMap.naturalOrder();
        for (KnownAlgorithm known : KnownAlgorithms.priorityRows()) {
            if (listed.contains(known.name()) || isBehindOpenGate(known, gates)) {
                weights.put(known.name(), known.weight());
            }
        }
        return Optional.of(new Provider(name, predicates.build(), weights.buildOrThrow()));
    }

    /** Each gate adds its algorithms to every provider. */
    private static boolean isBehindOpenGate(KnownAlgorithm known, FeatureGates gates) {
        return !known.gate().isEmpty() && known.isEnabled(gates);
    }
}
