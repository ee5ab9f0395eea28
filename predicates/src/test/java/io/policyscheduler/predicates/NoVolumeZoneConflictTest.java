package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.predicates.StorageFixtures.claim;
import static io.policyscheduler.predicates.StorageFixtures.delayed;
import static io.policyscheduler.predicates.StorageFixtures.immediate;
import static io.policyscheduler.predicates.StorageFixtures.modeless;
import static io.policyscheduler.predicates.StorageFixtures.persistent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.testing.PodBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NoVolumeZoneConflictTest {
    private static final Verdict CONFLICT = Verdict.unfit(FailureReasons.VOLUME_ZONE_CONFLICT);

    @ParameterizedTest
    @CsvSource({
        "us-1a__us-1b, us-1b, true",
        "us-1a__us-1b, us-1c, false",
        "us-1a__us-1b, us-1a, true",
        "'us-1a __ us-1b', us-1b, true",
        "us-1a____us-1b, us-1c, true",
        "'', us-1c, true",
        "__, us-1c, true",
        "us-1a_us-1b, us-1b, false",
        "us-1a, '', false",
    })
    void comparesZones(String ofVolume, String ofNode, boolean fits) {
        ClusterState cluster = cluster(
                node("n1").label(Node.LEGACY_ZONE, ofNode).build(),
                claim("c").volumeName("v").build(),
                persistent("v").label(Node.LEGACY_ZONE, ofVolume).build());

        assertEquals(fits ? Verdict.FITS : CONFLICT, check(cluster, pod("p").claim("c")));
    }

    @Test
    void nodeWithTheOtherLabelOnlyConflicts() {
        ClusterState cluster = cluster(
                node("n1").label(Node.LEGACY_REGION, "r").build(),
                claim("c").volumeName("v").build(),
                persistent("v").label(Node.LEGACY_ZONE, "z").build());

        assertEquals(CONFLICT, check(cluster, pod("p").claim("c")));
    }

    @Test
    void comparesRegions() {
        ClusterState cluster = cluster(
                node("n1").label(Node.LEGACY_REGION, "r").build(),
                claim("same").volumeName("same").build(),
                persistent("same").label(Node.LEGACY_REGION, "r").build(),
                claim("other").volumeName("other").build(),
                persistent("other").label(Node.LEGACY_REGION, "s").build());

        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("same")));
        assertEquals(CONFLICT, check(cluster, pod("p").claim("other")));
    }

    @Test
    void nodeWithoutLegacyLabelsFitsEvenWhereOthersGiveAnError() {
        ClusterState cluster = cluster(
                node("n1").label(Node.ZONE, "a").label(Node.REGION, "r").build(),
                claim("c").volumeName("v").build(),
                persistent("v").label(Node.LEGACY_ZONE, "z").build());

        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("c").claim("gone")));
    }

    @Test
    void volumeWithoutLabelsFits() {
        ClusterState cluster = cluster(
                node("n1").label(Node.LEGACY_ZONE, "z").build(),
                claim("c").volumeName("v").build(),
                persistent("v").label(Node.ZONE, "other").build());
        PodInfo pod = pod("p").claim("c").build();

        assertSame(PodFilter.FITS_ALL, new NoVolumeZoneConflict().start(PodContext.of(pod, cluster)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|PersistentVolumeClaim had no name",
                "gone|persistentvolumeclaim \"gone\" not found",
                "volume-gone|persistentvolume \"v9\" not found",
                "classless|PersistentVolumeClaim was not found: \"classless\"",
                "class-gone|PersistentVolumeClaim was not found: \"class-gone\"",
                "immediate|PersistentVolumeClaim was not found: \"immediate\"",
                "modeless|VolumeBindingMode not set for StorageClass \"nomode\"",
                "annotated|VolumeBindingMode not set for StorageClass \"nomode\"",
            })
    void reportsErrors(String claimName, String text) {
        ClusterState cluster = errors();

        assertEquals(Verdict.error(text), check(cluster, pod("p").claim(claimName)));
    }

    @Test
    void skipsClaimsThatWaitForANode() {
        assertEquals(Verdict.FITS, check(errors(), pod("p").claim("delayed")));
    }

    @Test
    void goesByTheOrderOfVolumes() {
        ClusterState cluster = errors();
        cluster.putObject(claim("c").volumeName("v").build());
        cluster.putObject(persistent("v").label(Node.LEGACY_ZONE, "elsewhere").build());

        assertEquals(CONFLICT, check(cluster, pod("p").claim("c").claim("gone")));
        assertEquals(
                Verdict.error("persistentvolumeclaim \"gone\" not found"),
                check(cluster, pod("p").claim("gone").claim("c")));
    }

    @Test
    void everyVolumeHasToAgree() {
        ClusterState cluster = cluster(
                node("n1").label(Node.LEGACY_ZONE, "z").build(),
                claim("here").volumeName("here").build(),
                persistent("here").label(Node.LEGACY_ZONE, "z").build(),
                claim("elsewhere").volumeName("elsewhere").build(),
                persistent("elsewhere").label(Node.LEGACY_ZONE, "y").build());

        assertEquals(CONFLICT, check(cluster, pod("p").claim("here").claim("elsewhere")));
        // An inline volume is no claim, whatever its id.
        assertEquals(
                Verdict.FITS,
                check(
                        cluster,
                        pod("p").volume(StorageFixtures.volume(Volume.Kind.AWS_EBS, "elsewhere"))
                                .claim("here")));
    }

    @Test
    void podWithoutVolumesFitsEverywhere() {
        assertSame(PodFilter.FITS_ALL, new NoVolumeZoneConflict().start(PodContext.of(pod("p").build(), cluster())));
    }

    @Test
    void describesItself() {
        assertEquals("NoVolumeZoneConflict", new NoVolumeZoneConflict().name());
        assertEquals(Scope.CLUSTER, new NoVolumeZoneConflict().scope());
    }

    private static ClusterState errors() {
        return cluster(
                node("n1").label(Node.LEGACY_ZONE, "z").build(),
                delayed("wait", "p"),
                immediate("now", "p"),
                modeless("nomode"),
                claim("volume-gone").volumeName("v9").build(),
                claim("classless").build(),
                claim("class-gone").storageClass("none").build(),
                claim("immediate").storageClass("now").build(),
                claim("delayed").storageClass("wait").build(),
                claim("modeless").storageClass("nomode").build(),
                claim("annotated")
                        .storageClass("wait")
                        .annotation(ClaimInfo.CLASS_ANNOTATION, "nomode")
                        .build());
    }

    private static Verdict check(ClusterState cluster, PodBuilder pod) {
        return new NoVolumeZoneConflict()
                .start(PodContext.of(pod.build(), cluster))
                .check(info(cluster, "n1"));
    }
}
