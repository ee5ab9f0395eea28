package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.ProfileSettings;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The end of an outage in which a load balancer responds for the API server, while binds are in flight. The scheduler continues within
 * 2.5 s, although its pods had many failed attempts; on a quiet machine after 0.6 s.
 */
@Tag("faults")
@Timeout(180)
class RecoveryTest {
    private static final int PODS = 20;
    private static final int ALL = 1_000_000;
    /** Shorter than the time after which delays reach 10 s without a known outage. */
    private static final int CALLS_OF_OUTAGE = 30;

    private static final int REQUESTS_WITH_GROWING_DELAYS = 6;

    private static final Duration LIMIT = Duration.ofMillis(2_500);

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private record Case(Supplier<ProfileSettings> profile, Fault.Answer response) {}

    static Stream<Named<Case>> cases() {
        Fault.Answer badGateway = Fault.Answer.refused(502, "bad gateway");
        return Stream.of(
                Named.of("1.17, 404", new Case(FaultFixture::legacy, Fault.Answer.notFoundPage())),
                Named.of("1.17, 502", new Case(FaultFixture::legacy, badGateway)),
                Named.of("today, 404", new Case(FaultFixture::modern, Fault.Answer.notFoundPage())),
                Named.of("today, 502", new Case(FaultFixture::modern, badGateway)));
    }

    private long bound() {
        return fixture.server().list("pods").stream()
                .filter(pod -> !pod.path("spec").path("nodeName").asText("").isEmpty())
                .count();
    }

    private long nanosToBind(int count) {
        long start = System.nanoTime();
        fixture.await(PODS + " pods are bound", () -> bound() == count);
        return System.nanoTime() - start;
    }

    /** Includes the creation of the pods, because a real server is slow enough that most of them are bound during it. */
    private long nanosWithoutOutage() {
        long start = System.nanoTime();
        fixture.addPods("before", PODS, "1");
        nanosToBind(PODS);
        return System.nanoTime() - start;
    }

    /** @param without the time to create and bind as many pods without an outage */
    private void assertBoundSoonAfterTheOutage(long without) {
        fixture.proxy().heal();
        long after = nanosToBind(2 * PODS);
        long limit = LIMIT.toNanos() + 3 * without;
        assertTrue(
                after <= limit,
                () -> "bound " + Duration.ofNanos(after) + " after the outage, without one after "
                        + Duration.ofNanos(without));
        fixture.assertSound();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void bindsInFlightAreRepeatedSoonAfterAnOutage(Case one) {
        fixture.start(one.profile().get());
        fixture.addNodes(5, "100");
        long without = nanosWithoutOutage();
        Predicate<Call> everything = call -> true;
        fixture.proxy().order(ALL, FaultFixture.binds(), one.response());
        fixture.addPods("during", PODS, "1");
        fixture.await("binds are in flight", () -> fixture.proxy().count(FaultFixture.binds()) >= PODS + 1);
        fixture.proxy().order(ALL, everything, one.response());
        fixture.proxy().endWatches();
        long calls = fixture.proxy().count(everything);
        fixture.await("the outage is long", () -> fixture.proxy().count(everything) >= calls + CALLS_OF_OUTAGE);
        assertEquals(PODS, bound(), fixture::state);
        assertBoundSoonAfterTheOutage(without);
    }

    /** Reads and watches work, so that nothing else shows the end of the outage. */
    @ParameterizedTest
    @MethodSource("cases")
    void bindsAreRepeatedSoonAfterOnlyTheyFailed(Case one) {
        fixture.start(one.profile().get());
        fixture.addNodes(5, "100");
        long without = nanosWithoutOutage();
        long sent = fixture.proxy().count(FaultFixture.binds());
        fixture.proxy().order(ALL, FaultFixture.binds(), one.response());
        fixture.addPods("during", PODS, "1");
        fixture.await(
                "all growing delays are over",
                () -> fixture.proxy().count(FaultFixture.binds()) >= sent + PODS * REQUESTS_WITH_GROWING_DELAYS);
        assertEquals(PODS, bound(), fixture::state);
        assertBoundSoonAfterTheOutage(without);
    }
}
