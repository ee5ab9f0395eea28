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

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void watchesThatHaveFallenSilentAreLeftWithin45Seconds() {
        fixture.addNodes(2, "4");
        fixture.start(FaultFixture.legacy());
        fixture.addPods("before", 1, "100m");
        fixture.awaitBound("before0");
        Map<String, Long> before = watches();
        fixture.proxy().delayWatches(Call::isWatch, Duration.ofHours(1));
        long start = System.nanoTime();
        fixture.addPods("meanwhile", 1, "100m");
        fixture.await(LIMIT, "every watch is asked for again", () -> {
            Map<String, Long> now = watches();
            return before.entrySet().stream()
                    .allMatch(watch -> now.getOrDefault(watch.getKey(), 0L) > watch.getValue());
        });
        fixture.proxy().heal();
        fixture.awaitBound("meanwhile0");
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(LIMIT.plusSeconds(5)) < 0, took::toString);
        fixture.assertSound();
    }

    /** Returns the number of requests for each path. */
    private Map<String, Long> watches() {
        return fixture.proxy().calls().stream()
                .filter(Call::isWatch)
                .collect(Collectors.groupingBy(Call::path, Collectors.counting()));
    }
}
