package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourceLimitsPriorityTest {
    private final ResourceLimitsPriority priority = new ResourceLimitsPriority();

    @Test
    void workedExample() {
        ClusterState cluster = Clusters.cluster(
                node("n1").cpu("4").build(), node("n2").cpu("1").build());
        assertEquals(
                List.of(1L, 0L), Scores.raw(priority, pod("p").limits("2", "0").build(), cluster));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "2, 0, 1", "2001m, 0, 0", "0, 1Gi, 1", "0, 2Gi, 0", "3, 1Gi, 1", "1, 2Gi, 1", "3, 2Gi, 0"})
    void oneCoveredLimitIsEnough(String cpu, String memory, long expected) {
        ClusterState cluster = Clusters.cluster(
                node("n1").cpu("2").memory("1Gi").build(),
                pod("used").requests("2", "1Gi").onNode("n1").build());
        assertEquals(
                List.of(expected),
                Scores.raw(priority, pod("p").limits(cpu, memory).build(), cluster));
    }

    @Test
    void nodeWithoutResourcesScoresZero() {
        assertEquals(List.of(0L), Scores.raw(priority, pod("p").limits("1", "1").build(), ResourceExamples.bareNode()));
    }

    @Test
    void readsOneNode() {
        assertEquals("ResourceLimitsPriority", priority.name());
        assertEquals(Scope.NODE, priority.scope());
    }
}
