package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.backend.TestClock;
import io.policyscheduler.framework.scheduler.loop.KubeletRejections.RejectedNodesFilter;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RejectedNodesFilterTest {
    private final TestClock clock = new TestClock();
    private final KubeletRejections places = new KubeletRejections();
    private final ClusterState cluster = new ClusterState();
    private final PodInfo refused =
            pod("a").controller("ReplicaSet", "rs", "rs").onNode("n1").build();
    private final PodInfo next = pod("b").controller("ReplicaSet", "rs", "rs").build();

    private String decide(Family version, PodInfo pod) {
        StateKeys keys = new StateKeys();
        Profile profile =
                Profile.builder("test", version, keys).build().withFilter(new RejectedNodesFilter(places, clock, keys));
        SchedulingCycle cycle = SchedulingCycle.of(profile, cluster);
        Decision decision = cycle.decide(pod, NominatedPods.NONE, cycle.newState());
        return decision.node() == null ? decision.message() : decision.node();
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void aNodeThatHasRefusedSuchAPodIsLeftOutForAWhile(Family version) {
        cluster.putNode(node("n1").build());
        assertEquals("n1", decide(version, next));
        places.rejected(refused, "OutOfcpu", clock.instant());
        assertEquals("0/1 nodes are available: 1 node(s) rejected a similar pod (OutOfcpu).", decide(version, next));
        assertEquals("n1", decide(version, pod("other").build()));
        cluster.putNode(node("n2").build());
        assertEquals("n2", decide(version, next));
        cluster.removeNode("n2");
        clock.advance(Duration.ofSeconds(10));
        assertEquals("n1", decide(version, next));
    }

    /** The nodes of a pod are not reused for a pod of another owner, whose pods they do not reject. */
    @Test
    void signsTheRejectionsOfThePod() {
        RejectedNodesFilter filter = new RejectedNodesFilter(places, clock, new StateKeys());
        PodInfo other = pod("c").controller("ReplicaSet", "other", "other").build();
        assertEquals(filter.sign(other), filter.sign(next));
        places.rejected(refused, "OutOfcpu", clock.instant());
        assertEquals(Map.of("RefusedPlaces", Map.of("n1", "OutOfcpu")), filter.sign(next));
        assertEquals(Map.of(), filter.sign(other));
        clock.advance(Duration.ofSeconds(10));
        assertEquals(Map.of(), filter.sign(next));
    }
}
