package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No node is overcommitted, and no pod is lost, whatever happens to a bind and to its watch events. */
@Tag("faults")
@Timeout(120)
class CapacityTest {
    /** The resources that a scheduler watches. */
    private static final int KINDS = WatchedResource.all().size();

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** The defaults, except that a bound pod is read after a second. */
    private static SchedulerOptions impatient() {
        return SchedulerOptions.defaults().withAssumedTtl(Duration.ofSeconds(1));
    }

    @Test
    void assumedPodsKeepTheirRoomWhileTheWatchIsLateAndReadsAreSlow() {
        fixture.addNodes(4, "1");
        fixture.start(FaultFixture.legacy(), impatient(), null);
        fixture.proxy().delayWatches(FaultFixture.watches("pods"), Duration.ofSeconds(4));
        fixture.proxy().order(1000, FaultFixture.podReads(), new Fault.Late(Duration.ofMillis(1500)));
        fixture.addPods("p", 8, "500m");
        fixture.awaitAllBound(8);
        fixture.addPods("q", 4, "500m");
        for (int i = 0; i < 4; i++) {
            fixture.awaitUnschedulable("q" + i, "0/4 nodes are available: 4 Insufficient cpu.");
        }
        fixture.proxy().heal();
        fixture.await("nothing is assumed any more", () -> fixture.state().contains("assumed=0"));
        fixture.assertSound();
    }

    @Test
    void aBogus404LosesNoPod() {
        fixture.addNodes(2, "4");
        fixture.start(FaultFixture.legacy());
        fixture.proxy().order(4, FaultFixture.binds(), Fault.Answer.notFoundPage());
        fixture.proxy().order(6, FaultFixture.podReads(), Fault.Answer.notFoundPage());
        fixture.addPods("p", 6, "200m");
        fixture.awaitAllBound(6);
        fixture.assertSound();
    }

    @Test
    void aBogus404AfterAFailedAttemptLosesNoPod() {
        fixture.addNodes(1, "1");
        fixture.start(FaultFixture.legacy());
        fixture.proxy().order(2, FaultFixture.podReads(), Fault.Answer.notFoundPage());
        fixture.addPods("p", 1, "2");
        fixture.awaitUnschedulable("p0", "0/1 nodes are available: 1 Insufficient cpu.");
        fixture.server().load(Manifest.node("large", "4"));
        fixture.awaitBound("p0");
        fixture.assertSound();
    }

    @Test
    void aServerThatIsTooBusyIsGivenTheTimeItAsksForAndNothingIsDecidedAnew() {
        fixture.addNodes(2, "4");
        fixture.start(FaultFixture.legacy());
        fixture.proxy().order(6, FaultFixture.binds(), Fault.Answer.busy(429, 1));
        fixture.proxy().order(3, FaultFixture.binds(), Fault.Answer.busy(503, 1));
        fixture.addPods("p", 5, "200m");
        fixture.awaitAllBound(5);
        assertEquals(14, fixture.proxy().count(FaultFixture.binds()), "binds sent");
        assertEquals(0, fixture.proxy().count(FaultFixture.podReads()), "pods read");
        for (int i = 0; i < 5; i++) {
            assertEquals(0, fixture.events("p" + i, "FailedScheduling").size(), "events of rejections of p" + i);
        }
        fixture.assertSound();
    }

    @Test
    void bindsThatAreLostRepeatedTornLateOrSwallowedAreCarriedOutOnce() {
        fixture.addNodes(6, "2");
        fixture.start(FaultFixture.legacy());
        fixture.proxy().order(3, FaultFixture.binds(), new Fault.LostAnswer());
        fixture.proxy().order(3, FaultFixture.binds(), new Fault.Repeated());
        fixture.proxy().order(3, FaultFixture.binds(), new Fault.TornAnswer());
        fixture.proxy().order(3, FaultFixture.binds(), new Fault.Late(Duration.ofSeconds(3)));
        fixture.proxy().order(3, FaultFixture.binds(), new Fault.BlackHole());
        fixture.addPods("p", 24, "500m");
        fixture.awaitAllBound(24);
        fixture.assertSound();
    }

    @Test
    void podsCreatedAfterAnOutageAreBoundAsSoonAsTheServerIsBack() {
        fixture.addNodes(3, "4");
        fixture.start(FaultFixture.legacy());
        fixture.addPods("before", 3, "100m");
        fixture.awaitAllBound(3);
        // Pods are bound as soon as the lists are there; the last watch may be opened after that.
        fixture.await("every watch is open", () -> watched(0).size() == KINDS);
        fixture.proxy().goDown();
        fixture.addPods("meanwhile", 3, "100m");
        Await.always(
                Duration.ofSeconds(6),
                "nothing is bound while the server is away",
                () -> fixture.server().bound() == 3,
                fixture::state);
        int before = fixture.proxy().calls().size();
        fixture.proxy().comeUp();
        fixture.addPods("after", 3, "100m");
        fixture.awaitAllBound(9);
        fixture.await("every watch has come back", () -> watched(before).size() == KINDS);
        fixture.assertSound();
    }

    /** Returns the paths of the collections that were watched, without the first calls. */
    private Set<String> watched(int skipped) {
        return fixture.proxy().calls().stream()
                .skip(skipped)
                .filter(Call::isWatch)
                .map(call -> call.target().replaceFirst("\\?.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void goneVersionsAreListedAtOnceOnEveryWatch() {
        fixture.addNodes(2, "4");
        fixture.start(FaultFixture.legacy());
        fixture.proxy().order(KINDS, Call::isWatch, Fault.Answer.refused(410, "too old resource version"));
        fixture.proxy().endWatches();
        fixture.addPods("p", 3, "100m");
        fixture.awaitAllBound(3);
        fixture.assertSound();
    }
}
