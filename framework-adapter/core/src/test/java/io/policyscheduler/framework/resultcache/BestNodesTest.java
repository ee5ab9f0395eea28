package io.policyscheduler.framework.resultcache;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.resultcache.CachedRanking.BestNodes;
import io.policyscheduler.framework.resultcache.CachedScores.Summand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The best of some nodes, compared with a walk over all of them. */
class BestNodesTest {
    private static final PodInfo POD = pod("p").build();

    private final ClusterState cluster = new ClusterState();
    private final Map<String, Boolean> fits = new HashMap<>();
    private final Map<String, Long> scores = new HashMap<>();

    private ResultCache kept() {
        cluster.startCycle();
        return new ResultCache(Objects.requireNonNull(cluster.index()), 1, 1, ResultCache.USUAL_BYTES);
    }

    private CachedRanking ranking(ResultCache kept) {
        CachedFilterResults filter = kept.fitsOnce(
                0, 0, node -> fits.getOrDefault(node.name(), false) ? Status.SUCCESS : Status.unschedulable("full"));
        CachedRanking ranking = kept.ranking(POD, List.of(filter));
        CachedScores column =
                kept.scoresOnce(0, "all", 0, Reduction.NONE, node -> scores.getOrDefault(node.name(), 0L));
        kept.addUp(ranking, List.of(new Summand(column, 3, Reduction.NONE)));
        return ranking;
    }

    @Test
    void findsWhatAWalkFinds() {
        for (long seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int nodes = 1 + random.nextInt(200);
            for (int i = 0; i < nodes; i++) {
                cluster.putNode(node("n" + i).build());
                fits.put("n" + i, random.nextInt(10) > 0);
                scores.put("n" + i, (long) random.nextInt(5));
            }
            ResultCache kept = kept();
            CachedRanking ranking = ranking(kept);
            long[] some = ranking.fits();
            if (random.nextBoolean()) {
                for (int block = 0; block < some.length; block++) {
                    some[block] &= random.nextBoolean() ? -1L : random.nextLong();
                }
            }
            int start = random.nextInt(cluster.nodes().size());
            List<Integer> expected = best(kept, some, start);
            if (!expected.isEmpty()) {
                BestNodes best = BestNodes.of(ranking, some);
                assertNotNull(best);
                List<Integer> found = new ArrayList<>();
                for (int number = 0; number < best.count(); number++) {
                    found.add(best.at(number, start));
                }
                assertEquals(expected, found, "seed " + seed);
            }
        }
    }

    /** Returns the positions of the nodes with the highest score, in the order that begins at {@code start}. */
    private List<Integer> best(ResultCache kept, long[] nodes, int start) {
        ClusterIndex index = kept.index();
        List<Integer> best = new ArrayList<>();
        long most = -1;
        for (int i = 0; i < kept.positions().size(); i++) {
            int position = (start + i) % kept.positions().size();
            String name = Objects.requireNonNull(index.at(kept.positions().slot(position)))
                    .name();
            long score = scores.getOrDefault(name, 0L);
            if ((nodes[position >> 6] & (1L << position)) == 0 || score < most) {
                continue;
            }
            if (score > most) {
                best.clear();
            }
            most = score;
            best.add(position);
        }
        return best;
    }

    @Test
    void aNodeWithoutATotalLeavesTheBestUnknown() {
        for (int i = 0; i < 70; i++) {
            cluster.putNode(node("n" + i).build());
            fits.put("n" + i, true);
            scores.put("n" + i, i == 65 ? Long.MAX_VALUE : 1L);
        }
        ResultCache kept = kept();
        CachedRanking ranking = ranking(kept);
        assertNull(BestNodes.of(ranking, ranking.fits()));
        int odd =
                kept.positions().of(Objects.requireNonNull(cluster.node("n65")).slot());
        long[] others = ranking.fits();
        others[odd >> 6] &= ~(1L << odd);
        BestNodes best = BestNodes.of(ranking, others);
        assertNotNull(best);
        assertEquals(69, best.count());
        assertEquals(3, best.total());
    }
}
