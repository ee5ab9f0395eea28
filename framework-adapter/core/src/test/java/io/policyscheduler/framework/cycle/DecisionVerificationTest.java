package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Scope.PodClass;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.Siblings;
import io.policyscheduler.framework.cycle.AttemptListener.DecisionDifference;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.DecisionVerification.Sample;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plugins whose result changes although the node did not, which the verification of decisions must detect. */
class DecisionVerificationTest {
    private final ClusterState cluster = new ClusterState();
    private final PodInfo template = pod("p0").build();
    private final VaryingPlugin varying = new VaryingPlugin();
    private final VerificationListener listener = new VerificationListener();
    private int pods;

    DecisionVerificationTest() {
        for (int i = 1; i <= 4; i++) {
            cluster.putNode(node("n" + i).build());
        }
    }

    /** Claims to read the node only, which is wrong. */
    private static final class VaryingPlugin implements CacheableFilter, CacheableScore {
        private final TreeSet<String> rejected = new TreeSet<>();
        private final TreeMap<String, Long> scores = new TreeMap<>();
        private boolean isRandom;
        private boolean throwsOfScope;
        private long asked;

        @Override
        public String name() {
            return "Varying";
        }

        @Override
        public FilterReads filterReads(CycleState state, PodInfo pod) {
            if (throwsOfScope) {
                throw new IllegalStateException("no scope");
            }
            return isRandom ? FilterReads.CLUSTER : FilterReads.of(new PodClass(pod));
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            asked++;
            return rejected.contains(node.name()) || (isRandom && asked % 3 == 0)
                    ? Status.unschedulable("no")
                    : Status.SUCCESS;
        }

        @Override
        public ScoreReads scoreReads(CycleState state, PodInfo pod) {
            return ScoreReads.of(new PodClass(pod), Reduction.OTHER, null);
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return scores.getOrDefault(node.name(), 0L);
        }
    }

    private static final class VerificationListener implements AttemptListener {
        private final List<DecisionDifference> differences = new ArrayList<>();
        private final List<Phase> phases = new ArrayList<>();
        private final List<String> fallbacks = new ArrayList<>();
        private int attempts;
        private int verified;

        @Override
        public boolean needsDetails() {
            return true;
        }

        @Override
        public void onAttempted(PodInfo pod, AttemptDetails details) {
            attempts++;
        }

        @Override
        public void onPhase(Phase phase) {
            phases.add(phase);
        }

        @Override
        public void onResultCacheFailed(PodInfo pod, Throwable e) {
            fallbacks.add(pod.name() + ": " + e.getMessage());
        }

        @Override
        public void onDecisionVerified(PodInfo pod) {
            verified++;
        }

        @Override
        public void onDecisionDiffers(DecisionDifference difference) {
            differences.add(difference);
        }
    }

    private SchedulingCycle cycle(TieBreak tieBreak, Sample sample) {
        Profile profile = Profile.builder("test", Family.MODERN, new StateKeys())
                .filter(varying)
                .score(varying, 2)
                .build();
        return SchedulingCycle.builder(profile, cluster)
                .tieBreak(tieBreak)
                .attempts(listener)
                .verify(sample)
                .build();
    }

    private PodInfo next() {
        pods++;
        return Siblings.of(template, "p" + pods).withNominatedNodeName("");
    }

    private String decide(SchedulingCycle cycle) {
        Decision decision = cycle.decide(next(), NominatedPods.NONE);
        return decision.isPlaced() ? decision.node() + " " + decision.score() : decision.message();
    }

    @Test
    void anAttemptGoesOnWithoutAResultCacheThatFails() {
        SchedulingCycle cycle = cycle(TieBreak.first(), Sample.none());
        varying.scores.put("n2", 7L);
        varying.throwsOfScope = true;
        assertEquals(List.of("n2 14", "n2 14"), List.of(decide(cycle), decide(cycle)));
        assertEquals(List.of("p1: no scope", "p2: no scope"), listener.fallbacks);
        assertEquals(2, cycle.fallbacks());
        varying.throwsOfScope = false;
        assertEquals("n2 14", decide(cycle));
        assertEquals(2, cycle.fallbacks());
    }

    @Test
    void whatIsAskedAnewCountsAndWhatWasKeptIsThrownAway() {
        SchedulingCycle cycle = cycle(TieBreak.first(), Sample.all());
        assertEquals(List.of("n1 0", "n1 0"), List.of(decide(cycle), decide(cycle)));
        varying.rejected.add("n1");
        PodInfo pod = next();
        assertEquals("n2", cycle.decide(pod, NominatedPods.NONE).node());
        assertEquals(
                List.of(new DecisionDifference(
                        pod,
                        "the feasible nodes from n2 on",
                        "node n2 with the total 0, 3 of 4 evaluated nodes feasible",
                        "node n1 with the total 0, 4 of 4 evaluated nodes feasible",
                        List.of("Varying"))),
                listener.differences);
        assertEquals(List.of("n2 0", "n2 0"), List.of(decide(cycle), decide(cycle)));
        assertEquals("1 of 5", listener.differences.size() + " of " + listener.verified);
    }

    @Test
    void aScoreThatWasNotThatOfNowIsFoundWithItsPlugin() {
        SchedulingCycle cycle = cycle(TieBreak.first(), Sample.all());
        varying.scores.put("n3", 7L);
        assertEquals(List.of("n3 14", "n3 14"), List.of(decide(cycle), decide(cycle)));
        varying.scores.put("n2", 9L);
        PodInfo pod = next();
        assertEquals("n2", cycle.decide(pod, NominatedPods.NONE).node());
        assertEquals(
                List.of(new DecisionDifference(
                        pod,
                        "the scores of Varying",
                        "node n2 with the total 18, 4 of 4 evaluated nodes feasible",
                        "node n3 with the total 14, 4 of 4 evaluated nodes feasible",
                        List.of("Varying"))),
                listener.differences);
        assertEquals("n2 18", decide(cycle));
        assertEquals(1, listener.differences.size());
    }

    @Test
    void withoutVerifyingNobodyFindsOut() {
        SchedulingCycle cycle = cycle(TieBreak.first(), Sample.none());
        decide(cycle);
        decide(cycle);
        varying.rejected.add("n1");
        assertEquals("n1 0", decide(cycle));
        assertEquals(0, listener.verified);
    }

    @Test
    void reasonsAreComparedWhereNoNodeFits() {
        varying.rejected.addAll(List.of("n1", "n2", "n3", "n4"));
        SchedulingCycle cycle = cycle(TieBreak.first(), Sample.all());
        String message = "0/4 nodes are available: 4 no.";
        assertEquals(List.of(message, message), List.of(decide(cycle), decide(cycle)));
        varying.rejected.remove("n4");
        assertEquals("n4 0", decide(cycle));
        assertEquals(
                List.of("the outcome"),
                listener.differences.stream().map(DecisionDifference::what).toList());
    }

    @Test
    void aRandomPluginIsNotReportedAsAFault() {
        varying.isRandom = true;
        SchedulingCycle cycle = cycle(TieBreak.first(), Sample.all());
        for (int i = 0; i < 20; i++) {
            decide(cycle);
        }
        assertEquals("0 of 20", listener.differences.size() + " of " + listener.verified);
    }

    static Stream<Supplier<TieBreak>> tieBreaks() {
        return Stream.of(TieBreak::roundRobin, TieBreak::first, () -> TieBreak.random(new SplittableRandom(5)));
    }

    /** Also by chance: only the evaluator that decides asks it. */
    @ParameterizedTest
    @MethodSource("tieBreaks")
    void verifyingChangesNoDecisionAndTellsTheSame(Supplier<TieBreak> tieBreak) {
        List<List<String>> ways = new ArrayList<>();
        List<List<Phase>> phases = new ArrayList<>();
        boolean byChance = tieBreak.get().copy() == null;
        for (Sample sample : List.of(Sample.none(), Sample.all())) {
            SchedulingCycle cycle = cycle(tieBreak.get(), sample);
            List<String> decisions = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                decisions.add(decide(cycle));
            }
            ways.add(decisions);
            phases.add(List.copyOf(listener.phases));
            listener.phases.clear();
        }
        assertEquals(phases.get(0), phases.get(1));
        assertEquals(
                "0 of 12, 24", listener.differences.size() + " of " + listener.verified + ", " + listener.attempts);
        if (!byChance) {
            assertEquals(ways.get(0), ways.get(1));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.001, 0.1, 0.5, 1})
    void aShareIsTakenByChance(double share) {
        Sample sample = new Sample(share, new SplittableRandom(3));
        int taken = 0;
        for (int i = 0; i < 100_000; i++) {
            taken += sample.takesNext() ? 1 : 0;
        }
        double expected = 100_000 * share;
        assertEquals(expected, taken, 5 * Math.sqrt(expected * (1 - share)) + 1e-9);
    }
}
