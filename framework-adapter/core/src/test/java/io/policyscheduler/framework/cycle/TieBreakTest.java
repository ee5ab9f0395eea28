package io.policyscheduler.framework.cycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TieBreakTest {
    private static List<NodeInfo> nodes(String... names) {
        return Stream.of(names).map(NodeInfo::new).toList();
    }

    private static List<Integer> choices(TieBreak tieBreak, int times, long... totals) {
        List<NodeInfo> nodes = nodes(Arrays.stream(totals).mapToObj(t -> "n").toArray(String[]::new));
        List<Integer> chosen = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            chosen.add(tieBreak.choose(nodes, totals));
        }
        return chosen;
    }

    @Test
    void allTakeTheOnlyBest() {
        for (TieBreak tieBreak : List.of(TieBreak.roundRobin(), TieBreak.random(new Random(1)), TieBreak.first())) {
            assertEquals(List.of(0, 0), choices(tieBreak, 2, 5));
            assertEquals(List.of(2, 2), choices(tieBreak, 2, 5, 6, 7));
            assertEquals(List.of(1), choices(tieBreak, 1, -5, -4, -6));
            assertEquals(List.of(0), choices(tieBreak, 1, Long.MIN_VALUE));
        }
    }

    @Test
    void roundRobinTakesTheBestInTurn() {
        TieBreak tieBreak = TieBreak.roundRobin();
        assertEquals(List.of(1, 2, 4, 1, 2), choices(tieBreak, 5, 0, 7, 7, 3, 7));
        assertEquals(List.of(1, 0), choices(tieBreak, 2, 1, 1), "the turn goes on with another set");
    }

    @Test
    void firstGoesByName() {
        assertEquals(2, TieBreak.first().choose(nodes("c", "b", "a", "d"), new long[] {1, 1, 1, 1}));
        assertEquals(1, TieBreak.first().choose(nodes("c", "b", "a"), new long[] {7, 7, 6}));
        assertEquals(0, TieBreak.first().choose(nodes("a", "a"), new long[] {7, 7}));
    }

    @Test
    void randomIsFairAmongTheBest() {
        int[] counts = new int[5];
        for (int chosen : choices(TieBreak.random(new Random(7)), 30_000, 7, 1, 7, 7, 6)) {
            counts[chosen]++;
        }
        assertEquals(0, counts[1] + counts[4]);
        for (int best : new int[] {0, 2, 3}) {
            assertTrue(counts[best] > 9_500 && counts[best] < 10_500, Arrays.toString(counts));
        }
    }

    /** A search that knows the best nodes passes on only those. */
    @Test
    void theBestNodesAloneGiveTheSameChoice() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<NodeInfo> nodes = new ArrayList<>();
            for (int i = 0; i <= random.nextInt(20); i++) {
                nodes.add(new NodeInfo("n" + random.nextInt(30)));
            }
            long[] equal = new long[nodes.size()];
            for (Supplier<TieBreak> tieBreak :
                    List.<Supplier<TieBreak>>of(TieBreak::first, () -> TieBreak.random(new Random(3)))) {
                assertEquals(
                        tieBreak.get().choose(nodes, equal),
                        tieBreak.get().choose(nodes.size(), nodes::get),
                        "" + nodes);
            }
        }
    }
}
