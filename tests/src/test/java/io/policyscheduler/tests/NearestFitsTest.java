package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.PolicySchedulers;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.explain.Explainer;
import io.policyscheduler.framework.insight.explain.Explainer.RequiredLabels;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.insight.explain.NearestFits.Fit;
import io.policyscheduler.framework.insight.explain.Remedy;
import io.policyscheduler.framework.insight.explain.TrialScheduler;
import io.policyscheduler.framework.modern.ModernProfile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * In random snapshots, each change that {@code explain} proposes makes the pod fit on that node, and no part of the change can be left out. {@code
 * -Dseed=...} tries only one.
 */
class NearestFitsTest {
    private static final int SNAPSHOTS = 25;
    private static final Preemption PREEMPTION = new Preemption(true, true);

    private final AlgorithmRegistry registry = Algorithms.registry();
    private final Map<Remedy.Kind, Integer> kinds = new EnumMap<>(Remedy.Kind.class);
    private int fits;

    /** The schedulers that decide. */
    enum By {
        PROVIDER,
        POLICY_AS_FUNCTIONS,
        POLICY_AS_PLUGINS,
        MODERN
    }

    @ParameterizedTest
    @EnumSource
    void whatIsSaidToFitFits(By by) throws Exception {
        Long only = Long.getLong("seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SNAPSHOTS : only); seed++) {
            check(seed, by);
        }
        if (only == null) {
            assertTrue(fits > 40 && kinds.size() >= 6, () -> "too little happens: " + fits + " fits, " + kinds);
        }
    }

    @Test
    void theSearchLeavesTheWorldAlone() throws Exception {
        ObjectNode scenario = RandomCluster.scenario(7, registry);
        ClusterSnapshot clusterSnapshot = clusterSnapshot(scenario);
        Explainer explainer = new Explainer(source(By.MODERN, scenario), RequiredLabels.NONE, PREEMPTION);
        List<Explanation> first = clusterSnapshot.pending().stream()
                .map(pod -> explainer.explain(clusterSnapshot, pod, null, 5))
                .toList();
        assertEquals(
                first,
                clusterSnapshot.pending().stream()
                        .map(pod -> explainer.explain(clusterSnapshot, pod, null, 5))
                        .toList());
    }

    private void check(long seed, By by) throws Exception {
        ObjectNode scenario = RandomCluster.scenario(seed, registry);
        ClusterSnapshot clusterSnapshot = clusterSnapshot(scenario);
        SchedulerSpec source = source(by, scenario);
        RequiredLabels labels = by == By.MODERN ? RequiredLabels.NONE : labels(policy(by, scenario));
        for (PodInfo pod : clusterSnapshot.pending()) {
            Explanation explanation = new Explainer(source, labels, PREEMPTION).explain(clusterSnapshot, pod, null, 5);
            String what = by + ", seed " + seed + ", pod " + pod.key();
            if (explanation.nearest() == null) {
                assertNotEquals(List.of(), explanation.evaluation().feasible(), what);
                continue;
            }
            for (Fit fit : explanation.nearest().fits()) {
                check(new TrialScheduler(source), Remedy.Situation.of(clusterSnapshot, pod), fit, what);
            }
        }
    }

    private void check(TrialScheduler trials, Remedy.Situation situation, Fit fit, String what) {
        assertTrue(places(trials, situation, fit), () -> what + ": does not fit after " + fit);
        for (Remedy remedy : fit.remedies()) {
            List<Remedy> fewer = new ArrayList<>(fit.remedies());
            fewer.remove(remedy);
            assertTrue(
                    !places(trials, situation, new Fit(fit.node(), fewer)),
                    () -> what + ": fits without " + remedy.text() + " of " + fit);
            kinds.merge(remedy.kind(), 1, Integer::sum);
        }
        fits++;
    }

    private static boolean places(TrialScheduler trials, Remedy.Situation situation, Fit fit) {
        return trials.place(fit.apply(situation)).feasible().contains(fit.node());
    }

    private SchedulerSpec source(By by, ObjectNode scenario) throws PolicyException {
        PolicySchedulers policies = new PolicySchedulers(registry, name -> "");
        return switch (by) {
            case MODERN ->
                ProfileSchedulers.of("modern", ModernProfile::defaults, SchedulerSpec.Volumes.NONE, Extenders.NONE);
            case POLICY_AS_FUNCTIONS -> policies.functions("policy", policy(by, scenario), SchedulerSpec.Volumes.NONE);
            default -> policies.plugins("policy", policy(by, scenario), SchedulerSpec.Volumes.NONE, Extenders.NONE);
        };
    }

    private EffectivePolicy policy(By by, ObjectNode scenario) throws PolicyException {
        PolicyResolver resolver = new PolicyResolver(
                FeatureGates.parse("EvenPodsSpread=true,ResourceLimitsPriorityFunction=true"), 1, false, registry);
        return by == By.PROVIDER || !scenario.has("policy")
                ? resolver.resolveProvider("DefaultProvider")
                : resolver.resolve(
                        new PolicyReader().read(scenario.get("policy").toString(), "policy"));
    }

    private static RequiredLabels labels(EffectivePolicy policy) {
        return new RequiredLabels(
                policy.arguments().presentLabels(), policy.arguments().absentLabels());
    }

    private static ClusterSnapshot clusterSnapshot(ObjectNode scenario) throws IOException {
        Dump dump = new Dump(FeatureGates.defaults(), warning -> {}, objects -> {});
        ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
        for (String field : List.of("cluster", "pending")) {
            for (JsonNode object : scenario.path(field)) {
                try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
                    parser.nextToken();
                    ClusterObject read = reader.read(parser, null);
                    if (read != null) {
                        dump.add(field, read);
                    }
                }
            }
        }
        dump.finish();
        return dump.snapshot();
    }
}
