package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterChange.UnreadablePod;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Pods on the API server that cannot be parsed. */
class SchedulerUnreadablePodsTest extends SchedulerFixture {
    private static UnreadablePod unreadable(String name, String uid, String node) {
        return new UnreadablePod("default", name, uid, node, "default-scheduler", "nested too deeply", true);
    }

    private NodeInfo node(String name) {
        return Objects.requireNonNull(state.node(name));
    }

    private void showUnreadable(UnreadablePod pod) {
        post(new ClusterChange.PodUnreadable(pod));
    }

    @Test
    void aNodeIsClosedUntilTheLastOfItsPodsIsReadOrGone() {
        showUnreadable(unreadable("x", "ux", "n1"));
        showUnreadable(unreadable("y", "uy", "n1"));
        assertTrue(node("n1").isClosed());
        assertFalse(node("n2").isClosed());
        post(new ClusterChange.PodDeleted("default", "x", "another"));
        post(new ClusterChange.PodDeleted("default", "x", "ux"));
        assertTrue(node("n1").isClosed());
        show(pod("y").uid("uy").onNode("n1").build());
        assertFalse(node("n1").isClosed());
        assertEquals(1, node("n1").podCount());
    }

    @Test
    void aListSaysWhichThereAre() {
        post(new ClusterChange.PodsReplaced(List.of(), List.of(unreadable("x", "ux", "n1")), "5"));
        post(new ClusterChange.PodsReplaced(List.of(), List.of(unreadable("x", "ux", "n2")), "6"));
        assertFalse(node("n1").isClosed());
        assertTrue(node("n2").isClosed());
        post(new ClusterChange.PodsReplaced(List.of(), "7"));
        assertFalse(node("n2").isClosed());
    }

    @Test
    void aNodeThatIsNotKnownYetIsClosedWhenItComes() {
        showUnreadable(unreadable("x", "ux", "n3"));
        post(new ClusterChange.NodeUpserted(
                io.policyscheduler.engine.testing.NodeBuilder.node("n3").build()));
        assertTrue(node("n3").isClosed());
        post(new ClusterChange.PodDeleted("default", "x", ""));
        assertFalse(node("n3").isClosed());
    }

    @Test
    void withoutClosingTheNodeStaysOpen() {
        showUnreadable(new UnreadablePod("default", "x", "ux", "n1", "", "odd", false));
        assertFalse(node("n1").isClosed());
    }

    @Test
    void whatWasReadableBeforeGoesOnToCount() {
        PodInfo running = pod("x").uid("ux").cpu("1").onNode("n1").build();
        show(running);
        showUnreadable(unreadable("x", "ux", "n1"));
        assertEquals(1000, node("n1").requestedMilliCpu());
        post(new ClusterChange.PodsReplaced(List.of(), List.of(unreadable("x", "ux", "n1")), "5"));
        assertEquals(1000, node("n1").requestedMilliCpu());
        post(new ClusterChange.PodsReplaced(List.of(), "6"));
        assertEquals(0, node("n1").podCount());
    }

    @Test
    void aBindIsConfirmedByAPodThatCanNoLongerBeRead() {
        show(a);
        answerBind(BindOutcome.BOUND);
        assertEquals(1, scheduler.cache().assumedCount());
        showUnreadable(unreadable("a", "ua", "n1"));
        assertEquals(0, scheduler.cache().assumedCount());
        assertEquals(1, node("n1").podCount());
        assertTrue(node("n1").isClosed());
    }

    @Test
    void aWaitingPodIsLeftOutAndToldSoOnce() {
        decision = NO_FIT;
        show(a);
        writer.takeCalls();
        showUnreadable(unreadable("a", "ua", ""));
        showUnreadable(unreadable("a", "ua", ""));
        assertNull(partOf(a));
        assertEquals(
                1,
                writer.takeCalls().stream()
                        .filter(call -> call.contains("skipping an unreadable pod: nested too deeply"))
                        .count());
        show(version(a, 9));
        assertTrue(partOf(a) != null || writer.takeCalls().contains("read ua"));
    }

    @Test
    void podsWakeWhenTheNodeOpens() {
        showUnreadable(unreadable("x", "ux", "n1"));
        decision = NO_FIT;
        show(a);
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
        post(new ClusterChange.PodDeleted("default", "x", "ux"));
        assertEquals(Part.BACKOFF, partOf(a));
    }

    private long warnings() {
        return writer.takeCalls().stream()
                .filter(call -> call.contains("unreadable pod"))
                .count();
    }

    @Test
    void whatIsFoundBeforeThisProcessSchedulesIsToldThen() {
        post(new ClusterChange.SchedulingEnabled(false));
        showUnreadable(unreadable("waits", "u1", ""));
        showUnreadable(unreadable("runs", "u2", "n1"));
        showUnreadable(new UnreadablePod("default", "elses", "u3", "", "another", "odd", true));
        assertEquals(0, warnings());
        post(new ClusterChange.SchedulingEnabled(true));
        assertEquals(1, warnings());
        post(new ClusterChange.SchedulingEnabled(true));
        assertEquals(0, warnings());
    }

    @Test
    void ofAnotherProfileItIsToldOnceThereIsOne() {
        showUnreadable(unreadable("ours", "u1", ""));
        showUnreadable(new UnreadablePod("default", "elses", "u2", "", "another", "odd", true));
        assertEquals(1, warnings());
        Profiles one = TestProfiles.of((pod, nominated, cycleState) -> NO_FIT, writer);
        ProfileRuntime known = one.runtimes().iterator().next();
        ProfileRuntime other = ProfileRuntime.of(
                "another", known.profile(), known.algorithm(), known.preemptor(), known.binder(), known.volumes());
        post(new ClusterChange.ProfilesReplaced(Profiles.of(2, List.of(known, other))));
        assertEquals(1, warnings());
    }
}
