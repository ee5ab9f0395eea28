package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.predicates.StorageFixtures.claim;
import static io.policyscheduler.predicates.StorageFixtures.csi;
import static io.policyscheduler.predicates.StorageFixtures.delayed;
import static io.policyscheduler.predicates.StorageFixtures.migrated;
import static io.policyscheduler.predicates.StorageFixtures.persistent;
import static io.policyscheduler.predicates.StorageFixtures.volume;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.CsiVolumeLimits;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.predicates.MaxVolumeCount.MaxCSIVolumeCount;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaxCSIVolumeCountTest {
    private static final Verdict TOO_MANY = Verdict.unfit(FailureReasons.MAX_VOLUME_COUNT);
    private static final FeatureGates AWS_ON = FeatureGates.defaults().with(FeatureGates.CSI_MIGRATION_AWS, true);

    /** Claims a and b of driver d, c of driver e, and a node that takes one volume of d. */
    private static ClusterState drivers(ClusterObject... more) {
        ClusterState cluster = cluster(
                node("n1").scalar("attachable-volumes-csi-d", 1).build(),
                claim("a").volumeName("va").build(),
                persistent("va").source(csi("d", "ha")).build(),
                claim("b").volumeName("vb").build(),
                persistent("vb").source(csi("d", "hb")).build(),
                claim("c").volumeName("vc").build(),
                persistent("vc").source(csi("e", "hc")).build());
        Arrays.stream(more).forEach(cluster::putObject);
        return cluster;
    }

    @Test
    void countsPerDriver() {
        ClusterState cluster = drivers();
        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("a")));
        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("a").claim("a")));
        assertEquals(TOO_MANY, check(cluster, pod("p").claim("a").claim("b")));
        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("c")), "no limit for e");

        cluster.addPod(pod("e").onNode("n1").claim("a").build());
        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("a")));
        assertEquals(TOO_MANY, check(cluster, pod("p").claim("b")));
    }

    @Test
    void nodeOverItsLimitTakesAttachedVolumes() {
        ClusterState cluster = drivers();
        cluster.addPod(pod("e").onNode("n1").claim("a").claim("b").build());

        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("b")));
    }

    @Test
    void csiNodeWinsOverTheNode() {
        assertEquals(
                Verdict.FITS,
                check(drivers(csiNode("d", 2)), pod("p").claim("a").claim("b")));
        assertEquals(TOO_MANY, check(drivers(csiNode("e", 0)), pod("p").claim("c")));
        assertEquals(
                TOO_MANY, check(drivers(csiNode("e", 5)), pod("p").claim("a").claim("b")));
        assertEquals(
                TOO_MANY, check(drivers(csiNode("d", null)), pod("p").claim("a").claim("b")));
    }

    @Test
    void withoutLimitsNothingElseIsLookedAt() {
        ClusterState cluster = drivers();
        cluster.putNode(node("n1").build());
        cluster.addPod(pod("e").onNode("n1").claim("").build());
        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("a")));

        // Neither a driver without a count nor another resource is a limit.
        cluster.putObject(csiNode("other", null));
        cluster.putNode(node("n1").scalar("example.com/x", 1).build());
        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("a")));

        cluster.putObject(csiNode("other", 1));
        assertEquals(Verdict.error("PersistentVolumeClaim had no name"), check(cluster, pod("p").claim("a")));
    }

    @Test
    void namelessClaimIsAnError() {
        assertEquals(Verdict.error("PersistentVolumeClaim had no name"), check(drivers(), pod("p").claim("")));
    }

    @ParameterizedTest
    @CsvSource({
        "unbound, TOO_MANY",
        "volume-gone, TOO_MANY",
        "annotated, TOO_MANY",
        "bound, TOO_MANY",
        "classless, FITS",
        "class-gone, FITS",
        "no-handle, FITS",
        "no-driver, FITS",
        "in-tree, FITS",
        "in-tree-unbound, FITS",
        "azure-file, FITS",
        "other-source, FITS",
        "gone, FITS",
    })
    void findsDriverAndHandle(String claimName, String verdict) {
        ClusterState cluster = cluster(
                node("n1")
                        .scalar("attachable-volumes-csi-d", 0)
                        .scalar("attachable-volumes-csi-", 0)
                        .build(),
                csiNode("ebs.csi.aws.com", 0),
                delayed("d", "d"),
                delayed("ebs", "kubernetes.io/aws-ebs"),
                delayed("azure-file", "kubernetes.io/azure-file"),
                claim("unbound").storageClass("d").build(),
                claim("volume-gone").storageClass("d").volumeName("v9").build(),
                claim("annotated")
                        .storageClass("ebs")
                        .annotation(ClaimInfo.CLASS_ANNOTATION, "d")
                        .build(),
                claim("bound").volumeName("v").build(),
                persistent("v").source(csi("d", "h")).build(),
                claim("classless").build(),
                claim("class-gone").storageClass("none").build(),
                claim("no-handle").volumeName("no-handle").build(),
                persistent("no-handle").source(csi("d", "")).build(),
                claim("no-driver").volumeName("no-driver").build(),
                persistent("no-driver").source(csi("", "h")).build(),
                claim("in-tree").volumeName("in-tree").build(),
                persistent("in-tree").build(),
                claim("in-tree-unbound").storageClass("ebs").build(),
                claim("azure-file").storageClass("azure-file").build(),
                claim("other-source").storageClass("d").volumeName("nfs").build(),
                persistent("nfs").source(volume(Volume.Kind.OTHER, "")).build());

        assertEquals(verdict.equals("FITS") ? Verdict.FITS : TOO_MANY, check(cluster, pod("p").claim(claimName)));
    }

    @Test
    void inlineVolumesAreNotCounted() {
        assertSame(
                PodFilter.FITS_ALL,
                new MaxCSIVolumeCount(AlgorithmConfig.defaults())
                        .start(PodContext.of(pod("p").volume(csi("d", "h")).build(), drivers())));
        // Not even when the handle happens to be the name of a claim.
        assertEquals(
                Verdict.FITS, check(drivers(), pod("p").volume(csi("d", "b")).claim("a")));
    }

    @Test
    void countsMigratedVolumesWhereTheyAreMigrated() {
        ClusterState cluster = cluster(
                node("n1").scalar("attachable-volumes-csi-ebs.csi.aws.com", 1).build(),
                node("n2").scalar("attachable-volumes-csi-ebs.csi.aws.com", 1).build(),
                migrated("n1", "kubernetes.io/aws-ebs"),
                delayed("ebs", "kubernetes.io/aws-ebs"),
                claim("bound").volumeName("vol-1").build(),
                persistent("vol-1")
                        .source(volume(Volume.Kind.AWS_EBS, "aws://us-1a/vol-1"))
                        .build(),
                claim("csi").volumeName("csi").build(),
                persistent("csi").source(csi("ebs.csi.aws.com", "vol-1")).build(),
                claim("unbound").storageClass("ebs").build(),
                claim("broken").volumeName("broken").build(),
                persistent("broken")
                        .source(volume(Volume.Kind.AWS_EBS, "aws://us-1a/x"))
                        .build(),
                claim("zoneless").volumeName("zoneless").build(),
                persistent("zoneless").label(Node.LEGACY_ZONE, "").build());

        PodBuilder two = pod("p").claim("bound").claim("unbound");
        assertEquals(TOO_MANY, check(AWS_ON, cluster, "n1", two));
        assertEquals(Verdict.FITS, check(AWS_ON, cluster, "n2", two));
        assertEquals(Verdict.FITS, check(FeatureGates.defaults(), cluster, "n1", two));
        assertEquals(
                Verdict.FITS,
                check(AWS_ON, cluster, "n1", pod("p").claim("bound").claim("csi")));
        assertEquals(
                Verdict.FITS,
                check(
                        AWS_ON,
                        cluster,
                        "n1",
                        pod("p").claim("bound").claim("broken").claim("zoneless")));
    }

    @Test
    void shortensLongDriverNames() {
        String key = "attachable-volumes-csi-";
        assertEquals(key + "d".repeat(39), CsiVolumeLimits.limitKey("d".repeat(39)));
        assertEquals(
                key + "com.amazon.aws.eks.eu-wbca08f265237422a",
                CsiVolumeLimits.limitKey("com.amazon.aws.eks.eu-west-1.aws-ebs-csi"));
    }

    @Test
    void describesItself() {
        MaxCSIVolumeCount predicate = new MaxCSIVolumeCount(AlgorithmConfig.defaults());
        assertEquals("MaxCSIVolumeCountPred", predicate.name());
        assertEquals(Scope.CLUSTER, predicate.scope());
        assertSame(PodFilter.FITS_ALL, predicate.start(PodContext.of(pod("p").build(), cluster())));
    }

    private static CsiNodeInfo csiNode(String driver, @Nullable Integer count) {
        return new CsiNodeInfo("n1", Labels.EMPTY, List.of(new CsiNodeInfo.Driver(driver, count)));
    }

    private static Verdict check(ClusterState cluster, PodBuilder pod) {
        return check(FeatureGates.defaults(), cluster, "n1", pod);
    }

    private static Verdict check(FeatureGates gates, ClusterState cluster, String node, PodBuilder pod) {
        AlgorithmConfig config = new AlgorithmConfig(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                Set.of(),
                1,
                gates,
                name -> "",
                Set.of());
        return new MaxCSIVolumeCount(config)
                .start(PodContext.of(pod.build(), cluster))
                .check(info(cluster, node));
    }
}
