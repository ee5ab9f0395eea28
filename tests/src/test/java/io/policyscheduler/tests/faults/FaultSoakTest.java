package io.policyscheduler.tests.faults;

import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.ProfileSettings;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All faults at random, with restarts of the server and of the scheduler, for {@code -Dfaults.seconds=N} (5 if not given) and by
 * {@code -Dfaults.seed=N}. An hour:
 *
 * <pre>mvn -B verify -pl tests -am -Dtest=FaultSoakTest -Dsurefire.failIfNoSpecifiedTests=false -Dfaults.seconds=3600</pre>
 */
@Tag("faults")
class FaultSoakTest {
    private static final int NODES = 10;
    private static final int BATCH = 20;
    /** More pods do not fit. */
    private static final int MAX_BATCHES = 50;

    @Test
    void everyPodIsBoundOnceAndNoNodeOvercommitted() {
        long seconds = Long.getLong("faults.seconds", 5);
        SplittableRandom random = new SplittableRandom(Long.getLong("faults.seed", 1));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (int round = 0; round == 0 || System.nanoTime() < end; round++) {
            round(random, round % 2 == 0 ? FaultFixture.legacy() : FaultFixture.modern(), Math.min(seconds, 60));
        }
    }

    private static void round(SplittableRandom random, ProfileSettings profile, long seconds) {
        try (FaultFixture fixture = new FaultFixture()) {
            fixture.addNodes(NODES, "100");
            LiveScheduler scheduler = fixture.start(profile);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            int batch = 0;
            while (System.nanoTime() < end && batch < MAX_BATCHES) {
                trouble(fixture, random);
                fixture.addPods("b" + batch + "-", BATCH, "100m");
                batch++;
                int bound = BATCH * batch / 2;
                fixture.await(
                        "half of all is bound, come what may",
                        () -> fixture.server().bound() >= bound);
                fixture.proxy().comeUp();
                if (random.nextInt(4) == 0) {
                    fixture.proxy().heal();
                    fixture.stop(scheduler);
                    scheduler = fixture.start(profile);
                }
            }
            fixture.proxy().comeUp();
            fixture.proxy().heal();
            fixture.awaitAllBound(BATCH * batch);
            fixture.assertSound();
        }
    }

    private static void trouble(FaultFixture fixture, SplittableRandom random) {
        FaultProxy proxy = fixture.proxy();
        int times = 1 + random.nextInt(6);
        switch (random.nextInt(11)) {
            case 0 -> proxy.order(times, FaultFixture.binds(), new Fault.LostAnswer());
            case 1 -> proxy.order(times, FaultFixture.binds(), new Fault.Late(Duration.ofMillis(random.nextInt(4000))));
            case 2 -> proxy.order(times, FaultFixture.binds(), new Fault.Repeated());
            case 3 -> proxy.order(times, FaultFixture.binds(), new Fault.TornAnswer());
            case 4 -> proxy.order(times, FaultFixture.binds(), new Fault.BlackHole());
            case 5 -> proxy.order(times, call -> !call.isWatch(), Fault.Answer.notFoundPage());
            case 6 -> proxy.order(times, call -> !call.isWatch(), Fault.Answer.busy(429, 1));
            case 7 -> proxy.order(times, call -> true, Fault.Answer.refused(500, "etcdserver: leader changed"));
            case 8 -> {
                proxy.order(times, Call::isWatch, Fault.Answer.refused(410, "too old resource version"));
                proxy.endWatches();
            }
            case 9 -> proxy.delayWatches(FaultFixture.watches("pods"), Duration.ofMillis(random.nextInt(5000)));
            default -> {
                proxy.goDown();
                proxy.comeUp();
            }
        }
    }
}
