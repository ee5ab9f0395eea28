package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.Preemption.CandidateReview;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.engine.testing.Clusters;
import io.policyscheduler.framework.cycle.Extender.FilterResponse;
import io.policyscheduler.framework.cycle.Extender.HostScore;
import io.policyscheduler.framework.cycle.Extender.MetaVictims;
import io.policyscheduler.framework.cycle.Extenders.PreemptRules;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SchedulingCycleExtendersTest {
    /** Accepts one pod per node. */
    private static final class OnePod implements FilterPlugin {
        @Override
        public String name() {
            return "OnePod";
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return node.podCount() == 0 ? Status.SUCCESS : Status.rejected(true, List.of("Too many pods"));
        }
    }

    /** Ten points for every node. */
    private static final class Ten implements ScorePlugin {
        @Override
        public String name() {
            return "Ten";
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return 10;
        }
    }

    private final List<String> calls = new ArrayList<>();
    private final ClusterState two =
            Clusters.cluster(node("n1").build(), node("n2").build());
    private final PodInfo p1 = pod("p1").priority(100).build();

    private FakeExtender extender(String name) {
        return new FakeExtender(name, calls);
    }

    private static SchedulingCycle cycle(ClusterState cluster, boolean scoring, Extender... extenders) {
        Profile.Builder builder =
                Profile.builder("test", Family.LEGACY, new StateKeys()).filter(new OnePod());
        if (scoring) {
            builder.score(new Ten(), 2);
        }
        Profile profile = builder.build();
        return SchedulingCycle.builder(profile, cluster)
                .extenders(new Extenders(List.of(extenders), Runnable::run))
                .build();
    }

    private Decision decide(Extender... extenders) {
        return cycle(two, false, extenders).decide(p1, NominatedPods.NONE);
    }

    private Evaluation evaluate(Extender... extenders) {
        return cycle(two, false, extenders).evaluate(p1, NominatedPods.NONE);
    }

    private static Decision failed(Decision.Kind kind, String message, int feasible) {
        return new Decision(kind, null, 0, message, feasible, 2);
    }

    @Test
    void extendersFilterOneAfterTheOther() {
        Decision decision = decide(extender("a").keeps("n2"), extender("b").keeps("n2"));
        assertEquals(new Decision(Decision.Kind.PLACED, "n2", 0, "", 1, 2), decision);
        assertEquals(List.of("a filter [n1, n2]", "b filter [n2]"), calls);
    }

    @Test
    void notInterestedMeansNotAsked() {
        Decision decision = decide(extender("a").notInterested().keeps("n2").scores(1, new HostScore("n2", 5)));
        assertEquals(new Decision(Decision.Kind.PLACED, "n1", 0, "", 2, 2), decision);
        assertEquals(List.of(), calls);
    }

    @Test
    void reasonsOfExtendersAreCounted() {
        Extender none = extender("a").filter(Map.of("n1", "no gpu", "n2", "no gpu"));
        String text = "0/2 nodes are available: 2 no gpu.";
        assertEquals(
                failed(Decision.Kind.UNSCHEDULABLE, text, 0),
                decide(none, extender("b").keeps("n1")));
        assertEquals(List.of("a filter [n1, n2]"), calls);

        NodeFailure failure = new NodeFailure(List.of("no gpu"), false, null);
        assertEquals(Evaluation.unfit(2, new TreeMap<>(Map.of("n1", failure, "n2", failure))), evaluate(none));
    }

    @Test
    void inventedNamesInflateTheCounts() {
        ClusterState cluster = Clusters.cluster(
                node("n1").build(), node("n2").build(), pod("q").onNode("n1").build());
        SchedulingCycle cycle =
                cycle(cluster, false, extender("a").filter(Map.of("n1", "no gpu", "n2", "no gpu", "zz", "no gpu")));
        String text = "0/2 nodes are available: 1 Too many pods, 3 no gpu.";
        assertEquals(failed(Decision.Kind.UNSCHEDULABLE, text, 0), cycle.decide(p1, NominatedPods.NONE));
        Evaluation evaluation = cycle.evaluate(p1, NominatedPods.NONE);
        assertEquals(text, evaluation.error());
        assertEquals(
                new NodeFailure(List.of("Too many pods", "no gpu"), false, "OnePod"),
                evaluation.failures().get("n1"));
    }

    @Test
    void silentDropsLeaveNoReason() {
        String text = "0/2 nodes are available: .";
        assertEquals(
                failed(Decision.Kind.UNSCHEDULABLE, text, 0),
                decide(extender("a").keeps()));
        assertEquals(text, evaluate(extender("a").keeps()).error());
    }

    @Test
    void beingListedAsFailedDoesNotRemoveANode() {
        Decision decision = decide(extender("a").filter(Map.of("n1", "bad"), "n1"));
        assertEquals(new Decision(Decision.Kind.PLACED, "n1", 0, "", 1, 2), decision);
    }

    @Test
    void errorsEndTheAttemptUnlessIgnorable() {
        assertEquals(
                failed(Decision.Kind.ERROR, "boom", 2),
                decide(extender("a").filterFails("boom"), extender("b").keeps("n1")));
        assertEquals(List.of("a filter [n1, n2]"), calls);
        assertEquals(Evaluation.failed("boom"), evaluate(extender("a").filterFails("boom")));

        Decision decision = decide(
                extender("a").filterFails("boom").ignorable(), extender("b").keeps("n2"));
        assertEquals(new Decision(Decision.Kind.PLACED, "n2", 0, "", 1, 2), decision);
    }

    @Test
    void unknownNodesAreAnError() {
        assertEquals(
                failed(
                        Decision.Kind.ERROR,
                        "extender \"a\" claims a filtered node \"zz\" which is not found in nodeNameToInfo map",
                        2),
                decide(extender("a").keeps("zz")));
    }

    @Test
    void noCallWhenNothingIsFeasible() {
        ClusterState full =
                Clusters.cluster(node("n1").build(), pod("q").onNode("n1").build());
        Decision decision = cycle(full, false, extender("a").keeps("n1")).decide(p1, NominatedPods.NONE);
        assertEquals("0/1 nodes are available: 1 Too many pods.", decision.message());
        assertEquals(List.of(), calls);
    }

    @Test
    void weightedScoresTimesTenAreAdded() {
        Extender a = extender("a").scores(2, new HostScore("n1", 3), new HostScore("n1", 4), new HostScore("zz", 9));
        Extender b = extender("b").scores(1, new HostScore("n2", 500));
        assertEquals(new Decision(Decision.Kind.PLACED, "n2", 5000, "", 2, 2), decide(a, b));
        assertEquals(Map.of("n1", 140L, "n2", 5000L), evaluate(a, b).totals());
        assertEquals(
                Map.of("n1", 60L, "n2", -1400L),
                evaluate(extender("c").scores(2, new HostScore("n1", 3), new HostScore("n2", -70)))
                        .totals());

        Evaluation withPlugin = cycle(two, true, a).evaluate(p1, NominatedPods.NONE);
        assertEquals(Map.of("n1", 160L, "n2", 20L), withPlugin.totals());
        assertEquals(Map.of("Ten", 2L, "a", 20L), withPlugin.weights());
        assertEquals(Map.of("Ten", Map.of("n1", 10L, "n2", 10L), "a", Map.of("n1", 7L, "n2", 0L)), withPlugin.scores());
    }

    @Test
    void withoutPrioritiesTheBaseIsOneOnlyWithoutExtenders() {
        assertEquals(Map.of("n1", 1L, "n2", 1L), evaluate().totals());
        assertEquals(Map.of("n1", 0L, "n2", 0L), evaluate(extender("a")).totals());
    }

    @Test
    void errorsOfScoringAreIgnored() {
        Decision decision =
                decide(extender("a").scoringFails("boom"), extender("b").scores(1, new HostScore("n2", 1)));
        assertEquals(new Decision(Decision.Kind.PLACED, "n2", 10, "", 2, 2), decision);
    }

    @Test
    void extendersScoreAtTheSameTime() throws Exception {
        CountDownLatch bothThere = new CountDownLatch(2);
        Profile profile =
                Profile.builder("test", Family.LEGACY, new StateKeys()).build();
        ExecutorService executor = Executors.newCachedThreadPool();
        try {
            Extender a = new MeetingExtender("a", bothThere);
            Extender b = new MeetingExtender("b", bothThere);
            SchedulingCycle cycle = SchedulingCycle.builder(profile, two)
                    .extenders(new Extenders(List.of(a, b), executor))
                    .build();
            assertEquals(20, cycle.decide(p1, NominatedPods.NONE).score());
        } finally {
            executor.shutdownNow();
        }
    }

    /** Scores n1 with 1 while all others are being scored, and otherwise never returns. */
    private static final class MeetingExtender implements Extender {
        private final FakeExtender delegate;
        private final CountDownLatch meeting;

        MeetingExtender(String name, CountDownLatch meeting) {
            this.delegate = new FakeExtender(name, new ArrayList<>());
            this.meeting = meeting;
        }

        @Override
        public List<HostScore> prioritize(PodInfo pod, List<String> nodes) {
            meeting.countDown();
            try {
                return meeting.await(10, TimeUnit.SECONDS) ? List.of(new HostScore("n1", 1)) : List.of();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }

        @Override
        public String name() {
            return delegate.name();
        }

        @Override
        public boolean isIgnorable() {
            return false;
        }

        @Override
        public boolean isInterested(PodInfo pod) {
            return true;
        }

        @Override
        public boolean supportsFilter() {
            return false;
        }

        @Override
        public boolean sendsWholeNodes() {
            return false;
        }

        @Override
        public FilterResponse filter(PodInfo pod, List<String> nodes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean supportsPrioritize() {
            return true;
        }

        @Override
        public long weight() {
            return 1;
        }

        @Override
        public boolean supportsPreemption() {
            return false;
        }

        @Override
        public Map<String, MetaVictims> preempt(
                PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isBinder() {
            return false;
        }

        @Override
        public void bind(PodInfo pod, String node) {
            throw new UnsupportedOperationException();
        }
    }

    private PreemptionResult preempt(Extender... extenders) {
        LabelSelector app = new LabelSelector(List.of(LabelRequirement.equalTo("app", "x")));
        ClusterState cluster = Clusters.cluster(
                node("n1").build(),
                node("n2").build(),
                pod("v1").uid("u1").label("app", "x").onNode("n1").build(),
                pod("v2").uid("u2").onNode("n2").build(),
                new DisruptionBudgetInfo("default", "b", app, 0, Set.of()));
        SchedulingCycle cycle = cycle(cluster, false, extenders);
        Map<String, NodeFailure> failures = cycle.failures(p1, NominatedPods.NONE);
        assertNotNull(failures);
        return cycle.preemption().preempt(p1, NominatedPods.NONE, failures, new Preemption(true, true));
    }

    private static String chosen(PreemptionResult result) {
        return result.chosen() + " "
                + result.candidates().values().stream()
                        .map(v -> v.pods().stream().map(PodInfo::uid).toList() + "/" + v.budgetViolations())
                        .toList();
    }

    @Test
    void preemptionIsNarrowedDown() {
        assertEquals("n2 [[u1]/1, [u2]/0]", chosen(preempt()));
        assertEquals(
                "n1 [[u1]/0, [u2]/0]",
                chosen(preempt(extender("a").victims(Map.of("n1", List.of("u1"), "n2", List.of("u2"))))));
        assertEquals("n1 [[]/0]", chosen(preempt(extender("a").victims(Map.of("n1", List.of())))));
        assertEquals(
                "null []",
                chosen(preempt(extender("a").victims(Map.of()), extender("b").victims(Map.of()))));
        assertEquals(List.of("a preempt [n1, n2]", "a preempt [n1, n2]", "a preempt [n1, n2]"), calls);
    }

    @Test
    void preemptionIsAbandonedOnErrors() {
        PreemptionResult abandoned = preempt(extender("a").preemptFails("boom"));
        assertNull(abandoned.chosen());
        assertEquals(false, abandoned.clearOwn());
        assertNull(preempt(extender("a").victims(Map.of("n1", List.of("zz")))).chosen());
        assertNull(preempt(extender("a").victims(Map.of("zz", List.of()))).chosen());
        assertEquals(
                "n2 [[u1]/1, [u2]/0]",
                chosen(preempt(extender("a").preemptFails("boom").ignorable())));
    }

    private static CandidateReview.Reviewed currentReview(Extender... extenders) {
        ClusterState cluster = Clusters.cluster(
                node("n1").build(),
                node("n2").build(),
                pod("v1").uid("u1").onNode("n1").build(),
                pod("v2").uid("u2").onNode("n2").build());
        return new Extenders(List.of(extenders), Runnable::run)
                .preempt(
                        pod("p1").build(),
                        new TreeMap<>(Map.of(
                                "n1", new Victims(List.of(pod("v1").uid("u1").build()), 1))),
                        cluster,
                        PreemptRules.CURRENT);
    }

    @Test
    void todayTheExtendersCountOfBrokenBudgetsIsBelieved() {
        CandidateReview.Reviewed reviewed = currentReview(extender("a").victims(Map.of("n2", List.of("u2")), 7));
        assertNull(reviewed.error());
        assertEquals(List.of("n2"), List.copyOf(reviewed.candidates().keySet()));
        assertEquals(
                List.of(7),
                reviewed.candidates().values().stream()
                        .map(Victims::budgetViolations)
                        .toList());
    }

    @Test
    void todayWhatIsWrongWithAnAnswerIsTold() {
        FakeExtender fails = extender("a").preemptFails("boom");
        FakeExtender noPod = extender("a").victims(Map.of("n1", List.of("zz")));
        FakeExtender noNode = extender("a").victims(Map.of("zz", List.of()));
        FakeExtender noVictim = extender("a").victims(Map.of("n1", List.of(), "n2", List.of("u2")));
        assertEquals("boom", currentReview(fails).error());
        assertEquals(
                "nodeinfo not found for node name \"zz\"", currentReview(noNode).error());
        assertEquals(
                "expected at least one victim pod on node \"n1\"",
                currentReview(noVictim).error());
        assertEquals(
                "extender: a claims to preempt pod (UID: &{zz}) on node: n1, but the pod is not found on that node",
                currentReview(noPod).error());
        assertEquals(
                List.of("n2"),
                List.copyOf(currentReview(noVictim.ignorable()).candidates().keySet()));
        assertEquals(
                List.of("n1"),
                List.copyOf(currentReview(fails.ignorable()).candidates().keySet()));
        CandidateReview.Reviewed empty =
                currentReview(extender("a").victims(Map.of()), extender("b").victims(Map.of()));
        assertNull(empty.error());
        assertEquals(Map.of(), empty.candidates());
    }

    @Test
    void todayExtendersMayRuleNodesOut() {
        Profile profile =
                Profile.builder("test", Family.MODERN, new StateKeys()).build();
        Extenders extenders = new Extenders(List.of(extender("a").rulesOut(Map.of("n2", "broken"))), Runnable::run);
        SchedulingCycle cycle =
                SchedulingCycle.builder(profile, two).extenders(extenders).build();
        Decision decision = cycle.decide(p1, NominatedPods.NONE);
        assertEquals("0/2 nodes are available: 1 broken, 1 full.", decision.message());
        assertEquals(Set.of("Extender"), decision.rejectedBy());
        assertEquals(
                Map.of("n2", new NodeFailure(List.of("broken"), true, null)), cycle.failures(p1, NominatedPods.NONE));
    }

    @Test
    void nodesThatOnlyAnExtenderRejectsRemainCandidates() {
        SchedulingCycle cycle = cycle(two, false, extender("a").keeps());
        Map<String, NodeFailure> failures = cycle.failures(p1, NominatedPods.NONE);
        assertEquals(Map.of(), failures);
        assertNotNull(failures);
        PreemptionResult result =
                cycle.preemption().preempt(p1, NominatedPods.NONE, failures, new Preemption(true, true));
        assertEquals("n1 [[]/0, []/0]", chosen(result));
        assertEquals(List.of(), calls);
        assertNull(cycle(two, false).failures(p1, NominatedPods.NONE));
    }

    @Test
    void theFirstInterestedBinderBinds() {
        Extender other = extender("a").binder().notInterested();
        Extender binder = extender("b").binder();
        Extenders extenders = new Extenders(List.of(extender("c"), other, binder), Runnable::run);
        assertEquals(List.of(binder), extenders.binders(p1));
        assertEquals(List.of(), Extenders.NONE.binders(p1));
    }
}
