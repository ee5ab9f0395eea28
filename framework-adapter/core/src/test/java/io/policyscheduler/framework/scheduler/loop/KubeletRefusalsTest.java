package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.KubeletRejection;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.KubeletRejections.RejectedNodesFilter;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A pod that its kubelet has failed: its room is free at once, and its node waits for the next one. */
class KubeletRefusalsTest extends SchedulerFixture {
    private static final String OUT_OF_CPU =
            "Warning NodeRefusedPod: Node n1 rejected the pod (OutOfcpu): similar pods avoid the node" + " for 10 s";

    private static PodBuilder web() {
        return pod("web").uid("uw").controller("ReplicaSet", "rs", "rs");
    }

    /** Decides instead of the fixture where it is set. */
    private @Nullable Function<PodInfo, Decision> chooser;

    @Override
    Decision decide(PodInfo pod) {
        return chooser == null ? super.decide(pod) : chooser.apply(pod);
    }

    private final PodInfo successor =
            pod("web-2").controller("ReplicaSet", "rs", "rs").build();

    private void bound(PodInfo pod) {
        show(pod);
        assertEquals(List.of(pod.uid()), podsOn("n1"));
        writer.takeCalls();
    }

    private List<String> waitingNodes() {
        return places.waitingFor(successor, clock.instant()).keySet().stream()
                .sorted()
                .toList();
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
        assertEquals(List.of("refused uw OutOfcpu"), reports);
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
    @ValueSource(strings = {"", "DeadlineExceeded"})
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
        assertEquals(Part.UNSCHEDULABLE, partOf(a));
        pass(Duration.ofSeconds(1));
        assertEquals("read ua", writer.takeCalls().get(0));
    }

    static Stream<Arguments> rejections() {
        Stream<String> known = KubeletRejection.ALL.stream()
                .map(KubeletRejection::reason)
                .map(reason -> reason.equals(KubeletRejection.OUT_OF) ? "OutOfexample.com/gpu" : reason);
        return Stream.concat(known, Stream.of("ProviderFailed"))
                .flatMap(reason -> Stream.of(1, 2, 10).map(nodes -> Arguments.of(reason, nodes)));
    }

    /** The policy lacks the predicate that the kubelets check, so that every node looks feasible and rejects each pod. */
    @ParameterizedTest
    @MethodSource("rejections")
    void aReplicaSetWhosePodsEveryNodeRejectsCreatesFewOfThem(String reason, int nodes) {
        StateKeys keys = new StateKeys();
        RejectedNodesFilter filter = new RejectedNodesFilter(places, clock, keys);
        chooser = pod -> firstNode(filter, keys.newState(), pod);
        for (int i = 3; i <= nodes; i++) {
            post(new ClusterChange.NodeUpserted(node("n" + i).build()));
        }
        if (nodes == 1) {
            post(new ClusterChange.NodeDeleted("n2"));
        }
        int created = 0;
        PodInfo live = null;
        for (int second = 0; second < 60; second++) {
            // A second of virtual time in steps: bind, reject, replace, as often as they come.
            for (int step = 0; step < 50; step++) {
                if (live == null) {
                    live = replica(++created).build();
                    show(live);
                }
                while (writer.isAskedToRead()) {
                    answerRead(new PodRead.Found(live));
                }
                String bind = writer.takeCalls().stream()
                        .filter(call -> call.startsWith("bind "))
                        .findFirst()
                        .orElse("");
                if (!bind.isEmpty()) {
                    String node = bind.substring(bind.lastIndexOf(' ') + 1);
                    answerBind(BindOutcome.BOUND);
                    show(replica(created).onNode(node).build());
                    post(new ClusterChange.PodUpserted(
                            replica(created).onNode(node).failed(reason).build()));
                    live = null;
                }
            }
            pass(Duration.ofSeconds(1));
        }
        assertTrue(created > 1 && created <= 6, created + " pods in 60 s");
    }

    private static PodBuilder replica(int number) {
        return pod("web-" + number).uid("u" + number).controller("ReplicaSet", "rs", "rs");
    }

    private Decision firstNode(RejectedNodesFilter filter, CycleState cycle, PodInfo pod) {
        filter.preFilter(cycle, PodContext.of(pod, state));
        for (NodeInfo node : state.nodes()) {
            if (filter.filter(cycle, pod, node).isSuccess()) {
                return new Decision(Decision.Kind.PLACED, node.name(), 10, "", 1, 1);
            }
        }
        return NO_FIT;
    }

    /** Pods that run on some nodes show that not every node rejects them. */
    @Test
    void aKindThatRunsSomewhereDoesNotWaitForAllNodes() {
        for (int i = 1; i <= 4; i++) {
            post(new ClusterChange.NodeUpserted(node("n" + i).build()));
            if (i == 3) {
                show(pod("ok")
                        .uid("ok")
                        .controller("ReplicaSet", "rs", "rs")
                        .onNode("n5")
                        .phase("Running")
                        .build());
            }
            show(replica(i).onNode("n" + i).build());
            post(new ClusterChange.PodUpserted(
                    replica(i).onNode("n" + i).failed("OutOfcpu").build()));
        }
        assertEquals(List.of("n1", "n2", "n3", "n4"), waitingNodes());
    }

    @Test
    void aNodeThatTakesMoreWaitsNoLonger() {
        bound(web().onNode("n1").build());
        post(new ClusterChange.PodUpserted(web().onNode("n1").failed("OutOfcpu").build()));
        post(new ClusterChange.NodeUpserted(node("n1").cpu("64").build()));
        assertEquals(List.of(), waitingNodes());
    }
}
