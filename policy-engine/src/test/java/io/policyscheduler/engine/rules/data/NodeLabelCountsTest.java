package io.policyscheduler.engine.rules.data;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.rules.data.ClusterCounts.LabelQuery;
import io.policyscheduler.engine.rules.data.ClusterCounts.NodeLabelCounts;
import io.policyscheduler.engine.rules.data.ClusterCounts.PodProperty;
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

    private NodeLabelCounts counts() {
        return new NodeLabelCounts(
                new CountTable(cluster), List.of(new LabelQuery("even", null), new LabelQuery("even", "yes")));
    }

    private NodeInfo at(int node) {
        return Objects.requireNonNull(cluster.node("n" + node));
    }

    @Test
    void podsOfAllNamespacesByLabelAndValue() {
        NodeLabelCounts counts = counts();
        for (int n = 0; n < NODES; n++) {
            assertEquals(n, counts.on(at(n), "even", null));
            assertEquals((n + 1) / 2, counts.on(at(n), "even", "yes"));
            assertEquals(n / 2, counts.on(at(n), "even", ""));
            assertEquals(0, counts.on(at(n), "odd", null));
        }
    }

    /** One index serves all of them, and none remains in the cluster's own counts. */
    @Test
    void aQuestionOfItsOwnForEachNode() {
        CountTable table = new CountTable(cluster);
        NodeLabelCounts counts = new NodeLabelCounts(table, List.of());
        for (int round = 0; round < 2; round++) {
            for (int n = 0; n < NODES; n++) {
                assertEquals(n, counts.on(at(n), "on", "n" + n), "n" + n);
                assertEquals(0, counts.on(at(n), "on", "n" + (n + 1)));
            }
        }
        assertEquals(1, table.counted().counters());
        assertEquals(NODES - 1, table.counted().cells());
    }

    @Test
    void podsOfANamespace() {
        NodeLabelCounts counts = counts();
        for (int n = 0; n < NODES; n++) {
            assertEquals((n + 1) / 2, counts.with(PodProperty.NAMESPACE, at(n), "a"));
            assertEquals(n / 2, counts.with(PodProperty.NAMESPACE, at(n).copy(), "b"));
            assertEquals(0, counts.with(PodProperty.NAMESPACE, at(n), "c"));
        }
    }

    /** A simulated eviction changes a copy of a node, not the cluster's own counts. */
    @Test
    void copiesAreCountedOnTheSpot() {
        NodeLabelCounts counts = counts();
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
        assertEquals(3, counts().on(at(3), "on", "n3"));
        cluster.addPod(pod("more").label("on", "n3").onNode("n3").build());
        assertEquals(4, counts().on(at(3), "on", "n3"));
        assertEquals(List.of(), at(0).pods());
    }
}
