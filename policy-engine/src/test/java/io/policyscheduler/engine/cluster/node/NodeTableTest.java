package io.policyscheduler.engine.cluster.node;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeTableTest {
    private static final PodInfo A = pod("a").label("name", "a").build();
    private static final PodInfo B = pod("b").label("name", "b").build();

    private final NodeTable table = new NodeTable();
    private final NodeInfo n0 = known("n0");
    private final NodeInfo n1 = known("n1");

    private NodeInfo known(String name) {
        NodeInfo info = new NodeInfo(name);
        info.setNode(node(name).build(), Map.of());
        table.add(info);
        table.touch(info);
        return info;
    }

    /** Returns the changes since then of the nodes and of the pods of each class, and the changed slots. */
    private String since(long generation) {
        List<Integer> slots = new ArrayList<>();
        table.changedSince(generation, slots::add);
        return table.isRecorded(generation) ? moves(generation) + " " + slots : slots.toString();
    }

    /** By class: a pod is named by its label. */
    private List<String> moves(long generation) {
        List<String> visited = new ArrayList<>();
        table.movedSince(generation, new int[0], 0, visitor(visited, ""));
        for (int number = 0; number < table.classes().size(); number++) {
            List<String> ofClass = new ArrayList<>();
            String name = table.classes().get(number).labels().getOrEmpty("name");
            table.movedSince(generation, new int[] {number}, 1, visitor(ofClass, name));
            ofClass.stream().filter(line -> line.contains("@")).forEach(visited::add);
        }
        return visited;
    }

    private static NodeTable.Visitor visitor(List<String> visited, String name) {
        return new NodeTable.Visitor() {
            @Override
            public void changed(int slot) {
                visited.add(String.valueOf(slot));
            }

            @Override
            public void moved(int slot, int difference) {
                visited.add((difference > 0 ? "+" : "-") + name + "@" + slot);
            }
        };
    }

    @Test
    void podsThatComeAndGoAreTold() {
        long start = table.generation();
        assertEquals("[] []", since(start));
        table.podAdded(n0, A);
        table.podAdded(n1, B);
        table.podRemoved(n0, A);
        assertEquals("[-a@0, +a@0, +b@1] [0, 1]", since(start));
        assertEquals("[-a@0, +b@1] [1, 0]", since(start + 1));
        assertEquals("[] []", since(start + 3));
    }

    /** A node with several changes is reported once, after the last of them. */
    @Test
    void aNodeOfWhichMoreHasChanged() {
        long start = table.generation();
        table.podAdded(n0, A);
        table.touch(n0);
        table.podAdded(n1, B);
        table.podRemoved(n0, A);
        assertEquals("[0, +b@1] [0, 1]", since(start));
        assertEquals("[-a@0, +b@1] [1, 0]", since(start + 2), "it had changed before");
    }

    /** Another version of a pod is a change of the node, and of the pods only if they are counted differently. */
    @Test
    void aPodIsReplaced() {
        long start = table.generation();
        table.podAdded(n0, A);
        table.podReplaced(n0, A, pod("a").label("name", "a").phase("Running").build());
        assertEquals(start + 2, n0.generation());
        assertEquals("[+a@0] [0]", since(start));
        assertEquals("[] [0]", since(start + 1));
        table.podReplaced(n0, A, B);
        assertEquals("[-a@0, +b@0] [0]", since(start + 2));
    }

    @Test
    void aSlotIsGivenToAnother() {
        long start = table.generation();
        table.podAdded(n0, A);
        table.remove(n0);
        assertNull(table.at(0));
        NodeInfo heir = new NodeInfo("heir");
        table.add(heir);
        table.podAdded(heir, B);
        assertEquals(0, heir.slot());
        assertNull(table.at(0), "only a pod of it is known");
        assertEquals("[0] [0]", since(start));
        heir.setNode(node("heir").build(), Map.of());
        table.touch(heir);
        assertEquals("heir", table.at(0) == null ? "" : table.at(0).name());
    }

    /** A reader that missed more changes than are stored gets every changed node. */
    @Test
    void moreChangesThanAreRemembered() {
        long start = table.generation();
        for (int i = 0; i < 10_000; i++) {
            table.podAdded(n1, A);
            table.podRemoved(n1, A);
        }
        assertEquals("[1]", since(start));
        assertEquals("[0, 1]", since(0));
    }

    @Test
    void moreNodesThanAtFirst() {
        for (int i = 2; i < 200; i++) {
            known("n" + i);
        }
        long start = table.generation();
        table.touch(known("last"));
        table.podAdded(n1, A);
        assertEquals("[200, +a@1] [200, 1]", since(start));
    }

    /** The log grows with the number of nodes: it contains what it did before, and more changes afterwards. */
    @Test
    void manyNodesHaveALongerLog() {
        long start = table.generation();
        table.podAdded(n0, A);
        for (int i = 2; i < 3000; i++) {
            known("n" + i);
        }
        assertEquals(2999, slots(start).size());
        assertEquals(2999, moves(start).size(), "nodes, and the pod");
        assertTrue(moves(start).contains("+a@0"));
        long grown = table.generation();
        for (int i = 0; i < 50_000; i++) {
            table.podAdded(n1, A);
            table.podRemoved(n1, A);
        }
        assertEquals(100_000, moves(grown).size());
        assertFalse(table.isRecorded(table.generation() - 140_000));
    }

    /** A change that a short log had lost before it grew is reported as a changed node. */
    @Test
    void changesThatWereLostBeforeTheLogGrew() {
        long start = table.generation();
        for (int i = 0; i < 5000; i++) {
            table.podAdded(n1, A);
            table.podRemoved(n1, A);
        }
        long recent = table.generation();
        table.podAdded(n1, B);
        for (int i = 2; i < 3000; i++) {
            known("n" + i);
        }
        assertFalse(table.isRecorded(start));
        List<String> nodes =
                moves(recent).stream().filter(line -> !line.contains("@")).toList();
        assertEquals(2998, nodes.size());
        assertEquals(nodes.size() + 1, moves(recent).size());
        assertEquals(nodes.size() + 10, moves(recent - 9).size());
    }

    /** Classes of pods that are gone are dropped together, and the others get new numbers. */
    @Test
    void moreClassesThanChangesAreRemembered() {
        long start = table.generation();
        table.podAdded(n0, A);
        for (int i = 1; i < 8192; i++) {
            table.podAdded(n1, pod("p").label("name", "p" + i).build());
        }
        assertEquals(8192, table.classes().size());
        assertTrue(table.isRecorded(start));
        assertEquals(0, table.numbering());
        long full = table.generation();
        table.podRemoved(n1, B);
        table.podAdded(n0, A);
        assertEquals(1, table.numbering());
        assertFalse(table.isRecorded(full - 1));
        assertEquals("[-b@1, +a@0] [1, 0]", since(full));
        assertEquals("[+a@0] [0]", since(full + 1));
    }

    /** Otherwise, the labels of all pods of a large cluster that are gone would stay in the heap. */
    @Test
    void aLargeClusterRemembersFourClassesForEachNode() {
        for (int i = 2; i < 4096; i++) {
            known("n" + i);
        }
        for (int i = 0; i <= 4 * 4096; i++) {
            table.podAdded(n1, pod("p").label("name", "p" + i).build());
        }
        assertEquals(List.of(1, 1), List.of(table.numbering(), table.classes().size()));
    }

    private List<Integer> slots(long generation) {
        List<Integer> slots = new ArrayList<>();
        table.changedSince(generation, slots::add);
        return slots;
    }
}
