package io.policyscheduler.engine.cluster.node;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The order of nodes, cycle by cycle. A node's zone is the upper-case form of its first letter; n is in no zone. */
class NodeTreeTest {
    private static Node in(String zone, String name) {
        return zone.equals("N")
                ? node(name).build()
                : node(name).label(Node.ZONE, zone).build();
    }

    private static Node of(String name) {
        return in(name.substring(0, 1).toUpperCase(Locale.ROOT), name);
    }

    private static String next(ClusterState state) {
        state.startCycle();
        return String.join(" ", state.nodes().stream().map(NodeInfo::name).toList());
    }

    static Stream<Arguments> histories() {
        return Stream.of(
                arguments("a1 a2 b1 c1 c2", "", List.of("a1 b1 c1 a2 c2", "a1 b1 c1 a2 c2", "a1 b1 c1 a2 c2")),
                arguments("n1 n2 n3", "+n4", List.of("n1 n2 n3", "n4 n1 n2 n3", "n4 n1 n2 n3", "n4 n1 n2 n3")),
                arguments("a1 a2 b1", "+b2", List.of("a1 b1 a2", "b2 a1 b1 a2", "b2 a1 b1 a2")),
                arguments(
                        "a1 b1 b2 b3",
                        "+a2",
                        List.of("a1 b1 b2 b3", "a2 a1 b1 a2 b2", "b3 a1 b1 a2 b2", "b3 a1 b1 a2 b2")),
                arguments(
                        "a1 a2 b1 b2",
                        "+d1",
                        List.of("a1 b1 a2 b2", "d1 a1 b1 d1 a2", "b2 a1 b1 d1 a2", "b2 a1 b1 d1 a2")),
                arguments("n1 n2 n3", "+n4 | -n2", List.of("n1 n2 n3", "n4 n1 n2 n3", "n1 n3 n4", "n1 n3 n4")),
                // Before the first cycle all cursors are clean.
                arguments("", "+b1 +a1 +b2 +a2", List.of("", "b1 a1 b2 a2", "b1 a1 b2 a2")),
                arguments("n1", "-n1", List.of("n1", "", "")));
    }

    /** Changes are applied one group per cycle; bars separate the groups. */
    @ParameterizedTest
    @MethodSource("histories")
    void listsCycleByCycle(String nodes, String changes, List<String> lists) {
        ClusterState state = new ClusterState();
        for (String name : nodes.split(" ", -1)) {
            if (!name.isEmpty()) {
                state.putNode(of(name));
            }
        }
        List<String> actual = new ArrayList<>(List.of(next(state)));
        String[] groups = changes.split(" \\| ", -1);
        for (int i = 1; i < lists.size(); i++) {
            for (String change : i <= groups.length ? groups[i - 1].split(" ", -1) : new String[0]) {
                if (change.startsWith("+")) {
                    state.putNode(of(change.substring(1)));
                } else if (change.startsWith("-")) {
                    assertTrue(state.removeNode(change.substring(1)));
                }
            }
            actual.add(next(state));
        }
        assertEquals(lists, actual);
    }

    /** The order of v1.17 after the same change lists a2 twice and omits b3. */
    @Test
    void aCompleteCycleListsEachNodeOnce() {
        ClusterState state = new ClusterState();
        List.of("a1", "b1", "b2", "b3").forEach(name -> state.putNode(of(name)));
        state.startCompleteCycle();
        state.putNode(of("a2"));
        List<String> cycles = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            state.startCompleteCycle();
            cycles.add(state.nodes().stream().map(NodeInfo::name).collect(Collectors.joining(" ")));
            assertNotNull(state.index(), "the index has no use for an incomplete order");
        }
        assertEquals(List.of("a2 a1 b1 b2 b3", "b3 a1 b1 a2 b2", "b3 a1 b1 a2 b2"), cycles);
    }

    @Test
    void anUpdateWithinTheZoneChangesNothing() {
        ClusterState state = new ClusterState();
        state.putNode(of("a1"));
        state.putNode(of("a2"));
        next(state);
        state.putNode(of("a1"));
        assertEquals("a1 a2", next(state));
    }

    @Test
    void aNodeThatChangesItsZoneGoesToTheEnd() {
        ClusterState state = new ClusterState();
        for (String name : List.of("a1", "a2", "b1")) {
            state.putNode(of(name));
        }
        assertEquals("a1 b1 a2", next(state));
        state.putNode(in("B", "a1"));
        // A is now [a2] with its cursor at the end, B is [b1, a1] with its cursor behind b1.
        assertEquals("a1 a2 b1", next(state));
        assertEquals("a1 a2 b1", next(state));
    }

    @Test
    void namesAreKeptOncePerZone() {
        NodeTree tree = new NodeTree();
        tree.add("z", "n1");
        tree.add("z", "n1");
        assertEquals(List.of("n1"), tree.fromTheStart());
        assertFalse(tree.remove("z", "n2"));
        assertFalse(tree.remove("y", "n1"));
        assertTrue(tree.remove("z", "n1"));
        assertEquals(List.of(), tree.fromTheStart());
        assertEquals(List.of(), tree.pass());
    }

    /** The state skips cycles that would repeat the last one; a tree that is walked in every cycle must agree. */
    @Test
    void skippedPassesMakeNoDifference() {
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            ClusterState state = new ClusterState();
            NodeTree literal = new NodeTree();
            List<Node> present = new ArrayList<>();
            StringBuilder history = new StringBuilder("seed " + seed + ":");
            for (int step = 0; step < 25; step++) {
                for (int change = random.nextInt(3); change > 0; change--) {
                    String name = "n" + random.nextInt(6);
                    Node added = in(String.valueOf((char) ('A' + random.nextInt(3))), name);
                    int at = IntStream.range(0, present.size())
                            .filter(i -> present.get(i).name().equals(name))
                            .findFirst()
                            .orElse(-1);
                    if (at >= 0) {
                        Node old = present.remove(at);
                        if (random.nextBoolean()) {
                            history.append(" -").append(name);
                            assertTrue(state.removeNode(name));
                            literal.remove(old.zoneKey(), name);
                            continue;
                        }
                        if (!old.zoneKey().equals(added.zoneKey())) {
                            literal.remove(old.zoneKey(), name);
                            literal.add(added.zoneKey(), name);
                        }
                    } else {
                        literal.add(added.zoneKey(), name);
                    }
                    history.append(" +").append(name).append(added.labels());
                    state.putNode(added);
                    present.add(added);
                }
                history.append(" |");
                assertEquals(String.join(" ", literal.pass()), next(state), history::toString);
            }
        }
    }
}
