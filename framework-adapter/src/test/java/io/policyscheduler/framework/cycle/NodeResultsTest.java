package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class NodeResultsTest {
    private static final int COUNT = 0;
    private static final int TENS = 1;

    private final ClusterState cluster = new ClusterState();
    private final List<String> asked = new ArrayList<>();
    private final NodeResults results;
    private long revision;

    NodeResultsTest() {
        for (int i = 1; i <= 3; i++) {
            cluster.putNode(node("n" + i).build());
        }
        cluster.addPod(pod("p").onNode("n1").build());
        cluster.startCycle();
        results = new NodeResults(Objects.requireNonNull(cluster.index()), 2);
    }

    private List<String> asked() {
        List<String> names = asked.stream().distinct().sorted().toList();
        asked.clear();
        return names;
    }

    private boolean count(List<NodeInfo> nodes, int factor, long[] into) {
        cluster.startCycle();
        int[] slots = results.slots(nodes);
        assertNotNull(slots);
        return results.scores(
                factor == 1 ? COUNT : TENS,
                revision,
                info -> {
                    asked.add(info.name());
                    return info.podCount() > 2 ? NodeResults.NO_SCORE : (long) factor * info.podCount();
                },
                slots,
                into);
    }

    private long[] count(int factor) {
        long[] scores = new long[cluster.nodes().size()];
        assertTrue(count(cluster.nodes(), factor, scores));
        return scores;
    }

    @Test
    void onlyNodesThatChangedAreAskedAgain() {
        assertArrayEquals(new long[] {1, 0, 0}, count(1));
        assertEquals(List.of("n1", "n2", "n3"), asked());
        assertArrayEquals(new long[] {1, 0, 0}, count(1));
        assertEquals(List.of(), asked());
        cluster.addPod(pod("q").onNode("n2").build());
        assertArrayEquals(new long[] {1, 1, 0}, count(1));
        assertEquals(List.of("n2"), asked());
    }

    @Test
    void eachColumnHasItsOwnMemory() {
        assertArrayEquals(new long[] {1, 0, 0}, count(1));
        cluster.addPod(pod("q").onNode("n3").build());
        assertArrayEquals(new long[] {10, 0, 10}, count(10));
        asked();
        assertArrayEquals(new long[] {1, 0, 1}, count(1));
        assertEquals(List.of("n3"), asked());
    }

    @Test
    void nodesThatComeAndGo() {
        count(1);
        cluster.removeNode("n2");
        cluster.putNode(node("n4").build());
        cluster.addPod(pod("q").onNode("n4").build());
        cluster.startCycle();
        List<String> names = cluster.nodes().stream().map(NodeInfo::name).toList();
        assertEquals(List.of("n1", "n3", "n4"), names);
        assertArrayEquals(new long[] {1, 0, 1}, count(1), "the slot of n2 says nothing about n4");
    }

    @Test
    void oneUnknownScoreAmongTheNodesSpoilsAll() {
        cluster.addPod(pod("q").onNode("n1").build());
        cluster.addPod(pod("r").onNode("n1").build());
        assertFalse(count(cluster.nodes(), 1, new long[3]));
        long[] scores = new long[2];
        assertTrue(count(cluster.nodes().subList(1, 3), 1, scores));
        assertArrayEquals(new long[] {0, 0}, scores);
    }

    @Test
    void nothingIsKnownAboutACopy() {
        NodeInfo copy = cluster.nodes().get(0).copy();
        assertNull(results.slots(List.of(cluster.nodes().get(1), copy)));
        results.refreshPasses(List.of("A"), info -> true);
        assertFalse(results.passes(copy));
        assertTrue(results.passes(cluster.nodes().get(0)));
    }

    @Test
    void passesFollowChanges() {
        results.refreshPasses(List.of("A"), info -> info.podCount() == 0);
        int[] slots = Objects.requireNonNull(cluster.index()).order();
        assertFalse(results.passes()[slots[0]]);
        assertTrue(results.passes()[slots[1]]);
        cluster.addPod(pod("q").onNode("n2").build());
        results.refreshPasses(List.of("A"), info -> info.podCount() == 0);
        assertFalse(results.passes()[slots[1]]);
        assertTrue(results.passes()[slots[2]]);
    }

    @Test
    void otherFiltersAreAskedAboutAllNodes() {
        results.refreshPasses(List.of("A"), info -> true);
        results.refreshPasses(List.of("A"), info -> false);
        assertTrue(results.passes(cluster.nodes().get(0)));
        results.refreshPasses(List.of("A", "B"), info -> false);
        assertFalse(results.passes(cluster.nodes().get(0)));
    }

    @Test
    void scoresOfAnotherRevisionAreAskedForAgain() {
        count(1);
        asked();
        revision = 7;
        assertArrayEquals(new long[] {1, 0, 0}, count(1));
        assertEquals(List.of("n1", "n2", "n3"), asked());
        count(1);
        assertEquals(List.of(), asked());
    }

    private List<Boolean> passes(List<?> steady, String passesSteady, long revision, String passesRevised) {
        results.refreshPasses(steady, info -> passesSteady.contains(info.name()));
        if (revision > 0) {
            results.refreshRevised(List.of(new NodeResults.Revised("R", revision)), info -> {
                asked.add(info.name());
                return passesRevised.contains(info.name());
            });
        }
        return cluster.nodes().stream().map(results::passes).toList();
    }

    @Test
    void revisedFiltersAreAskedAgainAboutTheNodesThatPassTheOthers() {
        assertEquals(List.of(true, false, false), passes(List.of("A"), "n1 n2", 1, "n1 n3"));
        assertEquals(List.of("n1", "n2"), asked());
        assertEquals(List.of(true, false, false), passes(List.of("A"), "n1 n2", 1, "n2"));
        assertEquals(List.of(), asked(), "nothing has changed");
        assertEquals(List.of(false, true, false), passes(List.of("A"), "n1 n2", 2, "n2"));
        assertEquals(List.of("n1", "n2"), asked());
        cluster.addPod(pod("q").onNode("n2").build());
        assertEquals(List.of(false, false, false), passes(List.of("A"), "n1", 2, "n2"));
        assertEquals(List.of(), asked());
        assertEquals(List.of(false, false, true), passes(List.of("A", "B"), "n3", 2, "n1 n3"));
        assertEquals(List.of("n3"), asked(), "with other filters all may be others");
    }

    @Test
    void revisedFiltersMayTakeNoPartForAWhile() {
        passes(List.of("A"), "n1 n2", 1, "n1");
        assertEquals(List.of(true, true, false), passes(List.of("A"), "", 0, ""));
        cluster.addPod(pod("q").onNode("n3").build());
        assertEquals(List.of(true, true, true), passes(List.of("A"), "n3", 0, ""));
        asked();
        assertEquals(List.of(true, false, true), passes(List.of("A"), "n3", 1, "n1 n3"));
        assertEquals(List.of("n3"), asked());
    }

    @Test
    void aScoreThatFailsIsNotKnown() {
        cluster.startCycle();
        int[] slots = results.slots(cluster.nodes());
        assertNotNull(slots);
        assertFalse(results.scores(
                COUNT,
                0,
                info -> {
                    throw new IllegalStateException(info.name());
                },
                slots,
                new long[3]));
    }
}
