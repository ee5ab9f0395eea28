package io.policyscheduler.engine.algorithm;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeValuesTest {
    private static NodeValues.Order order(String... names) {
        return new NodeValues.Order(Stream.of(names).map(NodeInfo::new).toList(), null);
    }

    @Test
    void isAMapInTheOrderOfNames() {
        Map<String, Long> values = order("n2", "n10", "n1").byName(new long[] {2, 10, 1});

        assertEquals(List.of("n1", "n10", "n2"), List.copyOf(values.keySet()));
        assertEquals(Map.of("n1", 1L, "n10", 10L, "n2", 2L), values);
        assertEquals(3, values.size());
        assertEquals(10L, values.get("n10"));
        assertNull(values.get("n3"));
        assertTrue(values.containsKey("n2"));
        assertFalse(values.containsKey("n"));
        assertThrows(UnsupportedOperationException.class, () -> values.put("n1", 5L));
    }

    @Test
    void laterChangesOfTheArrayDoNotShow() {
        long[] array = {7};
        Map<String, Long> values = order("n").byName(array);
        array[0] = 8;
        assertEquals(Map.of("n", 7L), values);
    }

    @Test
    void anOrderServesManyValues() {
        NodeValues.Order order = order("b", "a");
        assertEquals("{a=2, b=1}", order.byName(new long[] {1, 2}).toString());
        assertEquals("{a=4, b=3}", order.byName(new long[] {3, 4}).toString());
        assertTrue(order.byName(new long[] {1, 2}).isOfSameNodes(order.byName(new long[] {3, 4})));
    }

    /** The order from the index of a cluster equals a sort, also after nodes were added and removed. */
    @Test
    void theOrderOfACluster() {
        ClusterState cluster =
                cluster(node("n2").build(), node("n10").build(), node("n1").build());
        cluster.addPod(pod("p").onNode("unknown").build());
        assertEquals("{n1=1, n10=10, n2=2}", numbers(cluster).toString());
        cluster.removeNode("n10");
        cluster.putNode(node("m5").build());
        assertEquals("{m5=5, n1=1, n2=2}", numbers(cluster).toString());
    }

    /** Few nodes are compared; many are sorted by bucket. */
    @Test
    void someOfTheNodesOfACluster() {
        Random random = new Random(7);
        ClusterState cluster = cluster();
        for (int i = 0; i < 200; i++) {
            cluster.putNode(node("n" + random.nextInt(1_000_000)).build());
        }
        cluster.startCurrentCycle();
        List<NodeInfo> all = new ArrayList<>(cluster.nodes());
        for (int count : List.of(0, 1, 2, 24, 25, 26, 199, all.size())) {
            Collections.shuffle(all, random);
            List<NodeInfo> some = all.subList(0, count);
            long[] values = random.longs(count).toArray();
            assertEquals(
                    new NodeValues.Order(some, null).byName(values).toString(),
                    new NodeValues.Order(some, Objects.requireNonNull(cluster.index()))
                            .byName(values)
                            .toString());
        }
    }

    /** Other clusters ask about their own nodes, some of the same name. */
    @Test
    void nodesThatTheClusterDoesNotKnow() {
        ClusterState cluster = cluster(node("n2").build(), node("n1").build());
        cluster.startCurrentCycle();
        List<NodeInfo> nodes =
                List.of(new NodeInfo("n9"), new NodeInfo("n1"), cluster.nodes().get(0));
        assertEquals(
                "{n1=1, n2=2, n9=9}",
                new NodeValues.Order(nodes, Objects.requireNonNull(cluster.index()))
                        .byName(new long[] {9, 1, 2})
                        .toString());
    }

    /** Returns the number in the name of each node. */
    private static NodeValues numbers(ClusterState cluster) {
        cluster.startCurrentCycle();
        List<NodeInfo> nodes = cluster.nodes();
        long[] values = nodes.stream()
                .mapToLong(node -> Long.parseLong(node.name().substring(1)))
                .toArray();
        NodeValues known = new NodeValues.Order(nodes, Objects.requireNonNull(cluster.index())).byName(values);
        assertEquals(new NodeValues.Order(nodes, null).byName(values), known);
        return known;
    }

    @Test
    void ofAMap() {
        NodeValues values = NodeValues.of(Map.of("b", 2L, "a", 1L, "c", 3L));
        assertEquals("{a=1, b=2, c=3}", values.toString());
        assertSame(values, NodeValues.of(values));
        assertEquals(List.of(1, true, false), List.of(values.placeOf("b"), values.placeOf("x") < 0, values.isEmpty()));
        assertEquals("b=2", values.name(1) + "=" + values.value(1));
        assertTrue(values.isOfSameNodes(NodeValues.of(Map.of("a", 7L, "b", 7L, "c", 7L))));
        assertFalse(values.isOfSameNodes(NodeValues.NONE));
    }

    @Test
    void withoutNodes() {
        Map<String, Long> values = order().byName(new long[0]);
        assertTrue(values.isEmpty());
        Iterator<String> names = values.keySet().iterator();
        assertThrows(NoSuchElementException.class, names::next);
    }
}
