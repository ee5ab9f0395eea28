package io.policyscheduler.framework.insight.compare;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.FakeAlgorithms.priority;
import static io.policyscheduler.engine.testing.FakeAlgorithms.rejecting;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.framework.insight.compare.PolicySchedulers.FunctionScheduler;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Tally;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShadowComparisonTest {
    private final ClusterState three =
            cluster(node("n1").build(), node("n2").build(), node("n3").build());

    /** Rejects nodes, and scores 10 and twice 5 by the number in a node's name, highest for n2. */
    private static SchedulerSpec rejectingNodes(String... nodes) {
        return new SchedulerSpec(
                "fake",
                SchedulerSpec.Kind.FUNCTIONS,
                List.of("No"),
                Map.of("Big", 1L, "Small", 2L),
                (cluster, tieBreak, adjustment) -> new FunctionScheduler(
                        new FunctionAlgorithm(
                                List.of(rejecting("No", List.of(nodes), "not here")),
                                List.of(
                                        new WeightedPriority(
                                                priority(
                                                        "Big",
                                                        node -> node.name().equals("n2") ? 50 : 10),
                                                1),
                                        new WeightedPriority(
                                                priority(
                                                        "Small",
                                                        node -> node.name().equals("n3") ? 0 : 15),
                                                2)),
                                false),
                        cluster,
                        tieBreak),
                SchedulerSpec.Volumes.NONE);
    }

    private Finding judge(String node, String... rejected) {
        return new ShadowComparison(rejectingNodes(rejected), three)
                .judge(pod("p").onNode(node).build());
    }

    @Test
    void opinions() {
        assertEquals(new Finding("default/p", "n2", Finding.Kind.SAME, List.of("n2"), "", List.of()), judge("n2"));
        assertEquals(
                new Finding(
                        "default/p",
                        "n1",
                        Finding.Kind.OTHER_NODE,
                        List.of("n2"),
                        "n2 scores 40 more in total (Big +40)",
                        List.of("Big")),
                judge("n1"));
        assertEquals(
                new Finding(
                        "default/p",
                        "n3",
                        Finding.Kind.OTHER_NODE,
                        List.of("n2"),
                        "n2 scores 70 more in total (Big +40, Small +30)",
                        List.of("Big", "Small")),
                judge("n3"));
        assertEquals(
                new Finding("default/p", "n3", Finding.Kind.NOT_THERE, List.of("n2"), "No: not here", List.of("No")),
                judge("n3", "n3"));
        assertEquals(
                new Finding("default/p", "n1", Finding.Kind.NOWHERE, List.of(), "No: not here", List.of("No")),
                judge("n1", "n1", "n2", "n3"));
        assertEquals(
                new Finding("default/p", "n9", Finding.Kind.UNDECIDED, List.of(), "node n9 is not known", List.of()),
                judge("n9"));
    }

    @Test
    void aTallyNamesTheLargestShare() {
        Tally tally = new Tally();
        assertEquals(100, tally.agreement());
        List.of(judge("n2"), judge("n3"), judge("n1"), judge("n3", "n3"), judge("n9"))
                .forEach(tally::add);
        assertEquals(5, tally.judged());
        assertEquals(2, tally.of(Finding.Kind.OTHER_NODE));
        assertEquals(0, tally.of(Finding.Kind.NOWHERE));
        assertEquals(25, tally.agreement());
        assertEquals(
                List.of(Map.entry("Big", 2), Map.entry("No", 1)),
                List.copyOf(tally.causes().entrySet()));
    }
}
