package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.predicates.StorageFixtures.claim;
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
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.predicates.MaxVolumeCount.Disks;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MaxVolumeCountTest {
    private static final Verdict TOO_MANY = Verdict.unfit(FailureReasons.MAX_VOLUME_COUNT);
    private static final String EBS_LIMIT = "attachable-volumes-aws-ebs";

    @Test
    void countsDistinctDisksOfNodeAndPod() {
        ClusterState cluster = limited(2);
        cluster.addPod(pod("e").onNode("n1").volume(ebs("v1")).volume(ebs("v2")).build());
        cluster.putObject(claim("c3").volumeName("v3").build());
        cluster.putObject(persistent("v3").build());

        assertEquals(TOO_MANY, check(cluster, pod("p").volume(ebs("v2")).claim("c3")));
        assertEquals(Verdict.FITS, check(cluster, pod("p").volume(ebs("v2"))));
    }

    @Test
    void nodeOverItsLimitRejectsEvenAttachedDisks() {
        ClusterState cluster = limited(1);
        cluster.addPod(pod("e").onNode("n1").volume(ebs("v1")).volume(ebs("v2")).build());

        assertEquals(TOO_MANY, check(cluster, pod("p").volume(ebs("v2"))));
    }

    @Test
    void inlineAndClaimedUsesOfADiskAreOne() {
        ClusterState cluster =
                limited(1, claim("c").volumeName("v1").build(), persistent("v1").build());
        cluster.addPod(pod("e").onNode("n1").claim("c").build());

        assertEquals(Verdict.FITS, check(cluster, pod("p").volume(ebs("v1")).claim("c")));
    }

    @ParameterizedTest
    @CsvSource({
        "unbound, TOO_MANY",
        "volume-gone, TOO_MANY",
        "annotated, FITS",
        "classless, FITS",
        "class-gone, FITS",
        "other-provisioner, FITS",
        "other-source, FITS",
        "own-source, TOO_MANY",
        "gone, FITS",
    })
    void countsClaimsOfItsKind(String claimName, String verdict) {
        ClusterState cluster = limited(
                0,
                delayed("ebs", "kubernetes.io/aws-ebs"),
                delayed("gce", "kubernetes.io/gce-pd"),
                claim("unbound").storageClass("ebs").build(),
                claim("volume-gone").storageClass("ebs").volumeName("v9").build(),
                claim("annotated").annotation(ClaimInfo.CLASS_ANNOTATION, "ebs").build(),
                claim("classless").build(),
                claim("class-gone").storageClass("none").build(),
                claim("other-provisioner").storageClass("gce").build(),
                claim("other-source").storageClass("ebs").volumeName("g").build(),
                persistent("g").source(volume(Volume.Kind.GCE_PD, "g")).build(),
                claim("own-source").volumeName("v1").build(),
                persistent("v1").build());

        assertEquals(verdict.equals("FITS") ? Verdict.FITS : TOO_MANY, check(cluster, pod("p").claim(claimName)));
    }

    @Test
    void sharedUnboundClaimCountsOnce() {
        ClusterState cluster = limited(
                1,
                delayed("ebs", "kubernetes.io/aws-ebs"),
                claim("a").storageClass("ebs").build(),
                claim("b").storageClass("ebs").build());
        cluster.addPod(pod("e").onNode("n1").claim("a").build());

        assertEquals(Verdict.FITS, check(cluster, pod("p").claim("a")));
        assertEquals(TOO_MANY, check(cluster, pod("p").claim("b")));
    }

    @Test
    void namelessClaimIsAnErrorOfPodAndNode() {
        Verdict error = Verdict.error("PersistentVolumeClaim had no name");
        ClusterState cluster = limited(5);
        assertEquals(error, check(cluster, pod("p").volume(ebs("v")).claim("")));

        cluster.addPod(pod("e").onNode("n1").claim("").build());
        assertEquals(error, check(cluster, pod("p").volume(ebs("v"))));
        assertEquals(Verdict.FITS, check(cluster, pod("p").volume(volume(Volume.Kind.GCE_PD, "v"))));
    }

    @ParameterizedTest
    @CsvSource({
        "EBS, '', 39",
        "EBS, m5.large, 25",
        "EBS, c5n.large, 25",
        "EBS, c50, 25",
        "EBS, r5, 25",
        "EBS, t3.micro, 25",
        "EBS, xt3y, 25",
        "EBS, az1d, 25",
        "EBS, m4.large, 39",
        "EBS, t2.micro, 39",
        "EBS, xm5.large, 39",
        "GCE_PD, m5.large, 16",
        "AZURE_DISK, m5.large, 16",
        "CINDER, m5.large, 256",
    })
    void hasDefaultLimits(Disks disks, String instanceType, int limit) {
        assertEquals(limit, disks.defaultLimit(Labels.of("beta.kubernetes.io/instance-type", instanceType)));
        assertEquals(limit, disks.defaultLimit(Labels.of("node.kubernetes.io/instance-type", instanceType)));
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "+2, 2", "0, 39", "-1, 39", "'', 39", "' 2', 39", "2x, 39", "99999999999999999999, 39"})
    void environmentReplacesTheDefault(String value, int limit) {
        AlgorithmConfig config = config(FeatureGates.defaults(), Map.of(MaxVolumeCount.LIMIT_VARIABLE, value));
        ClusterState cluster = cluster(node("n1").build());

        assertEquals(Verdict.FITS, check(Disks.EBS, config, cluster, disks(Disks.EBS, limit)));
        assertEquals(TOO_MANY, check(Disks.EBS, config, cluster, disks(Disks.EBS, limit + 1)));
    }

    @Test
    void nodeWinsOverTheEnvironmentEvenWithZero() {
        AlgorithmConfig config = config(FeatureGates.defaults(), Map.of(MaxVolumeCount.LIMIT_VARIABLE, "2"));

        assertEquals(TOO_MANY, check(Disks.EBS, config, limited(0), disks(Disks.EBS, 1)));
        assertEquals(Verdict.FITS, check(Disks.EBS, config, limited(3), disks(Disks.EBS, 3)));
    }

    @ParameterizedTest
    @EnumSource(Disks.class)
    void eachPluginCountsItsOwnSourceAgainstItsOwnResource(Disks disks) {
        ClusterState cluster = cluster(node("n1").scalar(disks.limitKey(), 1).build());
        for (Disks asked : Disks.values()) {
            assertEquals(
                    asked == disks ? TOO_MANY : Verdict.FITS,
                    check(asked, AlgorithmConfig.defaults(), cluster, disks(disks, 2)),
                    asked.predicateName());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "EBS, MaxEBSVolumeCount, attachable-volumes-aws-ebs, kubernetes.io/aws-ebs",
        "GCE_PD, MaxGCEPDVolumeCount, attachable-volumes-gce-pd, kubernetes.io/gce-pd",
        "AZURE_DISK, MaxAzureDiskVolumeCount, attachable-volumes-azure-disk, kubernetes.io/azure-disk",
        "CINDER, MaxCinderVolumeCount, attachable-volumes-cinder, kubernetes.io/cinder",
    })
    void describesItself(Disks disks, String name, String limitKey, String provisioner) {
        MaxVolumeCount predicate = new MaxVolumeCount(disks, AlgorithmConfig.defaults());
        assertEquals(
                List.of(name, limitKey, provisioner, Scope.CLUSTER),
                List.of(predicate.name(), disks.limitKey(), disks.plugin().pluginName(), predicate.scope()));
    }

    @Test
    void leavesMigratedPluginsToTheCsiCount() {
        ClusterState cluster = limited(0, migrated("n1", "x,kubernetes.io/aws-ebs"));
        FeatureGates on = FeatureGates.defaults().with(FeatureGates.CSI_MIGRATION_AWS, true);

        assertEquals(TOO_MANY, check(Disks.EBS, AlgorithmConfig.defaults(), cluster, disks(Disks.EBS, 1)));
        assertEquals(Verdict.FITS, check(Disks.EBS, config(on, Map.of()), cluster, disks(Disks.EBS, 1)));
    }

    @Test
    void notesCountsForScoringWithTheGate() {
        ClusterState cluster = limited(5);
        cluster.addPod(pod("e").onNode("n1").volume(ebs("v1")).volume(ebs("v2")).build());
        PodBuilder pod = pod("p").volume(ebs("v2")).volume(ebs("v3"));

        check(cluster, pod);
        assertEquals(List.of(0L, 0L), counts(cluster));

        FeatureGates on = FeatureGates.defaults().with(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES, true);
        check(Disks.EBS, config(on, Map.of()), cluster, pod);
        assertEquals(List.of(3L, 1L), counts(cluster));

        check(Disks.EBS, config(on, Map.of()), cluster, disks(Disks.EBS, 6));
        assertEquals(List.of(3L, 1L), counts(cluster), "a failure leaves the counts of before");
    }

    @Test
    void fitsEverywhereWithoutDisksOfItsKind() {
        ClusterState cluster = limited(0);
        MaxVolumeCount predicate = new MaxVolumeCount(Disks.EBS, AlgorithmConfig.defaults());

        assertSame(PodFilter.FITS_ALL, predicate.start(PodContext.of(pod("p").build(), cluster)));
        assertSame(
                PodFilter.FITS_ALL,
                predicate.start(PodContext.of(
                        pod("p").claim("c")
                                .volume(volume(Volume.Kind.OTHER, ""))
                                .build(),
                        cluster)));
    }

    private static List<Long> counts(ClusterState cluster) {
        return List.of(
                info(cluster, "n1").allocatableVolumes(), info(cluster, "n1").requestedVolumes());
    }

    private static Volume ebs(String id) {
        return volume(Volume.Kind.AWS_EBS, id);
    }

    private static PodBuilder disks(Disks plugin, int count) {
        PodBuilder pod = pod("p");
        for (int i = 0; i < count; i++) {
            pod.volume(volume(plugin.plugin().kind(), "disk" + i));
        }
        return pod;
    }

    private static ClusterState limited(long limit, ClusterObject... objects) {
        ClusterState cluster = cluster(objects);
        cluster.putNode(node("n1").scalar(EBS_LIMIT, limit).build());
        cluster.startCycle();
        return cluster;
    }

    private static AlgorithmConfig config(FeatureGates gates, Map<String, String> environment) {
        return new AlgorithmConfig(
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
                name -> environment.getOrDefault(name, ""),
                Set.of());
    }

    private static Verdict check(ClusterState cluster, PodBuilder pod) {
        return check(Disks.EBS, AlgorithmConfig.defaults(), cluster, pod);
    }

    private static Verdict check(Disks disks, AlgorithmConfig config, ClusterState cluster, PodBuilder pod) {
        return new MaxVolumeCount(disks, config)
                .start(PodContext.of(pod.build(), cluster))
                .check(info(cluster, "n1"));
    }
}
