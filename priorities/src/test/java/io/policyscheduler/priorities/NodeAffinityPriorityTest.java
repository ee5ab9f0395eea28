package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeAffinityPriorityTest {
    private static final NodeSelectorTerm EMPTY = new NodeSelectorTerm(List.of(), List.of());
    private static final NodeSelectorTerm UNKNOWN_OPERATOR = on("a", "Foo", "1");

    private final NodeAffinityPriority priority = new NodeAffinityPriority();
    private final ClusterState cluster = Clusters.cluster(
            node("n1").label("a", "1").label("n", "5").build(),
            node("n2").label("a", "2").label("n", "10").build(),
            node("n3").build());

    @Test
    void workedExample() {
        PodInfo wanting = pod("p").preferredNode(20, on("a", "In", "1"))
                .preferredNode(7, on("n", "Gt", "4"))
                .preferredNode(
                        50,
                        new NodeSelectorTerm(
                                List.of(), List.of(new LabelRequirement("metadata.name", "In", List.of("n3"), null))))
                .preferredNode(60, EMPTY)
                .build();
        assertEquals(List.of(27L, 7L, 0L), Scores.raw(priority, wanting, cluster));
        assertEquals(List.of(100L, 25L, 0L), Scores.reduced(priority, wanting, cluster));
    }

    @Test
    void fieldsBesideExpressionsAreIgnored() {
        NodeSelectorTerm both = new NodeSelectorTerm(
                List.of(LabelRequirement.ofNodeSelector("a", "Exists", List.of())),
                List.of(new LabelRequirement("metadata.name", "In", List.of("n3"), null)));
        assertEquals(
                List.of(5L, 5L, 0L),
                Scores.raw(priority, pod("p").preferredNode(5, both).build(), cluster));
    }

    @Test
    void withoutPreferencesAllAreZero() {
        assertEquals(List.of(0L, 0L, 0L), Scores.reduced(priority, pod("p").build(), cluster));
    }

    @Test
    void sumHas32Bits() {
        PodInfo wanting = pod("p").preferredNode(Integer.MAX_VALUE, on("a", "Exists"))
                .preferredNode(1, on("a", "In", "1"))
                .build();
        assertEquals(
                List.of((long) Integer.MIN_VALUE, (long) Integer.MAX_VALUE, 0L),
                Scores.raw(priority, wanting, cluster));
    }

    @Test
    void invalidRequirementIsAnError() {
        assertEquals(
                "\"Foo\" is not a valid node selector operator",
                error(pod("p").preferredNode(1, UNKNOWN_OPERATOR).build()));
        assertEquals(
                "\"Foo\" is not a valid node selector operator",
                error(pod("p").preferredNode(1, on("a", "Exists"))
                        .preferredNode(1, UNKNOWN_OPERATOR)
                        .preferredNode(1, on("a", "Bar"))
                        .build()));
        assertEquals(
                "for 'in', 'notin' operators, values set can't be empty",
                error(pod("p").preferredNode(1, on("a", "In")).build()));
    }

    @Test
    void weightZeroIsNotLookedAt() {
        PodInfo wanting = pod("p").preferredNode(0, UNKNOWN_OPERATOR)
                .preferredNode(3, on("a", "In", "2"))
                .build();
        assertNull(error(wanting));
        assertEquals(List.of(0L, 100L, 0L), Scores.reduced(priority, wanting, cluster));
    }

    @Test
    void contract() {
        assertEquals("NodeAffinityPriority", priority.name());
        assertEquals(Scope.NODE, priority.scope());
        assertTrue(start(pod("p").preferredNode(1, on("a", "In", "1")).build()).normalizes());
        assertEquals(OptionalLong.of(0), start(pod("p").build()).uniformScore());
        assertNull(error(pod("p").preferredNode(1, EMPTY).build()));
    }

    private PodScorer start(PodInfo wanting) {
        return priority.start(PodContext.of(wanting, cluster), cluster.nodes());
    }

    private @Nullable String error(PodInfo wanting) {
        return start(wanting).error();
    }

    private static NodeSelectorTerm on(String key, String operator, String... values) {
        return new NodeSelectorTerm(
                List.of(LabelRequirement.ofNodeSelector(key, operator, List.of(values))), List.of());
    }
}
