package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.predicates.StorageFixtures.claim;
import static io.policyscheduler.predicates.StorageFixtures.delayed;
import static io.policyscheduler.predicates.StorageFixtures.immediate;
import static io.policyscheduler.predicates.StorageFixtures.in;
import static io.policyscheduler.predicates.StorageFixtures.migrated;
import static io.policyscheduler.predicates.StorageFixtures.modeless;
import static io.policyscheduler.predicates.StorageFixtures.persistent;
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
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckVolumeBindingTest {
    private static final String HOST = "kubernetes.io/hostname";
    private static final Verdict CONFLICT = Verdict.unfit(FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT);
    private static final Verdict NO_MATCH = Verdict.unfit(FailureReasons.VOLUME_BINDING_NO_MATCH);
    private static final Verdict BOTH =
            Verdict.unfit(FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT, FailureReasons.VOLUME_BINDING_NO_MATCH);

    /** Nodes n1 and n2; pv1 of 5Gi, class noprov, on n1 only; class prov with a provisioner. */
    private static ClusterState local(ClusterObject... more) {
        ClusterState cluster = cluster(
                node("n1").label(HOST, "n1").label("zone", "z1").build(),
                node("n2").label(HOST, "n2").label("zone", "z2").build(),
                delayed("noprov", "kubernetes.io/no-provisioner"),
                delayed("prov", "example.com/p"),
                persistent("pv1")
                        .storageClass("noprov")
                        .affinity(in(HOST, "n1"))
                        .build());
        Arrays.stream(more).forEach(cluster::putObject);
        return cluster;
    }

    @ParameterizedTest
    @CsvSource({
        "small, FITS, NO_MATCH",
        "large, NO_MATCH, NO_MATCH",
        "bound, FITS, CONFLICT",
        "provisioned, FITS, FITS",
        "selected, NO_MATCH, FITS",
        "selected-noprov, NO_MATCH, NO_MATCH",
        "no-provisioner, NO_MATCH, NO_MATCH",
    })
    void decidesPerNode(String claimName, String onFirst, String onSecond) {
        ClusterState cluster = local(
                claim("small").storageClass("noprov").build(),
                claim("large").storageClass("noprov").size("6Gi").build(),
                claim("bound").boundTo("pv1").build(),
                claim("provisioned").storageClass("prov").build(),
                claim("selected")
                        .storageClass("prov")
                        .annotation(ClaimInfo.SELECTED_NODE, "n2")
                        .build(),
                claim("selected-noprov")
                        .storageClass("noprov")
                        .annotation(ClaimInfo.SELECTED_NODE, "n2")
                        .build(),
                delayed("empty", ""),
                claim("no-provisioner").storageClass("empty").build());

        assertEquals(List.of(verdict(onFirst), verdict(onSecond)), both(cluster, pod("p").claim(claimName)));
    }

    private static Verdict verdict(String name) {
        return switch (name) {
            case "FITS" -> Verdict.FITS;
            case "CONFLICT" -> CONFLICT;
            case "NO_MATCH" -> NO_MATCH;
            case "BOTH" -> BOTH;
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Test
    void givesBothReasonsInOrder() {
        ClusterState cluster = local(
                claim("bound").boundTo("pv1").build(),
                claim("unbound").storageClass("noprov").size("6Gi").build());

        assertEquals(
                List.of(NO_MATCH, BOTH), both(cluster, pod("p").claim("unbound").claim("bound")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gone|error getting PVC \"default/gone\": could not find v1.PersistentVolumeClaim \"default/gone\"",
                "''|error getting PVC \"default/\": could not find v1.PersistentVolumeClaim \"default/\"",
                "classless|pod has unbound immediate PersistentVolumeClaims",
                "class-gone|pod has unbound immediate PersistentVolumeClaims",
                "immediate|pod has unbound immediate PersistentVolumeClaims",
                "prebound|pod has unbound immediate PersistentVolumeClaims",
                "completed-only|pod has unbound immediate PersistentVolumeClaims",
                "modeless|VolumeBindingMode not set for StorageClass \"nomode\"",
                "volume-gone|could not find v1.PersistentVolume \"v9\"",
                "bad-selector|error creating internal label selector for claim: default/bad-selector: BAD",
            })
    void reportsErrors(String claimName, String text) {
        LabelRequirement bad = LabelRequirement.ofLabelSelector("a", "Gt", List.of("1"));
        ClusterState cluster = local(
                immediate("now", "p"),
                modeless("nomode"),
                claim("classless").build(),
                claim("class-gone").storageClass("none").build(),
                claim("immediate").storageClass("now").build(),
                claim("prebound").storageClass("prov").volumeName("pv1").build(),
                claim("completed-only").annotation(ClaimInfo.BIND_COMPLETED, "").build(),
                claim("modeless").storageClass("nomode").build(),
                claim("volume-gone").boundTo("v9").build(),
                claim("bad-selector")
                        .storageClass("noprov")
                        .selector(new LabelSelector(List.of(bad)))
                        .build());

        Verdict error = Verdict.error(text.replace("BAD", String.valueOf(bad.error())));
        assertEquals(List.of(error, error), both(cluster, pod("p").claim(claimName)));
    }

    @Test
    void laterClaimsMayGiveTheErrorOfAnImmediateOne() {
        ClusterState cluster = local(
                modeless("nomode"),
                claim("a").build(),
                claim("b").storageClass("nomode").build());
        Verdict error = Verdict.error("VolumeBindingMode not set for StorageClass \"nomode\"");

        assertEquals(List.of(error, error), both(cluster, pod("p").claim("a").claim("b")));
    }

    @Test
    void stopsAtTheFirstBoundVolumeOutOfReach() {
        ClusterState cluster = local(
                claim("bound").boundTo("pv1").build(),
                claim("gone").boundTo("v9").build());

        assertEquals(
                List.of(Verdict.error("could not find v1.PersistentVolume \"v9\""), CONFLICT),
                both(cluster, pod("p").claim("bound").claim("gone")));
    }

    @Test
    void reachesByNodeAffinityWithoutFields() {
        LabelRequirement name = LabelRequirement.ofNodeSelector("metadata.name", "In", List.of("n1"));
        ClusterState cluster = local(
                persistent("free").build(),
                claim("free").boundTo("free").build(),
                persistent("never").affinity().build(),
                claim("never").boundTo("never").build(),
                persistent("field")
                        .affinity(new NodeSelectorTerm(List.of(), List.of(name)))
                        .build(),
                claim("field").boundTo("field").build(),
                persistent("either").affinity(in(HOST, "x"), in("zone", "z2")).build(),
                claim("either").boundTo("either").build());

        assertEquals(List.of(Verdict.FITS, Verdict.FITS), both(cluster, pod("p").claim("free")));
        assertEquals(List.of(CONFLICT, CONFLICT), both(cluster, pod("p").claim("never")));
        assertEquals(List.of(CONFLICT, CONFLICT), both(cluster, pod("p").claim("field")));
        assertEquals(List.of(CONFLICT, Verdict.FITS), both(cluster, pod("p").claim("either")));
    }

    @Test
    void provisionsWithinAllowedTopologies() {
        LabelRequirement second = LabelRequirement.ofNodeSelector("zone", "In", List.of("z2", "z3"));
        LabelRequirement host = LabelRequirement.ofNodeSelector(HOST, "In", List.of("n1"));
        LabelRequirement bad = LabelRequirement.ofNodeSelector("zone", "In", List.of());
        ClusterState cluster = local(
                topology("t2", List.of(List.of(second))),
                topology("none", List.of(List.of())),
                topology("bad", List.of(List.of(bad))),
                topology("and", List.of(List.of(second, host))),
                topology("or", List.of(List.of(second), List.of(host))),
                claim("t2").storageClass("t2").build(),
                claim("none").storageClass("none").build(),
                claim("bad").storageClass("bad").build(),
                claim("and").storageClass("and").build(),
                claim("or").storageClass("or").build());

        assertEquals(List.of(NO_MATCH, Verdict.FITS), both(cluster, pod("p").claim("t2")));
        assertEquals(List.of(NO_MATCH, NO_MATCH), both(cluster, pod("p").claim("none")));
        assertEquals(List.of(NO_MATCH, NO_MATCH), both(cluster, pod("p").claim("bad")));
        assertEquals(List.of(NO_MATCH, NO_MATCH), both(cluster, pod("p").claim("and")));
        assertEquals(List.of(Verdict.FITS, Verdict.FITS), both(cluster, pod("p").claim("or")));
    }

    private static StorageClassInfo topology(String name, List<List<LabelRequirement>> terms) {
        return new StorageClassInfo(name, "example.com/p", "WaitForFirstConsumer", terms);
    }

    @Test
    void seesAssumedDecisions() {
        ClusterState cluster = local(
                claim("a").storageClass("noprov").build(),
                claim("b").storageClass("noprov").build());
        cluster.assumedVolumes()
                .assume(persistent("pv1")
                        .storageClass("noprov")
                        .affinity(in(HOST, "n1"))
                        .claimRef("default", "a", "a-uid")
                        .build());

        assertEquals(List.of(Verdict.FITS, NO_MATCH), both(cluster, pod("p").claim("a")));
        assertEquals(List.of(NO_MATCH, NO_MATCH), both(cluster, pod("p").claim("b")));
    }

    @Test
    void translatesMigratedVolumes() {
        ClusterState cluster = cluster(
                node("n1").label("topology.ebs.csi.aws.com/zone", "z").build(),
                node("n2").label(Node.LEGACY_ZONE, "z").build(),
                migrated("n1", "kubernetes.io/aws-ebs"),
                claim("c").boundTo("v").build(),
                persistent("v").affinity(in(Node.LEGACY_ZONE, "z")).build(),
                claim("broken").boundTo("broken").build(),
                persistent("broken").label(Node.LEGACY_ZONE, "__").build());
        FeatureGates on = FeatureGates.defaults().with(FeatureGates.CSI_MIGRATION_AWS, true);

        assertEquals(List.of(CONFLICT, Verdict.FITS), both(cluster, pod("p").claim("c")));
        assertEquals(List.of(Verdict.FITS, Verdict.FITS), both(on, cluster, pod("p").claim("c")));
        assertEquals(
                List.of(
                        Verdict.error("could not translate pv: failed to translate topology: "
                                + "there are no valid zones to add to pv"),
                        Verdict.FITS),
                both(on, cluster, pod("p").claim("broken")));
    }

    @Test
    void podWithoutClaimsFitsEverywhere() {
        CheckVolumeBinding predicate = new CheckVolumeBinding(AlgorithmConfig.defaults());
        PodBuilder inline = pod("p").volume(StorageFixtures.volume(Volume.Kind.AWS_EBS, "v"));

        assertSame(PodFilter.FITS_ALL, predicate.start(PodContext.of(pod("p").build(), local())));
        assertSame(PodFilter.FITS_ALL, predicate.start(PodContext.of(inline.build(), local())));
        assertEquals("CheckVolumeBinding", predicate.name());
        assertEquals(Scope.CLUSTER, predicate.scope());
    }

    private static List<Verdict> both(ClusterState cluster, PodBuilder pod) {
        return both(FeatureGates.defaults(), cluster, pod);
    }

    private static List<Verdict> both(FeatureGates gates, ClusterState cluster, PodBuilder pod) {
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
        PodFilter filter = new CheckVolumeBinding(config).start(PodContext.of(pod.build(), cluster));
        return List.of(filter.check(info(cluster, "n1")), filter.check(info(cluster, "n2")));
    }
}
