package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.predicates.StorageFixtures.claim;
import static io.policyscheduler.predicates.StorageFixtures.in;
import static io.policyscheduler.predicates.StorageFixtures.persistent;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PodVolumeClaims.Rules;
import io.policyscheduler.engine.placement.PodVolumeClaims.VolumeMatching;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VolumeMatchingTest {
    private static final String NONE = "none";

    private static StorageFixtures.ClaimBuilder asking() {
        return claim("c").storageClass("k");
    }

    private static StorageFixtures.VolumeBuilder offered(String name) {
        return persistent(name).storageClass("k");
    }

    static Stream<Arguments> single() {
        LabelSelector fast = LabelSelector.of(Labels.of("speed", "fast"), List.of());
        return Stream.of(
                Arguments.of("plain", asking(), offered("v"), true),
                Arguments.of("exact size", asking().size("5Gi"), offered("v"), true),
                Arguments.of("too small", asking().size("5121Mi"), offered("v"), false),
                Arguments.of("no quantities", asking().size("0"), offered("v").capacity("0"), true),
                Arguments.of("other class", asking(), persistent("v").storageClass("other"), false),
                Arguments.of(
                        "class by annotation only",
                        asking(),
                        persistent("v").annotation(ClaimInfo.CLASS_ANNOTATION, "k"),
                        false),
                Arguments.of(
                        "annotation disagrees",
                        asking(),
                        offered("v").annotation(ClaimInfo.CLASS_ANNOTATION, "x"),
                        false),
                Arguments.of("modes differ", asking().mode("Block"), offered("v"), false),
                Arguments.of("mode spelled out", asking().mode("Filesystem"), offered("v"), true),
                Arguments.of("both block", asking().mode("Block"), offered("v").mode("Block"), true),
                Arguments.of("terminating", asking(), offered("v").terminating(), false),
                Arguments.of("not available", asking(), offered("v").phase("Bound"), false),
                Arguments.of("no phase", asking(), offered("v").phase(""), false),
                Arguments.of("kept for another", asking(), offered("v").claimRef("default", "other", ""), false),
                Arguments.of(
                        "kept for another namespace", asking(), offered("v").claimRef("x", "c", ""), false),
                Arguments.of("kept for an older one", asking(), offered("v").claimRef("default", "c", "old"), false),
                Arguments.of("selected", asking().selector(fast), offered("v").label("speed", "fast"), true),
                Arguments.of("not selected", asking().selector(fast), offered("v"), false),
                Arguments.of("selects all", asking().selector(LabelSelector.EVERYTHING), offered("v"), true),
                Arguments.of(
                        "mode missing", asking().accessModes("ReadWriteOnce", "ReadOnlyMany"), offered("v"), false),
                Arguments.of(
                        "modes offered",
                        asking().accessModes("ReadOnlyMany"),
                        offered("v").accessModes("ReadWriteOnce", "ReadOnlyMany"),
                        true),
                Arguments.of("on this node", asking(), offered("v").affinity(in("zone", "z")), true),
                Arguments.of("on another node", asking(), offered("v").affinity(in("zone", "y")), false),
                Arguments.of(
                        "kept, not available",
                        asking().selector(fast).accessModes("ReadWriteMany"),
                        offered("v")
                                .claimRef("default", "c", "c-uid")
                                .phase("Bound")
                                .annotation(ClaimInfo.CLASS_ANNOTATION, "x"),
                        true),
                Arguments.of("kept by name", asking(), offered("v").claimRef("default", "c", ""), true),
                Arguments.of(
                        "kept, too small", asking().size("6Gi"), offered("v").claimRef("default", "c", ""), false),
                Arguments.of(
                        "kept, terminating",
                        asking(),
                        offered("v").claimRef("default", "c", "").terminating(),
                        false),
                Arguments.of(
                        "kept, modes differ",
                        asking(),
                        offered("v").claimRef("default", "c", "").mode("Block"),
                        false),
                Arguments.of(
                        "kept, on another node",
                        asking(),
                        offered("v").claimRef("default", "c", "").affinity(in("zone", "y")),
                        false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("single")
    void matchesOneVolume(
            String name, StorageFixtures.ClaimBuilder claim, StorageFixtures.VolumeBuilder volume, boolean found) {
        assertEquals(found ? "v" : NONE, find(claim.build(), Set.of(), volume.build()));
    }

    @Test
    void takesTheSmallestThatIsLargeEnough() {
        PersistentVolumeInfo[] volumes = {
            offered("a").capacity("8Gi").build(),
            offered("b").capacity("3Gi").build(),
            offered("c").capacity("3Gi").build(),
            offered("d").capacity("1Gi").build()
        };
        assertEquals("b", find(asking().size("2Gi").build(), Set.of(), volumes));
        assertEquals("c", find(asking().size("2Gi").build(), Set.of("b"), volumes));
        assertEquals("a", find(asking().size("2Gi").build(), Set.of("b", "c"), volumes));
        assertEquals(NONE, find(asking().size("2Gi").build(), Set.of("a", "b", "c"), volumes));
    }

    @Test
    void keptVolumeComesBeforeSmallerOnes() {
        PersistentVolumeInfo small = offered("a").capacity("1Gi").build();
        PersistentVolumeInfo kept = offered("b").claimRef("default", "c", "").build();

        assertEquals("b", find(asking().build(), Set.of(), small, kept));
        assertEquals("a", find(asking().build(), Set.of("b"), small, kept));
    }

    @Test
    void keptVolumeOutOfReachForbidsAllOthers() {
        PersistentVolumeInfo kept = offered("b")
                .claimRef("default", "c", "")
                .affinity(in("zone", "y"))
                .build();

        assertEquals(NONE, find(asking().build(), Set.of(), offered("a").build(), kept));
    }

    @Test
    void followsGates() {
        PersistentVolumeInfo volume = offered("v").mode("Block").terminating().build();
        FeatureGates off = FeatureGates.defaults()
                .with(FeatureGates.BLOCK_VOLUME, false)
                .with(FeatureGates.STORAGE_OBJECT_IN_USE_PROTECTION, false);

        assertEquals("v", find(off, asking().build(), Set.of(), volume));
        assertEquals(NONE, find(off.with(FeatureGates.BLOCK_VOLUME, true), asking().build(), Set.of(), volume));
    }

    private static String find(ClaimInfo claim, Set<String> taken, PersistentVolumeInfo... volumes) {
        return find(FeatureGates.defaults(), claim, taken, volumes);
    }

    private static String find(
            FeatureGates gates, ClaimInfo claim, Set<String> taken, PersistentVolumeInfo... volumes) {
        ClusterState cluster = cluster(volumes);
        PersistentVolumeInfo found = new VolumeMatching(claim, cluster, Rules.v117(gates))
                .find(Labels.of("zone", "z"), volume -> taken.contains(volume.name()));
        return found == null ? NONE : found.name();
    }
}
