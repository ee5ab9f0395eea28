package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.ScheduleAlgorithm;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Failed attempts: what users see, and the way back to the queue. */
class SchedulerFailureTest extends SchedulerFixture {
    @Test
    void recordsWhyAPodFitsNowhere() {
        decision = NO_FIT;
        clock.advanceMillis(5000);
        show(a);
        assertEquals(
                List.of("read ua", "Warning FailedScheduling: " + TOO_MANY, "condition ua Unschedulable: " + TOO_MANY),
                writer.takeCalls());
        assertEquals(
                List.of(new PodInfo.ScheduledCondition("False", "Unschedulable", TOO_MANY, 5000)), writer.conditions);
        assertEquals(List.of("a"), preempted);
    }

    @Test
    void anUnchangedConditionIsNotWrittenAgain() {
        decision = NO_FIT;
        show(condition(a, 1, new PodInfo.ScheduledCondition("False", "Unschedulable", TOO_MANY, 7)));
        assertEquals(List.of(), writer.conditions);
    }

    @Test
    void theTransitionTimeMovesWithTheStatusOnly() {
        decision = NO_FIT;
        clock.advanceMillis(5000);
        show(condition(a, 1, new PodInfo.ScheduledCondition("False", "Unschedulable", "another", 7)));
        show(condition(pod("b").build(), 1, new PodInfo.ScheduledCondition("True", "", "", 7)));
        assertEquals(
                List.of(
                        new PodInfo.ScheduledCondition("False", "Unschedulable", TOO_MANY, 7),
                        new PodInfo.ScheduledCondition("False", "Unschedulable", TOO_MANY, 5000)),
                writer.conditions);
    }

    @ParameterizedTest
    @EnumSource(
            value = Decision.Kind.class,
            names = {"NO_NODES", "ERROR"})
    void otherFailuresDoNotPreempt(Decision.Kind kind) {
        decision = new Decision(kind, null, 0, "no nodes available to schedule pods", 0, 0);
        show(a);
        assertEquals(
                "condition ua Unschedulable: no nodes available to schedule pods",
                writer.takeCalls().get(2));
        assertEquals(List.of(), preempted);
    }

    @Test
    void withoutNodesANominationToADeletedNodeEnds() {
        decision = new Decision(Decision.Kind.NO_NODES, null, 0, "no nodes available to schedule pods", 0, 0);
        PodInfo onN1 = a.withNominatedNodeName("n1");
        show(onN1);
        assertEquals("n1", scheduler.queue().nominated().nodeOf(a), "the node exists");
        assertEquals(
                List.of(
                        "read ua",
                        "Warning FailedScheduling: no nodes available to schedule pods",
                        "condition ua Unschedulable: no nodes available to schedule pods"),
                writer.takeCalls());
        PodInfo other = pod("b").uid("ub").build().withNominatedNodeName("deleted");
        show(other);
        assertNull(scheduler.queue().nominated().nodeOf(other));
        assertEquals(
                List.of(
                        "read ub",
                        "Warning FailedScheduling: no nodes available to schedule pods",
                        "condition ub Unschedulable: no nodes available to schedule pods",
                        "nomination ub "),
                writer.takeCalls());
    }

    @Test
    void aDeletedPodIsSkipped() {
        show(pod("a").uid("ua").terminating().build());
        assertEquals(List.of("Warning FailedScheduling: skip schedule deleting pod: default/a"), writer.takeCalls());
        assertEquals(new Counts(0, 0, 0, 0, 0, 0, 0, 2), scheduler.counts());
    }

    /** A finalizer can keep the pod for long, and its nomination must not exclude other pods. */
    @Test
    void theNominationOfADeletedPodEnds() {
        makeUnschedulable();
        PodInfo nominated = version(a.withNominatedNodeName("n1"), 2);
        show(nominated);
        assertEquals(List.of(nominated), scheduler.queue().nominated().on("n1"));
        show(version(pod("a").uid("ua").nominatedTo("n1").terminating().build(), 3));
        assertEquals(List.of(), scheduler.queue().nominated().on("n1"));
    }

    @Test
    void readsOfAMissingPodAreRepeatedWithGrowingDelay() {
        assertDelays(new PodRead.NotFound(), 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000);
    }

    /** The reads of one pod show when the API server responds again. */
    @Test
    void readsWithoutAResponseAreRepeatedEverySecond() {
        assertDelays(new PodRead.Failed("refused"), 200, 400, 800, 1000, 1000, 1000);
    }

    private void assertDelays(PodRead read, long... delays) {
        decision = NO_FIT;
        show(a);
        writer.takeCalls();
        for (long delay : delays) {
            answerRead(read);
            assertTrue(
                    scheduler.nanosUntilNextTimer() <= Duration.ofMillis(delay).toNanos());
            pass(Duration.ofMillis(delay - 1));
            assertEquals(List.of(), writer.takeCalls());
            pass(Duration.ofMillis(1));
            assertEquals(List.of("read ua"), writer.takeCalls());
        }
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
    }

    @Test
    void aPodThatIsGoneIsNotQueuedAgain() {
        decision = NO_FIT;
        show(a);
        answerRead(new PodRead.NotFound());
        assertEquals(new Counts(0, 0, 0, 1, 0, 0, 0, 2), scheduler.counts());
        delete(a);
        assertEquals(new Counts(0, 0, 0, 0, 0, 0, 0, 2), scheduler.counts());
        assertEquals(List.of("gone ua"), reports);
    }

    @Test
    void aPodThoughtGoneIsAskedForUntilTheWatchSaysSo() {
        decision = NO_FIT;
        show(a);
        answerRead(new PodRead.NotFound());
        writer.takeCalls();
        pass(Duration.ofMillis(200));
        assertEquals(List.of("read ua"), writer.takeCalls());
        answerRead(new PodRead.NotFound());
        pass(Duration.ofMillis(400));
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
    }

    @Test
    void readsAreRepeatedAtOnceWhenTheServerIsBack() {
        decision = NO_FIT;
        show(a);
        for (int i = 0; i < 9; i++) {
            answerRead(new PodRead.Failed("refused"));
            pass(Duration.ofMinutes(1));
        }
        answerRead(new PodRead.Failed("refused"));
        writer.takeCalls();
        post(new ClusterChange.ServerBack());
        assertEquals(List.of("read ua"), writer.takeCalls());
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
    }

    @Test
    void aChangeDuringTheReadIsNotLostAndNotHandledTwice() {
        decision = NO_FIT;
        show(a);
        PodInfo relabelled = version(pod("a").uid("ua").label("x", "y").build(), 2);
        show(relabelled);
        assertNull(partOf(a));
        writer.takeCalls();
        decision = ON_N1;
        answerRead(new PodRead.Found(a));
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        assertEquals(List.of("requeued ua active"), reports);
    }

    @Test
    void aNodeAddedDuringTheAttemptSendsThePodToBackoff() {
        decision = NO_FIT;
        show(a);
        scheduler.post(new ClusterChange.NodeUpserted(node("n3").build()));
        writer.answerRead(new PodRead.Found(a));
        run();
        assertEquals(Part.BACKOFF, partOf(a));
        writer.takeCalls();
        pass(Duration.ofMillis(999));
        assertEquals(List.of(), writer.takeCalls());
        pass(Duration.ofMillis(1));
        assertEquals("read ua", writer.takeCalls().get(0));
    }

    @Test
    void nothingIsScheduledBeforeAllListsHaveArrived() {
        Scheduler fresh = Scheduler.builder(new ClusterState(), writer, clock)
                .profiles(TestProfiles.of((pod, nominated, cycleState) -> decision, writer))
                .build();
        fresh.post(new ClusterChange.PodsReplaced(List.of(a)));
        fresh.post(new ClusterChange.NodesReplaced(List.of(node("n1").build())));
        Set<ResourceKind> kinds = EnumSet.copyOf(SchedulerOptions.defaults().requiredKinds());
        kinds.removeAll(Set.of(ResourceKind.PODS, ResourceKind.NODES));
        for (ResourceKind kind : kinds) {
            fresh.runOnce();
            assertFalse(fresh.isSynced(), "before " + kind);
            assertEquals(List.of(), writer.takeCalls());
            fresh.post(new ClusterChange.ObjectsReplaced(kind, List.of()));
        }
        fresh.runOnce();
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void aDeciderThatThrowsFailsThePodOnly() {
        ScheduleAlgorithm throwing = (pod, nominated, cycleState) -> {
            throw new IllegalStateException("bug");
        };
        Scheduler broken = Scheduler.builder(new ClusterState(), writer, clock)
                .profiles(TestProfiles.of(throwing, writer))
                .options(SchedulerOptions.defaults().withRequiredKinds(Set.of()))
                .build();
        broken.post(new ClusterChange.PodUpserted(a));
        broken.runOnce();
        assertEquals(
                "condition ua Unschedulable: java.lang.IllegalStateException: bug",
                writer.takeCalls().get(2));
        assertEquals(1, broken.counts().rereading());
    }

    @Test
    void tasksRunOnTheSchedulingThread() {
        List<Integer> seen = new ArrayList<>();
        post(new ClusterChange.Task("count", () -> seen.add(scheduler.counts().nodes())));
        assertEquals(List.of(2), seen);
    }
}
