package io.policyscheduler.framework.insight.whatif;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.whatif.Simulation.PodOutcome;
import io.policyscheduler.framework.plugin.CycleState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final Evaluation DETAILS = Evaluation.failed("details");

    private final ClusterState cluster = new ClusterState();
    private final List<String> taken = new ArrayList<>();

    @BeforeEach
    void makeNodes() {
        cluster.putNode(node("n1").build());
        cluster.putNode(node("n2").build());
    }

    /** Accepts the first node without a running or nominated pod. */
    private final SnapshotScheduler firstFree = new SnapshotScheduler() {
        @Override
        public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
            cluster.startCycle();
            for (NodeInfo node : cluster.nodes()) {
                boolean promised = nominated.on(node.name()).stream().anyMatch(other -> !other.isSame(pod));
                if (node.podCount() == 0 && !promised) {
                    return placed(node.name());
                }
            }
            return FULL;
        }

        @Override
        public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
            return DETAILS;
        }

        @Override
        public PreemptionResult preempt(
                PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
            throw new UnsupportedOperationException("a simulation preempts nobody");
        }
    };

    private static final Decision FULL = new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, "full", 0, 2);

    private static Decision placed(String node) {
        return new Decision(Decision.Kind.PLACED, node, 0, "", 1, 2);
    }

    private List<PodOutcome> run(boolean details, PodInfo... pending) {
        return new Simulation(
                        cluster, firstFree, (state, pod, node) -> taken.add(pod.name() + "@" + node.name()), details)
                .run(List.of(pending), done -> {});
    }

    @Test
    void thePriorityGoesFirstThenTheOrder() {
        assertEquals(
                List.of(
                        new PodOutcome("default/high", placed("n1"), null),
                        new PodOutcome("default/first", placed("n2"), null),
                        new PodOutcome("default/second", FULL, null),
                        new PodOutcome("default/low", FULL, null)),
                run(
                        false,
                        pod("low").priority(-1).build(),
                        pod("first").build(),
                        pod("second").priority(0).build(),
                        pod("high").priority(10).build()));
        assertEquals(List.of("high@n1", "first@n2"), taken);
    }

    @Test
    void aPromisedNodeIsKeptForItsPod() {
        assertEquals(
                List.of(
                        new PodOutcome("default/high", placed("n2"), null),
                        new PodOutcome("default/promised", placed("n1"), null),
                        new PodOutcome("default/last", FULL, null)),
                run(
                        false,
                        pod("promised").nominatedTo("n1").build(),
                        pod("last").build(),
                        pod("high").priority(10).build()));
    }

    /** After a pod was placed elsewhere, its nominated room is free. */
    @Test
    void aPromiseEndsWithThePlace() {
        cluster.addPod(pod("there").onNode("n1").build());
        cluster.putNode(node("n3").build());
        assertEquals(
                List.of(
                        new PodOutcome("default/promised", placed("n2"), null),
                        new PodOutcome("default/other", placed("n3"), null)),
                run(
                        false,
                        pod("promised").nominatedTo("n3").priority(1).build(),
                        pod("other").build()));
    }

    @Test
    void detailsOnlyWhenAskedFor() {
        assertEquals(List.of(new PodOutcome("default/p", placed("n1"), DETAILS)), run(true, pod("p").build()));
    }

    @Test
    void progressIsTheNumberDecided() {
        List<Integer> reported = new ArrayList<>();
        Simulation simulation = new Simulation(cluster, firstFree, (state, pod, node) -> {}, false);
        assertEquals(List.of(), simulation.run(List.of(), reported::add));
        assertEquals(List.of(), reported);
        simulation.run(List.of(pod("a").build(), pod("b").build(), pod("c").build()), reported::add);
        assertEquals(List.of(1, 2, 3), reported);
    }
}
