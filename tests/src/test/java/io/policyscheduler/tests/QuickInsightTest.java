package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.report.CompareJson;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.Comparison;
import io.policyscheduler.framework.insight.compare.PolicySchedulers;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.compare.WorkerPool;
import io.policyscheduler.framework.insight.whatif.Audit;
import io.policyscheduler.framework.insight.whatif.Audit.Finding;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.predicates.VolumeBinder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Questions about decisions get the same answer from the cached and parallel path as from the path that evaluates every node for every pod. {@code
 * -Dsnapshots=...} tries more snapshots, {@code -Dseed=...} only one.
 */
class QuickInsightTest {
    private static final int SNAPSHOTS = Integer.getInteger("snapshots", 20);
    private static final ExecutorService OTHERS = Executors.newCachedThreadPool();
    private static final WorkerPool THREADS = new WorkerPool(3, OTHERS);

    private final AlgorithmRegistry registry = Algorithms.registry();
    private int findings;
    private int differing;
    private int placed;
    private int refused;

    @AfterAll
    static void end() {
        OTHERS.shutdownNow();
    }

    @Test
    void answersLikeThePlainWay() throws IOException {
        Long only = Long.getLong("seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SNAPSHOTS : only); seed++) {
            try {
                if (seed % 10 == 1) {
                    compareOrdinarySnapshot(seed);
                }
                compareOddSnapshot(seed);
            } catch (PolicyException e) {
                // Skips policies that v1.17 rejects.
                continue;
            }
        }
        String summary =
                findings + " findings, " + differing + " differ, " + placed + " placed, " + refused + " refused";
        assertTrue(only != null || Math.min(Math.min(findings, differing), Math.min(placed, refused)) > 50, summary);
    }

    private void compareOddSnapshot(long seed) throws IOException, PolicyException {
        ObjectNode scenario = RandomCluster.scenario(seed, registry);
        FeatureGates gates = ScenarioCluster.gates(scenario);
        EffectivePolicy policy = ScenarioCluster.policy(scenario, new PolicyResolver(gates, 1, false, registry));
        boolean independent = policy.rules().isEmpty() && !gates.enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
        compare(seed, ScenarioCluster.snapshot(scenario, gates), sources(policy, gates, independent));
    }

    private void compareOrdinarySnapshot(long seed) throws PolicyException {
        FeatureGates gates = FeatureGates.defaults();
        EffectivePolicy policy =
                new PolicyResolver(gates, 1, false, registry).resolveProvider("ClusterAutoscalerProvider");
        compare(seed, CompareCluster.of(seed, 30, 90, 40), sources(policy, gates, true));
    }

    private List<SchedulerSpec> sources(EffectivePolicy policy, FeatureGates gates, boolean independent) {
        PolicySchedulers policies = new PolicySchedulers(registry, name -> "");
        VolumeBinder binder = new VolumeBinder(gates, policy.predicates().containsKey("CheckVolumeBinding"));
        return List.of(
                policies.functions("functions", policy, binder::assume).independent(independent),
                policies.plugins("plugins", policy, binder::assume, Extenders.NONE)
                        .independent(independent),
                ProfileSchedulers.of(
                                "modern",
                                ModernProfile::defaults,
                                new VolumeBinder(FeatureGates.defaults(), true)::assume,
                                Extenders.NONE)
                        .independent(true));
    }

    private void compare(long seed, ClusterSnapshot snapshot, List<SchedulerSpec> sources) {
        for (SchedulerSpec source : sources) {
            String where = "-Dseed=" + seed + " " + source.name() + " ";
            compareRankings(where, snapshot, source);
            List<Finding> plain =
                    new Audit(UncachedScheduler.of(source), 5).run(snapshot, snapshot.running(), done -> {});
            assertEquals(
                    plain,
                    new Audit(source, 5, THREADS).run(snapshot, snapshot.running(), done -> {}),
                    where + "audit");
            findings += plain.size();
        }
        CompareReport.Mode mode = seed % 3 == 0 ? CompareReport.Mode.RUN : CompareReport.Mode.STEPS;
        Comparison.Settings settings = new Comparison.Settings(mode, seed % 2 == 0, seed % 5 == 0, 3);
        CompareReport plain = new Comparison(
                        snapshot, sources.stream().map(UncachedScheduler::of).toList(), settings)
                .run((done, all, differ) -> {});
        CompareReport quick = new Comparison(snapshot, sources, settings, THREADS).run((done, all, differ) -> {});
        assertEquals(
                CompareJson.of(plain, 0, List.of()).toPrettyString(),
                CompareJson.of(quick, 0, List.of()).toPrettyString(),
                "-Dseed=" + seed + " compare");
        differing += (int) plain.pods().stream()
                .filter(pod -> !pod.differences().get(1).agreement().agrees())
                .count();
    }

    /** Each pod is placed or returned before the next one, so that cached results must follow the changes. */
    private void compareRankings(String where, ClusterSnapshot snapshot, SchedulerSpec source) {
        ClusterState cluster = snapshot.state();
        SnapshotScheduler quick = source.create(cluster, TieBreak.first());
        SnapshotScheduler plain = source.create(cluster, TieBreak.first());
        List<PodInfo> pods = new ArrayList<>(snapshot.pending());
        snapshot.running().stream()
                .filter(pod -> cluster.node(pod.nodeName()) != null)
                .forEach(pods::add);
        for (PodInfo pod : pods) {
            cluster.removePod(pod);
            PodInfo released = pod.withNodeName("");
            Ranking ranking = quick.rank(released, NominatedPods.NONE);
            Evaluation evaluation = plain.evaluate(released, NominatedPods.NONE);
            String text = where + pod.key();
            assertEquals(evaluation.error(), ranking.error(), text);
            assertEquals(evaluation.fitError(), ranking.fitError(), text);
            assertEquals(evaluation.feasible(), ranking.feasible(), text);
            assertEquals(evaluation.best(), ranking.best(), text);
            assertEquals(evaluation.weights(), ranking.weights(), text);
            evaluation
                    .totals()
                    .forEach((node, total) ->
                            assertEquals(total, ranking.total(node).orElseThrow(), text + " on " + node));
            assertEquals(evaluation, quick.evaluateRanked(released, NominatedPods.NONE), text);
            boolean broken = evaluation.error() != null && !evaluation.fitError();
            for (NodeInfo node : broken ? List.<NodeInfo>of() : cluster.nodes()) {
                assertEquals(
                        evaluation.failures().get(node.name()),
                        quick.evaluateOn(released, NominatedPods.NONE, node)
                                .failures()
                                .get(node.name()),
                        () -> text + " on " + node.name());
            }
            if (ranking.best().isEmpty()) {
                refused++;
            } else {
                placed++;
            }
            String node = pod.nodeName().isEmpty() && !ranking.best().isEmpty()
                    ? ranking.best().get(0)
                    : pod.nodeName();
            if (!node.isEmpty()) {
                cluster.addPod(pod.withNodeName(node));
            }
        }
    }
}
