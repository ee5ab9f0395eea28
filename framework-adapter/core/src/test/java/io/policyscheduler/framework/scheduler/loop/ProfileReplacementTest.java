package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.framework.plugin.ExtensionPoint.FILTER;
import static io.policyscheduler.framework.profile.Profile.Family.MODERN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A running scheduler whose profiles are replaced. */
class ProfileReplacementTest extends PluginFixture {
    private static final String OTHER = "other-scheduler";

    private final ScriptedPlugin old = plugin("Old");
    private final ScriptedPlugin next = plugin("Next");
    private final PodInfo theirs = pod("b").uid("ub").schedulerName(OTHER).build();

    private ProfileRuntime runtime(String schedulerName, ScriptedPlugin plugin) {
        return runtime(
                schedulerName,
                profile(
                        MODERN,
                        profile -> profile.filter(plugin).reserve(plugin).postBind(plugin)));
    }

    private List<String> takeCloses() {
        return takeCalls().stream().filter(call -> call.endsWith("close")).toList();
    }

    @Test
    void podsOfANewNameEnter() {
        start(runtime(TestProfiles.NAME, old));
        show(theirs);
        assertNull(partOf(theirs));
        replace(runtime(TestProfiles.NAME, old), runtime(OTHER, next));
        assertEquals(List.of("bind ub n1"), writer.takeCalls());
        assertEquals(2, scheduler.profiles().generation());
    }

    @Test
    void podsOfARemovedNameLeave() {
        old.answer(FILTER, Status.unschedulable("full"));
        start(runtime(TestProfiles.NAME, old), runtime(OTHER, next));
        show(a);
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
        replace(runtime(OTHER, next));
        assertNull(partOf(a));
        assertEquals(List.of(), scheduler.queue().pendingPods());
        pass(Duration.ofMinutes(5));
        replace(runtime(TestProfiles.NAME, next));
        List<String> writes = takeWrites();
        assertEquals("bind ua n1", writes.get(writes.size() - 1));
    }

    @Test
    void theNewPluginsDecideTheNextPod() {
        start(runtime(TestProfiles.NAME, old));
        replace(runtime(TestProfiles.NAME, next));
        takeCalls();
        show(a);
        assertEquals(List.of("Next filter a n1", "Next filter a n2", "Next reserve a n1"), takeCalls());
    }

    @Test
    void aBindUnderWayEndsWithItsOldPlugins() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        replace(runtime(TestProfiles.NAME, next));
        assertEquals(List.of(), takeCloses());
        answerBind(BindOutcome.BOUND);
        assertEquals(List.of("Old postBind a n1"), takeCalls());
        pass(Duration.ofSeconds(2));
        assertEquals(List.of("Old close"), takeCalls());
        pass(Duration.ofSeconds(60));
        assertEquals(List.of(), takeCloses());
    }

    @Test
    void aBindThatFailsIsTakenBackByItsOldPluginsAndTriedAgainWithTheNew() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        takeCalls();
        replace(runtime(TestProfiles.NAME, next));
        answerBind(BindOutcome.failed("x"));
        assertEquals(List.of("Old unreserve a n1"), takeCalls());
        answerRead(new PodRead.Found(a));
        pass(Duration.ofSeconds(2));
        assertTrue(takeCalls().containsAll(List.of("Old close", "Next reserve a n1")));
    }

    @Test
    void anUnansweredBindKeepsTheOldPluginsUntilItIsKnown() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        answerBind(BindOutcome.unknown("timeout"));
        takeCalls();
        replace(runtime(TestProfiles.NAME, next));
        pass(SchedulerOptions.BIND_DOUBT);
        assertEquals(List.of(), takeCloses());
        answerRead(new PodRead.Found(a));
        pass(Duration.ofSeconds(2));
        assertEquals(
                List.of("Old unreserve a n1", "Old close"),
                takeCalls().stream().filter(call -> call.startsWith("Old")).toList());
    }

    @Test
    void pluginsAreNotClosedAtTheirWork() {
        holdPluginCalls();
        start(runtime(TestProfiles.NAME, old));
        show(a);
        answerBind(BindOutcome.BOUND);
        replace(runtime(TestProfiles.NAME, next));
        pass(Duration.ofSeconds(20));
        assertEquals(List.of(), takeCloses());
        runHeld();
        pass(Duration.ofSeconds(2));
        assertEquals(List.of("Old postBind a n1", "Old close"), takeCalls());
    }

    @Test
    void aBindOfARemovedNameGoesOn() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        takeCalls();
        replace(runtime(OTHER, next));
        assertTrue(scheduler.cache().isAssumed("ua"));
        assertEquals(List.of("ua"), podsOn("n1"));
        answerBind(BindOutcome.BOUND);
        show(version(a.withNodeName("n1"), 2));
        assertEquals(List.of("ua"), podsOn("n1"));
        pass(Duration.ofSeconds(2));
        assertEquals(List.of("Old postBind a n1", "Old close"), takeCalls());
        assertEquals(List.of("bound ua n1 after 1"), reports);
        assertEquals(0, scheduler.inFlight().settledCount());
    }

    @Test
    void aBindOfARemovedNameThatFailsIsTakenBackAndLeftAlone() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        takeCalls();
        writer.takeCalls();
        replace(runtime(OTHER, next));
        answerBind(BindOutcome.failed("x"));
        assertEquals(List.of("Old unreserve a n1"), takeCalls());
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(List.of(), podsOn("n1"));
        assertNull(partOf(a));
    }

    @Test
    void anUnansweredBindOfARemovedNameIsFollowedToItsEnd() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        takeCalls();
        replace(runtime(OTHER, next));
        answerBind(BindOutcome.unknown("timeout"));
        pass(SchedulerOptions.BIND_DOUBT);
        assertTrue(scheduler.cache().isAssumed("ua"));
        answerRead(new PodRead.Found(a));
        assertEquals(List.of("Old unreserve a n1"), takeCalls());
        assertEquals(List.of(), podsOn("n1"));
        assertNull(partOf(a));
        assertEquals(0, scheduler.inFlight().requeueCount());
    }

    @Test
    void aDeletedPodOfARemovedNameFreesItsRoom() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        takeCalls();
        replace(runtime(OTHER, next));
        delete(a);
        assertEquals(List.of(), podsOn("n1"));
        assertEquals(List.of("Old unreserve a n1"), takeReserves());
        answerBind(BindOutcome.deleted("x"));
        assertEquals(0, scheduler.inFlight().settledCount());
    }

    @Test
    void aNameThatComesBackDuringTheBindDoesNotQueueThePodAgain() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        replace(runtime(OTHER, next));
        replace(runtime(TestProfiles.NAME, next));
        assertNull(partOf(a));
        answerBind(BindOutcome.failed("x"));
        answerRead(new PodRead.Found(a));
        assertEquals(Part.BACKOFF, partOf(a));
    }

    @Test
    void aPodOfARemovedNameThatWaitsAtPermitIsTakenBack() {
        old.waitFor(Duration.ofMinutes(1));
        start(runtime(
                TestProfiles.NAME,
                profile(MODERN, profile -> profile.reserve(old).permit(old))));
        show(a);
        takeCalls();
        replace(runtime(OTHER, next));
        assertEquals(List.of("Old unreserve a n1", "Old close"), takeCalls());
        assertEquals(List.of(), waitingPods.all());
        assertEquals(List.of(), podsOn("n1"));
    }

    @Test
    void aPodThatWaitsAtPermitOfAnOldProfileGoesOnWaiting() {
        old.waitFor(Duration.ofMinutes(1));
        start(runtime(
                TestProfiles.NAME,
                profile(MODERN, profile -> profile.reserve(old).permit(old))));
        show(a);
        takeCalls();
        replace(runtime(TestProfiles.NAME, next));
        assertEquals(List.of(), takeCalls());
        waitingPods.all().get(0).allow("Old");
        run();
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void aFailedPodOfARemovedNameThatIsReadIsForgotten() {
        old.answer(FILTER, Status.error("broken"));
        start(runtime(TestProfiles.NAME, old));
        show(a);
        assertEquals(1, scheduler.inFlight().requeueCount());
        replace(runtime(OTHER, next));
        answerRead(new PodRead.Found(a));
        assertNull(partOf(a));
        assertEquals(0, scheduler.inFlight().requeueCount());
    }

    @Test
    void everyPluginIsClosedOnceWhateverOthersThrow() {
        ScriptedPlugin everywhere = plugin("Everywhere");
        ScriptedPlugin last = plugin("Last");
        start(runtime(
                TestProfiles.NAME,
                profile(
                        MODERN,
                        profile -> profile.preEnqueue(everywhere)
                                .filter(everywhere)
                                .preFilter(new ClosingBadly())
                                .reserve(everywhere)
                                .score(everywhere, 1)
                                .permit(last))));
        replace(runtime(TestProfiles.NAME, next));
        assertEquals(List.of("Everywhere close", "Last close"), takeCalls());
        pass(Duration.ofMinutes(2));
        assertEquals(List.of(), takeCalls());
    }

    private static final class ClosingBadly implements PreFilterPlugin {
        @Override
        public String name() {
            return "ClosingBadly";
        }

        @Override
        public PreFilterResult preFilter(CycleState state, PodContext context) {
            return PreFilterResult.ALL_NODES;
        }

        @Override
        public void close() {
            throw new IllegalStateException("x");
        }
    }

    @Test
    void atTheEndAllPluginsAreClosed() {
        start(runtime(TestProfiles.NAME, old));
        show(a);
        replace(runtime(TestProfiles.NAME, next));
        assertEquals(List.of(), takeCloses());
        scheduler.closeProfiles();
        assertEquals(List.of("Old close", "Next close"), takeCloses());
    }
}
