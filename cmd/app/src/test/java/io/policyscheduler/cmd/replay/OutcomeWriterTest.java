package io.policyscheduler.cmd.replay;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.plugin.Status;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OutcomeWriterTest {
    private static final PodInfo POD = pod("p").build();
    private static final NodeFailure FULL = new NodeFailure(List.of("z", "a"), false, "NodeResourcesFit");
    private static final NodeFailure NAMELESS = new NodeFailure(List.of("gone"), true, null);

    private final ObjectNode entry = JsonNodeFactory.instance.objectNode();

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    private static Evaluation placed() {
        return new Evaluation(
                null,
                false,
                List.of("n2", "n1"),
                new TreeMap<>(Map.of("n3", FULL)),
                Map.of("Score", NodeValues.of(Map.of("n1", 3L, "n2", 4L))),
                Map.of("Score", 2L),
                NodeValues.of(Map.of("n1", 6L, "n2", 8L)));
    }

    private static Evaluation early() {
        return new Evaluation(
                "0/1 nodes are available",
                true,
                List.of(),
                new TreeMap<>(Map.of("n1", NAMELESS)),
                Map.of(),
                Map.of(),
                NodeValues.NONE,
                FULL);
    }

    static Stream<Arguments> evaluations() {
        Evaluation only = new Evaluation(
                null, false, List.of("n1"), new TreeMap<>(), Map.of(), Map.of(), NodeValues.of(Map.of("n1", 0L)));
        Evaluation unfit = Evaluation.unfit(2, new TreeMap<>(Map.of("n1", FULL, "n2", NAMELESS)));
        return Stream.of(
                Arguments.of(
                        placed(),
                        "{'pod': 'default/p', 'feasible': ['n1', 'n2'],"
                                + " 'failures': {'n3': {'reasons': ['a', 'z'], 'unresolvable': false}},"
                                + " 'scores': {'Score': {'n1': 3, 'n2': 4}}, 'weights': {'Score': 2},"
                                + " 'totals': {'n1': 6, 'n2': 8}, 'best': ['n2']}",
                        "{'pod': 'default/p', 'feasible': ['n1', 'n2'], 'failures': {'n3': {'reasons': ['a', 'z'],"
                                + " 'unresolvable': false, 'plugin': 'NodeResourcesFit'}}, 'scores': {'Score': {'n1': 3,"
                                + " 'n2': 4}}, 'weights': {'Score': 2}, 'totals': {'n1': 6, 'n2': 8}, 'best': ['n2']}"),
                Arguments.of(
                        only,
                        "{'pod': 'default/p', 'feasible': ['n1'], 'totals': {'n1': 0}, 'best': ['n1']}",
                        "{'pod': 'default/p', 'feasible': ['n1'], 'totals': {'n1': 0}, 'best': ['n1']}"),
                Arguments.of(
                        unfit,
                        "{'pod': 'default/p', 'error': '0/2 nodes are available: 1 a, 1 gone, 1 z.', 'feasible': [],"
                                + " 'failures': {'n1': {'reasons': ['a', 'z'], 'unresolvable': false},"
                                + " 'n2': {'reasons': ['gone'], 'unresolvable': true}}}",
                        "{'pod': 'default/p', 'error': '0/2 nodes are available: 1 a, 1 gone, 1 z.', 'feasible': [],"
                                + " 'failures': {'n1': {'reasons': ['a', 'z'], 'unresolvable': false, 'plugin':"
                                + " 'NodeResourcesFit'}, 'n2': {'reasons': ['gone'], 'unresolvable': true}}}"),
                Arguments.of(
                        Evaluation.failed("broken"),
                        "{'pod': 'default/p', 'error': 'broken', 'feasible': []}",
                        "{'pod': 'default/p', 'error': 'broken', 'feasible': []}"),
                Arguments.of(
                        early(),
                        "{'pod': 'default/p', 'error': '0/1 nodes are available', 'feasible': [],"
                                + " 'failures': {'n1': {'reasons': ['gone'], 'unresolvable': true}}}",
                        "{'pod': 'default/p', 'error': '0/1 nodes are available', 'feasible': [], 'preFilter':"
                                + " {'plugin': 'NodeResourcesFit', 'reasons': ['a', 'z'], 'unresolvable': false}}"));
    }

    /** The form of v1.17 recordings, and that of current releases, which also list the rejecting plugins. */
    @ParameterizedTest
    @MethodSource("evaluations")
    void evaluations(Evaluation evaluation, String v117, String current) throws IOException {
        OutcomeWriter.evaluation(entry, POD, evaluation);
        assertEquals(json(v117), json(entry.toString()));
        ObjectNode other = JsonNodeFactory.instance.objectNode();
        OutcomeWriter.currentEvaluation(other, POD, evaluation);
        assertEquals(json(current), json(other.toString()));
    }

    static Stream<Arguments> gates() {
        return Stream.of(
                Arguments.of(
                        Status.unresolvable("waiting"),
                        "{'plugin': 'SchedulingGates', 'reasons': ['waiting'], 'unresolvable': true}"),
                Arguments.of(
                        Status.rejected(true, List.of("z", "a")),
                        "{'plugin': 'SchedulingGates', 'reasons': ['a', 'z'], 'unresolvable': false}"));
    }

    @ParameterizedTest
    @MethodSource("gates")
    void aPodThatIsNotTried(Status status, String gated) throws IOException {
        OutcomeWriter.gated(entry, POD, "SchedulingGates", status);
        assertEquals(json("{'pod': 'default/p', 'feasible': [], 'gated': " + gated + "}"), entry);
    }

    @Test
    void preemption() throws IOException {
        PodInfo low = pod("low").onNode("n1").build();
        PodInfo lower = pod("lower").onNode("n1").build();
        PreemptionResult result = new PreemptionResult(
                true,
                List.of("n1", "n2"),
                new TreeMap<>(Map.of("n1", new PreemptionResult.Victims(List.of(low, lower), 1))),
                List.of("n1"),
                "n1",
                new TreeMap<>(Map.of("n1", List.of(lower))),
                false);
        OutcomeWriter.preemption(entry, result);
        assertEquals(
                json("{'preemption': {'eligible': true, 'potentialNodes': ['n1', 'n2'], 'candidates':"
                        + " {'n1': {'pods': ['default/low', 'default/lower'], 'pdbViolations': 1}},"
                        + " 'acceptableNodes': ['n1'], 'clearNominations': {'n1': ['default/lower']}}}"),
                entry);
    }

    @Test
    void preemptionThatFails() throws IOException {
        PreemptionResult result = new PreemptionResult(
                false, List.of(), new TreeMap<>(), List.of(), null, new TreeMap<>(), false, "", "broken");
        OutcomeWriter.preemption(entry, result);
        assertEquals(
                json("{'preemption': {'eligible': false, 'error': 'broken', 'potentialNodes': [], 'candidates': {},"
                        + " 'acceptableNodes': []}}"),
                entry);
    }
}
