package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pods that are added, changed, deleted, and added again. */
class SchedulerPodEventsTest extends SchedulerFixture {
    @Test
    void aRecreatedPodIsAnotherPod() {
        show(a);
        PodInfo again = pod("a").uid("ub").build();
        show(again);
        assertEquals(List.of("bind ua n1", "bind ub n1"), writer.takeCalls());
        answerBind(BindOutcome.deleted("uid mismatch"));
        answerBind(BindOutcome.BOUND);
        assertEquals(List.of("gone ua", "bound ub n1 after 1"), reports);
        delete(a);
        assertNotNull(scheduler.pod("default", "a"));
        assertEquals(1, scheduler.cache().podCount());
    }

    @Test
    void aRecreatedPodFoundByTheReadWaitsForTheWatch() {
        decision = NO_FIT;
        show(a);
        answerRead(new PodRead.Found(pod("a").uid("ub").build()));
        assertNull(partOf(a));
        show(pod("a").uid("ub").build());
        assertEquals(List.of("gone ua"), reports);
        assertTrue(writer.takeCalls().contains("read ub"));
    }

    @Test
    void aListIsComparedWithWhatIsKnown() {
        decision = NO_FIT;
        PodInfo kept = pod("kept").uid("kept").build();
        PodInfo deleted = pod("deleted").uid("deleted").build();
        PodInfo recreated = pod("recreated").uid("old").build();
        PodInfo bound = pod("bound").uid("bound").build();
        PodInfo removed = pod("removed").uid("removed").onNode("n1").build();
        PodInfo moved = pod("moved").uid("moved-1").onNode("n1").build();
        List.of(kept, deleted, recreated, bound, removed, moved).forEach(this::show);
        scheduler.post(new ClusterChange.SchedulingEnabled(false));
        run();
        reports.clear();
        post(new ClusterChange.PodsReplaced(List.of(
                kept,
                pod("recreated").uid("new").build(),
                version(bound.withNodeName("n2"), 2),
                pod("moved").uid("moved-2").onNode("n2").build(),
                pod("finished").onNode("n2").phase("Succeeded").build(),
                pod("new").uid("new-pod").build(),
                pod("foreign").schedulerName("other").build())));
        assertEquals(List.of("gone deleted", "gone old"), reports);
        assertEquals(
                List.of("new", "new-pod"),
                scheduler.queue().entries(Part.ACTIVE).stream()
                        .map(entry -> entry.pod().uid())
                        .toList());
        state.startCycle();
        assertEquals(List.of(), podsOn("n1"));
        assertEquals(List.of("bound", "moved-2"), podsOn("n2"));
        assertEquals(1, scheduler.counts().rereading());
    }

    /** A late list, or one from a server that lags behind, frees no room that is in use. */
    @Test
    void anOlderListWaitsForTheWatch() {
        PodInfo running = version(pod("r").uid("ur").onNode("n1").build(), 10);
        PodInfo waiting = version(pod("w").uid("uw").build(), 11);
        show(running);
        decision = new Decision(Decision.Kind.PLACED, "n1", 0, "", 1, 1);
        show(waiting);
        post(new ClusterChange.PodsReplaced(List.of(version(running.withNodeName(""), 8)), "9"));
        state.startCycle();
        assertEquals(List.of("ur", "uw"), podsOn("n1"));
        show(version(running.withNodeName(""), 8));
        show(running);
        show(waiting);
        answerBind(BindOutcome.BOUND);
        show(version(waiting.withNodeName("n1"), 12));
        pass(Duration.ofMinutes(2));
        state.startCycle();
        assertEquals(List.of("ur", "uw"), podsOn("n1"));
        assertEquals(
                List.of(),
                reports.stream().filter(text -> text.startsWith("gone")).toList());
    }

    @Test
    void anOlderListIsBelievedWhenNoWatchSaysOtherwise() {
        decision = NO_FIT;
        PodInfo unbound = version(pod("r").uid("ur").build(), 8);
        show(version(unbound.withNodeName("n1"), 10));
        show(version(pod("gone").uid("ug").onNode("n2").build(), 11));
        show(version(pod("deleted").uid("ud").onNode("n2").build(), 12));
        post(new ClusterChange.PodsReplaced(List.of(unbound), "9"));
        pass(Duration.ofSeconds(50));
        delete(pod("deleted").uid("ud").onNode("n2").build());
        state.startCycle();
        assertEquals(List.of("ur"), podsOn("n1"));
        assertEquals(List.of("ug"), podsOn("n2"));
        // An event about the deleted pod.
        writer.answerRead(new PodRead.NotFound());
        writer.takeCalls();
        pass(Duration.ofSeconds(11));
        state.startCycle();
        assertEquals(List.of("read ur", "read ug"), writer.takeCalls());
        assertEquals(List.of("ur"), podsOn("n1"));
        assertEquals(List.of("ug"), podsOn("n2"));
        answerRead(new PodRead.Found(unbound));
        answerRead(new PodRead.NotFound());
        state.startCycle();
        assertEquals(List.of(), podsOn("n1"));
        assertEquals(List.of(), podsOn("n2"));
        assertTrue(writer.takeCalls().contains("read ur"), "it is tried, fits nowhere and is read again");
    }

    /** The watch may be as late as the list is old. */
    @Test
    void anOlderListIsNotBelievedAgainstTheServerItself() {
        PodInfo running = version(pod("r").uid("ur").onNode("n1").build(), 10);
        show(running);
        post(new ClusterChange.PodsReplaced(List.of(version(running.withNodeName(""), 8)), "9"));
        pass(Duration.ofSeconds(61));
        answerRead(new PodRead.Failed("timeout"));
        pass(Duration.ofSeconds(9));
        assertEquals(List.of("read ur"), writer.takeCalls());
        pass(Duration.ofSeconds(2));
        assertEquals(List.of("read ur"), writer.takeCalls());
        answerRead(new PodRead.Found(running));
        pass(Duration.ofMinutes(2));
        state.startCycle();
        assertEquals(List.of("ur"), podsOn("n1"));
        assertEquals(List.of(), writer.takeCalls());
    }

    @Test
    void aNewerListEndsTheDoubt() {
        decision = NO_FIT;
        PodInfo running = version(pod("r").uid("ur").onNode("n1").build(), 10);
        show(running);
        post(new ClusterChange.PodsReplaced(List.of(), "9"));
        post(new ClusterChange.PodsReplaced(List.of(running), "10"));
        pass(Duration.ofMinutes(2));
        state.startCycle();
        assertEquals(List.of("ur"), podsOn("n1"));
        post(new ClusterChange.PodsReplaced(List.of(), "10"));
        state.startCycle();
        assertEquals(List.of(), podsOn("n1"));
    }

    @Test
    void repetitionsAndOlderVersionsChangeNothing() {
        PodInfo assigned = version(a.withNodeName("n1"), 10);
        show(assigned);
        long generation = state.generation();
        show(assigned);
        show(version(a, 9));
        assertEquals(generation, state.generation());
        assertEquals(List.of(), writer.takeCalls());
    }

    @Test
    void otherSchedulersPodsNeverEnterTheQueueButCountOnceAssigned() {
        PodInfo foreign = pod("f").schedulerName("other").build();
        show(foreign);
        show(version(foreign, 2));
        show(pod("placed").schedulerName("other").onNode("n2").build());
        assertEquals(List.of("f"), left);
        assertEquals(List.of(), writer.takeCalls());
        show(version(foreign.withNodeName("n1"), 3));
        assertEquals(List.of("default-f-uid"), podsOn("n1"));
    }

    @Test
    void aFinishedPodFreesItsNode() {
        PodInfo assigned = a.withNodeName("n1");
        show(assigned);
        show(version(pod("a").uid("ua").onNode("n1").phase("Failed").build(), 2));
        assertEquals(List.of(), podsOn("n1"));
        assertEquals(0, scheduler.cache().podCount());
    }
}
