package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.framework.plugin.ExtensionPoint.BIND;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_BIND;
import static io.policyscheduler.framework.profile.Profile.Family.LEGACY;
import static io.policyscheduler.framework.profile.Profile.Family.MODERN;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The plugins that may block run elsewhere, while others are scheduled. */
class PluginCallsTest extends PluginFixture {
    private static final String PREPARED = "running PreBind plugin \"A\": x";

    private final ScriptedPlugin first = plugin("A");
    private final ScriptedPlugin second = plugin("B");

    @Test
    void preparingBindingAndWhatFollowsRunOnTheExecutor() {
        holdPluginCalls();
        start(
                MODERN,
                profile ->
                        profile.preBind(first).preBind(second).postBind(first).postBind(second));
        show(a);
        assertEquals(List.of(), takeCalls());
        assertEquals(List.of(), writer.takeCalls());
        show(pod("b").uid("ub").build());
        assertEquals(2, held.size());

        runHeld();
        assertEquals(List.of("A preBind a n1", "B preBind a n1"), takeCalls());
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        answerBind(BindOutcome.BOUND);
        assertEquals(List.of("bound ua n1 after 1"), reports);
        assertEquals(List.of(), takeCalls());
        runHeld();
        assertEquals(List.of("A preBind b n2", "B preBind b n2"), takeCalls());
        runHeld();
        assertEquals(List.of("A postBind a n1", "B postBind a n1"), takeCalls());
        assertEquals(0, held.size());
    }

    @Test
    void aProfileWithoutSuchPluginsNeedsNoExecutor() {
        executor = call -> {
            throw new AssertionError("not needed");
        };
        start(MODERN, profile -> profile.filter(first).reserve(first).permit(first));
        show(a);
        answerBind(BindOutcome.BOUND);
        assertEquals(List.of("bound ua n1 after 1"), reports);
    }

    @Test
    void theFirstPreparationThatFailsIsTheLast() {
        first.answer(PRE_BIND, Status.error("x"));
        start(MODERN, profile -> profile.preBind(first).preBind(second).bind(second));
        show(a);
        assertEquals(List.of("A preBind a n1"), takeCalls());
    }

    @Test
    void aPreparationMaySkip() {
        first.answer(PRE_BIND, Status.SKIP);
        start(MODERN, profile -> profile.preBind(first).preBind(second).bind(second));
        show(a);
        assertEquals(List.of("A preBind a n1", "B preBind a n1", "B bind a n1"), takeCalls());
        assertEquals(List.of("bound ua n1 after 1"), reports);
    }

    @Test
    void whoBindsFirstBindsAlone() {
        start(MODERN, profile -> profile.bind(first).bind(second));
        show(a);
        assertEquals(List.of("A bind a n1"), takeCalls());
        assertEquals(List.of("Normal Scheduled: Successfully assigned default/a to n1"), writer.takeCalls());
    }

    @Test
    void aBindPluginThatFailsIsNotMadeUpForByTheNext() {
        first.answer(BIND, Status.error("x"));
        start(MODERN, profile -> profile.bind(first).bind(second));
        show(a);
        assertEquals(List.of("A bind a n1"), takeCalls());
        assertEquals(
                "Warning FailedScheduling: running Bind plugin \"A\": x",
                writer.takeCalls().get(1));
    }

    @Test
    void whenAllSkipTheDefaultBinderBinds() {
        first.answer(BIND, Status.SKIP);
        start(MODERN, profile -> profile.bind(first).bind(first));
        show(a);
        assertEquals(List.of("A bind a n1", "A bind a n1"), takeCalls());
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @ParameterizedTest
    @CsvSource({"LEGACY, Binding rejected: ", "MODERN, ''"})
    void withoutADefaultBinderSomebodyMustBind(Family version, String prefix) {
        first.answer(BIND, Status.SKIP);
        start(version, profile -> profile.bind(first).reserve(second).bindsByDefault(false));
        show(a);
        String message = "no bind plugin of the profile binds pod \"default/a\": all of them skipped it";
        assertEquals(
                List.of(
                        "read ua",
                        "Warning FailedScheduling: " + (version == LEGACY ? "Binding rejected: " : prefix) + message,
                        "condition ua SchedulerError: " + message),
                writer.takeCalls());
        assertEquals(List.of("B reserve a n1", "B unreserve a n1"), takeReserves());
    }

    @Test
    void aPodThatIsDeletedWhileItIsPreparedIsNotBound() {
        holdPluginCalls();
        start(MODERN, profile -> profile.reserve(first).preBind(first));
        show(a);
        delete(a);
        runHeld();
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(List.of("A reserve a n1", "A unreserve a n1", "A preBind a n1"), takeCalls());
    }

    @Test
    void aPodThatIsBoundElsewhereWhileItIsPrepared() {
        holdPluginCalls();
        start(MODERN, profile -> profile.reserve(first).preBind(first));
        show(a);
        show(version(a.withNodeName("n2"), 2));
        runHeld();
        answerBind(BindOutcome.conflict("taken"));
        assertEquals(List.of("A reserve a n1", "A preBind a n1", "A unreserve a n1"), takeCalls());
        assertEquals(List.of("ua"), podsOn("n2"));
        assertEquals(List.of(), podsOn("n1"));
    }

    /** A failure is reported for a pod that is still pending and ours; its resources are released for any. */
    @ParameterizedTest
    @CsvSource({"pending, true", "bound elsewhere, false", "of another scheduler, false", "of a removed name, false"})
    void aPreparationFailsAfterThePodHasChanged(String now, boolean isReported) {
        holdPluginCalls();
        first.answer(PRE_BIND, Status.error("x"));
        start(MODERN, profile -> profile.reserve(first).preBind(first));
        show(a);
        switch (now) {
            case "bound elsewhere" -> show(version(a.withNodeName("n2"), 2));
            case "of another scheduler" ->
                show(version(pod("a").uid("ua").schedulerName("another").build(), 2));
            case "of a removed name" -> replace(runtime("another", profile(MODERN, profile -> profile.filter(second))));
            default -> {}
        }
        runHeld();
        assertEquals(
                isReported
                        ? List.of("Warning FailedScheduling: " + PREPARED, "condition ua SchedulerError: " + PREPARED)
                        : List.of(),
                takeWrites());
        assertEquals(List.of("bind failed ua " + PREPARED), reports);
        assertEquals(List.of("A reserve a n1", "A unreserve a n1"), takeReserves());
        assertEquals(isReported ? 1 : 0, scheduler.inFlight().requeueCount());
    }

    @Test
    void anExecutorThatIsShutDownLeavesThePodToTheNextScheduler() {
        executor = call -> {
            throw new RejectedExecutionException("shut down");
        };
        start(MODERN, profile -> profile.preBind(first));
        show(a);
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(1, scheduler.inFlight().bindingCount());
    }
}
