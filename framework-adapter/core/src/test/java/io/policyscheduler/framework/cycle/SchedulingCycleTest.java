package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.FakeAlgorithms.failing;
import static io.policyscheduler.engine.testing.FakeAlgorithms.priority;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

class SchedulingCycleTest {
    private static final PodInfo POD = pod("p").priority(5).build();
    private static final FilterPlugin ROOM =
            new Filter("Room", node -> node.podCount() < 1 ? Status.SUCCESS : reject("full"), Status.SUCCESS);

    private final ClusterState cluster = new ClusterState();
    private final List<String> examined = new ArrayList<>();

    private record Filter(String name, Function<NodeInfo, Status> check, Status before)
            implements PreFilterPlugin, FilterPlugin {
        @Override
        public PreFilterResult preFilter(CycleState state, PodContext context) {
            return PreFilterResult.of(before);
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return check.apply(node);
        }
    }

    private record Score(String name, ToLongFunction<NodeInfo> rate, Status before, Status after)
            implements PreScorePlugin, ScorePlugin {
        @Override
        public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
            return before;
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return rate.applyAsLong(node);
        }

        @Override
        public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] += 1;
            }
            return after;
        }
    }

    /** The same, as a built-in plugin. */
    private record OwnScore(String name, ToLongFunction<NodeInfo> rate) implements InTreeScore {
        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return rate.applyAsLong(node);
        }
    }

    private static Status reject(String... reasons) {
        return Status.rejected(true, List.of(reasons));
    }

    private static Filter filter(String name, Function<NodeInfo, Status> check) {
        return new Filter(name, check, Status.SUCCESS);
    }

    private static Profile.WeightedScore score(String name, long weight, ToLongFunction<NodeInfo> rate) {
        return new Profile.WeightedScore(new Score(name, rate, Status.SUCCESS, Status.SUCCESS), weight);
    }

    private static int number(NodeInfo node) {
        return Integer.parseInt(node.name().substring(1));
    }

    private Profile profile(boolean checkAll, List<FilterPlugin> filters, Profile.WeightedScore... scores) {
        return profile(checkAll, filters, List.of(scores), List.of());
    }

    private static Profile profile(
            boolean checkAll,
            List<FilterPlugin> filters,
            List<Profile.WeightedScore> scores,
            List<WeightedPriority> functions) {
        Profile.Builder profile =
                Profile.builder("test", Family.LEGACY, new StateKeys()).checkAllFilters(checkAll);
        for (FilterPlugin filter : filters) {
            profile.filter(filter);
            if (filter instanceof PreFilterPlugin before) {
                profile.preFilter(before);
            }
        }
        for (Profile.WeightedScore score : scores) {
            profile.score(score.plugin(), score.weight());
            if (score.plugin() instanceof PreScorePlugin before) {
                profile.preScore(before);
            }
        }
        functions.forEach(profile::function);
        return profile.build();
    }

    private SchedulingCycle cycle(Profile profile) {
        return SchedulingCycle.builder(profile, cluster)
                .percentageOfNodesToScore(0)
                .build();
    }

    private SchedulingCycle filtering(FilterPlugin... filters) {
        return cycle(profile(false, List.of(filters)));
    }

    private void nodes(int count) {
        for (int i = 0; i < count; i++) {
            cluster.putNode(node("n" + i).build());
        }
    }

    private static Decision error(String message, int feasible, int evaluated) {
        return new Decision(Decision.Kind.ERROR, null, 0, message, feasible, evaluated);
    }

    private static Decision decide(SchedulingCycle cycle) {
        return cycle.decide(POD, NominatedPods.NONE);
    }

    private static Evaluation evaluate(SchedulingCycle cycle) {
        return cycle.evaluate(POD, NominatedPods.NONE);
    }

    @Test
    void withoutNodes() {
        assertEquals(
                new Decision(Decision.Kind.NO_NODES, null, 0, "no nodes available to schedule pods", 0, 0),
                decide(filtering()));
        assertEquals(Evaluation.failed("no nodes available to schedule pods"), evaluate(filtering()));
        PodInfo claiming = pod("p").claim("c").build();
        assertEquals(
                error("persistentvolumeclaim \"c\" not found", 0, 0),
                filtering().decide(claiming, NominatedPods.NONE));
        assertEquals(
                Evaluation.failed("persistentvolumeclaim \"c\" not found"),
                filtering().evaluate(claiming, NominatedPods.NONE));
    }

    @Test
    void theBestNodeIsTaken() {
        nodes(4);
        SchedulingCycle cycle = cycle(profile(
                false,
                List.of(filter("Odd", node -> number(node) == 3 ? reject("odd") : Status.SUCCESS)),
                score("A", 2, node -> number(node) * 10L),
                score("B", 100, node -> number(node) == 1 ? 1 : 0)));
        // n1: 2 * 11 + 100 * 2; n2: 2 * 21 + 100 * 1
        assertEquals(new Decision(Decision.Kind.PLACED, "n1", 222, "", 3, 4), decide(cycle));
        assertEquals(
                new Evaluation(
                        null,
                        false,
                        List.of("n0", "n1", "n2"),
                        new TreeMap<>(Map.of("n3", new NodeFailure(List.of("odd"), false, "Odd"))),
                        Map.of(
                                "A",
                                NodeValues.of(Map.of("n0", 1L, "n1", 11L, "n2", 21L)),
                                "B",
                                NodeValues.of(Map.of("n0", 1L, "n1", 2L, "n2", 1L))),
                        Map.of("A", 2L, "B", 100L),
                        NodeValues.of(Map.of("n0", 102L, "n1", 222L, "n2", 142L))),
                evaluate(cycle));
    }

    @Test
    void oneFeasibleNodeIsNotScored() {
        nodes(2);
        SchedulingCycle cycle = cycle(profile(
                false,
                List.of(filter("F", node -> number(node) == 0 ? reject("no") : Status.SUCCESS)),
                score("A", 1, node -> {
                    throw new IllegalStateException("not asked");
                })));
        assertEquals(new Decision(Decision.Kind.PLACED, "n1", 0, "", 1, 2), decide(cycle));
    }

    @Test
    void withoutScoresEveryNodeIsWorthOne() {
        nodes(2);
        assertEquals(new Decision(Decision.Kind.PLACED, "n0", 1, "", 2, 2), decide(filtering()));
        assertEquals(Map.of("n0", 1L, "n1", 1L), evaluate(filtering()).totals());
    }

    @Test
    void noNodeFits() {
        nodes(12);
        SchedulingCycle cycle = filtering(
                filter("A", node -> number(node) < 10 ? reject("b") : Status.SUCCESS),
                filter("B", node -> Status.rejected(false, List.of("a"))));
        String message = "0/12 nodes are available: 10 b, 2 a.";
        assertEquals(
                new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, 12).withRejectedBy(Set.of("A", "B")),
                decide(cycle));
        Evaluation evaluation = evaluate(cycle);
        assertEquals(message, evaluation.error());
        assertEquals(
                new NodeFailure(List.of("b"), false, "A"), evaluation.failures().get("n3"));
        assertEquals(
                new NodeFailure(List.of("a"), true, "B"), evaluation.failures().get("n11"));
    }

    @Test
    void checkAllCollectsReasons() {
        nodes(1);
        SchedulingCycle cycle = cycle(profile(
                true,
                List.of(
                        filter("A", node -> reject("a", "b")),
                        filter("Passes", node -> Status.SUCCESS),
                        filter("C", node -> Status.rejected(false, List.of("c"))))));
        assertEquals("0/1 nodes are available: 1 a, 1 b, 1 c.", decide(cycle).message());
        assertEquals(
                Map.of("n0", new NodeFailure(List.of("a", "b", "c"), true, "A")),
                evaluate(cycle).failures());
    }

    @Test
    void aFilterErrorEndsTheAttempt() {
        nodes(3);
        Filter broken = filter("Broken", node -> number(node) == 1 ? Status.error("oh") : reject("no"));
        String text = "error while running \"Broken\" filter plugin for pod \"p\": oh";
        assertEquals(error(text, 0, 1), decide(filtering(broken)));
        assertEquals(Evaluation.failed(text), evaluate(filtering(broken)));
        // Where all predicates are asked for, texts are those of v1.17's functions.
        assertEquals(error("oh", 0, 1), decide(cycle(profile(true, List.of(broken)))));
        // Neither rejection nor success is an error too.
        assertEquals(
                "error while running \"Waits\" filter plugin for pod \"p\": ",
                decide(filtering(filter("Waits", node -> Status.SKIP))).message());
    }

    @Test
    void preFilterDecidesBeforeAnyNode() {
        nodes(2);
        Filter broken = new Filter("Broken", node -> Status.SUCCESS, Status.error("oh"));
        String text = "error while running \"Broken\" prefilter plugin for pod \"p\": oh";
        assertEquals(error(text, 0, 0), decide(filtering(broken)));
        assertEquals(Evaluation.failed(text), evaluate(filtering(broken)));
        Filter refusing = new Filter("No", node -> Status.SUCCESS, reject("never"));
        assertEquals(error("rejected by \"No\" at prefilter: never", 0, 0), decide(filtering(refusing)));
        assertEquals(
                error("rejected by \"No\" at prefilter: never", 0, 0),
                decide(filtering(refusing, broken)),
                "the first failure counts");
        Filter skipped = new Filter("Skips", node -> Status.error("not asked"), Status.SKIP);
        assertEquals("n0", decide(filtering(skipped)).node());
    }

    @Test
    void nominatedPodsCountAsRunning() {
        nodes(2);
        NominatedPods promised =
                name -> name.equals("n0") ? List.of(pod("other").priority(5).build()) : List.of();
        NominatedPods lower =
                name -> name.equals("n0") ? List.of(pod("other").priority(4).build()) : List.of();
        assertEquals("n1", filtering(ROOM).decide(POD, promised).node());
        assertEquals("n0", filtering(ROOM).decide(POD, lower).node());
        assertEquals("n0", filtering(ROOM).decide(POD, name -> List.of(POD)).node());
        assertEquals(
                "addedPod and meta.pod must not be the same",
                filtering(ROOM)
                        .decide(
                                POD,
                                name -> List.of(
                                        pod("p").uid("other").priority(9).build()))
                        .message());
        // With company a lonely node would do, but it must do without company as well.
        Filter company = filter("Company", node -> node.podCount() > 0 ? Status.SUCCESS : reject("lonely"));
        assertEquals(
                "0/2 nodes are available: 2 lonely.",
                filtering(company).decide(POD, promised).message());
    }

    @Test
    void aNodeThatGoesAwayBetweenCycles() {
        nodes(2);
        SchedulingCycle cycle = filtering(filter("F", node -> reject("no")));
        decide(cycle);
        cluster.removeNode("n0");
        assertEquals("0/1 nodes are available: 1 no.", decide(cycle).message());
    }

    private SchedulingCycle watching(int percentage, Function<NodeInfo, Status> check) {
        Filter filter = filter("F", node -> {
            examined.add(node.name());
            return check.apply(node);
        });
        return SchedulingCycle.builder(profile(false, List.of(filter)), cluster)
                .percentageOfNodesToScore(percentage)
                .build();
    }

    /** 250 nodes: 120 feasible ones are enough; the search ends at the 121st, where the next one starts. */
    @Test
    void theWalkEndsAtTheFirstFeasibleNodeTooMany() {
        nodes(250);
        SchedulingCycle cycle = watching(0, node -> Status.SUCCESS);
        assertEquals(120, decide(cycle).feasibleNodes());
        assertEquals(121, examined.size());
        assertEquals("n120", examined.get(120));
        examined.clear();
        Decision second = decide(cycle);
        assertEquals(List.of(120, 120), List.of(second.feasibleNodes(), second.evaluatedNodes()));
        assertEquals("n120", examined.get(0));
        assertEquals("n240", examined.get(120));
        examined.clear();
        decide(cycle);
        assertEquals(List.of("n240", "n249", "n0"), List.of(examined.get(0), examined.get(9), examined.get(10)));
    }

    @Test
    void nodesThatFailOnTheWayAreCounted() {
        nodes(250);
        // Every second node fails, and the walk goes on past the 120th feasible one to the next feasible one.
        SchedulingCycle cycle = watching(0, node -> number(node) % 2 == 0 ? Status.SUCCESS : reject("odd"));
        Decision first = decide(cycle);
        assertEquals(List.of(120, 240), List.of(first.feasibleNodes(), first.evaluatedNodes()));
        assertEquals(241, examined.size());
        examined.clear();
        decide(cycle);
        assertEquals("n240", examined.get(0));
    }

    @Test
    void aFullWalkDoesNotMoveTheStart() {
        nodes(250);
        SchedulingCycle cycle = watching(100, node -> Status.SUCCESS);
        decide(cycle);
        decide(cycle);
        assertEquals("n0", examined.get(250));
        SchedulingCycle failing = watching(0, node -> reject("no"));
        decide(failing);
        examined.clear();
        assertEquals(250, decide(failing).evaluatedNodes());
        assertEquals("n0", examined.get(0));
    }

    @Test
    void anErrorMovesTheStartByWhatWasGathered() {
        nodes(3);
        SchedulingCycle cycle = watching(0, node -> number(node) == 2 ? Status.error("x") : Status.SUCCESS);
        assertEquals(2, decide(cycle).evaluatedNodes());
        examined.clear();
        decide(cycle);
        assertEquals(List.of("n2"), examined);
    }

    @Test
    void evaluatingLooksAtAllAndMovesNothing() {
        nodes(250);
        SchedulingCycle cycle = watching(0, node -> Status.SUCCESS);
        assertEquals(250, evaluate(cycle).feasible().size());
        examined.clear();
        decide(cycle);
        assertEquals("n0", examined.get(0));
    }

    @Test
    void scoresOutOfRangeOfThisProgramCountAsTheEndOfTheRange() {
        nodes(3);
        Profile profile = profile(
                false,
                List.of(),
                new Profile.WeightedScore(new OwnScore("S", node -> number(node) == 1 ? 105 : -number(node)), 2),
                new Profile.WeightedScore(new OwnScore("T", node -> 7), 1));
        List<String> reported = new ArrayList<>();
        SchedulingCycle cycle = SchedulingCycle.builder(profile, cluster)
                .outOfRange((algorithm, pod, node, score) ->
                        reported.add(algorithm + " " + pod.name() + " " + node + " " + score))
                .build();
        Decision decision = decide(cycle);
        assertEquals("n1 207", decision.node() + " " + decision.score());
        assertEquals(Set.of("S p n1 105", "S p n2 -2"), Set.copyOf(reported));
        assertEquals(
                Map.of("n0", 0L, "n1", 100L, "n2", 0L), evaluate(cycle).scores().get("S"));
    }

    @Test
    void totalsStopAtTheEnds() {
        nodes(2);
        SchedulingCycle cycle = cycle(profile(
                false, List.of(), new Profile.WeightedScore(new OwnScore("S", node -> 100), Long.MAX_VALUE / 3)));
        assertEquals(Long.MAX_VALUE, decide(cycle).score());
    }

    @Test
    void exactlyAsV117FunctionsAddAnyScore() {
        nodes(2);
        Profile profile = Profile.builder("test", Family.LEGACY, new StateKeys())
                .function(new WeightedPriority(priority("F", node -> 1000L * number(node)), 3))
                .arithmetic(Arithmetic.WRAPPING)
                .build();
        assertEquals(new Decision(Decision.Kind.PLACED, "n1", 3000, "", 2, 2), decide(cycle(profile)));
    }

    @Test
    void exactlyAsV117TheyEndTheAttempt() {
        nodes(2);
        Profile profile = Profile.builder("test", Family.LEGACY, new StateKeys())
                .score(new OwnScore("S", node -> 105), 1)
                .arithmetic(Arithmetic.WRAPPING)
                .build();
        assertEquals(
                error(
                        "error while applying score defaultWeights for pod \"p\": score plugin \"S\" returns an invalid"
                                + " score 105, it should in the range of [0, 100] after normalizing",
                        2,
                        2),
                decide(cycle(profile)));
    }

    @Test
    void scoreErrorsEndTheAttempt() {
        nodes(2);
        Map<String, Profile.WeightedScore> broken = Map.of(
                "error while running \"S\" postfilter plugin for pod \"p\": oh",
                new Profile.WeightedScore(new Score("S", node -> 1, Status.error("oh"), Status.SUCCESS), 1),
                "error while running normalize score plugin for pod \"p\": normalize score plugin \"S\" failed with"
                        + " error oh",
                new Profile.WeightedScore(new Score("S", node -> 1, Status.SUCCESS, Status.error("oh")), 1),
                "error while applying score defaultWeights for pod \"p\": score plugin \"S\" returns an invalid score"
                        + " 101, it should in the range of [0, 100] after normalizing",
                score("S", 1, node -> number(node) == 1 ? 100 : 0),
                "error while applying score defaultWeights for pod \"p\": score plugin \"S\" returns an invalid score"
                        + " -1, it should in the range of [0, 100] after normalizing",
                score("S", 0, node -> -2));
        broken.forEach((text, weighted) -> {
            SchedulingCycle cycle = cycle(profile(false, List.of(), weighted));
            assertEquals(error(text, 2, 2), decide(cycle));
            assertEquals(Evaluation.failed(text), evaluate(cycle));
        });
        assertNull(evaluate(cycle(profile(false, List.of(), score("S", 1, node -> number(node) == 0 ? -1 : 99))))
                .error());
    }

    @Test
    void functionsAddBoundedScoresAndCollectErrors() {
        nodes(2);
        List<WeightedPriority> functions =
                List.of(new WeightedPriority(priority("F", node -> 1000L * number(node)), 3));
        Profile mixed = profile(false, List.of(), List.of(score("S", 1, node -> 9)), functions);
        assertEquals(new Decision(Decision.Kind.PLACED, "n1", 310, "", 2, 2), decide(cycle(mixed)));
        assertEquals(
                List.of("F", "S"), List.copyOf(evaluate(cycle(mixed)).scores().keySet()));
        List<WeightedPriority> broken = List.of(
                new WeightedPriority(failing("A", "x"), 1),
                new WeightedPriority(failing("B", "y"), 1),
                new WeightedPriority(failing("C", "x"), 1));
        Profile failing = profile(false, List.of(), List.of(), broken);
        assertEquals(error("[x, y]", 2, 2), decide(cycle(failing)));
        Profile once = profile(false, List.of(), List.of(), broken.subList(0, 1));
        assertEquals(error("x", 2, 2), decide(cycle(once)));
    }

    @Test
    void preemptionTriesOnCopies() {
        nodes(3);
        PodInfo low = pod("low").priority(1).onNode("n0").startTime(1).build();
        PodInfo equal = pod("equal").priority(5).onNode("n1").build();
        cluster.addPod(low);
        cluster.addPod(equal);
        SchedulingCycle cycle = filtering(
                ROOM,
                filter("Fixed", node -> number(node) == 2 ? Status.rejected(false, List.of("x")) : Status.SUCCESS));
        Evaluation evaluation = evaluate(cycle);
        assertEquals("0/3 nodes are available: 1 x, 2 full.", evaluation.error());
        assertEquals(
                new PreemptionResult(
                        true,
                        List.of("n0", "n1"),
                        new TreeMap<>(Map.of("n0", new PreemptionResult.Victims(List.of(low), 0))),
                        List.of("n0"),
                        "n0",
                        new TreeMap<>(),
                        false),
                cycle.preemption()
                        .preempt(POD, NominatedPods.NONE, evaluation.failures(), new Preemption(false, true)));
        assertEquals(1, cluster.nodes().get(0).podCount());
        assertEquals(
                new PreemptionResult(
                        true, List.of("n0", "n1"), new TreeMap<>(), List.of(), null, new TreeMap<>(), false),
                cycle.preemption()
                        .preempt(
                                POD,
                                name -> List.of(pod("promised").priority(7).build()),
                                evaluation.failures(),
                                new Preemption(false, true)),
                "room that is promised to another is not free");
    }
}
