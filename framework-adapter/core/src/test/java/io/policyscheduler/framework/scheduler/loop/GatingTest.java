package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_ENQUEUE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.RESERVE;
import static io.policyscheduler.framework.profile.Profile.Family.MODERN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pods that PreEnqueue plugins keep out of the queue. The audit after each step detects a pod that is in two places. */
class GatingTest extends PluginFixture {
    private static final Status CLOSED = Status.unresolvable("closed");

    private final ScriptedPlugin gate = plugin("Gate").answer(PRE_ENQUEUE, CLOSED);

    private void startGated() {
        start(MODERN, profile -> profile.preEnqueue(gate).filter(plugin("F")));
    }

    private void open() {
        gate.answer(PRE_ENQUEUE, Status.SUCCESS);
    }

    @Test
    void aPodThatMayNotEnterIsNotTried() {
        startGated();
        show(a);
        pass(Duration.ofMinutes(10));
        assertEquals(Part.GATED, partOf(a));
        assertEquals(1, scheduler.counts().gated());
        assertEquals(List.of("Gate preEnqueue a"), takeCalls());
        assertEquals(List.of(), writer.takeCalls());
        assertEquals(
                List.of("a"),
                scheduler.queue().pendingPods().stream().map(PodInfo::name).toList());
    }

    @Test
    void theFirstPluginThatRejectsIsTheLastAsked() {
        ScriptedPlugin second = plugin("Second");
        start(MODERN, profile -> profile.preEnqueue(gate).preEnqueue(second));
        show(a);
        assertEquals(List.of("Gate preEnqueue a"), takeCalls());
        open();
        show(version(a, 2));
        assertEquals(List.of("Gate preEnqueue a", "Second preEnqueue a"), takeCalls());
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void itIsAskedAgainWhenThePodChanges() {
        startGated();
        show(a);
        show(version(a, 2));
        assertEquals(Part.GATED, partOf(a));
        open();
        show(version(a, 3));
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void itIsAskedAgainWhenTheClusterChanges() {
        startGated();
        show(a);
        open();
        post(new ClusterChange.NodeUpserted(node("n3").build()));
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void itIsAskedAgainWhenAnotherPodGetsANode() {
        startGated();
        show(a);
        open();
        show(pod("other").uid("uo").onNode("n1").build());
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void anExceptionHoldsThePodBack() {
        gate.answer(PRE_ENQUEUE, () -> {
            throw new PluginException("x");
        });
        startGated();
        show(a);
        assertEquals(Part.GATED, partOf(a));
        gate.answer(PRE_ENQUEUE, () -> {
            throw new NoClassDefFoundError("com/x/Y");
        });
        show(version(a, 2));
        assertEquals(Part.GATED, partOf(a));
        open();
        show(version(a, 3));
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void aGatedPodCountsAsNominatedOnceItChanges() {
        startGated();
        PodInfo promised = a.withNominatedNodeName("n1");
        show(promised);
        assertEquals(List.of(), scheduler.queue().nominated().on("n1"));
        // kube-scheduler's classification of an update does not depend on where the pod waits.
        show(version(promised, 2));
        assertEquals(Part.GATED, partOf(a));
        assertEquals(
                List.of(version(promised, 2)), scheduler.queue().nominated().on("n1"));
    }

    /** Pods enter the queue, but are not taken from it. */
    private void decisionLater() {
        scheduler.setEnabled(false);
    }

    @Test
    void aPodThatIsNextIsNotAskedAboutAgain() {
        open();
        startGated();
        decisionLater();
        show(a);
        assertEquals(Part.ACTIVE, partOf(a));
        gate.answer(PRE_ENQUEUE, CLOSED);
        show(version(a, 2));
        assertEquals(Part.ACTIVE, partOf(a));
    }

    @Test
    void aFailedPodIsAskedAboutWhenItComesBackAndNotWhenItsBackoffEnds() {
        ScriptedPlugin failing = plugin("Failing").answer(RESERVE, Status.error("x"));
        open();
        start(MODERN, profile -> profile.preEnqueue(gate).reserve(failing));
        show(a);
        gate.answer(PRE_ENQUEUE, CLOSED);
        answerRead(new PodRead.Found(a));
        assertEquals(Part.GATED, partOf(a));

        open();
        show(version(a, 2));
        answerRead(new PodRead.Found(version(a, 2)));
        assertEquals(Part.BACKOFF, partOf(a));
        gate.answer(PRE_ENQUEUE, CLOSED);
        calls.clear();
        pass(Duration.ofSeconds(30));
        assertEquals(List.of("Failing reserve a n1", "Failing unreserve a n1"), takeReserves());
        answerRead(new PodRead.Found(version(a, 2)));
        assertEquals(Part.GATED, partOf(a));
    }

    @Test
    void anUnschedulablePodIsAskedAboutWhenItIsMoved() {
        ScriptedPlugin full = plugin("Full").answer(ExtensionPoint.FILTER, Status.unschedulable("full"));
        open();
        start(MODERN, profile -> profile.preEnqueue(gate).filter(full));
        show(a);
        answerRead(new PodRead.Found(a));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
        gate.answer(PRE_ENQUEUE, CLOSED);
        pass(Duration.ofSeconds(20));
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
        post(new ClusterChange.NodeUpserted(node("n3").build()));
        assertEquals(Part.GATED, partOf(a));
    }

    @Test
    void aGatedPodLeavesWithItsDeletionOrItsNode() {
        startGated();
        show(a);
        delete(a);
        assertNull(partOf(a));
        PodInfo b = pod("b").uid("ub").build();
        show(b);
        show(version(b.withNodeName("n2"), 2));
        assertNull(partOf(b));
        assertEquals(List.of("ub"), podsOn("n2"));
    }

    @Test
    void anotherPodOfTheSameNameIsAskedAboutAnew() {
        PreEnqueuePlugin onlyNew = new PreEnqueuePlugin() {
            @Override
            public String name() {
                return "OnlyNew";
            }

            @Override
            public Status preEnqueue(PodInfo pod) {
                return pod.uid().equals("ua") ? CLOSED : Status.SUCCESS;
            }
        };
        start(MODERN, profile -> profile.preEnqueue(onlyNew));
        show(a);
        show(pod("a").uid("new").build());
        assertEquals(List.of("bind new n1"), writer.takeCalls());
    }

    @Test
    void otherProfilesOpenTheGate() {
        startGated();
        show(a);
        replace(runtime(TestProfiles.NAME, profile(MODERN, profile -> profile.filter(plugin("F")))));
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
    }

    @Test
    void otherProfilesHoldBackWhatWaits() {
        open();
        startGated();
        decisionLater();
        show(a);
        assertEquals(Part.ACTIVE, partOf(a));
        ScriptedPlugin closed = plugin("Closed").answer(PRE_ENQUEUE, CLOSED);
        replace(runtime(TestProfiles.NAME, profile(MODERN, profile -> profile.preEnqueue(closed))));
        assertEquals(Part.GATED, partOf(a));
    }
}
