package io.policyscheduler.engine.cluster;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The order of nodes in current releases, compared with that of v1.17. */
class NodeOrderTest {
    private final ClusterState state = new ClusterState();

    private void put(String name) {
        put(name, name.substring(0, 1));
    }

    private void put(String name, String zone) {
        state.putNode(node(name).label(Node.ZONE, zone).build());
    }

    private List<String> current() {
        state.startCurrentCycle();
        return names();
    }

    private List<String> names() {
        return state.nodes().stream().map(NodeInfo::name).toList();
    }

    @Test
    void goesOverTheZonesInTurn() {
        List.of("a1", "a2", "a3", "b1", "c1", "c2").forEach(this::put);
        assertEquals(List.of("a1", "b1", "c1", "a2", "c2", "a3"), current());
    }

    @Test
    void aNodeOfASmallZoneHidesNoOther() {
        List.of("a1", "a2", "a3", "b1").forEach(this::put);
        assertEquals(List.of("a1", "b1", "a2", "a3"), current());
        put("b2");
        assertEquals(List.of("a1", "b1", "a2", "b2", "a3"), current());
        assertNotNull(state.index());
        state.removeNode("a1");
        assertEquals(List.of("a2", "b1", "a3", "b2"), current());
    }

    @Test
    void aNodeThatMovesKeepsItsPlaceUntilAnotherComesOrGoes() {
        List.of("a1", "a2", "b1").forEach(this::put);
        assertEquals(List.of("a1", "b1", "a2"), current());
        put("a1", "b");
        assertEquals(List.of("a1", "b1", "a2"), current());
        put("c1");
        assertEquals(List.of("a2", "b1", "c1", "a1"), current());
    }

    @Test
    void aZoneThatWasEmptyComesLast() {
        List.of("a1", "b1").forEach(this::put);
        state.removeNode("a1");
        put("a1");
        assertEquals(List.of("b1", "a1"), current());
    }

    /** After any change, and whoever else reads the cluster, each node occurs once. */
    @Test
    void namesEachNodeOnceBesideTheOrderOfV117() {
        SplittableRandom random = new SplittableRandom(18);
        TreeSet<String> known = new TreeSet<>();
        for (int step = 0; step < 2000; step++) {
            String name = "n" + random.nextInt(12);
            if (random.nextInt(3) == 0) {
                state.removeNode(name);
                known.remove(name);
            } else {
                put(name, "z" + random.nextInt(4));
                known.add(name);
            }
            if (random.nextInt(2) == 0) {
                state.startCycle();
                assertEquals(known.size(), names().size());
            }
            if (random.nextInt(2) == 0) {
                List<String> order = new ArrayList<>(current());
                order.sort(null);
                assertEquals(List.copyOf(known), order, "step " + step);
            }
        }
    }
}
