package io.policyscheduler.framework.scheduler.backend;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.QueueingHintRequeue.InFlightEvents;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue.Times;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How pods of profiles wait. Their plugin {@code Fit} is helped by nodes that come, {@code Spread} by pods that go. */
class QueueingHintRequeueTest {
    private static final ObjectEvent NODE =
            ObjectEvent.added(EventResource.NODE, node("n").build());
    private static final ObjectEvent GONE = ObjectEvent.deleted(
            EventResource.ASSIGNED_POD, pod("x").uid("x").onNode("n").build());

    private final TestClock clock = new TestClock();
    private final List<String> incoming = new ArrayList<>();
    private final Set<String> held = new HashSet<>();
    /** The events and the other changes about which plugins were asked. */
    private final List<String> asked = new ArrayList<>();

    private boolean asksForChanges;
    private final SchedulingQueue queue = new SchedulingQueue(
            clock, Times.DEFAULTS, (part, event) -> incoming.add(part.label() + "/" + event), new Hints());

    private final class Hints implements QueuePolicy {
        @Override
        public boolean waitsForEvents(PodInfo pod) {
            return !pod.name().startsWith("old");
        }

        @Override
        public boolean mayEnter(PodInfo pod) {
            return !held.contains(pod.name());
        }

        @Override
        public String gatingPlugin(PodInfo pod, String first) {
            return held.contains(pod.name()) ? "Gate" : "";
        }

        @Override
        public boolean isOfInterest(EventKind kind) {
            return true;
        }

        @Override
        public boolean mayUngate(QueuedPod entry, EventKind kind) {
            return kind.resource() == EventResource.NODE;
        }

        @Override
        public boolean registersChanges() {
            return asksForChanges;
        }

        @Override
        public boolean mayHelpByOtherChange(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
            asked.add("change " + event.label());
            return false;
        }

        @Override
        public boolean mayHelp(QueuedPod entry, ObjectEvent event) {
            asked.add(event.kind().label());
            return switch (event.kind().resource()) {
                case NODE ->
                    entry.rejectedBy().contains("Fit") || entry.rejectedBy().contains("Gate");
                case ASSIGNED_POD -> entry.rejectedBy().contains("Spread");
                default -> entry.rejectedBy().contains("Gate");
            };
        }
    }

    private QueuedPod pop() {
        QueuedPod entry = queue.pop();
        assertNotNull(entry);
        return entry;
    }

    private @Nullable Part fail(QueuedPod entry, String... plugins) {
        return queue.addUnschedulableIfNotPresent(entry.withRejectedBy(Set.of(plugins)), queue.schedulingCycle());
    }

    /** Adds, pops and fails a pod at this moment. */
    private @Nullable Part fail(String name, String... plugins) {
        queue.add(pod(name).uid(name).build());
        return fail(pop(), plugins);
    }

    private @Nullable Part partOf(String name) {
        return queue.partOf("default/" + name);
    }

    /** Keeps the queue from being idle, where backoffs are cut short. */
    private void busy() {
        queue.add(pod("busy").priority(1000).build());
    }

    @Test
    void aRejectedPodWaitsForAnEventOfItsPlugin() {
        assertEquals(Part.UNSCHEDULABLE, fail("a", "Fit"));
        queue.happened(GONE);
        assertEquals(Part.UNSCHEDULABLE, partOf("a"));
        queue.happened(NODE);
        assertEquals(Part.BACKOFF, partOf("a"));
        clock.advanceMillis(5000);
        assertEquals(Part.UNSCHEDULABLE, fail("b", "Fit"));
        clock.advanceMillis(5000);
        queue.happened(NODE);
        assertEquals(Part.ACTIVE, partOf("b"));
        assertEquals(
                List.of(
                        "active/PodAdd",
                        "unschedulable/ScheduleAttemptFailure",
                        "backoff/NodeAdd",
                        "active/PodAdd",
                        "unschedulable/ScheduleAttemptFailure",
                        "active/NodeAdd"),
                incoming);
    }

    @ParameterizedTest
    @CsvSource({
        // plugins, those of them that wait for something outside, what happens, where the pod is then
        "Fit, Fit, node, ACTIVE",
        "Fit Spread, Spread, node, BACKOFF",
        "Fit Spread, Spread, gone, ACTIVE",
        "Fit Spread, Spread, flush, BACKOFF",
        "Fit, Fit, gone, UNSCHEDULABLE",
    })
    void whoWaitsForSomethingOutsideOfTheClusterDoesNotBackOff(
            String plugins, String pending, String what, Part expected) {
        for (boolean isEarly : List.of(true, false)) {
            String name = isEarly ? "early" : "late";
            queue.add(pod(name).uid(name).build());
            QueuedPod entry = pop().withRejectedBy(Set.of(plugins.split(" ")), Set.of(pending));
            if (isEarly) {
                happens(what);
                queue.addUnschedulableIfNotPresent(entry, queue.schedulingCycle());
            } else {
                queue.addUnschedulableIfNotPresent(entry, queue.schedulingCycle());
                happens(what);
            }
            assertEquals(expected, partOf(name), name);
            queue.delete(entry.pod());
        }
    }

    private void happens(String what) {
        switch (what) {
            case "node" -> queue.happened(NODE);
            case "gone" -> queue.happened(GONE);
            default -> queue.resourcesFreed();
        }
    }

    @Test
    void anyChangeOf117DoesNotMoveIt() {
        fail("a", "Fit");
        fail("old-a", "Fit");
        queue.moveAll(ClusterEvent.SERVICE_ADD);
        assertEquals(Part.UNSCHEDULABLE, partOf("a"));
        assertEquals(Part.BACKOFF, partOf("old-a"));
        clock.advanceMillis(10_000);
        queue.happened(NODE);
        assertEquals(Part.BACKOFF, partOf("old-a"), "and no event of today those of policies");
        assertEquals(Part.ACTIVE, partOf("a"));
    }

    @ParameterizedTest
    @CsvSource({
        // failed at, failures before, tried again at
        "10000, 0, 12000",
        "10300, 0, 12000",
        "10990, 0, 12000",
        "10000, 1, 13000",
        "10000, 2, 15000",
        "10000, 3, 19000",
        "10000, 4, 21000",
        "10000, 9, 21000",
    })
    void anErrorIsWaitedOutToTheEndOfASecond(long failedAt, int before, long triedAt) {
        queue.add(pod("a").uid("a").build());
        QueuedPod entry = pop();
        for (int i = 0; i < before; i++) {
            fail(entry);
            clock.advanceMillis(60_000);
            queue.flushBackoff();
            entry = pop();
        }
        clock.advanceMillis(failedAt);
        fail(entry);
        assertNull(queue.pop(), "an idle scheduler waits, too");
        clock.advanceMillis(triedAt - failedAt - 1);
        queue.flushBackoff();
        assertEquals(Part.BACKOFF, partOf("a"));
        clock.advanceMillis(1);
        queue.flushBackoff();
        assertEquals(Part.ACTIVE, partOf("a"));
    }

    @Test
    void anIdleSchedulerCutsTheBackoffOfRejectedPodsShort() {
        fail("a", "Fit");
        queue.happened(NODE);
        busy();
        assertEquals("busy", pop().pod().name());
        QueuedPod early = pop();
        assertEquals("a", early.pod().name());
        assertEquals("active/PopFromBackoffQ", incoming.get(incoming.size() - 1));
        assertEquals(2, early.attempts());
        assertEquals(Set.of(), early.rejectedBy());
        assertEquals(1, early.unschedulableCount());
    }

    @Test
    void whoBacksOffComesByTheEndOfItThenByPriority() {
        for (String name : List.of("low", "high")) {
            queue.add(pod(name).uid(name).priority(name.equals("low") ? 1 : 2).build());
            fail(pop(), "Fit");
            clock.advanceMillis(10);
        }
        queue.happened(NODE);
        assertEquals("high", pop().pod().name());
        assertEquals("low", pop().pod().name());
    }

    @Test
    void whatHappensWhileAPodIsTriedIsNotMissed() {
        queue.add(pod("a").uid("a").build());
        queue.add(pod("b").uid("b").build());
        QueuedPod a = pop();
        queue.happened(GONE);
        QueuedPod b = pop();
        queue.happened(NODE);
        assertEquals(Part.UNSCHEDULABLE, fail(b, "Spread"), "b was popped after the pod had gone");
        assertEquals(Part.BACKOFF, fail(a, "Spread"));
        queue.add(pod("c").uid("c").build());
        // a, whose backoff is cut short, comes after c.
        assertEquals(Part.UNSCHEDULABLE, fail(pop(), "Spread", "Fit"), "nothing has happened since");
    }

    @Test
    void theRoomThatAPodGivesBackDoesNotHelpItself() {
        PodInfo a = pod("a").uid("a").build();
        queue.add(a);
        QueuedPod entry = pop();
        fail("b", "Spread");
        queue.resourcesFreed(a.withNodeName("n"));
        assertEquals(Part.UNSCHEDULABLE, fail(entry, "Spread"));
        assertEquals(Part.BACKOFF, partOf("b"));
    }

    @Test
    void whoIsDoneBeforeItFailsWaitsOutAnError() {
        PodInfo a = pod("a").uid("a").build();
        queue.add(a);
        QueuedPod entry = pop();
        queue.done(a);
        queue.happened(NODE);
        assertEquals(Part.BACKOFF, fail(entry));
        assertNull(queue.pop());
    }

    @Test
    void aGatedPodIsLookedAtForTheEventsOfItsGateOnly() {
        held.add("a");
        queue.add(pod("a").uid("a").build());
        assertEquals(Part.GATED, partOf("a"));
        assertEquals(List.of(), incoming);
        held.clear();
        queue.happened(GONE);
        clock.advanceMillis(600_000);
        queue.flushUnschedulable();
        assertEquals(Part.GATED, partOf("a"), "not even after five minutes");
        queue.happened(NODE);
        assertEquals(Part.ACTIVE, partOf("a"), "without any backoff, never having been tried");
    }

    @Test
    void aMovedPodMayBeHeldBack() {
        fail("a", "Fit");
        held.add("a");
        queue.happened(NODE);
        assertEquals(Part.GATED, partOf("a"));
        held.clear();
        PodInfo now = pod("a").uid("a").label("x", "y").build();
        queue.update(pod("a").uid("a").build(), now);
        assertEquals(Part.BACKOFF, partOf("a"));
    }

    @Test
    void afterFiveMinutesItIsTriedAgain() {
        fail("a", "Fit");
        fail("old-a");
        clock.advanceMillis(61_000);
        queue.flushUnschedulable();
        assertEquals(Part.ACTIVE, partOf("old-a"));
        assertEquals(Part.UNSCHEDULABLE, partOf("a"));
        clock.advanceMillis(239_000);
        queue.flushUnschedulable();
        assertEquals(Part.UNSCHEDULABLE, partOf("a"));
        clock.advanceMillis(1);
        queue.flushUnschedulable();
        assertEquals(Part.ACTIVE, partOf("a"));
        assertEquals("active/UnschedulableTimeout", incoming.get(incoming.size() - 1));
    }

    @Test
    void anUpdateMovesAPodOnlyIfItsPluginSaysSo() {
        fail("a", "Fit");
        PodInfo a = pod("a").uid("a").build();
        PodInfo labelled = pod("a").uid("a").label("x", "y").build();
        queue.update(a, labelled);
        assertEquals(Part.UNSCHEDULABLE, partOf("a"));
        assertEquals(labelled, queue.entries(Part.UNSCHEDULABLE).get(0).pod());
        PodInfo nominated = a.withNominatedNodeName("n");
        queue.update(labelled, nominated);
        assertEquals(List.of(nominated), queue.nominated().on("n"));
        queue.happened(NODE);
        queue.update(nominated, a);
        assertEquals(Part.BACKOFF, partOf("a"), "and does not end a backoff");
        assertEquals(a, queue.entries(Part.BACKOFF).get(0).pod());
    }

    @Test
    void theRoomOfANomineeIsThereForThoseItWasKeptFrom() {
        for (int priority = 1; priority <= 3; priority++) {
            queue.add(pod("p" + priority).uid("p" + priority).priority(priority).build());
            fail(pop(), "Spread");
        }
        PodInfo nominee =
                pod("nominee").uid("nominee").priority(2).nominatedTo("n").build();
        queue.add(nominee);
        assertEquals(List.of(nominee), queue.nominated().on("n"));
        queue.delete(nominee);
        assertEquals(Part.BACKOFF, partOf("p1"));
        assertEquals(Part.BACKOFF, partOf("p2"));
        assertEquals(Part.UNSCHEDULABLE, partOf("p3"));
        assertEquals(List.of(), queue.nominated().on("n"));
    }

    @Test
    void aPodThatIsActivatedDoesNotBackOff() {
        fail("a", "Fit");
        queue.retry(pod("a").uid("a").build());
        assertEquals(Part.ACTIVE, partOf("a"));
        QueuedPod entry = pop();
        queue.retry(entry.pod());
        assertEquals(Part.BACKOFF, fail(entry, "Fit"), "being tried, it comes back for another try");
    }

    @Test
    void rejectionsAndErrorsAreCountedApart() {
        queue.add(pod("a").uid("a").build());
        fail(pop(), "Fit");
        queue.happened(NODE);
        QueuedPod second = pop();
        fail(second);
        clock.advanceMillis(10_000);
        queue.flushBackoff();
        QueuedPod third = pop();
        assertEquals(List.of(1, 1), List.of(third.unschedulableCount(), third.consecutiveErrors()));
        fail(third, "Fit");
        queue.happened(NODE);
        QueuedPod fourth = pop();
        assertEquals(List.of(2, 0), List.of(fourth.unschedulableCount(), fourth.consecutiveErrors()));
    }

    /** Whatever becomes of a pod that was popped, also after its profile was replaced by a policy. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fails",
                "is done",
                "changes",
                "is deleted",
                "was added again",
                "fails in a policy",
                "changes in a policy"
            })
    void eventsAreKeptWhileThePodIsTried(String what) {
        PodInfo a = pod("a").uid("a").build();
        queue.add(a);
        assertEquals(Set.of(), queue.inFlightPods());
        QueuedPod entry = pop();
        assertEquals(Set.of("default/a"), queue.inFlightPods());
        if (what.endsWith("in a policy")) {
            queue.policyChanged(QueuePolicy.BY_PRIORITY);
        }
        switch (what) {
            case "is done" -> queue.done(a);
            case "is deleted" -> queue.delete(a);
            case "was added again" -> {
                queue.add(a);
                assertNull(fail(entry, "Fit"));
            }
            case "changes", "changes in a policy" -> queue.readmitChanged(entry);
            default -> fail(entry, "Fit");
        }
        assertEquals(Set.of(), queue.inFlightPods());
    }

    /** Pods that fail at the same time return in this order. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "old"})
    void theOrderOfFailuresIsKept(String prefix) {
        List<String> names = new ArrayList<>();
        List<QueuedPod> popped = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            queue.add(pod(prefix + i).uid(prefix + i).build());
            popped.add(0, pop());
            names.add(0, prefix + i);
        }
        popped.forEach(entry -> fail(entry, "Fit"));
        clock.advanceMillis(20_000);
        queue.happened(NODE);
        queue.moveAll(ClusterEvent.NODE_ADD);
        List<String> order = new ArrayList<>();
        while (queue.size(Part.ACTIVE) > 0) {
            order.add(pop().pod().name());
        }
        assertEquals(names, order);
    }

    /** The change of its spec is an event that happened during the attempt. */
    @ParameterizedTest
    @CsvSource({"true, BACKOFF", "false, UNSCHEDULABLE"})
    void aPodThatChangesDuringItsAttemptWaitsForEvents(boolean isHelped, Part expected) {
        queue.add(pod("a").uid("a").build());
        QueuedPod entry = pop();
        if (isHelped) {
            queue.happened(NODE);
        }
        queue.readmitChanged(entry.withRejectedBy(Set.of("Fit")));
        assertEquals(expected, partOf("a"));
    }

    @Test
    void noEventsAreKeptForPodsOfPolicies() {
        queue.add(pod("old").build());
        pop();
        assertEquals(Set.of(), queue.inFlightPods());
    }

    /** A pod that is held back must not keep others away from its node. */
    @Test
    void aPodThatIsHeldBackIsNotNominated() {
        held.add("a");
        PodInfo a = pod("a").uid("a").nominatedTo("n").build();
        queue.add(a);
        assertEquals(List.of(), queue.nominated().on("n"));
        held.clear();
        queue.delete(a);
        queue.add(a);
        assertEquals(List.of(a), queue.nominated().on("n"));
    }

    /** Any change runs PreEnqueue again for a gated pod of a policy. */
    @Test
    void aGatedPodOfAPolicyEntersAfterAChange() {
        held.add("old");
        PodInfo old = pod("old").nominatedTo("n").build();
        queue.add(old);
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(Part.GATED, partOf("old"));
        assertEquals(List.of(), queue.nominated().on("n"));
        assertEquals(List.of(), incoming);
        held.clear();
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(Part.ACTIVE, partOf("old"));
        assertEquals(List.of(old), queue.nominated().on("n"));
        assertEquals(List.of("active/NodeAdd"), incoming);
    }

    /** Only PreEnqueue plugins of policies run again for an active pod. Current releases do not gate it. */
    @Test
    void anUpdateGatesOnlyActivePodsOfPolicies() {
        PodInfo old = pod("old").nominatedTo("n").build();
        PodInfo a = pod("a").nominatedTo("n").build();
        queue.add(old);
        queue.add(a);
        held.addAll(List.of("old", "a"));
        queue.update(old, old);
        queue.update(a, a);
        assertEquals(Part.GATED, partOf("old"));
        assertEquals(Part.ACTIVE, partOf("a"));
        assertEquals(List.of(a), queue.nominated().on("n"));
        queue.delete(old);
        assertNull(partOf("old"));
    }

    @Test
    void sizesCountThePodsOfBothKinds() {
        held.addAll(List.of("old-gated", "gated"));
        fail("old-waiting", "Fit");
        fail("waiting", "Spread");
        fail("error");
        queue.add(pod("old-moved").build());
        QueuedPod moved = pop();
        queue.retry(moved.pod());
        assertEquals(Part.BACKOFF, fail(moved, "Fit"));
        queue.add(pod("rejected").uid("rejected").build());
        QueuedPod rejected = pop();
        queue.happened(NODE);
        assertEquals(Part.BACKOFF, fail(rejected, "Fit"));
        queue.add(pod("old-gated").build());
        queue.add(pod("gated").build());
        queue.add(pod("active").build());
        assertEquals(
                List.of(1, 3, 2, 2),
                List.of(
                        queue.size(Part.ACTIVE),
                        queue.size(Part.BACKOFF),
                        queue.size(Part.UNSCHEDULABLE),
                        queue.size(Part.GATED)));
    }

    @Test
    void podsThatUpdatesBringInKeepTheOrderOfArrival() {
        queue.add(pod("a").build());
        for (String name : List.of("b", "c")) {
            PodInfo pod = pod(name).build();
            queue.update(pod, pod);
        }
        queue.add(pod("d").build());
        assertEquals(
                "abcd",
                pop().pod().name()
                        + pop().pod().name()
                        + pop().pod().name()
                        + pop().pod().name());
    }

    /** An update during an attempt is an event for the plugins that reject the pod at its end. */
    @Test
    void anUpdateDuringAnAttemptIsAnEvent() {
        PodInfo a = pod("a").uid("a").build();
        queue.add(a);
        QueuedPod entry = pop();
        queue.updatedInFlight(a, pod("a").uid("a").label("l", "v").build());
        assertEquals(Part.BACKOFF, fail(entry, "Gate"));
    }

    /** What happens to assigned pods moves the pods of policies, and is an event and a change for those of other profiles. */
    @ParameterizedTest
    @CsvSource({
        // what happens | whether the pod of a policy is moved | about what the other one is asked | whether that one is
        // moved
        "added, false, change AssignedPodAdd AssignedPodAdd, false",
        "labeled, true, change AssignedPodUpdate AssignedPodUpdatePodLabel, false",
        "unchanged, false, change AssignedPodUpdate AssignedPodUpdate, false",
        "deleted, true, change AssignedPodDelete AssignedPodDelete, false",
        "released, true, change AssignedPodDelete AssignedPodDelete, false",
        "resources, true, '', true",
        "several, false, AssignedPodDelete NodeAdd, false",
    })
    void whatHappensToAssignedPods(String what, boolean isMoved, String about, boolean isOtherMoved) {
        PodInfo x = pod("x").uid("x").onNode("n").build();
        fail("old", "Unknown");
        fail("a", "Unknown");
        asksForChanges = true;
        switch (what) {
            case "added" -> queue.assignedPodAdded(x);
            case "labeled" ->
                queue.assignedPodUpdated(
                        x, pod("x").uid("x").label("l", "v").onNode("n").build());
            case "unchanged" -> queue.assignedPodUpdated(x, x);
            case "deleted" -> queue.assignedPodDeleted(x);
            case "released" -> queue.resourcesFreed(x);
            case "resources" -> queue.resourcesFreed();
            default -> queue.happened(List.of(GONE, NODE));
        }
        assertEquals(isMoved ? Part.BACKOFF : Part.UNSCHEDULABLE, partOf("old"));
        assertEquals(isOtherMoved ? Part.BACKOFF : Part.UNSCHEDULABLE, partOf("a"));
        assertEquals(about, String.join(" ", asked));
        // A pod whose own resources are released waits for other changes.
        assertEquals(what.equals("released") ? 1 : 0, queue.schedulingCycle() - 2);
    }

    @Test
    void theFlushesMovePodsOfBothKinds() {
        fail("old", "Fit");
        fail("a", "Fit");
        queue.moveAll(ClusterEvent.NODE_ADD);
        queue.happened(NODE);
        assertEquals(List.of(Part.BACKOFF, Part.BACKOFF), List.of(knownPart("old"), knownPart("a")));
        clock.advanceMillis(20_000);
        queue.flushBackoff();
        assertEquals(List.of(Part.ACTIVE, Part.ACTIVE), List.of(knownPart("old"), knownPart("a")));
    }

    private Part knownPart(String name) {
        Part part = partOf(name);
        assertNotNull(part);
        return part;
    }

    /** New profiles, and with them other plugins, may accept any pod. */
    @Test
    void newProfilesMoveAllPods() {
        fail("old", "Unknown");
        fail("a", "Unknown");
        queue.add(pod("tried").uid("tried").build());
        QueuedPod tried = pop();
        queue.policyChanged(new Hints());
        assertEquals(List.of(Part.BACKOFF, Part.BACKOFF), List.of(knownPart("old"), knownPart("a")));
        assertEquals(Part.BACKOFF, fail(tried, "Unknown"));
    }

    @Test
    void aPodOfTheSameNameStartsAnew() {
        fail("a", "Fit");
        PodInfo a = pod("a").uid("a").build();
        queue.delete(a);
        assertNull(partOf("a"));
        queue.add(pod("a").uid("b").build());
        assertEquals(0, pop().unschedulableCount());
    }

    @Test
    void eventsAreKeptAsLongAsSomePodNeedsThem() {
        InFlightEvents events = new InFlightEvents();
        events.add(NODE);
        assertEquals(0, events.size());
        events.begin("a");
        events.add(NODE);
        events.begin("b");
        events.add(GONE);
        assertEquals(2, events.end("a").size());
        assertEquals(1, events.size());
        events.addWildcard();
        assertEquals(2, events.end("b").size());
        assertEquals(0, events.size());
        assertEquals(List.of(), events.end("b"));
    }
}
