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

    private final FaultWorld world = new FaultWorld();

    @AfterEach
    void close() {
        world.close();
    }

    /** The defaults, except that a bound pod is read after a second. */
    private static SchedulerOptions impatient() {
        return SchedulerOptions.defaults().withAssumedTtl(Duration.ofSeconds(1));
    }

    @Test
    void assumedPodsKeepTheirRoomWhileTheWatchIsLateAndReadsAreSlow() {
        world.addNodes(4, "1");
        world.start(FaultWorld.legacy(), impatient(), null);
        world.proxy().delayWatches(FaultWorld.watches("pods"), Duration.ofSeconds(4));
        world.proxy().order(1000, FaultWorld.podReads(), new Fault.Late(Duration.ofMillis(1500)));
        world.addPods("p", 8, "500m");
        world.awaitAllBound(8);
        world.addPods("q", 4, "500m");
        for (int i = 0; i < 4; i++) {
            world.awaitUnschedulable("q" + i, "0/4 nodes are available: 4 Insufficient cpu.");
        }
        world.proxy().heal();
        world.await("nothing is assumed any more", () -> world.state().contains("assumed=0"));
        world.assertSound();
    }

    @Test
    void aBogus404LosesNoPod() {
        world.addNodes(2, "4");
        world.start(FaultWorld.legacy());
        world.proxy().order(4, FaultWorld.binds(), Fault.Answer.notFoundPage());
        world.proxy().order(6, FaultWorld.podReads(), Fault.Answer.notFoundPage());
        world.addPods("p", 6, "200m");
        world.awaitAllBound(6);
        world.assertSound();
    }

    @Test
    void aBogus404AfterAFailedAttemptLosesNoPod() {
        world.addNodes(1, "1");
        world.start(FaultWorld.legacy());
        world.proxy().order(2, FaultWorld.podReads(), Fault.Answer.notFoundPage());
        world.addPods("p", 1, "2");
        world.awaitUnschedulable("p0", "0/1 nodes are available: 1 Insufficient cpu.");
        world.server().load(Manifest.node("large", "4"));
        world.awaitBound("p0");
        world.assertSound();
    }

    @Test
    void aServerThatIsTooBusyIsGivenTheTimeItAsksForAndNothingIsDecidedAnew() {
        world.addNodes(2, "4");
        world.start(FaultWorld.legacy());
        world.proxy().order(6, FaultWorld.binds(), Fault.Answer.busy(429, 1));
        world.proxy().order(3, FaultWorld.binds(), Fault.Answer.busy(503, 1));
        world.addPods("p", 5, "200m");
        world.awaitAllBound(5);
        assertEquals(14, world.proxy().count(FaultWorld.binds()), "binds sent");
        assertEquals(0, world.proxy().count(FaultWorld.podReads()), "pods read");
        for (int i = 0; i < 5; i++) {
            assertEquals(0, world.events("p" + i, "FailedScheduling").size(), "refusals told of p" + i);
        }
        world.assertSound();
    }

    @Test
    void bindsThatAreLostRepeatedTornLateOrSwallowedAreCarriedOutOnce() {
        world.addNodes(6, "2");
        world.start(FaultWorld.legacy());
        world.proxy().order(3, FaultWorld.binds(), new Fault.LostAnswer());
        world.proxy().order(3, FaultWorld.binds(), new Fault.Repeated());
        world.proxy().order(3, FaultWorld.binds(), new Fault.TornAnswer());
        world.proxy().order(3, FaultWorld.binds(), new Fault.Late(Duration.ofSeconds(3)));
        world.proxy().order(3, FaultWorld.binds(), new Fault.BlackHole());
        world.addPods("p", 24, "500m");
        world.awaitAllBound(24);
        world.assertSound();
    }

    @Test
    void podsCreatedAfterAnOutageAreBoundAsSoonAsTheServerIsBack() {
        world.addNodes(3, "4");
        world.start(FaultWorld.legacy());
        world.addPods("before", 3, "100m");
        world.awaitAllBound(3);
        // Pods are bound as soon as the lists are there; the last watch may be opened after that.
        world.await("every watch is open", () -> watched(0).size() == KINDS);
        world.proxy().goDown();
        world.addPods("meanwhile", 3, "100m");
        Await.always(
                Duration.ofSeconds(6),
                "nothing is bound while the server is away",
                () -> world.server().bound() == 3,
                world::state);
        int before = world.proxy().calls().size();
        world.proxy().comeUp();
        world.addPods("after", 3, "100m");
        world.awaitAllBound(9);
        world.await("every watch has come back", () -> watched(before).size() == KINDS);
        world.assertSound();
    }

    /** Returns the paths of the collections that were watched, without the first calls. */
    private Set<String> watched(int skipped) {
        return world.proxy().calls().stream()
                .skip(skipped)
                .filter(Call::isWatch)
                .map(call -> call.target().replaceFirst("\\?.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void goneVersionsAreListedAtOnceOnEveryWatch() {
        world.addNodes(2, "4");
        world.start(FaultWorld.legacy());
        world.proxy().order(KINDS, Call::isWatch, Fault.Answer.refused(410, "too old resource version"));
        world.proxy().endWatches();
        world.addPods("p", 3, "100m");
        world.awaitAllBound(3);
        world.assertSound();
    }
}
