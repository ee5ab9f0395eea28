package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.predicates.MaxVolumeCount.MaxCSIVolumeCount;

/** All predicates of v1.17 by their name in a Policy file. */
public final class PredicateCatalog {
    private PredicateCatalog() {}

    /** Adds them all. */
    public static void register(AlgorithmRegistry.Builder registry) {
        registry.predicate("CheckNodeUnschedulable", config -> new CheckNodeUnschedulable())
                .composed("GeneralPredicates", GeneralPredicates::of)
                .predicate("HostName", config -> new HostName())
                .predicate(PodFitsHostPorts.NAME, config -> new PodFitsHostPorts(PodFitsHostPorts.NAME))
                .predicate(PodFitsHostPorts.OLD_NAME, config -> new PodFitsHostPorts(PodFitsHostPorts.OLD_NAME))
                .predicate("MatchNodeSelector", config -> new MatchNodeSelector())
                .predicate("PodFitsResources", PodFitsResources::new)
                .predicate("NoDiskConflict", config -> new NoDiskConflict())
                .predicate("PodToleratesNodeTaints", config -> new PodToleratesNodeTaints())
                .predicate("CheckNodeLabelPresence", CheckNodeLabelPresence::new)
                .predicate("CheckServiceAffinity", CheckServiceAffinity::new)
                .predicate(MaxCSIVolumeCount.NAME, MaxCSIVolumeCount::new)
                .predicate("CheckVolumeBinding", CheckVolumeBinding::new)
                .predicate("NoVolumeZoneConflict", config -> new NoVolumeZoneConflict())
                .predicate("EvenPodsSpread", config -> new EvenPodsSpread())
                .predicate(
                        "MatchInterPodAffinity",
                        config -> new MatchInterPodAffinity(config.gates().release()));
        for (MaxVolumeCount.Disks disks : MaxVolumeCount.Disks.values()) {
            registry.predicate(disks.predicateName(), config -> new MaxVolumeCount(disks, config));
        }
    }
}
