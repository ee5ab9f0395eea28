package io.policyscheduler.framework.resultcache;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.resultcache.CachedRanking.BestNodes;
import io.policyscheduler.framework.resultcache.CachedScores.Summand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which scores are cached, and for which nodes they are computed again. */
class ResultCacheTest {
    private final ClusterState cluster = new ClusterState();
    private final List<String> asked = new ArrayList<>();
    private final Map<String, PodInfo> pods = new HashMap<>();
    private final ResultCache kept;

    ResultCacheTest() {
        cluster.putNode(node("n1").build());
        cluster.putNode(node("n2").build());
        cluster.startCycle();
        kept = new ResultCache(Objects.requireNonNull(cluster.index()), 0, 2, ResultCache.USUAL_BYTES);
    }

    private long score(String name) {
        asked.add(name);
        return 7;
    }

    private CachedScores once(int plugin, String basis) {
        return kept.scoresOnce(plugin, basis, 0, Reduction.NONE, node -> score(node.name()));
    }

    private @Nullable CachedScores known(int plugin, String basis) {
        asked.clear();
        return kept.knownScores(plugin, basis, 0, Reduction.NONE, node -> score(node.name()));
    }

    @Test
    void whatWasWorkedOutOnceIsKnownUntilAnotherIs() {
        assertNull(known(0, "a"));
        CachedScores column = once(0, "a");
        assertEquals(List.of("n1", "n2"), asked);

        assertSame(column, known(0, "a"));
        assertEquals(List.of(), asked);
        assertNull(known(0, "b"));
        assertNull(known(1, "a"));

        once(0, "b");
        assertNull(known(0, "a"));
        assertNotNull(known(0, "b"));
    }

    @Test
    void nodesThatHaveChangedAreAskedAgain() {
        once(0, "a");
        cluster.putNode(node("n2").cpu("8").build());
        cluster.putNode(node("n3").build());
        cluster.startCycle();

        CachedScores column = known(0, "a");
        assertEquals(List.of("n2", "n3"), asked.stream().sorted().toList());
        assertEquals(7, Objects.requireNonNull(column).at(2));
    }

    @Test
    void whatIsKeptIsKnown() {
        for (int i = 0; i < 2; i++) {
            kept.scores(0, "a", 0, Reduction.NONE, node -> score(node.name()));
        }
        once(0, "b");

        assertNotNull(known(0, "a"));
        assertEquals(List.of(), asked);
        assertEquals(1, kept.size().columns());
    }

    private CachedRanking ranking(String app) {
        return ranking(app, kept.open());
    }

    /** Pods with the same spec are of one class. */
    private CachedRanking ranking(String app, CachedFilterResults column) {
        PodInfo pod =
                pods.computeIfAbsent(app, any -> pod("p").label("app", any).build());
        return kept.ranking(pod, List.of(column));
    }

    private void addUp(CachedRanking ranking, int weight) {
        kept.addUp(ranking, List.of(new Summand(once(0, "a"), weight, Reduction.NONE)));
    }

    @Test
    void podsOfSeveralClassesShareARanking() {
        CachedRanking first = ranking("a");
        addUp(first, 1);
        for (String app : List.of("b", "a", "c", "b", "a")) {
            CachedRanking ranking = ranking(app);
            addUp(ranking, 1);
            assertSame(first, ranking, app);
        }
        assertEquals(1, kept.size().rankings());
        assertEquals(2, first.fitCount());
        assertEquals(7, first.total(1));
    }

    @Test
    void aClassWithOtherScoresGetsARankingOfItsOwn() {
        CachedRanking shared = ranking("a");
        addUp(shared, 1);
        assertSame(shared, ranking("b"));
        addUp(shared, 2);
        assertEquals(14, shared.total(0));
        assertSame(shared, ranking("a"));
        addUp(shared, 1);
        assertEquals(7, shared.total(0));

        CachedRanking own = ranking("a");
        assertNotSame(shared, own);
        addUp(own, 1);
        assertSame(shared, ranking("b"));
        addUp(shared, 2);
        assertEquals(List.of(7, 14), List.of(own.total(0), shared.total(0)));
        assertSame(own, ranking("a"));
    }

    @Test
    void rankingsAreSharedForAFewSetsOfFiltersOnly() {
        for (int i = 0; i < 20; i++) {
            int plugin = i;
            for (int sight = 0; sight < 2; sight++) {
                CachedFilterResults column = kept.fits(plugin, "a", 0, node -> Status.SUCCESS);
                if (column != null) {
                    ranking("a" + plugin, column);
                }
            }
        }
        assertEquals(16, kept.size().rankings());
        CachedFilterResults gone = Objects.requireNonNull(kept.fits(0, "a", 0, node -> Status.SUCCESS));
        assertSame(ranking("a0", gone), ranking("a0", gone));
        assertEquals(17, kept.size().rankings());
    }

    /** From any start, across blocks of 64 nodes, and for a subset of the nodes. */
    @Test
    void theBestNodesAreTheSameAllAtOnceAndOneByOne() {
        for (int i = 0; i < 200; i++) {
            cluster.putNode(node("many-" + i).build());
        }
        cluster.startCycle();
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            CachedScores column = kept.scoresOnce(0, seed, 0, Reduction.NONE, node -> random.nextInt(3));
            CachedRanking ranking = ranking("a");
            kept.addUp(ranking, List.of(new Summand(column, 1, Reduction.NONE)));
            long[] some = ranking.fits();
            for (int i = 0; seed % 2 == 1 && i < some.length; i++) {
                some[i] &= random.nextLong() | 1;
            }
            BestNodes best = Objects.requireNonNull(BestNodes.of(ranking, some));
            for (int start : new int[] {0, 1, 63, 64, 100, 201}) {
                int[] positions = best.positions(start);
                int[] expected = IntStream.range(0, best.count())
                        .map(number -> best.at(number, start))
                        .toArray();
                assertArrayEquals(expected, positions);
                assertEquals(best.count(), Arrays.stream(positions).distinct().count());
            }
        }
    }
}
