package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.tests.e2e.Manifest;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Victims are evicted once for a pod, with an event about it. */
@Tag("faults")
@Timeout(120)
class EvictionTest {
    private static final int LONG_GRACE = 600;

    private final FaultWorld world = new FaultWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private void fill(int nodes) {
        world.addNodes(nodes, "1");
        world.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        world.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        for (int i = 0; i < nodes; i++) {
            ObjectNode pod = Manifest.podWithPriority("low" + i, "1", "low");
            pod.withObject("/spec").put("terminationGracePeriodSeconds", LONG_GRACE);
            world.server().load(pod);
        }
        world.awaitAllBound(nodes);
    }

    private List<String> victims() {
        return world.server().list("pods").stream()
                .filter(pod -> pod.path("metadata").has("deletionTimestamp"))
                .map(pod -> pod.path("metadata").path("name").asText())
                .toList();
    }

    private void awaitVictims(int count) {
        world.await(count + " victims", () -> victims().size() == count);
    }

    private static Predicate<Call> nominations() {
        return FaultWorld.statusPatches();
    }

    static Stream<Named<Supplier<ProfileSettings>>> profiles() {
        return Stream.of(Named.of("1.17", FaultWorld::legacy), Named.of("today", FaultWorld::modern));
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void oneEvictionForOnePodAlsoByTheNextProcess(Supplier<ProfileSettings> profile) {
        LiveScheduler first = world.start(profile.get());
        fill(3);
        world.server().load(Manifest.podWithPriority("high", "1", "high"));
        awaitVictims(1);
        world.await(
                "it is told", () -> !world.events(victims().get(0), "Preempted").isEmpty());
        world.stop(first);
        world.start(profile.get());
        int before = attempts();
        // The room suffices, so that the pod is tried again, but another filter rejects it.
        ObjectNode closed = Manifest.node("small", "4");
        closed.withArray("/spec/taints")
                .addObject()
                .put("key", "k")
                .put("value", "v")
                .put("effect", "NoSchedule");
        world.server().load(closed);
        world.await("the next process has tried the pod", () -> attempts() > before);
        assertEquals(1, victims().size(), world::state);
        world.assertSound();
    }

    private int attempts() {
        return world.events("high", "FailedScheduling").stream()
                .mapToInt(event -> Math.max(
                        event.path("count").asInt(1), event.at("/series/count").asInt()))
                .sum();
    }

    @Test
    void aVictimOfTodaysProfilesBearsTheConditionBeforeItGoes() {
        world.start(FaultWorld.modern());
        fill(1);
        world.server().load(Manifest.podWithPriority("high", "1", "high"));
        awaitVictims(1);
        JsonNode condition = world.condition("low0", "DisruptionTarget");
        assertEquals("True", condition.path("status").asText());
        assertEquals("PreemptionByScheduler", condition.path("reason").asText());
        assertEquals(
                Manifest.SCHEDULER + ": preempting to accommodate a higher priority pod",
                condition.path("message").asText());
        world.await("it is told", () -> !world.events("low0", "Preempted").isEmpty());
        ObjectNode event = world.events("low0", "Preempted").get(0);
        String uid = world.server()
                .get("pods", "default", "high")
                .orElseThrow()
                .path("metadata")
                .path("uid")
                .asText();
        assertEquals(
                "Preempted by pod " + uid + " on node n0", event.path("message").asText());
        assertEquals(uid, event.path("related").path("uid").asText());
        assertEquals(
                "1",
                event.path("metadata")
                        .path("annotations")
                        .path("policy-scheduler.io/generation")
                        .asText());
        List<Call> calls = world.proxy().calls();
        int marked = index(
                calls, call -> call.method().equals("PATCH") && call.path().endsWith("/low0/status"));
        int deleted = index(
                calls, call -> call.method().equals("DELETE") && call.path().endsWith("/low0"));
        assertEquals(true, marked >= 0 && marked < deleted, calls::toString);
    }

    private static int index(List<Call> calls, Predicate<Call> which) {
        for (int i = 0; i < calls.size(); i++) {
            if (which.test(calls.get(i))) {
                return i;
            }
        }
        return -1;
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void aDeletionIsRepeatedForTheSameVictimUntilTheWatchShowsIt(Supplier<ProfileSettings> profile) {
        world.start(profile.get());
        fill(3);
        world.proxy().order(1, FaultWorld.deletes(), Fault.Answer.refused(500, "etcdserver: request timed out"));
        world.proxy().order(1, FaultWorld.deletes(), Fault.Answer.notFoundPage());
        world.proxy().order(10, FaultWorld.deletes(), new Fault.LostAnswer());
        world.server().load(Manifest.podWithPriority("high", "1", "high"));
        world.await(
                "it is told",
                () -> victims().stream()
                        .anyMatch(victim -> !world.events(victim, "Preempted").isEmpty()));
        assertEquals(1, victims().size(), world::state);
        assertEquals(3, world.proxy().count(FaultWorld.deletes()));
        assertEquals(
                1,
                world.proxy().calls().stream()
                        .filter(FaultWorld.deletes())
                        .map(Call::path)
                        .distinct()
                        .count(),
                "victims asked for");
        world.assertSound();
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void theEvictionOfADeadNodeIsForgotten(Supplier<ProfileSettings> profile) {
        world.start(profile.get());
        fill(2);
        world.server().load(Manifest.podWithPriority("high", "1", "high"));
        awaitVictims(1);
        String dead = world.nodeOf(victims().get(0));
        world.update(
                "nodes",
                "",
                dead,
                node -> node.withObject("/spec")
                        .putArray("taints")
                        .addObject()
                        .put("key", "node.kubernetes.io/unreachable")
                        .put("effect", "NoSchedule"));
        awaitVictims(2);
        String alive = dead.equals("n0") ? "n1" : "n0";
        world.deleteNow(victims().stream()
                .filter(victim -> world.nodeOf(victim).equals(alive))
                .findFirst()
                .orElseThrow());
        world.awaitBound("high");
        assertEquals(alive, world.nodeOf("high"));
        world.assertSound();
    }

    @Test
    void aNominationThatCannotBeWrittenEvictsNobody() {
        world.start(FaultWorld.modern());
        fill(1);
        world.proxy().order(4, nominations(), new Fault.LostAnswer());
        world.server().load(Manifest.podWithPriority("high", "1", "high"));
        awaitVictims(1);
        world.assertSound();
    }

    @Test
    void aVictimThatOnlyWaitsAtPermitIsRejectedAndNotDeleted() {
        world.start(FaultWorld.modernWith(WaitingRoom.NAME, handle -> new WaitingRoom()));
        world.addNodes(1, "1");
        world.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        world.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        world.server().load(Manifest.podWithPriority("low", "1", "low"));
        world.await("it waits at permit", () -> world.state().contains("binding=1"));
        world.server().load(Manifest.podWithPriority("high", "1", "high"));
        world.awaitBound("high");
        world.await(
                "the rejection is told",
                () -> !world.events("low", "FailedScheduling").isEmpty());
        assertEquals(0, world.proxy().count(FaultWorld.deletes()), "pods deleted");
        assertEquals("", world.nodeOf("low"));
        world.assertSound();
    }

    /** Creates waiting pods of low priority. */
    private static final class WaitingRoom implements PermitPlugin {
        static final String NAME = "WaitingRoom";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Answer permit(CycleState state, PodInfo pod, String node) {
            return pod.priority() > 100 ? Answer.APPROVED : Answer.waitFor(Duration.ofMinutes(10));
        }
    }
}
