package io.policyscheduler.framework.scheduler.backend;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchedulingQueueTest {
    private final TestClock clock = new TestClock();
    private final PodBackoff backoff = new PodBackoff(Duration.ofSeconds(1), Duration.ofSeconds(10));
    private final List<String> incoming = new ArrayList<>();
    private final SchedulingQueue queue = new SchedulingQueue(
            clock,
            backoff,
            Times.DEFAULTS,
            (part, event) -> incoming.add(part.label() + "/" + event),
            QueuePolicy.BY_PRIORITY);

    private QueuedPod pop() {
        QueuedPod entry = queue.pop();
        assertNotNull(entry);
        return entry;
    }

    private List<String> popAll() {
        List<String> names = new ArrayList<>();
        for (QueuedPod entry = queue.pop(); entry != null; entry = queue.pop()) {
            names.add(entry.pod().name());
        }
        return names;
    }

    /** Adds, pops and fails a pod at this moment. */
    private QueuedPod fail(PodInfo pod) {
        queue.add(pod);
        QueuedPod entry = pop();
        queue.addUnschedulableIfNotPresent(entry, queue.schedulingCycle());
        return entry;
    }

    private @Nullable Part partOf(String name) {
        return queue.partOf("default/" + name);
    }

    @Test
    void higherPriorityThenOlderFirst() {
        queue.add(pod("old-low").build());
        queue.add(pod("second").priority(5).build());
        clock.advanceMillis(1);
        queue.add(pod("zero").priority(0).build());
        queue.add(pod("third").priority(5).build());
        queue.add(pod("negative").priority(-1).build());
        queue.add(pod("first").priority(Integer.MAX_VALUE).build());
        assertEquals(List.of("first", "second", "third", "old-low", "zero", "negative"), popAll());
        assertNull(queue.pop());
        assertEquals(6, queue.schedulingCycle());
    }

    @Test
    void newProfilesOrderTheActivePodsAnew() {
        queue.add(pod("high").priority(2).build());
        queue.add(pod("low").priority(1).build());
        queue.policyChanged(new QueuePolicy() {
            @Override
            public int compare(QueueItem a, QueueItem b) {
                return Integer.compare(a.pod().priority(), b.pod().priority());
            }
        });
        assertEquals(List.of("low", "high"), popAll());
    }

    @Test
    void equalTimesAreServedInTheOrderOfArrival() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            names.add("p" + i);
            queue.add(pod("p" + i).build());
        }
        assertEquals(names, popAll());
    }

    @Test
    void popCountsAttemptsAndTakesThePodOut() {
        PodInfo a = pod("a").build();
        queue.add(a);
        QueuedPod first = pop();
        assertEquals(1, first.attempts());
        assertNull(partOf("a"));
        queue.addUnschedulableIfNotPresent(first, queue.schedulingCycle());
        clock.advanceMillis(2000);
        queue.moveAll(ClusterEvent.NODE_ADD);
        QueuedPod second = pop();
        assertEquals(2, second.attempts());
        assertEquals(first.initialAttempt(), second.initialAttempt());
    }

    @Test
    void aFailedPodQueuesBehindYoungerOnesOfItsPriority() {
        QueuedPod failed = fail(pod("a").build());
        clock.advanceMillis(500);
        queue.add(pod("b").build());
        clock.advanceMillis(1000);
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(List.of("a", "b"), popAll());
        queue.addUnschedulableIfNotPresent(failed, 99);
        clock.advanceMillis(-1);
        queue.add(pod("c").build());
        clock.advanceMillis(5000);
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(List.of("c", "a"), popAll());
    }

    @Test
    void addReplacesWhateverIsThere() {
        fail(pod("a").build());
        queue.add(pod("a").uid("other").build());
        assertEquals(Part.ACTIVE, partOf("a"));
        assertEquals(1, queue.pendingPods().size());
        queue.add(pod("a").uid("third").build());
        assertEquals("third", pop().pod().uid());
        assertNull(queue.pop());
    }

    @Test
    void addTakesThePodOutOfTheBackoffQueue() {
        queue.add(pod("a").build());
        QueuedPod entry = pop();
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(Part.BACKOFF, queue.addUnschedulableIfNotPresent(entry, queue.schedulingCycle()));
        queue.add(pod("a").build());
        assertEquals(0, queue.size(Part.BACKOFF));
        assertEquals(1, queue.size(Part.ACTIVE));
    }

    @Test
    void aFailureIsOutOfDateWhenSomethingMovedSinceItsPop() {
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(0, queue.moveRequestCycle());
        queue.add(pod("before").build());
        QueuedPod before = pop();
        assertEquals(Part.UNSCHEDULABLE, queue.addUnschedulableIfNotPresent(before, queue.schedulingCycle()));
        queue.add(pod("during").build());
        QueuedPod during = pop();
        queue.assignedPodAdded(pod("x").onNode("n").build());
        assertEquals(Part.BACKOFF, queue.addUnschedulableIfNotPresent(during, queue.schedulingCycle()));
    }

    @Test
    void aLaterPopHidesAnEarlierMoveFromBackgroundFailures() {
        queue.add(pod("a").build());
        QueuedPod a = pop();
        queue.moveAll(ClusterEvent.NODE_ADD);
        queue.add(pod("b").build());
        pop();
        assertEquals(Part.UNSCHEDULABLE, queue.addUnschedulableIfNotPresent(a, queue.schedulingCycle()));
    }

    @Test
    void aPodThatIsPresentStays() {
        queue.add(pod("a").build());
        QueuedPod entry = pop();
        queue.add(pod("a").build());
        assertNull(queue.addUnschedulableIfNotPresent(entry, 1));
        assertEquals(0, backoff.attempts("default/a"));
        assertEquals(Part.ACTIVE, partOf("a"));
        queue.pop();
        queue.addUnschedulableIfNotPresent(entry, 2);
        assertNull(queue.addUnschedulableIfNotPresent(entry, 2));
    }

    @Test
    void updateInTheActiveQueueReorders() {
        PodInfo a = pod("a").build();
        queue.add(a);
        queue.add(pod("b").priority(1).build());
        queue.update(a, pod("a").priority(2).build());
        assertEquals(List.of("a", "b"), popAll());
    }

    @Test
    void anUpdateInTheActiveQueueKeepsAttemptsAndNomination() {
        PodInfo a = pod("a").build();
        fail(a);
        clock.advanceMillis(10_000);
        queue.moveAll(ClusterEvent.NODE_ADD);
        queue.nominated().nominate(a, "n");
        PodInfo labeled = pod("a").label("x", "y").build();
        queue.update(a, labeled);
        assertEquals(List.of(labeled), queue.nominated().on("n"));
        QueuedPod entry = pop();
        assertEquals(2, entry.attempts());
        assertEquals(labeled, entry.pod());
    }

    @Test
    void onlyASpecChangeEndsABackoffAndKeepsTheRecord() {
        PodInfo a = pod("a").build();
        queue.add(a);
        QueuedPod entry = pop();
        queue.moveAll(ClusterEvent.NODE_ADD);
        queue.addUnschedulableIfNotPresent(entry, queue.schedulingCycle());
        PodInfo statusOnly = a.withNominatedNodeName("n");
        queue.update(a, statusOnly);
        assertEquals(Part.BACKOFF, partOf("a"));
        assertEquals(statusOnly, queue.entries(Part.BACKOFF).get(0).pod());
        assertEquals("n", queue.nominated().nodeOf(a));
        queue.update(statusOnly, pod("a").label("app", "web").build());
        assertEquals(Part.ACTIVE, partOf("a"));
        assertEquals(1, backoff.attempts("default/a"));
    }

    @Test
    void onlyASpecChangeActivatesAnUnschedulablePod() {
        PodInfo a = pod("a").build();
        fail(a);
        PodInfo statusOnly = a.withNominatedNodeName("n");
        queue.update(a, statusOnly);
        assertEquals(Part.UNSCHEDULABLE, partOf("a"));
        assertEquals(statusOnly, queue.entries(Part.UNSCHEDULABLE).get(0).pod());
        queue.update(statusOnly, pod("a").label("app", "web").build());
        assertEquals(Part.ACTIVE, partOf("a"));
        assertEquals(0, backoff.attempts("default/a"));
    }

    @Test
    void anUpdateOfAnAbsentPodBringsItInAsNew() {
        PodInfo a = pod("a").nominatedTo("n").build();
        queue.update(a, a);
        assertEquals(0, queue.entries(Part.ACTIVE).get(0).attempts());
        assertEquals("n", queue.nominated().nodeOf(a));
        assertEquals(List.of(), incoming);
    }

    /** The terms of the new nominee count for the others, although v1.17 did not count them for it. */
    @ParameterizedTest
    @CsvSource({"true, 5, ACTIVE", "true, 6, UNSCHEDULABLE", "true, 4, UNSCHEDULABLE", "false, 5, UNSCHEDULABLE"})
    void aNomineeWithAffinityTermsRequeuesTheOthersOfItsPriority(boolean hasTerms, int priority, Part expected) {
        PodInfo other = pod("other").uid("other").priority(5).nominatedTo("n").build();
        fail(other);
        PodBuilder builder = pod("a").uid("a").priority(priority).nominatedTo("n");
        PodInfo a = (hasTerms
                        ? builder.podAntiAffinity(new PodAffinityTerm(
                                LabelSelector.of(Labels.of("app", "web"), List.of()), List.of(), "host", null))
                        : builder)
                .build();
        fail(a);
        clock.advanceMillis(1000);
        queue.nominated(a, null, "n");
        assertEquals(List.of(expected, Part.UNSCHEDULABLE), Arrays.asList(partOf("other"), partOf("a")));
    }

    @Test
    void anotherNominationFreesTheNodeBefore() {
        PodInfo waiting = pod("waiting").priority(1).build();
        fail(waiting);
        clock.advanceMillis(1000);
        PodInfo a = pod("a").uid("a").priority(2).nominatedTo("n").build();
        queue.nominated(a, null, "n");
        assertEquals(Part.UNSCHEDULABLE, partOf("waiting"));
        queue.nominated(a, "m", "n");
        assertEquals(Part.ACTIVE, partOf("waiting"));
    }

    @Test
    void anEndedNominationOfAPodInFlightFreesItsNode() {
        fail(pod("waiting").priority(1).build());
        clock.advanceMillis(1000);
        PodInfo a = pod("a").uid("a").priority(2).nominatedTo("n").build();
        queue.updatedInFlight(a, a);
        assertEquals(Part.UNSCHEDULABLE, partOf("waiting"));
        queue.updatedInFlight(a, a.withNominatedNodeName(""));
        assertEquals(Part.ACTIVE, partOf("waiting"));
    }

    @Test
    void deleteForgetsTheBackoffUnlessThePodWasActive() {
        PodInfo a = pod("a").nominatedTo("n").build();
        fail(a);
        queue.delete(a);
        assertNull(partOf("a"));
        assertNull(queue.nominated().nodeOf(a));
        assertEquals(0, backoff.attempts("default/a"));

        fail(a);
        clock.advanceMillis(1000);
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(Part.ACTIVE, partOf("a"));
        queue.delete(a);
        assertEquals(1, backoff.attempts("default/a"));
        queue.delete(a);
        assertEquals(0, backoff.attempts("default/a"));
    }

    @Test
    void movesHonourTheBackoffAndLeaveBackoffQueueAlone() {
        fail(pod("a").build());
        clock.advanceMillis(999);
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(Part.BACKOFF, partOf("a"));
        clock.advanceMillis(500);
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(Part.BACKOFF, partOf("a"));
        queue.flushBackoff();
        assertEquals(Part.ACTIVE, partOf("a"));
        assertEquals(
                List.of(
                        "active/PodAdd",
                        "unschedulable/ScheduleAttemptFailure",
                        "backoff/NodeAdd",
                        "active/BackoffComplete"),
                incoming);
    }

    @Test
    void backoffIsFlushedInTheOrderOfExpiry() {
        fail(pod("first").build());
        clock.advanceMillis(300);
        fail(pod("second").build());
        queue.moveAll(ClusterEvent.NODE_ADD);
        clock.advanceMillis(699);
        queue.flushBackoff();
        assertEquals(List.of(), popAll());
        clock.advanceMillis(1);
        queue.flushBackoff();
        assertEquals(List.of("first"), popAll());
        clock.advanceMillis(300);
        queue.flushBackoff();
        assertEquals(List.of("second"), popAll());
    }

    @Test
    void leftoversAreTriedAgainAfterMoreThanAMinute() {
        fail(pod("a").build());
        clock.advanceMillis(60_000);
        queue.flushUnschedulable();
        assertEquals(Part.UNSCHEDULABLE, partOf("a"));
        assertEquals(-1, queue.moveRequestCycle());
        clock.advanceMillis(1);
        queue.flushUnschedulable();
        assertEquals(Part.ACTIVE, partOf("a"));
        assertEquals(1, queue.moveRequestCycle());
        assertEquals("active/UnschedulableTimeout", incoming.get(incoming.size() - 1));
    }

    @Test
    void onePodIsTriedAgainAfterItsBackoff() {
        PodInfo a = pod("a").build();
        fail(a);
        fail(pod("b").build());
        queue.retry(a);
        assertEquals(Part.BACKOFF, partOf("a"));
        assertEquals(Part.UNSCHEDULABLE, partOf("b"));
        assertEquals("backoff/ForceActivate", incoming.get(incoming.size() - 1));
    }

    @Test
    void onePodIsTriedAgainThatIsNotBackYet() {
        PodInfo a = pod("a").build();
        queue.add(a);
        QueuedPod entry = pop();
        long cycle = queue.schedulingCycle();
        queue.retry(a);
        assertEquals(Part.BACKOFF, queue.addUnschedulableIfNotPresent(entry, cycle));
    }

    private static PodAffinityTerm term(@Nullable LabelSelector selector, String... namespaces) {
        return new PodAffinityTerm(selector, List.of(namespaces), "zone", null);
    }

    @Test
    void anAssignedPodHelpsThoseWhoseRequiredAffinityMeansIt() {
        LabelSelector web = new LabelSelector(List.of(LabelRequirement.equalTo("app", "web")));
        fail(pod("web").podAffinity(term(web)).build());
        fail(pod("second-term").podAffinity(term(null), term(web)).build());
        fail(pod("everything").podAffinity(term(LabelSelector.EVERYTHING)).build());
        fail(pod("listed").podAffinity(term(web, "x", "default")).build());
        fail(pod("nil").podAffinity(term(null)).build());
        fail(pod("other-namespace").podAffinity(term(web, "x")).build());
        fail(pod("anti").podAntiAffinity(term(web)).build());
        fail(pod("preferred").preferredPodAffinity(1, term(web)).build());
        fail(pod("plain").build());
        clock.advanceMillis(1000);
        queue.assignedPodAdded(pod("x").label("app", "web").onNode("n").build());
        assertEquals(List.of("web", "second-term", "everything", "listed"), popAll());
        PodInfo elsewhere =
                pod("x").namespace("x").label("app", "web").onNode("n").build();
        queue.assignedPodUpdated(elsewhere, elsewhere);
        assertEquals(List.of("other-namespace"), popAll());
        assertEquals(4, queue.size(Part.UNSCHEDULABLE));
    }

    /** The queue does not have the labels of namespaces: a wake-up too many is harmless, and a missing one is not. */
    @Test
    void anAssignedPodHelpsThoseThatSelectNamespacesByLabel() {
        LabelSelector web = new LabelSelector(List.of(LabelRequirement.equalTo("app", "web")));
        LabelSelector team = new LabelSelector(List.of(LabelRequirement.equalTo("team", "a")));
        fail(pod("selects")
                .podAffinity(new PodAffinityTerm(web, List.of(), "zone", team))
                .build());
        fail(pod("other-labels")
                .podAffinity(new PodAffinityTerm(team, List.of(), "zone", LabelSelector.EVERYTHING))
                .build());
        fail(pod("nil")
                .podAffinity(new PodAffinityTerm(null, List.of(), "zone", LabelSelector.EVERYTHING))
                .build());
        clock.advanceMillis(1000);
        queue.assignedPodAdded(
                pod("x").namespace("x").label("app", "web").onNode("n").build());
        assertEquals(List.of("selects"), popAll());
        assertEquals(2, queue.size(Part.UNSCHEDULABLE));
    }

    @Test
    void anEmptyMoveStillCountsAsMove() {
        queue.add(pod("a").build());
        queue.pop();
        PodInfo x = pod("x").onNode("n").build();
        queue.assignedPodUpdated(x, x);
        assertEquals(1, queue.moveRequestCycle());
    }

    @Test
    void theEndOfANominationHelpsThoseThatHadToRespectIt() {
        PodInfo nominee = pod("nominee").priority(100).build();
        for (int way = 0; way < 4; way++) {
            PodInfo shown = way == 3 ? nominee.withNominatedNodeName("n") : nominee;
            fail(shown);
            queue.nominated().nominate(shown, "n");
            fail(pod("lower").priority(10).build());
            fail(pod("higher").priority(1000).build());
            clock.advanceMillis(20_000);
            switch (way) {
                case 0 -> queue.nominated().end(nominee);
                case 1 -> queue.delete(nominee);
                case 2 -> queue.nominated().end(pod("stranger").build());
                default -> queue.update(shown, nominee);
            }
            assertEquals(way == 2 ? Part.UNSCHEDULABLE : Part.ACTIVE, partOf("lower"), "way " + way);
            assertEquals(Part.UNSCHEDULABLE, partOf("higher"), "way " + way);
            assertEquals(way == 1 ? null : Part.UNSCHEDULABLE, partOf("nominee"), "way " + way);
            assertEquals(way == 2 ? "n" : null, queue.nominated().nodeOf(nominee), "way " + way);
            for (PodInfo pod : queue.pendingPods()) {
                queue.delete(pod);
            }
        }
    }

    @Test
    void aPodThatIsPlacedElsewhereFreesTheNodeOfItsNomination() {
        for (String node : List.of("n", "m")) {
            PodInfo nominee = pod("nominee").priority(100).build();
            queue.nominated().nominate(nominee, "n");
            fail(pod("lower").priority(10).build());
            fail(pod("higher").priority(1000).build());
            clock.advanceMillis(20_000);
            queue.placed(nominee, node);
            assertEquals(node.equals("n") ? Part.UNSCHEDULABLE : Part.ACTIVE, partOf("lower"), node);
            assertEquals(Part.UNSCHEDULABLE, partOf("higher"), node);
            assertNull(queue.nominated().nodeOf(nominee), node);
            queue.pendingPods().forEach(queue::delete);
        }
    }

    @Test
    void aPodOnTheNodeOfOthersThatCannotEvictItHasTheirNominationsChecked() {
        PodInfo lower = pod("lower").priority(10).build();
        PodInfo equal = pod("equal").priority(100).build();
        PodInfo higher = pod("higher").priority(1000).build();
        for (PodInfo nominee : List.of(lower, equal, higher)) {
            fail(nominee);
            queue.nominated().nominate(nominee, "n");
        }
        clock.advanceMillis(20_000);
        queue.assignedPodAdded(pod("elsewhere").priority(100).onNode("m").build());
        assertEquals(Part.UNSCHEDULABLE, partOf("lower"));
        queue.assignedPodAdded(pod("taker").priority(100).onNode("n").build());
        assertEquals(Part.ACTIVE, partOf("lower"));
        assertEquals(Part.ACTIVE, partOf("equal"));
        assertEquals(Part.UNSCHEDULABLE, partOf("higher"));
    }

    @Test
    void aChangedNodeHasAllNominationsToItChecked() {
        for (String node : List.of("n", "m")) {
            PodInfo nominee = pod("on-" + node).priority(1000).build();
            fail(nominee);
            queue.nominated().nominate(nominee, node);
        }
        clock.advanceMillis(20_000);
        queue.retryNominees("n");
        assertEquals(Part.ACTIVE, partOf("on-n"));
        assertEquals(Part.UNSCHEDULABLE, partOf("on-m"));
    }

    @Test
    void anAssignedPodWithOtherLabelsOrSmallerRequestsMayHelpAnyPod() {
        PodInfo before = pod("x").cpu("2").onNode("n").build();
        for (PodInfo after : List.of(
                pod("x").cpu("1").onNode("n").build(),
                pod("x").cpu("2").label("a", "b").onNode("n").build(),
                pod("x").cpu("2").annotation("a", "b").onNode("n").build())) {
            fail(pod("a").build());
            clock.advanceMillis(20_000);
            queue.assignedPodUpdated(before, after);
            boolean helps = after.annotations().isEmpty();
            assertEquals(helps ? Part.ACTIVE : Part.UNSCHEDULABLE, partOf("a"));
            queue.delete(pod("a").build());
        }
    }

    @Test
    void theNominationInMemoryIsNewerThanTheStatus() {
        PodInfo a = pod("a").build();
        PodInfo onN = a.withNominatedNodeName("n");
        PodInfo onM = a.withNominatedNodeName("m");
        queue.add(a);
        QueuedPod entry = pop();
        queue.nominated().nominate(a, "n");
        queue.nominated().nominate(a, "m");
        queue.addUnschedulableIfNotPresent(entry, 1);
        assertEquals("m", queue.nominated().nodeOf(a), "the pod was read before the nomination was written");
        queue.update(a, onN);
        assertEquals("m", queue.nominated().nodeOf(a), "the watch shows an earlier nomination");
        queue.update(onN, onM);
        assertEquals("m", queue.nominated().nodeOf(a), "the watch shows the nomination");
        queue.nominated().end(onM);
        queue.update(onM, onM.withNodeName(""));
        assertNull(queue.nominated().nodeOf(a), "the status still shows a nomination that has ended");
        queue.update(onM, a.withNominatedNodeName("o"));
        assertEquals("o", queue.nominated().nodeOf(a), "somebody else nominates the pod");
        queue.update(a.withNominatedNodeName("o"), a);
        assertNull(queue.nominated().nodeOf(a), "somebody else ends the nomination");
        queue.update(a, onN);
        assertEquals("n", queue.nominated().nodeOf(a), "somebody else writes an earlier nomination");
    }

    @Test
    void aPodThatCouldNotBeBoundIsNominatedAgainFromItsStatus() {
        PodInfo a = pod("a").build().withNominatedNodeName("n");
        queue.add(a);
        QueuedPod entry = pop();
        queue.nominated().drop(a);
        queue.addUnschedulableIfNotPresent(entry, 1);
        assertEquals("n", queue.nominated().nodeOf(a));
    }

    @Test
    void aQuietClusterStartsTheBackoffAgainEachTime() {
        PodInfo a = pod("a").build();
        fail(a);
        for (int round = 0; round < 3; round++) {
            clock.advanceMillis(60_001);
            queue.flushUnschedulable();
            QueuedPod entry = pop();
            assertEquals(Part.UNSCHEDULABLE, queue.addUnschedulableIfNotPresent(entry, queue.schedulingCycle()));
            assertEquals(1, backoff.attempts("default/a"));
        }
    }

    @Test
    void aChangedPodIsReadmittedWithItsHistory() {
        queue.add(pod("a").build());
        QueuedPod entry = pop();
        queue.readmitChanged(entry.withPod(pod("a").label("x", "y").build()));
        assertEquals(2, pop().attempts());
    }
}
