package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.NodeInfo;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class NodeLabelCountsTest {
    private static final int NODES = 9;

    private final ClusterState cluster = new ClusterState();

    NodeLabelCountsTest() {
        for (int n = 0; n < NODES; n++) {
            cluster.putNode(node("n" + n).build());
            for (int p = 0; p < n; p++) {
                cluster.addPod(pod("p" + n + p)
                        .namespace(p % 2 == 0 ? "a" : "b")
                        .label("on", "n" + n)
                        .label("even", p % 2 == 0 ? "yes" : "")
                        .onNode("n" + n)
                        .build());
            }
        }
        cluster.startCycle();
    }

    private NodeInfo at(int node) {
        return Objects.requireNonNull(cluster.node("n" + node));
    }

    @Test
    void podsOfAllNamespacesByLabelAndValue() {
        NodeLabelCounts counts = new NodeLabelCounts(cluster);
        for (int n = 0; n < NODES; n++) {
            assertEquals(n, counts.on(at(n), "even", null));
            assertEquals((n + 1) / 2, counts.on(at(n), "even", "yes"));
            assertEquals(n / 2, counts.on(at(n), "even", ""));
            assertEquals(0, counts.on(at(n), "odd", null));
        }
    }

    /** More questions than are kept are answered all the same, and leave no counts behind in the cluster. */
    @Test
    void aQuestionOfItsOwnForEachNode() {
        NodeLabelCounts counts = new NodeLabelCounts(cluster);
        for (int round = 0; round < 2; round++) {
            for (int n = 0; n < NODES; n++) {
                assertEquals(n, counts.on(at(n), "on", "n" + n), "n" + n);
                assertEquals(0, counts.on(at(n), "on", "n" + (n + 1)));
            }
        }
        assertEquals(4, counts.questions());
    }

    /** A trial takes pods off a copy of a node; the cluster's own counts do not know. */
    @Test
    void copiesAreCountedOnTheSpot() {
        NodeLabelCounts counts = new NodeLabelCounts(cluster);
        NodeInfo copy = at(8).copy();
        copy.pods().stream()
                .filter(pod -> pod.labels().has("even", "yes"))
                .toList()
                .forEach(copy::removePod);
        assertEquals(4, counts.on(copy, "even", null));
        assertEquals(8, counts.on(at(8), "even", null));
    }

    @Test
    void aLaterAttemptSeesWhatHasChanged() {
        assertEquals(3, new NodeLabelCounts(cluster).on(at(3), "on", "n3"));
        cluster.addPod(pod("more").label("on", "n3").onNode("n3").build());
        assertEquals(4, new NodeLabelCounts(cluster).on(at(3), "on", "n3"));
        assertEquals(List.of(), at(0).pods());
    }
}
