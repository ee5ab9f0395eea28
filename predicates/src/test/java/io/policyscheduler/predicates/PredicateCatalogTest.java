package io.policyscheduler.predicates;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class PredicateCatalogTest {
    private static final List<String> NAMES = List.of(
            "CheckNodeLabelPresence",
            "CheckNodeUnschedulable",
            "CheckServiceAffinity",
            "CheckVolumeBinding",
            "EvenPodsSpread",
            "GeneralPredicates",
            "HostName",
            "MatchInterPodAffinity",
            "MatchNodeSelector",
            "MaxAzureDiskVolumeCount",
            "MaxCSIVolumeCountPred",
            "MaxCinderVolumeCount",
            "MaxEBSVolumeCount",
            "MaxGCEPDVolumeCount",
            "NoDiskConflict",
            "NoVolumeZoneConflict",
            "PodFitsHostPorts",
            "PodFitsPorts",
            "PodFitsResources",
            "PodToleratesNodeTaints");

    @Test
    void buildsEachPredicateUnderItsName() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        PredicateCatalog.register(builder);
        AlgorithmRegistry registry = builder.build();
        assertEquals(NAMES, List.copyOf(registry.predicateNames()));
        assertEquals(
                NAMES,
                NAMES.stream()
                        .map(name -> registry.predicate(name, AlgorithmConfig.defaults())
                                .name())
                        .toList());
    }
}
