package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PodFitsResourcesTest {
    private static final String GPU = "nvidia.com/gpu";

    private final PodFitsResources predicate = new PodFitsResources(AlgorithmConfig.defaults());
    private final ClusterState cluster = Clusters.cluster(
            node("n1").cpu("4").memory("8Gi").pods(10).scalar(GPU, 1).build(),
            pod("used").requests("3500m", "2Gi").scalar(GPU, 1).onNode("n1").build());

    @Test
    void exactlyFullFits() {
        assertEquals(List.of(), reasons(pod("p").requests("500m", "1Gi").build()));
        assertEquals(List.of(), reasons(pod("p").requests("500m", "6Gi").build()));
        ClusterState nearlyFull = Clusters.cluster(
                node("n1")
                        .cpu("1")
                        .ephemeralStorage("10")
                        .pods(2)
                        .scalar(GPU, 3)
                        .build(),
                pod("used").ephemeralStorage("6").scalar(GPU, 1).onNode("n1").build());
        PodInfo last = pod("p").ephemeralStorage("4").scalar(GPU, 2).build();
        assertEquals(Verdict.FITS, Checks.verdict(predicate, last, nearlyFull, "n1"));
        PodInfo tooLarge = pod("p").ephemeralStorage("5")
                .scalar(GPU, 3)
                .scalar("z.example/none", 0)
                .build();
        assertEquals(
                List.of("Insufficient ephemeral-storage", "Insufficient nvidia.com/gpu"),
                Checks.reasons(predicate, tooLarge, nearlyFull, "n1"));
    }

    @Test
    void everyLackingResourceIsNamed() {
        assertEquals(
                List.of("Insufficient cpu", "Insufficient nvidia.com/gpu"),
                reasons(pod("p").cpu("501m").scalar(GPU, 1).build()));
        assertEquals(
                List.of(
                        "Insufficient cpu",
                        "Insufficient memory",
                        "Insufficient ephemeral-storage",
                        "Insufficient a.example/x",
                        "Insufficient nvidia.com/gpu"),
                reasons(pod("p").requests("501m", "7Gi")
                        .ephemeralStorage("1")
                        .scalar(GPU, 1)
                        .scalar("a.example/x", 1)
                        .build()));
    }

    @Test
    void reasonsAreResolvable() {
        Verdict verdict =
                Checks.verdict(predicate, pod("p").cpu("5").scalar(GPU, 1).build(), cluster, "n1");
        assertEquals(
                Verdict.unfit(
                        FailureReason.resolvable("Insufficient cpu"),
                        FailureReason.resolvable("Insufficient nvidia.com/gpu")),
                verdict);
    }

    @Test
    void podCountComesFirstAndIsCheckedForEmptyRequests() {
        ClusterState full = Clusters.cluster(
                node("n1").cpu("1").pods(1).build(), pod("used").onNode("n1").build());
        assertEquals(List.of("Insufficient pods"), Checks.reasons(predicate, pod("p").build(), full, "n1"));
        assertEquals(
                List.of("Insufficient pods", "Insufficient cpu"),
                Checks.reasons(predicate, pod("p").cpu("2").build(), full, "n1"));
        ClusterState noPods = Clusters.cluster(node("n1").pods(0).build());
        assertEquals(List.of("Insufficient pods"), Checks.reasons(predicate, pod("p").build(), noPods, "n1"));
    }

    @Test
    void overcommittedDimensionFailsPodsThatAskForAnother() {
        ClusterState overcommitted = Clusters.cluster(
                node("n1").cpu("1").memory("8Gi").scalar("example.com/x", 1).build(),
                pod("used").cpu("2").onNode("n1").build());
        assertEquals(
                List.of("Insufficient cpu"),
                Checks.reasons(predicate, pod("p").memory("1Gi").build(), overcommitted, "n1"));
        assertEquals(
                List.of("Insufficient cpu", "Insufficient ephemeral-storage"),
                Checks.reasons(predicate, pod("p").ephemeralStorage("1").build(), overcommitted, "n1"));
        assertEquals(List.of(), Checks.reasons(predicate, pod("p").cpu("0").build(), overcommitted, "n1"));
        assertEquals(
                List.of("Insufficient cpu"),
                Checks.reasons(predicate, pod("p").scalar("example.com/x", 0).build(), overcommitted, "n1"));
    }

    @Test
    void scoringDefaultsPlayNoPart() {
        ClusterState tiny = Clusters.cluster(node("n1").cpu("50m").memory("1Mi").build());
        assertEquals(List.of(), Checks.reasons(predicate, pod("p").cpu("50m").build(), tiny, "n1"));
    }

    @Test
    void onlyExtendedResourcesCanBeLeftToExtenders() {
        PodFitsResources lenient = new PodFitsResources(
                ignoring(GPU, "hugepages-2Mi", "kubernetes.io/foo", "attachable-volumes-aws-ebs", "cpu"));
        PodInfo asking = pod("p").cpu("1")
                .scalar(GPU, 1)
                .scalar("hugepages-2Mi", 1)
                .scalar("kubernetes.io/foo", 1)
                .scalar("attachable-volumes-aws-ebs", 1)
                .build();
        assertEquals(
                List.of(
                        "Insufficient cpu",
                        "Insufficient attachable-volumes-aws-ebs",
                        "Insufficient hugepages-2Mi",
                        "Insufficient kubernetes.io/foo"),
                Checks.reasons(lenient, asking, cluster, "n1"));
    }

    @Test
    void ignoredScalarStillCountsAsARequest() {
        ClusterState overcommitted = Clusters.cluster(
                node("n1").cpu("1").build(), pod("used").cpu("2").onNode("n1").build());
        assertEquals(
                List.of("Insufficient cpu"),
                Checks.reasons(
                        new PodFitsResources(ignoring(GPU)),
                        pod("p").scalar(GPU, 5).build(),
                        overcommitted,
                        "n1"));
    }

    @Test
    void nothingIsIgnoredWithoutMetadata() {
        PodFitsResources lenient = new PodFitsResources(ignoring(GPU));
        PodInfo asking = pod("p").scalar(GPU, 5).build();
        NodeInfo info = Clusters.info(cluster, "n1");
        assertEquals(
                Verdict.FITS,
                lenient.start(new PodContext(asking, cluster, true)).check(info));
        assertEquals(
                Verdict.unfit(FailureReason.resolvable("Insufficient nvidia.com/gpu")),
                lenient.start(new PodContext(asking, cluster, false)).check(info));
        assertTrue(lenient.needsMetadata());
    }

    @Test
    void answersForTheNodeAsGiven() {
        PodFilter filter = predicate.start(PodContext.of(pod("p").cpu("1").build(), cluster));
        NodeInfo whatIf = Clusters.info(cluster, "n1").copy();
        whatIf.removePod(whatIf.pod(0));
        assertEquals(Verdict.unfit(FailureReasons.insufficient("cpu")), filter.check(Clusters.info(cluster, "n1")));
        assertEquals(Verdict.FITS, filter.check(whatIf));
    }

    @Test
    void readsOneNode() {
        assertEquals("PodFitsResources", predicate.name());
        assertEquals(Scope.NODE, predicate.scope());
    }

    private List<String> reasons(PodInfo wanting) {
        return Checks.reasons(predicate, wanting, cluster, "n1");
    }

    private static AlgorithmConfig ignoring(String... resources) {
        return new AlgorithmConfig(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                Set.of(resources),
                1,
                FeatureGates.defaults(),
                name -> "",
                Set.of());
    }
}
