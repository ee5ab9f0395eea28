package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that stops delivering data without being closed. Takes as long as the timeouts allow. */
@Tag("real")
@Tag("faults")
@Timeout(180)
class BlackHoleTest {
    private static final Duration LIMIT = Duration.ofSeconds(45);

    private final FaultWorld world = new FaultWorld();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void watchesThatHaveFallenSilentAreLeftWithin45Seconds() {
        world.addNodes(2, "4");
        world.start(FaultWorld.legacy());
        world.addPods("before", 1, "100m");
        world.awaitBound("before0");
        Map<String, Long> before = watches();
        world.proxy().delayWatches(Call::isWatch, Duration.ofHours(1));
        long start = System.nanoTime();
        world.addPods("meanwhile", 1, "100m");
        world.await(LIMIT, "every watch is asked for again", () -> {
            Map<String, Long> now = watches();
            return before.entrySet().stream()
                    .allMatch(watch -> now.getOrDefault(watch.getKey(), 0L) > watch.getValue());
        });
        world.proxy().heal();
        world.awaitBound("meanwhile0");
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(LIMIT.plusSeconds(5)) < 0, took::toString);
        world.assertSound();
    }

    /** Returns the number of requests for each path. */
    private Map<String, Long> watches() {
        return world.proxy().calls().stream()
                .filter(Call::isWatch)
                .collect(Collectors.groupingBy(Call::path, Collectors.counting()));
    }
}
