package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NoDiskConflictTest {
    private static final Verdict CONFLICT = Verdict.unfit(FailureReasons.DISK_CONFLICT);

    static Stream<Arguments> pairs() {
        return Stream.of(
                Arguments.of(
                        "GCE, both write",
                        disk(Volume.Kind.GCE_PD, "a", false),
                        disk(Volume.Kind.GCE_PD, "a", false),
                        true),
                Arguments.of(
                        "GCE, one writes",
                        disk(Volume.Kind.GCE_PD, "a", true),
                        disk(Volume.Kind.GCE_PD, "a", false),
                        true),
                Arguments.of(
                        "GCE, both read",
                        disk(Volume.Kind.GCE_PD, "a", true),
                        disk(Volume.Kind.GCE_PD, "a", true),
                        false),
                Arguments.of(
                        "GCE, others",
                        disk(Volume.Kind.GCE_PD, "a", false),
                        disk(Volume.Kind.GCE_PD, "b", false),
                        false),
                Arguments.of(
                        "EBS, both read",
                        disk(Volume.Kind.AWS_EBS, "v", true),
                        disk(Volume.Kind.AWS_EBS, "v", true),
                        true),
                Arguments.of(
                        "EBS, others",
                        disk(Volume.Kind.AWS_EBS, "v", false),
                        disk(Volume.Kind.AWS_EBS, "w", false),
                        false),
                Arguments.of(
                        "iSCSI, one writes",
                        disk(Volume.Kind.ISCSI, "iqn", false),
                        disk(Volume.Kind.ISCSI, "iqn", true),
                        true),
                Arguments.of(
                        "iSCSI, both read",
                        disk(Volume.Kind.ISCSI, "iqn", true),
                        disk(Volume.Kind.ISCSI, "iqn", true),
                        false),
                Arguments.of(
                        "RBD, shared monitor",
                        rbd("i", "p", false, "m1", "m2"),
                        rbd("i", "p", false, "m2", "m3"),
                        true),
                Arguments.of("RBD, both read", rbd("i", "p", true, "m1"), rbd("i", "p", true, "m1"), false),
                Arguments.of("RBD, one writes", rbd("i", "p", true, "m1"), rbd("i", "p", false, "m1"), true),
                Arguments.of("RBD, no shared monitor", rbd("i", "p", false, "m1"), rbd("i", "p", false, "m2"), false),
                Arguments.of("RBD, no monitors", rbd("i", "p", false), rbd("i", "p", false), false),
                Arguments.of("RBD, other pool", rbd("i", "p", false, "m1"), rbd("i", "q", false, "m1"), false),
                Arguments.of("RBD, other image", rbd("i", "p", false, "m1"), rbd("j", "p", false, "m1"), false),
                Arguments.of(
                        "kinds differ",
                        disk(Volume.Kind.GCE_PD, "a", false),
                        disk(Volume.Kind.AWS_EBS, "a", false),
                        false),
                Arguments.of(
                        "Azure",
                        disk(Volume.Kind.AZURE_DISK, "a", false),
                        disk(Volume.Kind.AZURE_DISK, "a", false),
                        false),
                Arguments.of(
                        "Cinder", disk(Volume.Kind.CINDER, "a", false), disk(Volume.Kind.CINDER, "a", false), false),
                Arguments.of("claims", disk(Volume.Kind.CLAIM, "a", false), disk(Volume.Kind.CLAIM, "a", false), false),
                Arguments.of(
                        "others", disk(Volume.Kind.OTHER, "a", false), disk(Volume.Kind.OTHER, "a", false), false));
    }

    private static Volume disk(Volume.Kind kind, String id, boolean readOnly) {
        return new Volume(kind, id, "", readOnly, List.of());
    }

    private static Volume rbd(String image, String pool, boolean readOnly, String... monitors) {
        return new Volume(Volume.Kind.RBD, image, pool, readOnly, List.of(monitors));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void comparesWithMountedDisks(String name, Volume requested, Volume mounted, boolean conflict) {
        ClusterState cluster = cluster(
                node("n1").build(),
                pod("empty").onNode("n1").build(),
                pod("e").onNode("n1")
                        .volume(disk(Volume.Kind.OTHER, "", false))
                        .volume(mounted)
                        .build());

        assertEquals(
                conflict ? CONFLICT : Verdict.FITS,
                check(
                        cluster,
                        pod("p").volume(disk(Volume.Kind.OTHER, "x", false)).volume(requested)));
    }

    @Test
    void doesNotCompareVolumesOfOnePod() {
        Volume disk = disk(Volume.Kind.AWS_EBS, "v", false);

        assertEquals(
                Verdict.FITS,
                check(cluster(node("n1").build()), pod("p").volume(disk).volume(disk)));
    }

    @Test
    void fitsEverywhereWithoutDisks() {
        PodInfo pod = pod("p").claim("c").build();

        assertSame(
                PodFilter.FITS_ALL,
                new NoDiskConflict().start(PodContext.of(pod, cluster(node("n1").build()))));
    }

    @Test
    void describesItself() {
        assertEquals("NoDiskConflict", new NoDiskConflict().name());
        assertEquals(Scope.NODE, new NoDiskConflict().scope());
    }

    private static Verdict check(ClusterState cluster, PodBuilder pod) {
        return new NoDiskConflict().start(PodContext.of(pod.build(), cluster)).check(info(cluster, "n1"));
    }
}
