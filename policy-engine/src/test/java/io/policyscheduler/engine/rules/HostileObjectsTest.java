package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.rules.RuleProgram.Executor;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Volumes, ports, budgets, and conditions in excessive numbers are charged, and fail no attempt. */
class HostileObjectsTest {
    private static final ClusterState FEW = cluster(100);
    private static final ClusterState MANY = cluster(50_000);
    private static final PodInfo SMALL = pod(100);
    private static final PodInfo LARGE = pod(50_000);

    private static RuleProgram program(String expression) {
        try {
            return RuleCompiler.standard().compile(expression, Map.of(), RuleType.NUMBER);
        } catch (RuleException e) {
            throw new AssertionError(e.problem().format(), e);
        }
    }

    /** A node, a running pod, and an incoming pod whose lists have that many entries. */
    private static ClusterState cluster(int size) {
        ClusterState state = new ClusterState();
        NodeBuilder node = node("n1");
        PodBuilder pod = PodBuilder.pod("running").label("app", "web").onNode("n1");
        for (int i = 0; i < size; i++) {
            node.condition("c" + i, "True", Long.MAX_VALUE - i).image(Long.MAX_VALUE, "i" + i);
            pod.containerPort("", -1, 1 + i, "TCP");
            state.putObject(new DisruptionBudgetInfo(
                    "default", "b" + i, LabelSelector.of(Labels.of("app", "web"), List.of()), -i, Set.of()));
        }
        state.putNode(node.created(Long.MAX_VALUE).build());
        state.addPod(pod.created(1 - Long.MAX_VALUE).build());
        state.startCycle();
        return state;
    }

    private static PodInfo pod(int size) {
        PodBuilder pod = PodBuilder.pod("new").label("app", "web");
        for (int i = 0; i < size; i++) {
            pod.claim("c" + i);
        }
        return pod.build();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "pod.volumes.count(v, v.claimName == 'c7') -> 1 -> 500",
                "pod.claims.size -> 100 -> 300",
                "pod.claims.count(c, c.exists) -> 0 -> 600",
                "pod.volumeZone == null ? 1 : 0 -> 1 -> 300",
                "pod.budgets.size -> 100 -> 200",
                "pod.disruptionsAllowed -> 0 -> 200",
                "node.pods.max(p, p.disruptionsAllowed) -> 0 -> 222",
                "node.conditions.size -> 100 -> 100",
                "node.hostPorts.size -> 100 -> 102",
                "node.images.count(i, i.sizeBytes > 0) -> 100 -> 500",
                "node.ageMinutes + node.conditions.max(c, c.ageMinutes) -> 0 -> 400",
                "node.podsOfOwner(pod.name) -> 0 -> 0",
            })
    void arePaidFor(String expression, double expected, long work) {
        for (Executor executor : Executor.values()) {
            RuleProgram.Run run = program(expression).start(SMALL, FEW, executor);
            assertEquals(expected, run.number(info(FEW, "n1")), executor.toString());
            assertEquals(work, run.work(), executor.toString());
            RuleProgram.Run hostile = program(expression).start(LARGE, MANY, executor);
            NodeInfo node = info(MANY, "n1");
            if (50_000 / 100 * work > 200_000) {
                assertEquals(
                        RuleFailure.Kind.BUDGET,
                        assertThrows(RuleFailure.class, () -> hostile.number(node))
                                .kind(),
                        executor.toString());
            } else {
                assertEquals(true, Double.isFinite(hostile.number(node)), executor.toString());
            }
        }
    }
}
