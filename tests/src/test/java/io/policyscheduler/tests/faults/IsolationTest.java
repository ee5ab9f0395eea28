package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.ProfileSettings;
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

/** The pods of one tenant do not delay the pods of others. */
@Tag("faults")
@Timeout(120)
class IsolationTest {
    private static final int WAITING = 400;
    private static final Duration SLOW = Duration.ofMillis(300);
    private static final int ALL = 1_000_000;
    /** A busy machine adds to short times; the writes of the waiting pods take 30 s. */
    private static final Duration LEAST = Duration.ofSeconds(2);

    private final FaultWorld world = new FaultWorld();

    @AfterEach
    void close() {
        world.close();
    }

    static Stream<Named<Supplier<ProfileSettings>>> profiles() {
        return Stream.of(Named.of("1.17", FaultWorld::legacy), Named.of("today", FaultWorld::modern));
    }

    private static Predicate<Call> events() {
        return call -> call.method().equals("POST") && call.path().endsWith("/events");
    }

    /** Creates a pod of high priority, and returns the time until a victim is deleted. */
    private long nanosToDelete(String pod) {
        long deletes = world.proxy().count(FaultWorld.deletes());
        long start = System.nanoTime();
        world.server().load(Manifest.podWithPriority(pod, "1", "high"));
        world.await("a victim is deleted for " + pod, () -> world.proxy().count(FaultWorld.deletes()) > deletes);
        return System.nanoTime() - start;
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void evictionsWaitForNoConditionAndNoEvent(Supplier<ProfileSettings> profile) {
        world.start(profile.get());
        world.addNodes(2, "1");
        world.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        world.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        for (int i = 0; i < 2; i++) {
            ObjectNode pod = Manifest.podWithPriority("low" + i, "1", "low");
            pod.withObject("/spec").put("terminationGracePeriodSeconds", 600);
            world.server().load(pod);
        }
        world.awaitAllBound(2);
        world.proxy().order(ALL, FaultWorld.statusPatches().or(events()), new Fault.Late(SLOW));
        long alone = nanosToDelete("first");
        world.addPods("waiting", WAITING, "64");
        world.await(
                "conditions are written",
                () -> world.proxy()
                                .count(call -> FaultWorld.statusPatches().test(call)
                                        && call.path().contains("/waiting"))
                        > 8);
        long crowded = nanosToDelete("second");
        long limit = 3 * Math.max(alone, LEAST.toNanos());
        assertTrue(
                crowded <= limit,
                () -> "deleted after " + Duration.ofNanos(crowded) + ", without waiting pods after "
                        + Duration.ofNanos(alone));
    }

    /** A server with little capacity: two tenants whose pods fit nowhere leave enough of it for the pods that fit. */
    @Test
    void podsThatFitAreBoundWhileTwoProfilesFail() {
        world.start(List.of(FaultWorld.legacy("a"), FaultWorld.modern("b")));
        world.proxy().limit(100);
        world.addPods("lost-a", 40, "64", "a");
        world.addPods("lost-b", 40, "64", "b");
        world.addPods("fits-a", 10, "1", "a");
        world.addPods("fits-b", 10, "1", "b");
        world.addNodes(5, "4");
        world.await(
                Duration.ofSeconds(10),
                "20 pods are bound",
                () -> world.server().list("pods").stream()
                                .filter(pod -> !pod.path("spec")
                                        .path("nodeName")
                                        .asText("")
                                        .isEmpty())
                                .count()
                        == 20);
        world.proxy().limit(0);
        world.assertSound();
    }
}
