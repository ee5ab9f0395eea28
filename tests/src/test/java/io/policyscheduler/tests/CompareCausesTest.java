package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.Comparison;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import io.policyscheduler.framework.insight.compare.PolicySchedulers;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.predicates.VolumeBinder;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every difference between policies of five releases and the modern scheduler has a cause, and disappears if the cause is removed. The test removes
 * it by rewriting the policy or the profile, so that it does not depend on the code that searches for causes. {@code -Dseed=...} tries another
 * snapshot, {@code -Dsnapshots=...} that many from there on.
 */
class CompareCausesTest {
    /** A seed whose causes are found only after several searches. */
    private static final long FIRST_SEED = 597_450;

    private static final int NODES = 1000;
    private static final int RUNNING = 3000;
    private static final int PENDING = 70;

    private final AlgorithmRegistry registry = Algorithms.registry();
    private final SchedulerSpec modern = ProfileSchedulers.of(
            "modern", ModernProfile::defaults, new VolumeBinder(FeatureGates.defaults(), true)::assume, Extenders.NONE);

    @ParameterizedTest
    @ValueSource(
            strings = {"policy-1.2.json", "policy-1.7.json", "policy-1.12.json", "policy-1.15.json", "policy-1.17.yaml"
            })
    void everyDifferenceHasACause(String file) throws IOException, PolicyException {
        long first = Long.getLong("seed", FIRST_SEED);
        for (long seed = first; seed < first + Integer.getInteger("snapshots", 1); seed++) {
            System.out.println(file + ": seed " + seed);
            everyDifferenceHasACause(file, seed);
        }
    }

    private void everyDifferenceHasACause(String file, long seed) throws IOException, PolicyException {
        ClusterSnapshot snapshot = CompareCluster.of(seed, NODES, RUNNING, PENDING);
        ReducedPolicy policy = new ReducedPolicy(
                RepositoryFiles.root().resolve("policy-files/policies").resolve(file), registry);
        EffectivePolicy whole = policy.without(Adjustment.NONE);
        SchedulerSpec legacy = new PolicySchedulers(registry, name -> "")
                .functions(
                        file,
                        whole,
                        new VolumeBinder(whole.gates(), whole.predicates().containsKey("CheckVolumeBinding"))::assume);
        CompareReport report = new Comparison(
                        snapshot,
                        List.of(legacy, modern),
                        new Comparison.Settings(CompareReport.Mode.STEPS, false, false, 1))
                .run((done, all, differing) -> {});

        Map<Agreement, Integer> seen = new TreeMap<>();
        Replay replay = new Replay(snapshot, legacy, policy);
        for (PodComparison pod : report.pods()) {
            Difference difference = pod.differences().get(0);
            seen.merge(difference.agreement(), 1, Integer::sum);
            replay.check(file + ", seed " + seed + ": ", pod, difference);
        }
        System.out.println(seen + " "
                + report.pairs().get(0).groups().stream()
                        .map(group -> group.cause() + " " + group.pods())
                        .collect(Collectors.joining(", ")));
        int differing = PENDING - report.pairs().get(0).agreeing();
        assertTrue(differing > 0, () -> "nothing differs, seed " + seed);
    }

    /** Repeats the same sequence of states. */
    private static final class Replay {
        private final ClusterState state;
        private final SchedulerSpec legacy;
        private final ReducedPolicy policy;
        private final Map<String, PodInfo> pods = new HashMap<>();

        Replay(ClusterSnapshot snapshot, SchedulerSpec legacy, ReducedPolicy policy) {
            this.state = snapshot.state();
            this.legacy = legacy;
            this.policy = policy;
            snapshot.pending().forEach(pod -> pods.put(pod.key(), pod));
            for (int i = 0; i < 100 && state.index() == null; i++) {
                state.startCycle();
            }
        }

        void check(String where, PodComparison comparison, Difference difference) throws PolicyException {
            PodInfo pod = Objects.requireNonNull(pods.get(comparison.pod()));
            String text = where + comparison.pod() + ": " + difference.text();
            if (!difference.agreement().agrees()) {
                assertFalse(difference.causes().isEmpty(), text);
                Agreement without = decide(pod, difference.causes());
                assertTrue(without.agrees(), text + " -> " + without);
                for (Cause cause : difference.causes()) {
                    List<Cause> others = difference.causes().stream()
                            .filter(other -> !other.equals(cause))
                            .toList();
                    assertFalse(decide(pod, others).agrees(), text + " <- not needed: " + cause.label());
                }
            } else {
                assertEquals(List.of(), difference.causes());
            }
            String node = comparison.results().get(0).node();
            if (node != null) {
                legacy.volumes().assume(state, pod, Objects.requireNonNull(state.node(node)));
                state.addPod(pod.withNodeName(node));
            }
        }

        private Agreement decide(PodInfo pod, List<Cause> causes) throws PolicyException {
            Adjustment ofPolicy = Adjustment.NONE;
            Adjustment ofModern = Adjustment.NONE;
            for (Cause cause : causes) {
                ofPolicy = cause.leaveOut(ofPolicy, true);
                ofModern = cause.leaveOut(ofModern, false);
            }
            Evaluation one = policy.decider(ofPolicy, state).evaluate(pod, NominatedPods.NONE);
            Evaluation two = ReducedProfile.decider(ofModern, state).evaluate(pod, NominatedPods.NONE);
            return Agreement.of(Ranking.of(one), Ranking.of(two));
        }
    }
}
