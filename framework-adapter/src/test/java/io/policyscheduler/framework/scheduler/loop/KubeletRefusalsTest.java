package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.PodRead;
import io.policyscheduler.framework.scheduler.queue.QueuePart;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pod that its kubelet has failed: its room is free at once, and its node waits for the next one. */
class KubeletRefusalsTest extends SchedulerFixture {
    private static final String OUT_OF_CPU =
            "Warning NodeRefusedPod: Node n1 refused the pod (OutOfcpu): similar pods avoid the node" + " for 10 s";

    private static PodBuilder web() {
        return pod("web").uid("uw").controller("ReplicaSet", "rs", "rs");
    }

    private final PodInfo successor =
            pod("web-2").controller("ReplicaSet", "rs", "rs").build();

    private void bound(PodInfo pod) {
        show(pod);
        assertEquals(List.of(pod.uid()), podsOn("n1"));
        writer.takeCalls();
    }

    private List<String> waitingNodes() {
        return List.copyOf(places.waitingFor(successor, clock.instant()).keySet());
    }

    @Test
    void aPodThatVanishesFromItsNodeIsReadAndItsNodeWaits() {
        bound(web().onNode("n1").build());
        delete(web().onNode("n1").build());
        assertEquals(List.of(), podsOn("n1"));
        assertEquals(List.of("read uw"), writer.takeCalls());
        answerRead(new PodRead.Found(web().onNode("n1").failed("OutOfcpu").build()));
        assertEquals(List.of(OUT_OF_CPU), writer.takeCalls());
        assertEquals(List.of("n1"), waitingNodes());
        assertEquals(List.of("refused uw OutOfcpu"), heard);
    }

    @Test
    void aFailedPodThatIsShownNeedsNoReading() {
        bound(web().onNode("n1").build());
        show(version(web().onNode("n1").build(), 1));
        post(new ClusterChange.PodUpserted(web().onNode("n1").failed("OutOfcpu").build()));
        assertEquals(List.of(), podsOn("n1"));
        assertEquals(List.of(OUT_OF_CPU), writer.takeCalls());
        assertEquals(List.of("n1"), waitingNodes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "DeadlineExceeded", "Preempting", "Error"})
    void otherFailuresAreNoRefusal(String reason) {
        bound(web().onNode("n1").build());
        delete(web().onNode("n1").build());
        answerRead(new PodRead.Found(web().onNode("n1").failed(reason).build()));
        assertEquals(List.of("read uw"), writer.takeCalls());
        assertEquals(List.of(), waitingNodes());
    }

    @Test
    void whatIsNotThereOrAnotherPodSaysNothing() {
        bound(web().onNode("n1").build());
        delete(web().onNode("n1").build());
        answerRead(new PodRead.NotFound());
        bound(web().onNode("n1").build());
        delete(web().onNode("n1").build());
        answerRead(new PodRead.Found(
                web().uid("other").onNode("n1").failed("OutOfcpu").build()));
        assertEquals(List.of(), waitingNodes());
    }

    @Test
    void aPodThatWasDeletedIsNotRead() {
        bound(web().onNode("n1").terminating().build());
        delete(web().onNode("n1").build());
        assertEquals(List.of(), writer.takeCalls());
    }

    @Test
    void aStandbyLeavesItToTheLeader() {
        bound(web().onNode("n1").build());
        post(new ClusterChange.SchedulingEnabled(false));
        delete(web().onNode("n1").build());
        assertEquals(List.of(), writer.takeCalls());
    }

    @Test
    void podsOfOtherSchedulersAreNotRead() {
        bound(web().schedulerName("other").onNode("n1").build());
        delete(web().onNode("n1").build());
        assertEquals(List.of(), writer.takeCalls());
    }

    @Test
    void onlySoManyAreReadInASecond() {
        for (int round = 1; round <= 2; round++) {
            for (int i = 0; i < 30; i++) {
                show(pod("p" + i).onNode("n1").build());
            }
            for (int i = 0; i < 30; i++) {
                delete(pod("p" + i).onNode("n1").build());
            }
            assertEquals(20, writer.takeCalls().size());
            pass(Duration.ofSeconds(1));
        }
    }

    @Test
    void podsThatWaitedForTheNodeAreTriedWhenItsWaitIsOver() {
        bound(web().onNode("n1").build());
        post(new ClusterChange.PodUpserted(web().onNode("n1").failed("OutOfcpu").build()));
        makeUnschedulable();
        clock.advance(Duration.ofSeconds(9));
        run();
        assertEquals(QueuePart.UNSCHEDULABLE, partOf(a));
        pass(Duration.ofSeconds(1));
        assertEquals("read ua", writer.takeCalls().get(0));
    }

    @Test
    void aNodeThatTakesMoreWaitsNoLonger() {
        bound(web().onNode("n1").build());
        post(new ClusterChange.PodUpserted(web().onNode("n1").failed("OutOfcpu").build()));
        post(new ClusterChange.NodeUpserted(node("n1").cpu("64").build()));
        assertEquals(List.of(), waitingNodes());
    }
}
