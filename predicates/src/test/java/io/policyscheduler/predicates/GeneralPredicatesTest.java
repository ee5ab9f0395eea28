package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import org.junit.jupiter.api.Test;

class GeneralPredicatesTest {
    private final GeneralPredicates predicate = GeneralPredicates.of(registry(), AlgorithmConfig.defaults());

    private static AlgorithmRegistry registry() {
        AlgorithmRegistry.Builder registry = AlgorithmRegistry.builder();
        PredicateCatalog.register(registry);
        return registry.build();
    }

    private final ClusterState cluster = Clusters.cluster(
            node("n1").cpu("1").memory("1Gi").build(),
            pod("used").cpu("1").hostPort("", "", 80).onNode("n1").build());

    @Test
    void allReasonsInTheOrderOfTheParts() {
        PodInfo wanting = pod("p").requests("1", "2Gi")
                .onNode("n2")
                .hostPort("", "", 80)
                .nodeSelector("disk", "ssd")
                .build();
        assertEquals(
                Verdict.unfit(
                        FailureReasons.insufficient("cpu"),
                        FailureReasons.insufficient("memory"),
                        FailureReasons.HOST_NAME,
                        FailureReasons.HOST_PORTS,
                        FailureReasons.NODE_SELECTOR),
                Checks.verdict(predicate, wanting, cluster, "n1"));
    }

    @Test
    void resourcesAndSelectorTogether() {
        PodInfo wanting =
                pod("p").requests("1", "2Gi").nodeSelector("disk", "ssd").build();
        assertEquals(
                List.of("Insufficient cpu", "Insufficient memory", "node(s) didn't match node selector"),
                Checks.reasons(predicate, wanting, cluster, "n1"));
    }

    @Test
    void oneFailingPart() {
        assertEquals(
                Verdict.unfit(FailureReasons.HOST_PORTS),
                Checks.verdict(predicate, pod("p").hostPort("", "", 80).build(), cluster, "n1"));
    }

    @Test
    void fits() {
        assertSame(Verdict.FITS, Checks.verdict(predicate, pod("p").build(), cluster, "n1"));
        assertSame(
                Verdict.FITS,
                Checks.verdict(
                        predicate, pod("p").onNode("n1").hostPort("", "", 81).build(), cluster, "n1"));
    }

    @Test
    void namesAndParts() {
        assertEquals("GeneralPredicates", predicate.name());
        assertEquals(Scope.NODE, predicate.scope());
        assertTrue(predicate.needsMetadata());
        assertEquals(
                List.of("PodFitsResources", "HostName", "PodFitsHostPorts", "MatchNodeSelector"),
                predicate.parts().stream().map(Predicate::name).toList());
    }
}
