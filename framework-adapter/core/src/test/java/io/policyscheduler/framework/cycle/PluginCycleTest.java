package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.framework.plugin.ExtensionPoint.FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_SCORE;
import static io.policyscheduler.framework.profile.Profile.Family.LEGACY;
import static io.policyscheduler.framework.profile.Profile.Family.MODERN;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How plugins affect a decision: skipped plugins, selected nodes, and the message if no node is left. */
class PluginCycleTest {
    private static final PodInfo POD = pod("p").build();

    private final ClusterState cluster = new ClusterState();
    private final List<String> calls = new ArrayList<>();
    private final ScriptedPlugin first = new ScriptedPlugin("A", calls);
    private final ScriptedPlugin second = new ScriptedPlugin("B", calls);

    @BeforeEach
    void nodes() {
        for (int i = 1; i <= 4; i++) {
            cluster.putNode(node("n" + i).build());
        }
    }

    private SchedulingCycle cycle(Family version, Consumer<Profile.Builder> plugins) {
        Profile.Builder profile = Profile.builder("test", version, new StateKeys());
        plugins.accept(profile);
        return SchedulingCycle.of(profile.build(), cluster);
    }

    private SchedulingCycle filtering(Family version) {
        return cycle(
                version,
                profile -> profile.preFilter(first)
                        .preFilter(second)
                        .filter(first)
                        .filter(second)
                        .score(first, 1));
    }

    private static Decision decide(SchedulingCycle cycle, PodInfo pod) {
        return cycle.decide(pod, NominatedPods.NONE);
    }

    private static Decision unschedulable(String message, int examined, String... plugins) {
        return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, examined).withRejectedBy(Set.of(plugins));
    }

    private List<String> callsOf(String point) {
        List<String> lines =
                calls.stream().filter(call -> call.contains(" " + point + " ")).toList();
        calls.clear();
        return lines;
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void whoSkipsIsLeftOutOfFiltering(Family version) {
        first.answer(PRE_FILTER, Status.SKIP).answer(FILTER, Status.unschedulable("not asked"));
        Decision decision = decide(filtering(version), POD);
        assertEquals("n1", decision.node());
        assertEquals(4, decision.feasibleNodes());
        assertEquals(List.of("B filter p n1", "B filter p n2", "B filter p n3", "B filter p n4"), callsOf("filter"));
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void aSkipIsForOneAttemptOnly(Family version) {
        SchedulingCycle cycle = filtering(version);
        first.answer(PRE_FILTER, Status.SKIP);
        decide(cycle, POD);
        first.answer(PRE_FILTER, Status.SUCCESS).reject("n1", "n2", "n3", "n4");
        assertEquals(unschedulable("0/4 nodes are available: 4 A says no.", 4, "A"), decide(cycle, POD));
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void onlyTheNodesThatAreWorthIt(Family version) {
        first.only("n2", "n3", "gone");
        second.only("n3", "n4", "gone");
        Decision decision = decide(filtering(version), POD);
        assertEquals(new Decision(Decision.Kind.PLACED, "n3", 0, "", 1, 1), decision);
        assertEquals(List.of("A filter p n3", "B filter p n3"), callsOf("filter"));
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void theOtherNodesAreCountedWhenNoneIsLeft(Family version) {
        first.only("n2", "n3");
        second.only("n3", "n4").reject("n3");
        assertEquals(
                unschedulable(
                        "0/4 nodes are available: 1 B says no, 3 node(s) didn't satisfy plugin(s) [A B].", 1, "A", "B"),
                decide(filtering(version), POD));
    }

    @Test
    void aSubsetWithoutAnyNodeThatExists() {
        first.only("gone");
        assertEquals(
                unschedulable("0/4 nodes are available: 4 node(s) didn't satisfy plugin(s) [A].", 0, "A"),
                decide(filtering(MODERN), POD));
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void onePluginThatLeavesNoNode(Family version) {
        first.only();
        assertEquals(
                unschedulable("0/4 nodes are available: node(s) didn't satisfy plugin A.", 0, "A"),
                decide(filtering(version), POD));
        assertEquals(List.of("A preFilter p"), calls);
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void pluginsThatTogetherLeaveNoNode(Family version) {
        first.only("n1");
        second.only("n2");
        ScriptedPlugin third = new ScriptedPlugin("C", calls).answer(PRE_FILTER, Status.error("not asked"));
        assertEquals(
                unschedulable(
                        "0/4 nodes are available: node(s) didn't satisfy plugin(s) [A B] simultaneously.", 0, "A", "B"),
                decide(
                        cycle(
                                version,
                                profile -> profile.preFilter(second)
                                        .preFilter(first)
                                        .preFilter(third)),
                        POD));
        assertEquals(List.of("B preFilter p", "A preFilter p"), calls);
    }

    @Test
    void noNodeLeftGoesBeforeAnEarlierRejection() {
        first.answer(PRE_FILTER, Status.unschedulable("no"));
        second.only();
        assertEquals(
                unschedulable("0/4 nodes are available: node(s) didn't satisfy plugin B.", 0, "B"),
                decide(filtering(MODERN), POD));
    }

    @Test
    void aRejectionLetsTheOthersGoOnAndTheLastIsTold() {
        first.answer(PRE_FILTER, Status.unschedulable("first"));
        second.answer(PRE_FILTER, Status.unschedulable("second"));
        assertEquals(unschedulable("0/4 nodes are available: second.", 0, "B"), decide(filtering(MODERN), POD));
        assertEquals(List.of("A preFilter p", "B preFilter p"), calls);
        second.answer(PRE_FILTER, Status.SUCCESS);
        assertEquals(unschedulable("0/4 nodes are available: first.", 0, "A"), decide(filtering(MODERN), POD));
    }

    @Test
    void aRejectionForGoodEndsTheStep() {
        first.answer(PRE_FILTER, Status.unresolvable("never"));
        assertEquals(unschedulable("0/4 nodes are available: never.", 0, "A"), decide(filtering(MODERN), POD));
        assertEquals(List.of("A preFilter p"), calls);
    }

    @Test
    void whoWaitsForSomethingOutsideOfTheClusterIsTold() {
        Status pending = new Status(Status.Code.PENDING, List.of("soon"));
        first.answer(PRE_FILTER, pending);
        assertEquals(
                unschedulable("0/4 nodes are available: soon.", 0, "A").withRejectedBy(Set.of("A"), Set.of("A")),
                decide(filtering(MODERN), POD));
        first.answer(PRE_FILTER, Status.SUCCESS).reject("n1");
        second.answer(FILTER, pending);
        assertEquals(
                unschedulable("0/4 nodes are available: 1 A says no, 3 soon.", 4)
                        .withRejectedBy(Set.of("A", "B"), Set.of("B")),
                decide(filtering(MODERN), POD));
    }

    @Test
    void anErrorGoesBeforeARejection() {
        first.answer(PRE_FILTER, Status.unschedulable("no"));
        second.answer(PRE_FILTER, Status.error("x"));
        assertEquals(
                new Decision(Decision.Kind.ERROR, null, 0, "running PreFilter plugin \"B\": x", 0, 0),
                decide(filtering(MODERN), POD));
    }

    @ParameterizedTest
    @CsvSource({"UNSCHEDULABLE, false", "PENDING, true", "UNSCHEDULABLE_AND_UNRESOLVABLE, true"})
    void aRejectionBeforeFilteringIsThatOfEveryNode(Status.Code code, boolean unresolvable) {
        first.answer(PRE_FILTER, new Status(code, List.of("no")));
        NodeFailure failure = new NodeFailure(List.of("no"), unresolvable, "A");
        assertEquals(
                Map.of("n1", failure, "n2", failure, "n3", failure, "n4", failure),
                filtering(MODERN).failures(POD, NominatedPods.NONE));
    }

    @Test
    void inV117ARejectionBeforeFilteringIsAnError() {
        first.answer(PRE_FILTER, Status.unschedulable("no"));
        assertEquals(
                new Decision(Decision.Kind.ERROR, null, 0, "rejected by \"A\" at prefilter: no", 0, 0),
                decide(filtering(LEGACY), POD));
        assertEquals(List.of("A preFilter p"), calls);
    }

    @ParameterizedTest
    @CsvSource({"MODERN, 1, n3", "LEGACY, 4, n2"})
    void aNominatedNodeIsTriedFirst(Family version, int feasible, String chosen) {
        first.rate(node -> node.name().equals("n2") ? 1 : 0);
        Decision decision = decide(filtering(version), POD.withNominatedNodeName("n3"));
        assertEquals(chosen, decision.node());
        assertEquals(feasible, decision.feasibleNodes());
        assertEquals(feasible, decision.evaluatedNodes());
    }

    @ParameterizedTest
    @CsvSource({"n3, rejected", "gone, unknown", "n3, error"})
    void aNominatedNodeThatDoesNotServeIsForgotten(String nominated, String why) {
        first.rate(node -> node.name().equals("n2") ? 1 : 0);
        if (why.equals("rejected")) {
            second.reject(nominated);
        }
        boolean[] asked = new boolean[1];
        if (why.equals("error")) {
            second.answer(FILTER, () -> {
                boolean again = asked[0];
                asked[0] = true;
                return again ? Status.SUCCESS : Status.error("x");
            });
        }
        Decision decision = decide(filtering(MODERN), POD.withNominatedNodeName(nominated));
        assertEquals("n2", decision.node());
        assertEquals(why.equals("rejected") ? 3 : 4, decision.feasibleNodes());
    }

    /**
     * The quick path evaluates the nominated node although PreFilter excludes it. kube-scheduler ignores an error there, so that the node keeps the
     * status of excluded nodes; a rejection there replaces that status.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "error | 1 B says no, 3 node(s) didn't satisfy plugin(s) [A] | node(s) didn't satisfy plugin(s) [A]",
                "rejected | 2 B says no, 2 node(s) didn't satisfy plugin(s) [A] | B says no"
            })
    void anExcludedNominatedNodeHasOnlyReasonsOfRejections(String filters, String counted, String reason) {
        first.only("n1");
        second.reject("n1");
        if (filters.equals("error")) {
            second.answer(FILTER, Status.error("x"));
        } else {
            second.reject("n3");
        }
        PodInfo pod = POD.withNominatedNodeName("n3");
        String message = "0/4 nodes are available: " + counted + ".";
        SchedulingCycle cycle = filtering(MODERN);
        assertEquals(message, decide(cycle, pod).message());
        assertEquals(message, cycle.rank(pod, NominatedPods.NONE).error());
        assertEquals(message, cycle.evaluate(pod, NominatedPods.NONE).error());
        NodeFailure failure = cycle.evaluate(pod, NominatedPods.NONE).failures().get("n3");
        assertEquals(List.of(reason), failure == null ? List.of() : failure.reasons());
    }

    @ParameterizedTest
    @CsvSource({"MODERN, true, 2", "MODERN, false, 4", "LEGACY, true, 4"})
    void whereNothingTellsNodesApartTheFirstWillDo(Family version, boolean scoresNothing, int examined) {
        second.reject("n1");
        SchedulingCycle cycle = cycle(version, profile -> {
            profile.filter(second);
            if (!scoresNothing) {
                profile.score(first, 1);
            }
        });
        Decision decision = decide(cycle, POD);
        assertEquals("n2", decision.node());
        assertEquals(examined, decision.evaluatedNodes());
        assertEquals(examined - 1, decision.feasibleNodes());
    }

    @Test
    void aSingleFeasibleNodeIsNotScored() {
        second.reject("n1", "n2", "n4");
        decide(cycle(MODERN, profile -> profile.filter(second).preScore(first).score(first, 1)), POD);
        assertEquals(List.of(), callsOf("preScore"));
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void whoSkipsBeforeScoringDoesNotCount(Family version) {
        first.rate(node -> node.name().equals("n1") ? 100 : 0).answer(PRE_SCORE, Status.SKIP);
        second.rate(node -> node.name().equals("n2") ? 1 : 0);
        SchedulingCycle cycle = cycle(
                version,
                profile ->
                        profile.preScore(first).preScore(second).score(first, 1).score(second, 3));
        assertEquals(new Decision(Decision.Kind.PLACED, "n2", 3, "", 4, 4), decide(cycle, POD));
        assertEquals(List.of("B score p n1", "B score p n2", "B score p n3", "B score p n4"), callsOf("score"));
    }

    @Test
    void whenAllSkipAllNodesAreEqual() {
        first.rate(node -> 100).answer(PRE_SCORE, Status.SKIP);
        assertEquals(
                new Decision(Decision.Kind.PLACED, "n1", 0, "", 4, 4),
                decide(cycle(MODERN, profile -> profile.preScore(first).score(first, 1)), POD));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LEGACY   | 101 | error while applying score defaultWeights for pod \"p\": score plugin \"A\" returns an invalid score 101, it should in the range of [0, 100] after normalizing",
                "MODERN | 101 | applying score defaultWeights on Score plugins: plugin \"A\" returns an invalid score 101, it should in the range of [0, 100] after normalizing",
                "MODERN | -1  | applying score defaultWeights on Score plugins: plugin \"A\" returns an invalid score -1, it should in the range of [0, 100] after normalizing",
            })
    void aScoreOutOfRangeEndsTheAttempt(Family version, long score, String message) {
        first.rate(node -> node.name().equals("n2") ? score : 0);
        assertEquals(
                new Decision(Decision.Kind.ERROR, null, 0, message, 4, 4),
                decide(cycle(version, profile -> profile.score(first, 1)), POD));
    }
}
