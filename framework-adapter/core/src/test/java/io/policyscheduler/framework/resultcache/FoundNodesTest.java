package io.policyscheduler.framework.resultcache;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.resultcache.CachedRanking.FoundNodes;
import io.policyscheduler.framework.resultcache.CachedRanking.Positions;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Five nodes, the first of which was removed: indexes are not positions. */
class FoundNodesTest {
    private final ClusterState state = cluster(
            node("gone").build(),
            node("a").build(),
            node("b").build(),
            node("c").build(),
            node("d").build());

    @BeforeEach
    void withoutTheFirst() {
        state.removeNode("gone");
        state.startCurrentCycle();
    }

    private FoundNodes found(int start, long chosen) {
        ClusterIndex index = Objects.requireNonNull(state.index());
        return new FoundNodes(index, Positions.of(index), start, new long[] {chosen}, Long.bitCount(chosen));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 | [] | [] | []",
                "0 | 15 | [0, 1, 2, 3] | [1, 2, 3, 4] | [a, b, c, d]",
                "2 | 15 | [2, 3, 0, 1] | [3, 4, 1, 2] | [c, d, a, b]",
                "0 | 10 | [1, 3] | [2, 4] | [b, d]",
                "2 | 10 | [3, 1] | [4, 2] | [d, b]",
                "3 | 1 | [0] | [1] | [a]",
            })
    void inTheOrderOfTheSearch(int start, long chosen, String positions, String slots, String names) {
        FoundNodes found = found(start, chosen);
        assertEquals(positions, Arrays.toString(found.positions()));
        assertEquals(slots, Arrays.toString(found.slots()));
        assertEquals(names, found.nodes().stream().map(NodeInfo::name).toList().toString());
        assertEquals(Long.bitCount(chosen), found.count());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "3, 4",
        "63, 63",
        "64, 130",
        "127, 130",
        "130, 130",
        "131, 132",
        "133, 192",
        "190, 192",
        "500, 500"
    })
    void findsTheNextPositionOutside(int from, int next) {
        long[] set = {~(1L | 2L | 1L << 4 | 1L << 63), -1, ~(1L << 2 | 1L << 4)};
        assertEquals(next, Positions.nextOutside(set, from));
    }

    @Test
    void aNodeThatWasNotFoundHasAPositionAllTheSame() {
        assertEquals("d", found(0, 1).nodeAt(3).name());
    }

    @Test
    void aNodeThatHasGoneSince() {
        FoundNodes found = found(0, 1);
        state.removeNode("a");
        assertEquals(
                "no node in slot 1 of the order",
                assertThrows(IllegalStateException.class, () -> found.nodeAt(0)).getMessage());
    }
}
