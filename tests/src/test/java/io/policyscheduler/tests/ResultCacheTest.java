package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.AttemptListener;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.NodeSampling.SearchStart;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.SchedulingCycle.DecisionPath;
import io.policyscheduler.framework.cycle.TieBreak;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Decisions from cached results equal those of the path that evaluates every plugin on every node: node, total, scores of the best nodes by
 * algorithm, feasible nodes with their totals, number of evaluated nodes, and reasons with counts. The cluster changes between decisions ({@link
 * ClusterChurn}), and two of the {@link CachedSchedulers} alternate. {@code -DkeptWorlds=...} tries more snapshots, {@code -Dfirst=...} sets the
 * first seed, {@code -Dseed=...} tries only one.
 */
class ResultCacheTest {
    private static final int SNAPSHOTS = Integer.getInteger("keptWorlds", 800);
    private static final int DECISIONS = 30;

    private final CachedSchedulers ways = new CachedSchedulers();
    private final Map<String, Integer> seen = new TreeMap<>();

    @Test
    void bothPathsDecideAlike() throws PolicyException, IOException {
        Long only = Long.getLong("seed");
        long first = only == null ? Long.getLong("first", 1) : only;
        for (long seed = first; seed < first + (only == null ? SNAPSHOTS : 1); seed++) {
            try {
                new Lives(seed).live();
            } catch (RuntimeException e) {
                throw new AssertionError("-Dseed=" + seed + ": " + e, e);
            }
        }
        assertTrue(only != null || SNAPSHOTS < 200 || seen.keySet().containsAll(EXPECTED), seen::toString);
    }

    /** What must have occurred; otherwise the test shows nothing. */
    private static final List<String> EXPECTED = List.of(
            "PLACED",
            "UNSCHEDULABLE",
            "NO_NODES",
            "node added",
            "node closed or opened",
            "node of another cluster",
            "node promised",
            "node relabelled",
            "node removed",
            "node tainted",
            "pod gone",
            "pod terminating",
            "SERVICES",
            "CLAIMS",
            "VOLUMES",
            "CSI_NODES",
            "DISRUPTION_BUDGETS",
            "RESOURCE_CLAIMS",
            "RESOURCE_SLICES",
            "tables");

    private static final class DetailsListener implements AttemptListener {
        private AttemptDetails details = AttemptDetails.NONE;

        @Override
        public boolean needsDetails() {
            return true;
        }

        @Override
        public void onAttempted(PodInfo pod, AttemptDetails attempt) {
            details = attempt;
        }

        @Override
        public void onResultCacheFailed(PodInfo pod, Throwable e) {
            throw new AssertionError(pod.key(), e);
        }

        /** The order of algorithms in a report is not defined. */
        String text() {
            List<String> best = new ArrayList<>();
            for (AttemptDetails.Scored scored : details.best()) {
                Map<String, Long> scores = new TreeMap<>();
                for (int i = 0; i < details.algorithms().size(); i++) {
                    scores.put(
                            details.algorithms().get(i).toString(),
                            scored.scores().get(i));
                }
                best.add(scored.node() + "=" + scored.total() + scores);
            }
            return details.rejections() + " " + best + " tied " + details.tied();
        }
    }

    /** Two profiles that alternate on one path, with a copy of the cluster. */
    private static final class Side {
        private final DetailsListener listener = new DetailsListener();
        private final List<SchedulingCycle> cycles = new ArrayList<>();

        Side(
                ClusterState state,
                List<CachedSchedulers.Way> ways,
                TieBreak tieBreak,
                int percentage,
                DecisionPath path) {
            SearchStart start = new SearchStart();
            for (CachedSchedulers.Way way : ways) {
                cycles.add(SchedulingCycle.builder(way.profile().apply(state), state)
                        .percentageOfNodesToScore(percentage)
                        .tieBreak(tieBreak)
                        .attempts(listener)
                        .start(start)
                        .path(path)
                        .build());
            }
        }
    }

    private final class Lives {
        private final long seed;
        private final RandomValues random;
        private final ClusterChurn churn;
        private final List<CachedSchedulers.Way> profiles;
        private final Side plain;
        private final Side kept;

        Lives(long seed) throws PolicyException, IOException {
            this.seed = seed;
            this.random = new RandomValues(seed + 1);
            this.churn = new ClusterChurn(seed, 2);
            this.profiles = List.of(ways.of(random), ways.of(random));
            int percentage = random.of(100, 100, 0, 30);
            boolean inTurn = random.percent(60);
            this.plain = side(0, inTurn, percentage, DecisionPath.PLAIN);
            this.kept = side(1, inTurn, percentage, DecisionPath.KEPT);
        }

        private Side side(int copy, boolean inTurn, int percentage, DecisionPath path) {
            TieBreak tieBreak = inTurn ? TieBreak.roundRobin() : TieBreak.first();
            return new Side(churn.state(copy), profiles, tieBreak, percentage, path);
        }

        void live() {
            for (int i = 0; i < DECISIONS; i++) {
                churn.change();
                if (random.percent(10)) {
                    profiles.forEach(way -> way.changeTables(random));
                }
                int which = random.percent(70) ? 0 : 1;
                decide(churn.next(), which, i);
            }
            churn.changes().forEach((change, times) -> seen.merge(change, times, Integer::sum));
            if (profiles.stream().anyMatch(way -> way.name().startsWith("tables"))) {
                seen.merge("tables", 1, Integer::sum);
            }
        }

        private void decide(PodInfo pod, int which, int number) {
            String where = "-Dseed=" + seed + " decision " + number + " " + pod.name() + " by "
                    + profiles.get(which).name();
            Decision expected = plain.cycles.get(which).decide(pod, churn);
            Decision actual = kept.cycles.get(which).decide(pod, churn);
            assertEquals(expected, actual, where);
            assertEquals(plain.listener.text(), kept.listener.text(), where);
            seen.merge(actual.kind().toString(), 1, Integer::sum);
            if (random.percent(30)) {
                compareAll(pod, which, where);
            }
            String node = actual.node();
            if (node != null) {
                churn.place(pod, node);
            }
        }

        /** Evaluates all nodes, whatever the percentage. */
        private void compareAll(PodInfo pod, int which, String where) {
            Ranking expected = Ranking.of(plain.cycles.get(which).evaluate(pod, churn));
            Ranking actual = kept.cycles.get(which).rank(pod, churn);
            assertEquals(expected.error(), actual.error(), where);
            assertEquals(expected.feasible(), actual.feasible(), where);
            assertEquals(totals(expected), totals(actual), where);
            assertEquals(expected.best(), actual.best(), where);
            assertEquals(expected.weights(), actual.weights(), where);
        }

        private static Map<String, OptionalLong> totals(Ranking ranking) {
            Map<String, OptionalLong> totals = new TreeMap<>();
            ranking.feasible().forEach(node -> totals.put(node, ranking.total(node)));
            return totals;
        }
    }
}
