package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.Comparison;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.PolicySchedulers;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.predicates.VolumeBinder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * In small random snapshots, every difference has a cause, and {@code legacy:} never differs from plugins for the same policy. {@code -Dsnapshots=N}
 * tries more, {@code -Dseed=...} only one.
 */
class CompareRandomClustersTest {
    private static final int SNAPSHOTS = Integer.getInteger("snapshots", 50);

    private final AlgorithmRegistry registry = Algorithms.registry();

    @Test
    void nothingIsLeftWithoutCause() throws IOException {
        Long only = Long.getLong("seed");
        Map<Agreement, Integer> seen = new EnumMap<>(Agreement.class);
        List<String> unexplained = new ArrayList<>();
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SNAPSHOTS : only); seed++) {
            CompareReport report;
            try {
                report = compare(seed);
            } catch (PolicyException e) {
                // Skips policies that v1.17 rejects.
                continue;
            } catch (RuntimeException e) {
                throw new AssertionError("-Dseed=" + seed + ": " + e, e);
            }
            PairSummary same = report.pairs().get(0);
            String text = "-Dseed=" + seed + " " + report.mode() + " ";
            assertEquals(same.pods(), same.agreeing(), text + same.groups());
            report.pairs().get(1).counts().forEach((agreement, count) -> seen.merge(agreement, count, Integer::sum));
            for (PodComparison pod : report.pods()) {
                Difference difference = pod.differences().get(1);
                if (!difference.agreement().agrees() && difference.causes().isEmpty()) {
                    unexplained.add(text + pod.pod() + " " + difference.agreement() + " "
                            + pod.results().stream()
                                    .map(result -> result.best() + result.message())
                                    .collect(Collectors.joining(" | ")));
                }
            }
        }
        assertEquals(List.of(), unexplained);
        assertTrue(only != null || seen.size() == Agreement.values().length, seen::toString);
        System.out.println(seen);
    }

    private CompareReport compare(long seed) throws IOException, PolicyException {
        ObjectNode scenario = RandomCluster.scenario(seed, registry);
        FeatureGates gates = ScenarioCluster.gates(scenario);
        PolicyResolver resolver = new PolicyResolver(gates, 1, false, registry);
        EffectivePolicy policy = ScenarioCluster.policy(scenario, resolver);
        PolicySchedulers policies = new PolicySchedulers(registry, name -> "");
        VolumeBinder binder = new VolumeBinder(gates, policy.predicates().containsKey("CheckVolumeBinding"));
        List<SchedulerSpec> sources = List.of(
                policies.functions("functions", policy, binder::assume),
                policies.plugins("plugins", policy, binder::assume, Extenders.NONE),
                ProfileSchedulers.of(
                        "modern",
                        ModernProfile::defaults,
                        new VolumeBinder(FeatureGates.defaults(), true)::assume,
                        Extenders.NONE));
        CompareReport.Mode mode = seed % 3 == 0 ? CompareReport.Mode.RUN : CompareReport.Mode.STEPS;
        return new Comparison(
                        ScenarioCluster.snapshot(scenario, gates),
                        sources,
                        new Comparison.Settings(mode, seed % 2 == 0, seed % 5 == 0, 3))
                .run((done, all, differing) -> {});
    }
}
