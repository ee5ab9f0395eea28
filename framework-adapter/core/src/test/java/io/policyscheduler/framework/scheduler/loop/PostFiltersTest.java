package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.framework.plugin.ExtensionPoint.FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.POST_FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_FILTER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultPreemption;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** PostFilter plugins: which of them run, and what users see. */
class PostFiltersTest extends PluginFixture {
    private static final Map<String, Status> ANSWERS = Map.of(
            "success",
            Status.SUCCESS,
            "no",
            Status.unschedulable("no"),
            "silent",
            new Status(Status.Code.UNSCHEDULABLE, List.of()),
            "pending",
            new Status(Status.Code.PENDING, List.of("later")),
            "never",
            Status.unresolvable("never"),
            "error",
            Status.error("broken"));

    private final ScriptedPlugin filter =
            new ScriptedPlugin("F", new ArrayList<>()).answer(FILTER, Status.unschedulable("full"));
    private final ScriptedPlugin first = plugin("A");
    private final ScriptedPlugin second = plugin("B");

    private static Status answer(String kind) {
        return Objects.requireNonNull(ANSWERS.get(kind));
    }

    private List<String> attempt(Family version) {
        start(
                version,
                profile -> profile.filter(filter)
                        .preFilter(filter)
                        .postFilter(first)
                        .postFilter(second)
                        .postFilter(new DefaultPreemption()));
        show(a);
        return writer.takeCalls().stream()
                .filter(call -> call.startsWith("Warning") || call.startsWith("condition"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "success, success, A, false, ''",
        "no, success, AB, false, ''",
        "no, no, AB, true, ''",
        "silent, pending, AB, true, ''",
        "pending, no, AB, true, ''",
        "never, success, A, false, never",
        "no, never, AB, false, never",
        "error, success, A, false, broken",
        "no, error, AB, false, broken",
    })
    void oneAfterTheOtherUntilOneHelps(
            String firstAnswer, String secondAnswer, String asked, boolean preempts, String message) {
        first.answer(POST_FILTER, answer(firstAnswer));
        second.answer(POST_FILTER, answer(secondAnswer));
        String text = "0/2 nodes are available: 2 full." + (message.isEmpty() ? "" : " " + message);
        assertEquals(
                List.of("Warning FailedScheduling: " + text, "condition ua Unschedulable: " + text),
                attempt(Family.MODERN));
        assertEquals(
                asked.chars()
                        .mapToObj(name -> (char) name + " postFilter a [n1, n2]")
                        .toList(),
                takeCalls());
        assertEquals(preempts ? List.of("a") : List.of(), preempted);
    }

    @Test
    void whatAllSayIsToldTogether() {
        start(Family.MODERN, profile -> profile.filter(filter).postFilter(first).postFilter(second));
        first.answer(POST_FILTER, new Status(Status.Code.UNSCHEDULABLE, List.of("one", "two")));
        second.answer(POST_FILTER, new Status(Status.Code.PENDING, List.of("three")));
        show(a);
        assertEquals(
                "Warning FailedScheduling: 0/2 nodes are available: 2 full. one, two, three",
                takeWrites().get(0));
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void anExceptionEndsIt(Family version) {
        first.answer(POST_FILTER, () -> {
            throw new PluginException("cannot");
        });
        String text = "0/2 nodes are available: 2 full." + (version == Family.MODERN ? " cannot" : "");
        assertEquals(
                List.of("Warning FailedScheduling: " + text, "condition ua Unschedulable: " + text), attempt(version));
        assertEquals(List.of("A postFilter a [n1, n2]"), takeCalls());
    }

    @Test
    void inV117TheEventComesFirstAndSaysNothingOfIt() {
        first.answer(POST_FILTER, () -> {
            calls.addAll(writer.takeCalls());
            return Status.unschedulable("no");
        });
        assertEquals(List.of(), attempt(Family.LEGACY));
        assertEquals(
                List.of(
                        "A postFilter a [n1, n2]",
                        "read ua",
                        "Warning FailedScheduling: 0/2 nodes are available: 2 full.",
                        "condition ua Unschedulable: 0/2 nodes are available: 2 full.",
                        "B postFilter a [n1, n2]"),
                takeCalls());
    }

    @ParameterizedTest
    @CsvSource({
        "MODERN, PRE_FILTER, no, true",
        "MODERN, PRE_FILTER, never, true",
        "MODERN, PRE_FILTER, error, false",
        "MODERN, FILTER, error, false",
        "LEGACY, PRE_FILTER, no, false",
        "LEGACY, FILTER, error, false",
    })
    void onlyAfterARejection(Family version, ExtensionPoint point, String kind, boolean asked) {
        filter.answer(FILTER, Status.SUCCESS).answer(point, answer(kind));
        attempt(version);
        assertEquals(asked ? List.of("A postFilter a [n1, n2]") : List.of(), takeCalls());
    }

    @Test
    void notForAPodWithoutNodesToGoTo() {
        start(Family.MODERN, profile -> profile.filter(filter).postFilter(first).postFilter(second));
        post(new ClusterChange.NodesReplaced(List.of()));
        show(io.policyscheduler.engine.testing.PodBuilder.pod("b").uid("ub").build());
        assertEquals(List.of(), takeCalls());
        assertEquals(
                List.of(
                        "Warning FailedScheduling: no nodes available to schedule pods",
                        "condition ub Unschedulable: no nodes available to schedule pods"),
                takeWrites());
    }

    @Test
    void aRejectionBeforeFilteringIsKnownForEveryNode() {
        filter.answer(PRE_FILTER, Status.unresolvable("never"));
        assertEquals(
                List.of(
                        "Warning FailedScheduling: 0/2 nodes are available: never.",
                        "condition ua Unschedulable: 0/2 nodes are available: never."),
                attempt(Family.MODERN));
    }
}
