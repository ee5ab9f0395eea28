package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.testing.Clusters;
import io.policyscheduler.engine.testing.NodeBuilder;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaintTolerationPriorityTest {
    private static final String PREFER = "PreferNoSchedule";

    private final TaintTolerationPriority priority = new TaintTolerationPriority();

    @Test
    void workedExamples() {
        assertEquals(List.of(0L, 50L, 100L), reducedForCounts(2, 1, 0));
        assertEquals(List.of(0L, 34L, 67L), reducedForCounts(3, 2, 1));
        assertEquals(List.of(0L), reducedForCounts(1));
        assertEquals(List.of(100L, 100L), reducedForCounts(0, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "k, Exists, '', PreferNoSchedule, 0",
        "k, Exists, '', '', 0",
        "k, Equal, v, '', 0",
        "k, Equal, w, '', 1",
        "k, Exists, '', NoSchedule, 1",
        "k, Exists, '', NoExecute, 1",
        "'', Exists, '', '', 0",
        "other, Exists, '', '', 1"
    })
    void tolerations(String key, String operator, String value, String effect, long expected) {
        ClusterState cluster =
                Clusters.cluster(node("n1").taint("k", "v", PREFER).build());
        assertEquals(
                List.of(expected),
                Scores.raw(
                        priority,
                        pod("p").toleration(key, operator, value, effect).build(),
                        cluster));
    }

    @Test
    void otherEffectsDoNotCount() {
        ClusterState cluster = Clusters.cluster(node("n1")
                .taint("a", "", "NoSchedule")
                .taint("b", "", "NoExecute")
                .taint("c", "", PREFER)
                .build());
        assertEquals(List.of(1L), Scores.raw(priority, pod("p").build(), cluster));
    }

    @Test
    void contract() {
        ClusterState cluster = Clusters.cluster(node("n1").build());
        assertEquals("TaintTolerationPriority", priority.name());
        assertEquals(Scope.NODE, priority.scope());
        assertTrue(priority.start(PodContext.of(pod("p").build(), cluster), cluster.nodes())
                .normalizes());
    }

    private List<Long> reducedForCounts(int... counts) {
        ClusterState cluster = Clusters.cluster(IntStream.range(0, counts.length)
                .mapToObj(i -> tainted("n" + i, counts[i]))
                .toArray(ClusterObject[]::new));
        return Scores.reduced(priority, pod("p").build(), cluster);
    }

    private static ClusterObject tainted(String name, int count) {
        NodeBuilder builder = node(name);
        for (int i = 0; i < count; i++) {
            builder.taint("k" + i, "", PREFER);
        }
        return builder.build();
    }
}
