package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.NodeInfo;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeNumbersTest {
    private final ClusterState cluster = new ClusterState();
    private final NodeNumbers numbers = new NodeNumbers(cluster);
    private final RuleProgram podCount = program("100 - node.podCount");

    NodeNumbersTest() {
        cluster.putNode(node("n1").label("size", "3").build());
        cluster.putNode(node("n2").build());
        cluster.addPod(pod("p").onNode("n1").build());
    }

    private static RuleProgram program(String expression) {
        try {
            return RuleCompiler.standard().compile(expression, Map.of(), RuleType.NUMBER);
        } catch (RuleException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private NodeInfo at(String name) {
        return Objects.requireNonNull(cluster.node(name));
    }

    private double ask(RuleProgram program, String name) {
        cluster.startCycle();
        numbers.startAttempt();
        return numbers.of(at(name), program.start(pod("new").build(), cluster));
    }

    @Test
    void onlyWhatChangedIsAskedAgain() {
        assertEquals(99, ask(podCount, "n1"));
        RuleProgram other = program("7");
        assertEquals(99, ask(other, "n1"), "kept");
        assertEquals(7, ask(other, "n2"), "not asked before");
        cluster.addPod(pod("q").onNode("n1").build());
        assertEquals(98, ask(podCount, "n1"));
        assertEquals(7, ask(podCount, "n2"), "kept");
        cluster.putNode(node("n2").label("a", "b").build());
        assertEquals(100, ask(podCount, "n2"));
        cluster.putNode(node("n3").build());
        assertEquals(100, ask(podCount, "n3"));
        cluster.removeNode("n1");
        cluster.putNode(node("n4").build());
        assertEquals(100, ask(podCount, "n4"), "not what was known of the node before it");
    }

    @Test
    void aCopyMayHoldOtherPods() {
        assertEquals(99, ask(podCount, "n1"));
        NodeInfo copy = at("n1").copy();
        copy.addPod(pod("trial").onNode("n1").build());
        assertEquals(98, numbers.of(copy, podCount.start(pod("new").build(), cluster)));
        assertEquals(99, ask(podCount, "n1"));
    }

    @Test
    void aFailureIsNotKept() {
        RuleProgram failing = program("1 / (node.podCount - 1)");
        assertThrows(RuleFailure.class, () -> ask(failing, "n1"));
        assertThrows(RuleFailure.class, () -> ask(failing, "n1"));
        assertEquals(99, ask(podCount, "n1"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "100 - node.podCount | true",
                "7 | true",
                "node.freeCpu / node.allocatableCpu | true",
                "node.podsWithLabel('net', 'underlay') | true",
                "node.freeCpu - pod.cpu | false",
                "pod.priority | false",
                "cluster.podsWithLabel('app', 'a') - node.podCount | false",
            })
    void whatReadsTheNodeOnly(String expression, boolean nodeOnly) {
        assertEquals(nodeOnly, Reads.nodeOnly(program(expression).reads()), expression);
    }
}
