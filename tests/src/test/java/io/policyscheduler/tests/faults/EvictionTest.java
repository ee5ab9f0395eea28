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

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void fill(int nodes) {
        fixture.addNodes(nodes, "1");
        fixture.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        fixture.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        for (int i = 0; i < nodes; i++) {
            ObjectNode pod = Manifest.podWithPriority("low" + i, "1", "low");
            pod.withObject("/spec").put("terminationGracePeriodSeconds", LONG_GRACE);
            fixture.server().load(pod);
        }
        fixture.awaitAllBound(nodes);
    }

    private List<String> victims() {
        return fixture.server().list("pods").stream()
                .filter(pod -> pod.path("metadata").has("deletionTimestamp"))
                .map(pod -> pod.path("metadata").path("name").asText())
                .toList();
    }

    private void awaitVictims(int count) {
        fixture.await(count + " victims", () -> victims().size() == count);
    }

    private static Predicate<Call> nominations() {
        return FaultFixture.statusPatches();
    }

    static Stream<Named<Supplier<ProfileSettings>>> profiles() {
        return Stream.of(Named.of("1.17", FaultFixture::legacy), Named.of("today", FaultFixture::modern));
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void oneEvictionForOnePodAlsoByTheNextProcess(Supplier<ProfileSettings> profile) {
        LiveScheduler first = fixture.start(profile.get());
        fill(3);
        fixture.server().load(Manifest.podWithPriority("high", "1", "high"));
        awaitVictims(1);
        fixture.await(
                "its event",
                () -> !fixture.events(victims().get(0), "Preempted").isEmpty());
        fixture.stop(first);
        fixture.start(profile.get());
        int before = attempts();
        // The room suffices, so that the pod is tried again, but another filter rejects it.
        ObjectNode closed = Manifest.node("small", "4");
        closed.withArray("/spec/taints")
                .addObject()
                .put("key", "k")
                .put("value", "v")
                .put("effect", "NoSchedule");
        fixture.server().load(closed);
        fixture.await("the next process has tried the pod", () -> attempts() > before);
        assertEquals(1, victims().size(), fixture::state);
        fixture.assertSound();
    }

    private int attempts() {
        return fixture.events("high", "FailedScheduling").stream()
                .mapToInt(event -> Math.max(
                        event.path("count").asInt(1), event.at("/series/count").asInt()))
                .sum();
    }

    @Test
    void aVictimOfTodaysProfilesBearsTheConditionBeforeItGoes() {
        fixture.start(FaultFixture.modern());
        fill(1);
        fixture.server().load(Manifest.podWithPriority("high", "1", "high"));
        awaitVictims(1);
        JsonNode condition = fixture.condition("low0", "DisruptionTarget");
        assertEquals("True", condition.path("status").asText());
        assertEquals("PreemptionByScheduler", condition.path("reason").asText());
        assertEquals(
                Manifest.SCHEDULER + ": preempting to accommodate a higher priority pod",
                condition.path("message").asText());
        fixture.await("its event", () -> !fixture.events("low0", "Preempted").isEmpty());
        ObjectNode event = fixture.events("low0", "Preempted").get(0);
        String uid = fixture.server()
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
        List<Call> calls = fixture.proxy().calls();
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
        fixture.start(profile.get());
        fill(3);
        fixture.proxy().order(1, FaultFixture.deletes(), Fault.Answer.refused(500, "etcdserver: request timed out"));
        fixture.proxy().order(1, FaultFixture.deletes(), Fault.Answer.notFoundPage());
        fixture.proxy().order(10, FaultFixture.deletes(), new Fault.LostAnswer());
        fixture.server().load(Manifest.podWithPriority("high", "1", "high"));
        fixture.await(
                "its event",
                () -> victims().stream()
                        .anyMatch(victim -> !fixture.events(victim, "Preempted").isEmpty()));
        assertEquals(1, victims().size(), fixture::state);
        assertEquals(3, fixture.proxy().count(FaultFixture.deletes()));
        assertEquals(
                1,
                fixture.proxy().calls().stream()
                        .filter(FaultFixture.deletes())
                        .map(Call::path)
                        .distinct()
                        .count(),
                "victims asked for");
        fixture.assertSound();
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void theEvictionOfADeadNodeIsForgotten(Supplier<ProfileSettings> profile) {
        fixture.start(profile.get());
        fill(2);
        fixture.server().load(Manifest.podWithPriority("high", "1", "high"));
        awaitVictims(1);
        String dead = fixture.nodeOf(victims().get(0));
        fixture.update(
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
        fixture.deleteNow(victims().stream()
                .filter(victim -> fixture.nodeOf(victim).equals(alive))
                .findFirst()
                .orElseThrow());
        fixture.awaitBound("high");
        assertEquals(alive, fixture.nodeOf("high"));
        fixture.assertSound();
    }

    @Test
    void aNominationThatCannotBeWrittenEvictsNobody() {
        fixture.start(FaultFixture.modern());
        fill(1);
        fixture.proxy().order(4, nominations(), new Fault.LostAnswer());
        fixture.server().load(Manifest.podWithPriority("high", "1", "high"));
        awaitVictims(1);
        fixture.assertSound();
    }

    @Test
    void aVictimThatOnlyWaitsAtPermitIsRejectedAndNotDeleted() {
        fixture.start(FaultFixture.modernWith(WaitingRoom.NAME, handle -> new WaitingRoom()));
        fixture.addNodes(1, "1");
        fixture.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        fixture.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        fixture.server().load(Manifest.podWithPriority("low", "1", "low"));
        fixture.await("it waits at permit", () -> fixture.state().contains("binding=1"));
        fixture.server().load(Manifest.podWithPriority("high", "1", "high"));
        fixture.awaitBound("high");
        fixture.await(
                "the event of the rejection",
                () -> !fixture.events("low", "FailedScheduling").isEmpty());
        assertEquals(0, fixture.proxy().count(FaultFixture.deletes()), "pods deleted");
        assertEquals("", fixture.nodeOf("low"));
        fixture.assertSound();
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
