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
    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
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
        return fixture.server()
                .get("leases", "kube-system", "faults")
                .orElseThrow()
                .path("spec")
                .path("holderIdentity")
                .asText("");
    }

    private LiveScheduler start(String identity) {
        return fixture.start(FaultFixture.legacy(), SchedulerOptions.defaults(), candidate(identity));
    }

    @Test
    void leadershipIsNotHandedOverWhileABindMayYetBeCarriedOut() {
        fixture.addNodes(1, "1");
        LiveScheduler first = start("first");
        fixture.await("the first one leads", first::isLeader);
        LiveScheduler second = start("second");
        fixture.proxy().order(1, FaultFixture.binds(), new Fault.Late(Duration.ofSeconds(5)));
        fixture.proxy().order(1000, FaultFixture.podReads(), Fault.Answer.refused(500, "no"));
        fixture.server().load(Manifest.pod("late", "1"));
        fixture.await("the bind is under way", () -> fixture.proxy().count(FaultFixture.binds()) == 1);
        fixture.stop(first);
        assertFalse(second.isLeader());
        assertEquals("first", holder(), "the lease runs out; it is not given back");
        fixture.server().load(Manifest.pod("next", "1"));
        fixture.proxy().heal();
        fixture.awaitBound("late");
        fixture.await("the second one leads", second::isLeader);
        fixture.awaitUnschedulable("next", "0/1 nodes are available: 1 Insufficient cpu.");
        fixture.assertSound();
    }

    @Test
    void leadershipIsHandedOverAtOnceWhenEveryBindIsAnswered() {
        fixture.addNodes(2, "4");
        LiveScheduler first = start("first");
        fixture.await("the first one leads", first::isLeader);
        fixture.addPods("p", 5, "100m");
        fixture.awaitAllBound(5);
        fixture.stop(first);
        assertEquals("", holder());
        LiveScheduler second = start("second");
        fixture.await("the second one leads", second::isLeader);
        fixture.addPods("q", 5, "100m");
        fixture.awaitAllBound(10);
        fixture.assertSound();
    }

    @Test
    void aLeaderThatLosesTheServerInTheMiddleOfBindsBindsNothingTwice() {
        fixture.addNodes(4, "2");
        LiveScheduler first = start("first");
        fixture.await("the first one leads", first::isLeader);
        LiveScheduler second = start("second");
        fixture.proxy().order(4, FaultFixture.binds(), new Fault.Late(Duration.ofSeconds(3)));
        fixture.addPods("p", 16, "500m");
        fixture.await("binds are under way", () -> fixture.proxy().count(FaultFixture.binds()) >= 4);
        fixture.proxy().goDown();
        fixture.await("the first one leads no more", () -> !first.isLeader());
        fixture.proxy().comeUp();
        fixture.await("one of them leads", () -> first.isLeader() || second.isLeader());
        fixture.awaitAllBound(16);
        // Both may report a pod that the first one has bound and the second one found bound.
        assertEquals(List.of(), fixture.server().violations(), fixture::state);
    }
}
