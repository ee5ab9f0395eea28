package io.policyscheduler.engine.rules.data;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.data.ClusterCounts.CountDomain;
import io.policyscheduler.engine.rules.data.ClusterCounts.LabelQuery;
import io.policyscheduler.engine.rules.data.ClusterCounts.PodProperty;
import io.policyscheduler.engine.rules.data.CountTable.CountedNodes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@link CountTable}, {@link CountedNodes}, their counts, and the use that {@link ClusterCounts} makes of them. */
class CountTableTest {
    private static final List<String> KEYS = List.of("app", "net");
    private static final List<String> VALUES = List.of("a", "b", "c");
    private static final int NODES = 5_000;
    private static final int PODS = 15_000;

    private final ClusterState cluster = new ClusterState();
    private final List<PodInfo> pods = new ArrayList<>();

    private void large() {
        for (int n = 0; n < NODES; n++) {
            cluster.putNode(node("n" + n)
                    .label("rack", "r" + n % 50)
                    .label("host", "n" + n)
                    .build());
        }
        for (int p = 0; p < PODS; p++) {
            PodInfo added = pod("p" + p)
                    .label("wants", "n" + p % NODES)
                    .onNode("n" + p / 3)
                    .build();
            pods.add(added);
            cluster.addPod(added);
        }
        cluster.startCycle();
    }

    /** A question with a different value for each node needs one index, as large as the number of pods. */
    @Test
    void valuesThatDifferFromNodeToNode() {
        large();
        CountTable table = new CountTable(cluster);
        for (int attempt = 0; attempt < 3; attempt++) {
            table.startAttempt();
            ClusterCounts counts = new ClusterCounts(table, List.of());
            for (NodeInfo node : cluster.nodes()) {
                assertEquals(3, counts.pods("wants", node.name()));
                assertEquals(0, counts.podsInTopology(node, "rack", "wants", "none of " + node.name()));
                assertEquals(0, counts.minPodsInTopology("host", "wants", node.name()));
                assertEquals(1, counts.maxPodsInTopology("host", "wants", node.name()));
                assertEquals(1, counts.nodes("host", node.name()));
            }
        }
        CountedNodes counted = table.counted();
        assertEquals(4, counted.counters());
        assertEquals(NODES + 2 * PODS, counted.cells());
        // Three counters of pods and the label of a node, once.
        assertEquals(3 * PODS + NODES, counted.visited());
    }

    @Test
    void anAttemptOnlyLooksAtWhatHasChanged() {
        large();
        CountTable table = new CountTable(cluster);
        table.startAttempt();
        assertEquals(
                3,
                table.counted()
                        .pods(CountDomain.CLUSTER, "", PodProperty.label("wants"))
                        .pods("n7"));
        long before = table.counted().visited();
        for (int attempt = 0; attempt < 100; attempt++) {
            cluster.addPod(pod("new" + attempt)
                    .label("wants", "n7")
                    .onNode("n" + attempt)
                    .build());
            cluster.removePod(pods.get(3 * attempt));
            cluster.startCycle();
            table.startAttempt();
            assertEquals(
                    4 + attempt,
                    table.counted()
                            .pods(CountDomain.CLUSTER, "", PodProperty.label("wants"))
                            .pods("n7"));
        }
        // One comes, one goes, and the last one of the list moves to its place.
        assertTrue(
                table.counted().visited() - before <= 400, () -> table.counted().visited() - before + " visited");
    }

    @Test
    void aNodeWithTheSameLabelsIsNotCountedAgain() {
        large();
        CountTable table = new CountTable(cluster);
        table.startAttempt();
        table.counted().pods(CountDomain.TOPOLOGY, "rack", PodProperty.label("wants"));
        long before = table.counted().visited();
        cluster.putNode(node("n1")
                .label("rack", "r1")
                .label("host", "n1")
                .unschedulable()
                .build());
        cluster.startCycle();
        table.startAttempt();
        assertEquals(before, table.counted().visited());
    }

    /** Tenants choose keys, so their number is not limited. */
    @Test
    void keysWithoutEndAreForgotten() {
        cluster.putNode(node("n1").build());
        cluster.addPod(pod("p").label("k7", "v").onNode("n1").build());
        cluster.startCycle();
        CountTable table = new CountTable(cluster);
        for (int attempt = 0; attempt < 1_000; attempt++) {
            table.startAttempt();
            assertEquals(
                    attempt == 7 ? 1 : 0,
                    table.counted()
                            .pods(CountDomain.CLUSTER, "", PodProperty.label("k" + attempt))
                            .pods(null));
            table.counted().nodes("k" + attempt);
            assertTrue(table.counted().counters() <= 36, () -> table.counted().counters() + " counters");
        }
    }

    /** After any change, counts equal a walk over all pods; with and without an index, and in simulated changes. */
    @Test
    void agreesWithAWalk() {
        Random random = new Random(11);
        CountTable table = new CountTable(cluster);
        boolean unsettled = false;
        for (int step = 0; step < 400; step++) {
            for (int change = random.nextInt(4); change >= 0; change--) {
                change(random, step * 10 + change);
            }
            cluster.startCycle();
            unsettled |= cluster.index() == null && !cluster.nodes().isEmpty();
            table.startAttempt();
            ClusterCounts counts = new ClusterCounts(table, List.of(new LabelQuery("app", "a")));
            Map<String, Integer> changes = new HashMap<>();
            for (int i = random.nextInt(3); i > 0 && !pods.isEmpty(); i--) {
                PodInfo pod = pods.get(random.nextInt(pods.size()));
                NodeInfo on = cluster.node(pod.nodeName());
                if (on != null && changes.putIfAbsent(pod.name(), -1) == null) {
                    counts.whatIf(pod, on, -1);
                }
            }
            compare(counts, changes);
            counts.walk(new Meter(Long.MAX_VALUE));
            compare(counts, changes);
            if (step % 3 == 0) {
                askForMoreKeysThanThereAreCounters(table);
                compare(new ClusterCounts(table, List.of()), Map.of());
            }
        }
        assertTrue(unsettled, "every order of nodes was settled");
    }

    private static void askForMoreKeysThanThereAreCounters(CountTable table) {
        for (int key = 0; key < 12; key++) {
            assertEquals(
                    0,
                    table.counted()
                            .pods(CountDomain.CLUSTER, "", PodProperty.label("k" + key))
                            .pods(null));
            assertEquals(0, table.counted().nodes("k" + key).all());
        }
    }

    /** One kind of question, whose key a tenant may have chosen. */
    private interface Question {
        double ask(ClusterCounts counts, NodeInfo node, String key);
    }

    /** The steps of attempts that ask for every node, with different keys, after the first attempt. */
    private long steps(Question question, boolean keysDiffer) {
        ClusterState own = new ClusterState();
        for (int n = 0; n < 500; n++) {
            own.putNode(node("n" + n)
                    .label("rack", "r" + n % 50)
                    .label("k" + n, "v")
                    .build());
            for (int p = 0; p < 3; p++) {
                // Each pod brings a key that no other has, and some that many have.
                own.addPod(pod("p" + n + "-" + p)
                        .label("wants", "v")
                        .label("k" + (3 * n + p), "v")
                        .label("many" + n % 10, "v")
                        .onNode("n" + n)
                        .build());
            }
        }
        own.startCycle();
        CountTable table = new CountTable(own);
        long before = 0;
        for (int attempt = 0; attempt < 20; attempt++) {
            table.startAttempt();
            ClusterCounts counts = new ClusterCounts(table, List.of());
            if (keysDiffer) {
                counts.walk(new Meter(Long.MAX_VALUE));
            }
            long asked = 0;
            for (NodeInfo node : own.nodes()) {
                for (int element = 0; element < 10; element++) {
                    String key =
                            keysDiffer ? (element % 2 == 0 ? "k" : "many") + (attempt * 100 + asked) % 1500 : "wants";
                    question.ask(counts, node, key);
                    asked++;
                }
            }
            // The first attempt makes the index, as it makes a counter.
            before = attempt == 0 ? table.counted().visited() - asked : before;
            own.addPod(pod("new" + attempt)
                    .label("k" + attempt, "v")
                    .label("wants", "v")
                    .onNode("n" + attempt)
                    .build());
            own.startCycle();
        }
        long asked = keysDiffer ? 0 : 20L * 5_000;
        return table.counted().visited() - before + asked;
    }

    /** Whatever keys tenants choose, counts take at most 5 times as many steps as with one key. */
    @Test
    void keysThatDifferFromElementToElementCostLittleMore() {
        Map<String, Question> questions = Map.of(
                "podsWithLabel",
                (counts, node, key) -> counts.pods(key, "v"),
                "podsWithLabel of any value",
                (counts, node, key) -> counts.pods(key, null),
                "podsInTopology",
                (counts, node, key) -> counts.podsInTopology(node, "rack", key, "v"),
                "fewestInTopology",
                (counts, node, key) -> counts.minPodsInTopology("rack", key, "v"),
                "topologyCount",
                (counts, node, key) -> counts.topologyCount(key),
                "nodesWithLabel",
                (counts, node, key) -> counts.nodes(key, "v"),
                "nodesInTopology",
                (counts, node, key) -> counts.nodesInTopology(node, key),
                "podsInTopology of a key",
                (counts, node, key) -> counts.podsInTopology(node, key, "wants", "v"));
        questions.forEach((name, question) -> {
            long one = steps(question, false);
            long many = steps(question, true);
            assertTrue(many <= 5 * one, () -> name + ": " + many + " steps, with one key " + one);
        });
    }

    /** A key that is asked for once is counted without an index; the second attempt builds one. */
    @Test
    void aKeyOfOnePodGetsNoCounter() {
        large();
        CountTable table = new CountTable(cluster);
        for (int attempt = 0; attempt < 200; attempt++) {
            table.startAttempt();
            assertEquals(
                    attempt < NODES ? 3 : 0,
                    table.counted()
                            .pods(CountDomain.CLUSTER, "", PodProperty.label("wants"))
                            .pods("n" + attempt));
            table.counted().pods(CountDomain.CLUSTER, "", PodProperty.label("k" + attempt));
        }
        CountedNodes counted = table.counted();
        assertEquals(8, counted.counters());
        // A counter visits all pods. Those that are not used are dropped, so that there is room for some again.
        assertTrue(counted.visited() <= 40L * PODS, () -> counted.visited() + " visited");
    }

    private void change(Random random, int number) {
        String name = "n" + random.nextInt(6);
        switch (random.nextInt(5)) {
            case 0 ->
                cluster.putNode(node(name)
                        .label("rack", VALUES.get(random.nextInt(3)))
                        .label("topology.kubernetes.io/zone", VALUES.get(random.nextInt(3)))
                        .build());
            case 1 -> cluster.removeNode(name);
            case 2 -> {
                if (!pods.isEmpty()) {
                    cluster.removePod(pods.remove(random.nextInt(pods.size())));
                }
            }
            default -> {
                PodInfo added = pod("p" + number)
                        .uid("u" + number)
                        .namespace(VALUES.get(random.nextInt(3)))
                        .label(KEYS.get(random.nextInt(2)), VALUES.get(random.nextInt(3)))
                        .onNode(name)
                        .build();
                pods.add(added);
                cluster.addPod(added);
            }
        }
    }

    private void compare(ClusterCounts counts, Map<String, Integer> changes) {
        List<NodeInfo> nodes = cluster.nodes();
        Set<String> racks = new HashSet<>();
        nodes.forEach(node -> racks.addAll(rack(node) == null ? Set.of() : Set.of(String.valueOf(rack(node)))));
        assertEquals(racks.size(), counts.topologyCount("rack"));
        for (String key : KEYS) {
            for (String value : VALUES) {
                assertEquals(walked(nodes, changes, null, key, value), counts.pods(key, value));
                List<Long> byRack = racks.stream()
                        .map(rack -> walked(nodes, changes, rack, key, value))
                        .toList();
                assertEquals(byRack.stream().min(Long::compare).orElse(0L), (long)
                        counts.minPodsInTopology("rack", key, value));
                assertEquals(byRack.stream().max(Long::compare).orElse(0L), (long)
                        counts.maxPodsInTopology("rack", key, value));
                for (NodeInfo node : nodes) {
                    String here = rack(node);
                    assertEquals(
                            here == null ? 0 : walked(nodes, changes, here, key, value),
                            counts.podsInTopology(node, "rack", key, value));
                    assertEquals(
                            walked(List.of(node), Map.of(), null, key, value), counts.podsOnNode(node, key, value));
                }
            }
            assertEquals(
                    VALUES.stream()
                            .mapToLong(value -> walked(nodes, changes, null, key, value))
                            .sum(),
                    counts.pods(key, null));
        }
        for (NodeInfo node : nodes) {
            for (String namespace : VALUES) {
                assertEquals(
                        node.pods().stream()
                                .filter(pod -> pod.namespace().equals(namespace))
                                .count(),
                        counts.podsInNamespace(node, namespace));
            }
        }
    }

    private static @Nullable String rack(NodeInfo node) {
        assertNotNull(node);
        return node.node().labels().get("rack");
    }

    private static long walked(
            List<NodeInfo> nodes, Map<String, Integer> changes, @Nullable String rack, String key, String value) {
        long count = 0;
        Set<String> gone = new HashSet<>(changes.keySet());
        for (NodeInfo node : nodes) {
            if (rack == null || rack.equals(rack(node))) {
                for (PodInfo pod : node.pods()) {
                    count += pod.labels().has(key, value) ? 1 : 0;
                    // A node that the order names twice is counted twice, a pod that goes is taken off once.
                    count -= pod.labels().has(key, value) && gone.remove(pod.name()) ? 1 : 0;
                }
            }
        }
        return count;
    }
}
