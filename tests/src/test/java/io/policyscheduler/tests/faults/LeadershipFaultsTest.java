package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.kube.election.ResourceLock;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.tests.e2e.Manifest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two replicas, and a bind in flight when the leader ends. */
@Tag("faults")
@Timeout(120)
class LeadershipFaultsTest {
    private final FaultWorld world = new FaultWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static LeaderElectionConfig candidate(String identity) {
        return new LeaderElectionConfig(
                ResourceLock.LEASES,
                "kube-system",
                "faults",
                identity,
                Duration.ofSeconds(6),
                Duration.ofSeconds(4),
                Duration.ofMillis(500),
                true);
    }

    private String holder() {
        return world.server()
                .get("leases", "kube-system", "faults")
                .orElseThrow()
                .path("spec")
                .path("holderIdentity")
                .asText("");
    }

    private LiveScheduler start(String identity) {
        return world.start(FaultWorld.legacy(), SchedulerOptions.defaults(), candidate(identity));
    }

    @Test
    void leadershipIsNotHandedOverWhileABindMayYetBeCarriedOut() {
        world.addNodes(1, "1");
        LiveScheduler first = start("first");
        world.await("the first one leads", first::isLeader);
        LiveScheduler second = start("second");
        world.proxy().order(1, FaultWorld.binds(), new Fault.Late(Duration.ofSeconds(5)));
        world.proxy().order(1000, FaultWorld.podReads(), Fault.Answer.refused(500, "no"));
        world.server().load(Manifest.pod("late", "1"));
        world.await("the bind is under way", () -> world.proxy().count(FaultWorld.binds()) == 1);
        world.stop(first);
        assertFalse(second.isLeader());
        assertEquals("first", holder(), "the lease runs out; it is not given back");
        world.server().load(Manifest.pod("next", "1"));
        world.proxy().heal();
        world.awaitBound("late");
        world.await("the second one leads", second::isLeader);
        world.awaitUnschedulable("next", "0/1 nodes are available: 1 Insufficient cpu.");
        world.assertSound();
    }

    @Test
    void leadershipIsHandedOverAtOnceWhenEveryBindIsAnswered() {
        world.addNodes(2, "4");
        LiveScheduler first = start("first");
        world.await("the first one leads", first::isLeader);
        world.addPods("p", 5, "100m");
        world.awaitAllBound(5);
        world.stop(first);
        assertEquals("", holder());
        LiveScheduler second = start("second");
        world.await("the second one leads", second::isLeader);
        world.addPods("q", 5, "100m");
        world.awaitAllBound(10);
        world.assertSound();
    }

    @Test
    void aLeaderThatLosesTheServerInTheMiddleOfBindsBindsNothingTwice() {
        world.addNodes(4, "2");
        LiveScheduler first = start("first");
        world.await("the first one leads", first::isLeader);
        LiveScheduler second = start("second");
        world.proxy().order(4, FaultWorld.binds(), new Fault.Late(Duration.ofSeconds(3)));
        world.addPods("p", 16, "500m");
        world.await("binds are under way", () -> world.proxy().count(FaultWorld.binds()) >= 4);
        world.proxy().goDown();
        world.await("the first one leads no more", () -> !first.isLeader());
        world.proxy().comeUp();
        world.await("one of them leads", () -> first.isLeader() || second.isLeader());
        world.awaitAllBound(16);
        // Both may report a pod that the first one has bound and the second one found bound.
        assertEquals(List.of(), world.server().violations(), world::state);
    }
}
