package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.framework.plugin.ExtensionPoint.BIND;
import static io.policyscheduler.framework.plugin.ExtensionPoint.RESERVE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The path of a pod through the plugins of every extension point, and what ends it. */
class ExtensionPointsTest extends PluginFixture {
    private static void everywhere(Profile.Builder profile, ScriptedPlugin plugin, long weight) {
        profile.preEnqueue(plugin)
                .preFilter(plugin)
                .filter(plugin)
                .preScore(plugin)
                .score(plugin, weight)
                .reserve(plugin)
                .permit(plugin)
                .preBind(plugin)
                .bind(plugin)
                .postBind(plugin);
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void allPointsInOrder(Family version) {
        ScriptedPlugin first =
                plugin("A").answer(BIND, Status.SKIP).rate(node -> node.name().equals("n1") ? 1 : 0);
        ScriptedPlugin second = plugin("B").rate(node -> node.name().equals("n2") ? 1 : 0);
        start(version, profile -> {
            everywhere(profile, first, 1);
            everywhere(profile, second, 2);
        });
        show(a);
        assertEquals(
                List.of(
                        "A preEnqueue a",
                        "B preEnqueue a",
                        "A preFilter a",
                        "B preFilter a",
                        "A filter a n1",
                        "B filter a n1",
                        "A filter a n2",
                        "B filter a n2",
                        "A preScore a [n1, n2]",
                        "B preScore a [n1, n2]",
                        "A score a n1",
                        "A score a n2",
                        "B score a n1",
                        "B score a n2",
                        "A reserve a n2",
                        "B reserve a n2",
                        "A permit a n2",
                        "B permit a n2",
                        "A preBind a n2",
                        "B preBind a n2",
                        "A bind a n2",
                        "B bind a n2",
                        "A postBind a n2",
                        "B postBind a n2"),
                takeCalls());
        assertEquals(List.of("Normal Scheduled: Successfully assigned default/a to n2"), writer.takeCalls());
        assertEquals(List.of("bound ua n2 after 1"), reports);
    }

    @SuppressWarnings("NullAway") // what a plugin must not do
    private static Supplier<Status> answer(String kind) {
        return switch (kind) {
            case "no" -> () -> Status.unschedulable("no");
            case "never" -> () -> Status.unresolvable("no");
            case "pending" -> () -> new Status(Status.Code.PENDING, List.of("no"));
            case "error" -> () -> Status.error("no");
            case "skip" -> () -> Status.SKIP;
            case "wait" -> () -> Status.WAIT;
            case "throws" ->
                () -> {
                    throw new PluginException("no");
                };
            case "bug" ->
                () -> {
                    throw new IllegalStateException("x");
                };
            case "linkage" ->
                () -> {
                    throw new NoClassDefFoundError("com/x/Y");
                };
            case "null" -> () -> null;
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "LEGACY   | PRE_FILTER | no      | Unschedulable  | rejected by \"A\" at prefilter: no",
                "LEGACY   | PRE_FILTER | never   | Unschedulable  | rejected by \"A\" at prefilter: no",
                "LEGACY   | PRE_FILTER | error   | Unschedulable  | error while running \"A\" prefilter plugin for pod \"a\": no",
                "MODERN | PRE_FILTER | no      | Unschedulable  | 0/2 nodes are available: no.",
                "MODERN | PRE_FILTER | never   | Unschedulable  | 0/2 nodes are available: no.",
                "MODERN | PRE_FILTER | pending | Unschedulable  | 0/2 nodes are available: no.",
                "MODERN | PRE_FILTER | error   | SchedulerError | running PreFilter plugin \"A\": no",
                "MODERN | PRE_FILTER | throws  | SchedulerError | running PreFilter plugin \"A\": no",
                "MODERN | PRE_FILTER | bug     | SchedulerError | running PreFilter plugin \"A\": java.lang.IllegalStateException: x",
                "MODERN | PRE_FILTER | linkage | SchedulerError | running PreFilter plugin \"A\": java.lang.NoClassDefFoundError: com/x/Y",
                "LEGACY   | FILTER     | no      | Unschedulable  | 0/2 nodes are available: 2 no.",
                "LEGACY   | FILTER     | error   | Unschedulable  | error while running \"A\" filter plugin for pod \"a\": no",
                "LEGACY   | FILTER     | bug     | Unschedulable  | error while running \"A\" filter plugin for pod \"a\": java.lang.IllegalStateException: x",
                "MODERN | FILTER     | no      | Unschedulable  | 0/2 nodes are available: 2 no.",
                "MODERN | FILTER     | never   | Unschedulable  | 0/2 nodes are available: 2 no.",
                "MODERN | FILTER     | pending | Unschedulable  | 0/2 nodes are available: 2 no.",
                "MODERN | FILTER     | error   | SchedulerError | running \"A\" filter plugin: no",
                "MODERN | FILTER     | throws  | SchedulerError | running \"A\" filter plugin: no",
                "MODERN | FILTER     | linkage | SchedulerError | running \"A\" filter plugin: java.lang.NoClassDefFoundError: com/x/Y",
                "LEGACY   | PRE_SCORE  | error   | Unschedulable  | error while running \"A\" postfilter plugin for pod \"a\": no",
                "MODERN | PRE_SCORE  | error   | SchedulerError | running PreScore plugin \"A\": no",
                "MODERN | PRE_SCORE  | no      | SchedulerError | running PreScore plugin \"A\": no",
                "MODERN | PRE_SCORE  | bug     | SchedulerError | running PreScore plugin \"A\": java.lang.IllegalStateException: x",
                "LEGACY   | SCORE      | throws  | Unschedulable  | error while running score plugin for pod \"a\": no",
                "MODERN | SCORE      | throws  | SchedulerError | running Score plugins: plugin \"A\" failed with: no",
                "MODERN | SCORE      | bug     | SchedulerError | running Score plugins: plugin \"A\" failed with: java.lang.IllegalStateException: x",
            })
    void whatEndsAnAttemptBeforeANodeIsChosen(
            Family version, ExtensionPoint point, String kind, String reason, String message) {
        ScriptedPlugin plugin = plugin("A").answer(point, answer(kind));
        start(version, profile -> everywhere(profile, plugin, 1));
        show(a);
        assertEquals(
                List.of("Warning FailedScheduling: " + message, "condition ua " + reason + ": " + message),
                takeWrites());
        assertEquals(List.of(), takeReserves());
        answerRead(new PodRead.Found(a));
        assertEquals(reason.equals("Unschedulable") ? Part.UNSCHEDULABLE : Part.BACKOFF, partOf(a));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "LEGACY   | RESERVE  | no      | SchedulerError | error while running \"A\" reserve plugin for pod \"a\": no",
                "LEGACY   | RESERVE  | error   | SchedulerError | error while running \"A\" reserve plugin for pod \"a\": no",
                "LEGACY   | RESERVE  | skip    | SchedulerError | error while running \"A\" reserve plugin for pod \"a\": ",
                "MODERN | RESERVE  | no      | Unschedulable  | 0/1 nodes are available: 1 no.",
                "MODERN | RESERVE  | never   | Unschedulable  | 0/1 nodes are available: 1 no.",
                "MODERN | RESERVE  | error   | SchedulerError | running Reserve plugin \"A\": no",
                "MODERN | RESERVE  | throws  | SchedulerError | running Reserve plugin \"A\": no",
                "MODERN | RESERVE  | bug     | SchedulerError | running Reserve plugin \"A\": java.lang.IllegalStateException: x",
                "MODERN | RESERVE  | linkage | SchedulerError | running Reserve plugin \"A\": java.lang.NoClassDefFoundError: com/x/Y",
                "MODERN | RESERVE  | null    | SchedulerError | running Reserve plugin \"A\": java.lang.NullPointerException: no answer",
                "LEGACY   | PERMIT   | no      | Unschedulable  | rejected by \"A\" at permit: no",
                "LEGACY   | PERMIT   | error   | SchedulerError | error while running \"A\" permit plugin for pod \"a\": no",
                "MODERN | PERMIT   | no      | Unschedulable  | 0/1 nodes are available: 1 no.",
                "MODERN | PERMIT   | pending | Unschedulable  | 0/1 nodes are available: 1 no.",
                "MODERN | PERMIT   | error   | SchedulerError | running Permit plugin \"A\": no",
                "MODERN | PERMIT   | skip    | SchedulerError | running Permit plugin \"A\": ",
                "MODERN | PERMIT   | throws  | SchedulerError | running Permit plugin \"A\": no",
                "MODERN | PERMIT   | linkage | SchedulerError | running Permit plugin \"A\": java.lang.NoClassDefFoundError: com/x/Y",
                "LEGACY   | PRE_BIND | no      | SchedulerError | error while running \"A\" prebind plugin for pod \"a\": no",
                "LEGACY   | PRE_BIND | error   | SchedulerError | error while running \"A\" prebind plugin for pod \"a\": no",
                "MODERN | PRE_BIND | no      | Unschedulable  | 0/1 nodes are available: 1 no.",
                "MODERN | PRE_BIND | error   | SchedulerError | running PreBind plugin \"A\": no",
                "MODERN | PRE_BIND | wait    | SchedulerError | running PreBind plugin \"A\": ",
                "MODERN | PRE_BIND | linkage | SchedulerError | running PreBind plugin \"A\": java.lang.NoClassDefFoundError: com/x/Y",
                "MODERN | PRE_BIND | null    | SchedulerError | running PreBind plugin \"A\": java.lang.NullPointerException: no answer",
                "MODERN | BIND     | no      | Unschedulable  | no",
                "MODERN | BIND     | error   | SchedulerError | running Bind plugin \"A\": no",
                "MODERN | BIND     | bug     | SchedulerError | running Bind plugin \"A\": java.lang.IllegalStateException: x",
            })
    void whatTakesAChosenNodeBack(Family version, ExtensionPoint point, String kind, String reason, String message) {
        ScriptedPlugin first = plugin("A").answer(point, answer(kind));
        ScriptedPlugin second = plugin("B");
        start(version, profile -> {
            everywhere(profile, first, 1);
            everywhere(profile, second, 1);
        });
        show(a);
        String text = message == null ? "" : message;
        String shown = text.endsWith(":") ? text + " " : text;
        assertEquals(
                List.of("Warning FailedScheduling: " + shown, "condition ua " + reason + ": " + shown), takeWrites());
        assertEquals(
                point == RESERVE
                        ? List.of("A reserve a n1", "B unreserve a n1", "A unreserve a n1")
                        : List.of("A reserve a n1", "B reserve a n1", "B unreserve a n1", "A unreserve a n1"),
                takeReserves());
        assertEquals(0, scheduler.cache().podCount());
        answerRead(new PodRead.Found(a));
        // For failures after Permit, current releases do not say that an event could help.
        boolean waits = reason.equals("Unschedulable") && (point == RESERVE || point == ExtensionPoint.PERMIT);
        assertEquals(waits ? Part.UNSCHEDULABLE : Part.BACKOFF, partOf(a));

        first.answer(point, Status.SUCCESS);
        post(new ClusterChange.NodeUpserted(node("n3").build()));
        pass(Duration.ofSeconds(100));
        assertEquals(List.of("A reserve a n1", "B reserve a n1"), takeReserves());
        assertTrue(reports.contains("bound ua n1 after 2"), reports.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "LEGACY   | error | Binding rejected: Bind failure, code: 1: bind plugin \"A\" failed to bind pod \"default/a\": no",
                "LEGACY   | no    | Binding rejected: Bind failure, code: 1: bind plugin \"A\" failed to bind pod \"default/a\": no",
                "MODERN | error | running Bind plugin \"A\": no",
            })
    void aBindPluginThatFails(Family version, String kind, String event) {
        ScriptedPlugin plugin = plugin("A").answer(BIND, answer(kind));
        start(version, profile -> everywhere(profile, plugin, 1));
        show(a);
        assertEquals("Warning FailedScheduling: " + event, writer.takeCalls().get(1));
        assertEquals(List.of("A reserve a n1", "A unreserve a n1"), takeReserves());
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void postBindCannotFail(Family version) {
        ScriptedPlugin first = plugin("A").answer(ExtensionPoint.POST_BIND, answer("bug"));
        ScriptedPlugin second = plugin("B").answer(ExtensionPoint.POST_BIND, answer("linkage"));
        ScriptedPlugin third = plugin("C");
        start(
                version,
                profile ->
                        profile.reserve(first).postBind(first).postBind(second).postBind(third));
        show(a);
        answerBind(BindOutcome.BOUND);
        assertEquals(List.of("A reserve a n1", "A postBind a n1", "B postBind a n1", "C postBind a n1"), takeCalls());
        assertEquals(List.of("bound ua n1 after 1"), reports);
    }
}
