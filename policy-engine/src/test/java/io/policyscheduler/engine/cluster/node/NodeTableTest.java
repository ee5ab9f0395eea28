package io.policyscheduler.engine.cluster.node;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeTableTest {
    private static final PodInfo A = pod("a").build();
    private static final PodInfo B = pod("b").build();

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

    /** Returns the changes since then, from both interfaces. */
    private String since(long generation) {
        List<String> told = new ArrayList<>();
        table.changedSince(generation, new NodeTable.Visitor() {
            @Override
            public void changed(int slot) {
                told.add(String.valueOf(slot));
            }

            @Override
            public void moved(int slot, PodInfo pod, boolean came) {
                told.add((came ? "+" : "-") + pod.name() + "@" + slot);
            }
        });
        List<Integer> slots = new ArrayList<>();
        table.changedSince(generation, slots::add);
        return told + " " + slots;
    }

    @Test
    void podsThatComeAndGoAreTold() {
        long start = table.generation();
        assertEquals("[] []", since(start));
        table.podAdded(n0, A);
        table.podAdded(n1, B);
        table.podRemoved(n0, A);
        assertEquals("[+a@0, +b@1, -a@0] [1, 0]", since(start));
        assertEquals("[+b@1, -a@0] [1, 0]", since(start + 1));
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
        assertEquals("[+b@1, 0] [1, 0]", since(start));
        assertEquals("[+b@1, -a@0] [1, 0]", since(start + 2), "it had changed before");
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
        assertEquals("[1] [1]", since(start));
        assertEquals("[0, 1] [0, 1]", since(0));
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
        assertEquals("+a@0", since(start).substring(1, 5));
        long grown = table.generation();
        for (int i = 0; i < 10_000; i++) {
            table.podAdded(n1, A);
            table.podRemoved(n1, A);
        }
        assertEquals(20_000, moves(grown));
        assertEquals(0, moves(table.generation() - 40_000));
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
        assertEquals(0, moves(start));
        assertEquals(1, moves(recent));
        assertEquals(10, moves(recent - 9));
    }

    private List<Integer> slots(long generation) {
        List<Integer> slots = new ArrayList<>();
        table.changedSince(generation, slots::add);
        return slots;
    }

    private int moves(long generation) {
        int[] moves = new int[1];
        table.changedSince(generation, new NodeTable.Visitor() {
            @Override
            public void changed(int slot) {}

            @Override
            public void moved(int slot, PodInfo pod, boolean came) {
                moves[0]++;
            }
        });
        return moves[0];
    }
}
