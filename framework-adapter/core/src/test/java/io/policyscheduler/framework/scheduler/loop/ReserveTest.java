package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_BIND;
import static io.policyscheduler.framework.profile.Profile.Family.MODERN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A reservation belongs to a bound pod, or all plugins undo it once, in reverse order. */
class ReserveTest extends PluginFixture {
    private static final List<String> RESERVED = List.of("A reserve a n1", "B reserve a n1");
    private static final List<String> UNRESERVED = List.of("B unreserve a n1", "A unreserve a n1");

    private final ScriptedPlugin first = plugin("A");
    private final ScriptedPlugin second = plugin("B");

    private void reserved() {
        start(MODERN, profile -> profile.reserve(first).reserve(second));
        show(a);
        assertEquals(RESERVED, takeReserves());
    }

    private void assertTakenBack() {
        assertEquals(UNRESERVED, takeReserves());
        pass(Duration.ofMillis(1));
        assertEquals(List.of(), takeReserves());
        assertEquals(List.of(), podsOn("n1"));
    }

    @Test
    void aBoundPodKeepsWhatWasReserved() {
        reserved();
        answerBind(BindOutcome.BOUND);
        show(version(a.withNodeName("n1"), 2));
        delete(version(a.withNodeName("n1"), 2));
        assertEquals(List.of(), takeReserves());
    }

    @Test
    void aBindThatIsNeverConfirmedKeepsItUntilItIsKnown() {
        reserved();
        answerBind(BindOutcome.BOUND);
        pass(Duration.ofSeconds(40));
        assertEquals(List.of(), takeReserves());
        answerRead(new PodRead.Found(version(a.withNodeName("n1"), 2)));
        assertEquals(List.of(), takeReserves());
    }

    @ParameterizedTest
    @EnumSource(
            value = BindOutcome.Kind.class,
            names = {"CONFLICT", "GONE", "FAILED"})
    void aRefusedBindIsTakenBack(BindOutcome.Kind kind) {
        reserved();
        answerBind(new BindOutcome(kind, "x"));
        assertTakenBack();
    }

    @Test
    void anUnansweredBindIsTakenBackWhenThePodIsFoundUnbound() {
        reserved();
        answerBind(BindOutcome.unknown("timeout"));
        pass(SchedulerOptions.BIND_DOUBT);
        assertEquals(List.of(), takeReserves());
        answerRead(new PodRead.Found(a));
        assertTakenBack();
        assertEquals(Part.BACKOFF, partOf(a));
    }

    @Test
    void anUnansweredBindIsKeptWhenThePodIsFoundBound() {
        reserved();
        answerBind(BindOutcome.unknown("timeout"));
        answerRead(new PodRead.Found(version(a.withNodeName("n1"), 2)));
        assertEquals(List.of(), takeReserves());
        assertEquals(List.of("ua"), podsOn("n1"));
    }

    @Test
    void anUnansweredBindIsTakenBackWhenThePodIsFoundElsewhere() {
        reserved();
        answerBind(BindOutcome.unknown("timeout"));
        answerRead(new PodRead.Found(version(a.withNodeName("n2"), 2)));
        assertTakenBack();
    }

    @Test
    void anUnansweredBindIsTakenBackWhenThePodIsGone() {
        reserved();
        answerBind(BindOutcome.unknown("timeout"));
        answerRead(new PodRead.NotFound());
        assertTakenBack();
        delete(a);
        assertEquals(List.of(), takeReserves());
    }

    @Test
    void aPodDeletedDuringTheBindIsTakenBack() {
        reserved();
        delete(a);
        assertTakenBack();
        answerBind(BindOutcome.failed("x"));
        assertEquals(List.of(), takeReserves());
    }

    @Test
    void aPodBoundElsewhereDuringTheBindIsTakenBack() {
        reserved();
        show(version(a.withNodeName("n2"), 2));
        answerBind(BindOutcome.conflict("taken"));
        assertTakenBack();
        assertEquals(List.of("ua"), podsOn("n2"));
    }

    @Test
    void thePodIsBoundByWhatTheWatchShowsBeforeTheAnswer() {
        reserved();
        show(version(a.withNodeName("n1"), 2));
        answerBind(BindOutcome.conflict("already assigned to node n1"));
        assertEquals(List.of(), takeReserves());
        assertEquals(List.of("bound ua n1 after 1"), reports);
    }

    /** Volumes whose binding the test completes. */
    private static class HeldVolumes implements VolumeAssumer.Assumed {
        private @Nullable Consumer<String> done;

        @Override
        public String error() {
            return "";
        }

        @Override
        public void bind(Consumer<String> whenDone) {
            done = whenDone;
        }

        @Override
        public void undo() {}
    }

    @Test
    void volumesThatAreNotBoundAreTakenBack() {
        HeldVolumes held = new HeldVolumes();
        volumes = (pod, node) -> held;
        reserved();
        assertNotNull(held.done);
        held.done.accept("timed out");
        run();
        assertTakenBack();
        assertEquals("Warning FailedScheduling: timed out", writer.takeCalls().get(1));
    }

    @Test
    void volumesThatCannotBeAssumedReserveNothing() {
        volumes = (pod, node) -> new HeldVolumes() {
            @Override
            public String error() {
                return "no volume";
            }
        };
        start(MODERN, profile -> profile.reserve(first));
        show(a);
        assertEquals(List.of(), takeReserves());
    }

    @Test
    void whatFailsToTakeBackKeepsNoOtherFromIt() {
        ReservePlugin failing = new ReservePlugin() {
            @Override
            public String name() {
                return "Failing";
            }

            @Override
            public Status reserve(CycleState state, PodInfo pod, String node) {
                return Status.error("no");
            }

            @Override
            public void unreserve(CycleState state, PodInfo pod, String node) {
                calls.add("Failing unreserve");
                throw new IllegalStateException("x");
            }
        };
        start(MODERN, profile -> profile.reserve(first).reserve(failing).reserve(second));
        show(a);
        assertEquals(
                List.of("A reserve a n1", "B unreserve a n1", "Failing unreserve", "A unreserve a n1"), takeReserves());
    }

    @Test
    void everyAttemptReservesAnewAndIsTakenBackOnItsOwn() {
        first.answer(PRE_BIND, Status.error("no"));
        start(MODERN, profile -> profile.score(second, 1).reserve(first).preBind(first));
        show(a);
        for (int i = 1; i <= 3; i++) {
            assertEquals(List.of("A reserve a n1", "A unreserve a n1"), takeReserves());
            answerRead(new PodRead.Found(a));
            pass(Duration.ofSeconds(30));
        }
    }
}
