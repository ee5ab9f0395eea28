package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses to binds, and the events of the watch meanwhile. */
class SchedulerBindTest extends SchedulerFixture {
    @Test
    void bindsAPod() {
        assertFalse(scheduler.mayStillBind());
        show(a);
        assertTrue(scheduler.mayStillBind());
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        assertTrue(scheduler.cache().isAssumed("ua"));
        answerBind(BindOutcome.BOUND);
        assertEquals(List.of("Normal Scheduled: Successfully assigned default/a to n1"), writer.takeCalls());
        assertEquals(List.of("bound ua n1 after 1"), reports);
        assertFalse(scheduler.mayStillBind());
        assertNotNull(scheduler.cache().deadline("ua"));
        show(version(a.withNodeName("n1"), 2));
        assertFalse(scheduler.cache().isAssumed("ua"));
        assertEquals(0, scheduler.inFlight().settledCount());
        assertEquals(new Counts(0, 0, 0, 0, 0, 0, 1, 2), scheduler.counts());
    }

    @Test
    void theWatchMayBeFasterThanTheBind() {
        show(a);
        show(version(a.withNodeName("n1"), 2));
        answerBind(BindOutcome.BOUND);
        assertEquals(
                List.of("bind ua n1", "Normal Scheduled: Successfully assigned default/a to n1"), writer.takeCalls());
        assertNull(scheduler.cache().deadline("ua"));
    }

    @Test
    void aRefusedBindIsRecordedAndThePodComesBack() {
        show(a);
        answerBind(BindOutcome.failed("etcd is full"));
        assertEquals(
                List.of(
                        "bind ua n1",
                        "read ua",
                        "Warning FailedScheduling: Binding rejected: etcd is full",
                        "condition ua SchedulerError: etcd is full"),
                writer.takeCalls());
        assertEquals(0, scheduler.cache().podCount());
        answerRead(new PodRead.Found(a));
        assertEquals(List.of("bind failed ua etcd is full", "requeued ua backoff"), reports);
        pass(Duration.ofSeconds(1));
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        answerBind(BindOutcome.BOUND);
        assertEquals("bound ua n1 after 2", reports.get(2));
    }

    @Test
    void aConflictMeansBoundElsewhere() {
        show(a);
        answerBind(BindOutcome.conflict("pod a is already assigned to node \"n2\""));
        answerRead(new PodRead.Found(version(a.withNodeName("n2"), 2)));
        assertNull(partOf(a));
        assertEquals(List.of("bind failed ua pod a is already assigned to node \"n2\""), reports);
        assertEquals("n2", known(scheduler.cache().get("ua")).nodeName());
        show(version(a.withNodeName("n2"), 2));
        assertEquals(1, scheduler.cache().podCount());
    }

    @Test
    void boundElsewhereBeforeTheConflictIsNoFailure() {
        show(a);
        show(version(a.withNodeName("n2"), 2));
        writer.takeCalls();
        answerBind(BindOutcome.conflict("taken"));
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(List.of("bind failed ua taken"), reports);
        assertEquals(1, scheduler.cache().podCount());
    }

    @Test
    void anUnansweredBindKeepsTheRoomUntilTheReadTells() {
        show(a);
        answerBind(BindOutcome.unknown("timeout"));
        assertTrue(scheduler.cache().isAssumed("ua"));
        answerRead(new PodRead.Found(version(a.withNodeName("n1"), 2)));
        assertEquals(List.of("bind failed ua timeout", "bound ua n1 after 1"), reports);
        assertFalse(scheduler.cache().isAssumed("ua"));
        assertEquals(1, scheduler.cache().podCount());
    }

    /** Fails the bind and shows the pod unbound, until the bind is sent again or not. */
    private void doubt(BindOutcome outcome) {
        answerBind(outcome);
        answerRead(new PodRead.Found(a));
        writer.takeCalls();
        pass(Duration.ofMinutes(1));
        answerRead(new PodRead.Found(a));
    }

    @Test
    void anUnansweredBindThatDidNothingIsSentAgainToTheSameNode() {
        show(a);
        answerBind(BindOutcome.unknown("timeout"));
        answerRead(new PodRead.Found(a));
        assertTrue(scheduler.cache().isAssumed("ua"));
        writer.takeCalls();
        pass(Duration.ofMillis(200));
        answerRead(new PodRead.Found(a));
        assertEquals(List.of("read ua", "bind ua n1"), writer.takeCalls());
        answerBind(BindOutcome.BOUND);
        assertEquals(List.of("bind failed ua timeout", "bound ua n1 after 2"), reports);
        assertTrue(scheduler.cache().isAssumed("ua"));
    }

    /** The watches stay open, so that only a read shows that the API server responds again. */
    @Test
    void aServerThatRespondsAgainIsNoticedWithinASecondForAllPods() {
        show(a);
        show(pod("b").uid("ub").build());
        answerBind(BindOutcome.unknown("HTTP 502"));
        answerBind(BindOutcome.unknown("HTTP 502"));
        int failed = 0;
        for (int i = 0; i < 150; i++) {
            failed += answerReads(false);
            pass(Duration.ofMillis(100));
        }
        assertTrue(failed >= 14 && failed <= 40, failed + " reads in 15 s");
        writer.takeCalls();
        List<String> calls = new ArrayList<>();
        for (int i = 0; i < 22; i++) {
            calls.addAll(writer.calls);
            answerReads(true);
            pass(Duration.ofMillis(100));
        }
        calls.addAll(writer.takeCalls());
        assertTrue(calls.containsAll(List.of("bind ua n1", "bind ub n1")), calls::toString);
    }

    /** Answers all open reads, and returns their number. */
    private int answerReads(boolean responds) {
        List<String> reads = writer.takeCalls().stream()
                .filter(call -> call.startsWith("read u"))
                .toList();
        for (String read : reads) {
            PodInfo shown = pod(read.substring(6)).uid(read.substring(5)).build();
            answerRead(responds ? new PodRead.Found(shown) : new PodRead.Failed("HTTP 502"));
        }
        return reads.size();
    }

    @Test
    void anUnansweredBindKeepsItsRoomUntilTheServerHasGivenItUp() {
        show(a);
        // Each request waits twice as long as the one before, up to 2 s.
        for (int i = 0; i < 5; i++) {
            answerBind(BindOutcome.unknown("timeout"));
            answerRead(new PodRead.Found(a));
            writer.takeCalls();
            pass(Duration.ofMillis(Math.min(2_000, 200L << i) - 1));
            assertEquals(List.of(), writer.takeCalls());
            pass(Duration.ofMillis(1));
            answerRead(new PodRead.Found(a));
        }
        answerBind(BindOutcome.unknown("timeout"));
        answerRead(new PodRead.Found(a));
        pass(Duration.ofSeconds(64));
        answerRead(new PodRead.Found(a));
        assertTrue(scheduler.cache().isAssumed("ua"), "the last bind may still be carried out");
        // So the process keeps its lease if it stops now.
        assertTrue(scheduler.mayStillBind());
        pass(Duration.ofSeconds(1));
        assertFalse(scheduler.mayStillBind());
        answerRead(new PodRead.Found(a));
        assertEquals(0, scheduler.cache().podCount());
        assertEquals(Part.BACKOFF, partOf(a));
    }

    /** A proxy fails only the binds, so that reads and watches show neither the outage nor its end. */
    @Test
    void bindsAreRepeatedWithinTwoSecondsAfterAnOutageOfBindsOnly() {
        show(a);
        List<Long> sent = new ArrayList<>();
        answerBind(BindOutcome.unknown("HTTP 502"));
        answerRead(new PodRead.Found(a));
        writer.takeCalls();
        for (long millis = 100; millis <= 100_000; millis += 100) {
            pass(Duration.ofMillis(100));
            List<String> calls = writer.takeCalls();
            if (calls.contains("read ua")) {
                answerRead(new PodRead.Found(a));
                calls = writer.takeCalls();
            }
            if (calls.contains("bind ua n1")) {
                sent.add(millis);
                answerBind(BindOutcome.unknown("HTTP 502"));
                answerRead(new PodRead.Found(a));
                writer.takeCalls();
            }
        }
        assertEquals(
                LongStream.concat(
                                LongStream.of(200, 600, 1_400),
                                LongStream.iterate(3_000, at -> at < 30_000, at -> at + 2_000))
                        .boxed()
                        .toList(),
                sent.stream().filter(at -> at < 95_000).toList());
    }

    @Test
    void aBindOfAnotherProcessIsReported() {
        show(a);
        answerBind(BindOutcome.BOUND);
        show(version(a.withNodeName("n1"), 2));
        assertEquals(List.of(), boundByOthers);
        decision = NO_FIT;
        PodInfo large = pod("large").uid("large").cpu("100").build();
        show(large);
        answerRead(new PodRead.Found(large));
        show(version(large.withNodeName("n2"), 3));
        assertEquals(List.of("large"), boundByOthers);
    }

    /** A conflict says that the pod is bound elsewhere, so that no earlier request can bind it here. */
    @Test
    void aConflictAfterABindWithoutAnAnswerReleasesTheResources() {
        show(a);
        answerBind(BindOutcome.unknown("timeout"));
        answerRead(new PodRead.Found(a));
        pass(Duration.ofMillis(200));
        answerRead(new PodRead.Found(a));
        assertTrue(scheduler.cache().isAssumed("ua"));
        answerBind(BindOutcome.conflict("taken"));
        assertEquals(0, scheduler.cache().podCount());
        assertFalse(scheduler.cache().isAssumed("ua"));
    }

    @Test
    void aRefusalSaysNothingAboutAnEarlierBindWithoutAnAnswer() {
        show(a);
        answerBind(BindOutcome.unknown("timeout"));
        answerRead(new PodRead.Found(a));
        pass(Duration.ofMillis(200));
        answerRead(new PodRead.Found(a));
        answerBind(BindOutcome.failed("no"));
        assertTrue(scheduler.cache().isAssumed("ua"));
        show(version(a.withNodeName("n1"), 2));
        assertEquals(List.of("bind failed ua timeout", "bind failed ua no", "bound ua n1 after 2"), reports);
        assertEquals(1, scheduler.cache().podCount());
    }

    /** A new pod may have the same name, and the server would bind it. */
    @Test
    void roomIsKeptOnANodeThatIsGoneButNoBindIsSentThereAgain() {
        show(a);
        answerBind(BindOutcome.unknown("timeout"));
        post(new ClusterChange.NodeDeleted("n1"));
        answerRead(new PodRead.Found(a));
        writer.takeCalls();
        pass(Duration.ofSeconds(64));
        answerRead(new PodRead.Found(a));
        assertEquals(List.of("read ua"), writer.takeCalls());
        assertTrue(scheduler.cache().isAssumed("ua"));
        pass(Duration.ofSeconds(20));
        answerRead(new PodRead.Found(a));
        assertEquals(0, scheduler.cache().podCount());
        assertEquals(Part.BACKOFF, partOf(a));
    }

    @Test
    void aPodThatMayBeBoundIsNotAlsoNominated() {
        show(a.withNominatedNodeName("n2"));
        answerBind(BindOutcome.unknown("timeout"));
        show(version(pod("a").uid("ua").label("x", "y").build().withNominatedNodeName("n2"), 2));
        assertEquals(List.of(), scheduler.queue().nominated().on("n2"));
        answerRead(new PodRead.Found(version(a.withNodeName("n1"), 3)));
        assertEquals(1, scheduler.cache().podCount());
    }

    @Test
    void aPodBoundAndGoneBeforeItsBindIsAnsweredIsNotQueuedAgain() {
        show(a);
        show(version(a.withNodeName("n1"), 2));
        show(version(pod("a").uid("ua").onNode("n1").phase("Succeeded").build(), 3));
        writer.takeCalls();
        answerBind(BindOutcome.unknown("timeout"));
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(List.of("bound ua n1 after 1"), reports);
        assertEquals(0, scheduler.cache().podCount());
    }

    @Test
    void aPodGoneDuringTheBindIsDropped() {
        show(a);
        writer.takeCalls();
        answerBind(BindOutcome.deleted("pods \"a\" not found"));
        assertEquals(List.of("read ua"), writer.takeCalls());
        assertEquals(0, scheduler.cache().podCount());
        answerRead(new PodRead.NotFound());
        delete(a);
        assertEquals(List.of("bind failed ua pods \"a\" not found", "gone ua"), reports);
        pass(Duration.ofMinutes(2));
        assertEquals(List.of(), writer.takeCalls());
    }

    @ParameterizedTest
    @EnumSource(BindOutcome.Kind.class)
    void aPodDeletedDuringTheBindFreesItsRoomAtOnceWhateverTheAnswer(BindOutcome.Kind kind) {
        show(a);
        delete(a);
        assertEquals(0, scheduler.cache().podCount());
        writer.takeCalls();
        answerBind(new BindOutcome(kind, "x"));
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(List.of("gone ua"), reports);
    }

    @Test
    void anUnconfirmedPodIsAskedForAndKeepsItsRoomUntilTheServerAnswers() {
        show(a);
        answerBind(BindOutcome.BOUND);
        pass(Duration.ofSeconds(30));
        assertTrue(scheduler.cache().isAssumed("ua"));
        writer.takeCalls();
        pass(Duration.ofSeconds(2));
        assertEquals(List.of("read ua"), writer.takeCalls());
        assertEquals(List.of("ua"), podsOn("n1"));
        answerRead(new PodRead.Failed("timeout"));
        pass(Duration.ofMinutes(5));
        assertEquals(List.of("ua"), podsOn("n1"));
        answerRead(new PodRead.Found(version(a.withNodeName("n1"), 2)));
        assertEquals(List.of("ua"), podsOn("n1"));
        assertEquals(0, scheduler.cache().assumedCount());
    }

    @Test
    void aBoundPodThatTheServerShowsUnboundWaitsAgain() {
        show(a);
        answerBind(BindOutcome.BOUND);
        pass(Duration.ofSeconds(31));
        answerRead(new PodRead.Found(a));
        assertEquals(List.of(), podsOn("n1"));
        assertEquals(Part.BACKOFF, partOf(a));
    }

    @Test
    void aBoundPodThatTheServerSaysIsGoneGivesItsRoomBack() {
        show(a);
        answerBind(BindOutcome.BOUND);
        pass(Duration.ofSeconds(31));
        answerRead(new PodRead.NotFound());
        assertEquals(List.of(), podsOn("n1"));
    }

    @Test
    void updatesDuringTheBindDoNotQueueThePodAgain() {
        show(a);
        show(version(pod("a").uid("ua").label("x", "y").build(), 2));
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        assertNull(partOf(a));
    }

    /** The condition that the watch shows during the bind is the one that need not be written again. */
    @Test
    void aChangeDuringTheBindIsKnownWhenItFails() {
        show(a);
        show(condition(a, 2, new PodInfo.ScheduledCondition("False", "SchedulerError", "etcd is full", 7)));
        answerBind(BindOutcome.failed("etcd is full"));
        assertEquals(List.of(), writer.conditions);
    }

    @Test
    void aChangeWhileTheFailedPodIsReadIsKnownInTheQueue() {
        decision = NO_FIT;
        show(a);
        PodInfo nominated = version(a.withNominatedNodeName("n2"), 2);
        show(nominated);
        assertEquals(List.of(nominated), scheduler.queue().nominated().on("n2"));
        answerRead(new PodRead.Found(nominated));
        assertEquals(
                List.of(nominated),
                scheduler.queue().entries(Part.UNSCHEDULABLE).stream()
                        .map(QueuedPod::pod)
                        .toList());
    }

    @Test
    void aChangeBeforeTheWatchShowsTheNodeIsKnownIfThePodWaitsAgain() {
        show(a);
        answerBind(BindOutcome.BOUND);
        PodInfo labeled = version(pod("a").uid("ua").label("x", "y").build(), 2);
        show(labeled);
        assertNull(partOf(a));
        assertEquals(1, scheduler.inFlight().settledCount());
        pass(Duration.ofSeconds(31));
        answerRead(new PodRead.Found(labeled));
        assertEquals(
                List.of(labeled),
                scheduler.queue().entries(Part.BACKOFF).stream()
                        .map(QueuedPod::pod)
                        .toList());
    }

    @Test
    void aChangeInTheQueueRequeuesThePod() {
        makeUnschedulable();
        decision = ON_N1;
        show(version(pod("a").uid("ua").label("x", "y").build(), 2));
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    /** The API server says that the pod is gone, so that neither its bind nor its node is followed any more. */
    @ParameterizedTest
    @EnumSource(
            value = BindOutcome.Kind.class,
            names = {"UNKNOWN", "BOUND"})
    void resourcesThatAreReleasedAreReleasedOnce(BindOutcome.Kind kind) {
        show(a);
        answerBind(new BindOutcome(kind, "timeout"));
        pass(Duration.ofSeconds(31));
        answerRead(new PodRead.NotFound());
        assertEquals(List.of(), podsOn("n1"));
        assertFalse(scheduler.mayStillBind());
        PodInfo nominated = version(a.withNominatedNodeName("n2"), 2);
        show(nominated);
        assertEquals(List.of(nominated), scheduler.queue().nominated().on("n2"));
        delete(nominated);
        assertEquals(
                kind == BindOutcome.Kind.UNKNOWN
                        ? List.of("bind failed ua timeout", "gone ua")
                        : List.of("bound ua n1 after 1", "expired ua", "gone ua"),
                reports);
    }

    @ParameterizedTest
    @CsvSource({
        "n1, bound ua n1 after 1",
        "n2, bind failed ua bound to \"n2\"",
        "'', bind failed ua the pod was deleted or has finished"
    })
    void theWatchShowsWhatBecameOfABindWithoutAnAnswer(String node, String expected) {
        show(a);
        answerBind(BindOutcome.unknown("timeout"));
        if (node.isEmpty()) {
            delete(a);
        } else {
            show(version(a.withNodeName(node), 2));
        }
        assertEquals(List.of("bind failed ua timeout", expected), reports.subList(0, 2));
        assertEquals(0, scheduler.inFlight().requeueCount());
        assertFalse(scheduler.mayStillBind());
    }

    /** Another pod that was unschedulable is tried as soon as the resources of a pod that is not bound are released. */
    @ParameterizedTest
    @EnumSource(BindOutcome.Kind.class)
    void releasedResourcesRequeueOtherPods(BindOutcome.Kind kind) {
        PodInfo other = pod("b").uid("ub").build();
        decision = NO_FIT;
        show(other);
        answerRead(new PodRead.Found(other));
        assertEquals(Part.UNSCHEDULABLE, partOf(other));
        decision = ON_N1;
        show(a);
        pass(Duration.ofSeconds(10));
        answerBind(new BindOutcome(kind, "x"));
        boolean isKnown = kind != BindOutcome.Kind.BOUND && kind != BindOutcome.Kind.UNKNOWN;
        assertEquals(isKnown, writer.takeCalls().contains("bind ub n1"));
        if (!isKnown) {
            pass(Duration.ofSeconds(31));
            answerRead(new PodRead.NotFound());
            assertTrue(writer.takeCalls().contains("bind ub n1"));
        }
    }

    /** The watch shows the pod on another node before the bind fails, so that a pod that waits for its node need not wait for that. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPodThatAnotherProcessBindsElsewhereFreesItsNode(boolean inDoubt) {
        PodInfo other = pod("b").uid("ub").build();
        decision = NO_FIT;
        show(other);
        answerRead(new PodRead.Found(other));
        decision = ON_N1;
        show(a);
        pass(Duration.ofSeconds(10));
        if (inDoubt) {
            answerBind(BindOutcome.unknown("timeout"));
        }
        assertEquals(Part.UNSCHEDULABLE, partOf(other));
        show(version(a.withNodeName("n2"), 2));
        assertTrue(writer.takeCalls().contains("bind ub n1"));
    }

    @Test
    void podsWithoutUidCannotBeAssumed() {
        show(pod("nameless").uid("").build());
        assertEquals(
                "Warning FailedScheduling: AssumePod failed: Cannot get cache key for pod with empty UID",
                writer.takeCalls().get(1));
    }
}
