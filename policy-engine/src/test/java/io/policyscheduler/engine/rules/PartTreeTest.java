package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.ExpressionPart;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartValue;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.TermText;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartTreeTest {
    private static final PodInfo POD = pod("db-1").label("app", "db").build();
    private static final ClusterState CLUSTER = cluster(
            node("n1").cpu("4").label("zone", "a").build(),
            pod("a").label("app", "db").onNode("n1").build(),
            pod("b").label("app", "web").onNode("n1").build(),
            pod("c").onNode("n1").build());

    private static RuleProgram compile(String expression) throws RuleException {
        try {
            return RuleCompiler.standard().compile(expression, Map.of("n", 2, "yes", true), RuleType.BOOL);
        } catch (RuleException e) {
            return RuleCompiler.standard().compile(expression, Map.of("n", 2, "yes", true), RuleType.NUMBER);
        }
    }

    /** The position of a part, without enclosing parentheses. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "(node.podCount<3)||( pod.hasLabel('a') ) -> (node.podCount<3)||( pod.hasLabel('a') ); node.podCount<3;"
                        + " node.podCount; 3; pod.hasLabel('a'); 'a'",
                "!(true && false) -> !(true && false); true && false; true; false",
                "(p in node.pods if p.hasLabel('a')).size() < 3 -> (p in node.pods if p.hasLabel('a')).size() < 3;"
                        + " (p in node.pods if p.hasLabel('a')).size(); (p in node.pods if p.hasLabel('a')); node.pods;"
                        + " p.hasLabel('a'); 'a'; p; 3",
                "pod.labels['app'] == 'db' -> pod.labels['app'] == 'db'; pod.labels['app']; pod.labels; 'app'; 'db'",
                "x = node.podCount * 2; if (x > params.n) { return 1; } else { return - x; } -> "
                        + "x = node.podCount * 2; if (x > params.n) { return 1; } else { return - x; }; node.podCount * 2;"
                        + " node.podCount; 2; if (x > params.n) { return 1; } else { return - x; }; x > params.n; x;"
                        + " params.n; 1; - x; x",
                "Math.max(pod.cpu, 1) in [1, 2] -> Math.max(pod.cpu, 1) in [1, 2]; Math.max(pod.cpu, 1); pod.cpu; 1;"
                        + " [1, 2]; 1; 2",
                "node.pods.any(p, p.cpu > 1) ? 1 : (2) -> node.pods.any(p, p.cpu > 1) ? 1 : (2);"
                        + " node.pods.any(p, p.cpu > 1); node.pods; p.cpu > 1; p.cpu; 1; 1; 2",
            })
    void partsStandWhereTheyAreWritten(String expression, String parts) throws RuleException {
        List<String> texts = new ArrayList<>();
        compile(expression).source().forEach(part -> texts.add(part.text()));
        assertEquals(parts, String.join("; ", texts));
    }

    @Test
    void linesAndColumnsStartAtOne() throws RuleException {
        ExpressionPart source =
                compile("node.podCount < 3\n  && pod.hasLabel('a')").source();
        assertEquals(1, source.line());
        assertEquals(1, source.column());
        assertEquals(2, source.parts().get(1).line());
        assertEquals(6, source.parts().get(1).column());
    }

    private static String text(PartValue value) {
        return value.part().text() + ": " + value.statistics().evaluations() + " "
                + value.statistics().trues() + " "
                + (value.statistics().value() == null
                        ? "null"
                        : TermText.of(value.statistics().value()));
    }

    private static void collect(PartValue value, List<String> into) {
        into.add(text(value));
        value.parts().forEach(part -> collect(part, into));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "node.podCount < 5 || pod.cpu > 1 -> node.podCount < 5 || pod.cpu > 1: 1 1 true; node.podCount < 5: 1 1 true;"
                        + " node.podCount: 1 0 3; 5: 1 0 5; pod.cpu > 1: 0 0 null; pod.cpu: 0 0 null; 1: 0 0 null",
                "1 / (node.podCount - 3) > 0 || true -> 1 / (node.podCount - 3) > 0 || true: 1 1 true;"
                        + " 1 / (node.podCount - 3) > 0: 1 0 null; 1 / (node.podCount - 3): 1 0 null; 1: 1 0 1;"
                        + " node.podCount - 3: 1 0 0; node.podCount: 1 0 3; 3: 1 0 3; 0: 1 0 0; true: 1 1 true",
                "node.pods.any(p, p.name == 'b') -> node.pods.any(p, p.name == 'b'): 1 1 true; node.pods: 1 0 3;"
                        + " p.name == 'b': 2 1 true; p.name: 2 0 'b'; 'b': 2 0 'b'",
                "(p.cpu in node.pods if p.hasLabel('app')).size() == 2 -> (p.cpu in node.pods if p.hasLabel('app')).size() =="
                        + " 2: 1 1 true; (p.cpu in node.pods if p.hasLabel('app')).size(): 1 0 2; (p.cpu in node.pods if"
                        + " p.hasLabel('app')): 1 0 2; node.pods: 1 0 3; p.hasLabel('app'): 3 2 false; 'app': 3 0 'app';"
                        + " p.cpu: 2 0 0; 2: 1 0 2",
                "params.yes ? node.podCount : pod.cpu -> params.yes ? node.podCount : pod.cpu: 1 0 3;"
                        + " params.yes: 1 1 true; node.podCount: 1 0 3; pod.cpu: 0 0 null",
                "x = 1 / (node.podCount - 3); x > 1 -> x = 1 / (node.podCount - 3); x > 1: 1 0 null;"
                        + " 1 / (node.podCount - 3): 1 0 null; 1: 1 0 1; node.podCount - 3: 1 0 0; node.podCount: 1 0 3;"
                        + " 3: 1 0 3; x > 1: 0 0 null; x: 0 0 null; 1: 0 0 null",
            })
    void tellsWhatThePartsComeTo(String expression, String values) throws RuleException {
        List<String> all = new ArrayList<>();
        collect(compile(expression).trace(POD, info(CLUSTER, "n1"), CLUSTER), all);
        assertEquals(values, String.join("; ", all));
    }

    @Test
    void theWholeComesToWhatTheRuleGives() throws RuleException {
        for (int seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            RuleType type = random.nextBoolean() ? RuleType.BOOL : RuleType.NUMBER;
            String expression = seed % 2 == 0 ? RandomExpression.of(type, random) : RandomIdiom.of(type, random);
            RuleProgram program;
            try {
                program = RuleCompiler.standard().compile(expression, Map.of(), type);
            } catch (RuleException e) {
                continue;
            }
            RandomRuleInput input = RandomRuleInput.of(random);
            RuleProgram.Run run = program.start(input.pod(), input.cluster());
            input.cluster().nodes().forEach(node -> {
                @Nullable Object expected;
                @Nullable String failure = null;
                try {
                    expected = type == RuleType.BOOL ? (Object) run.bool(node) : (Object) run.number(node);
                } catch (RuleFailure e) {
                    expected = null;
                    failure = e.kind().text();
                }
                PartValue whole = program.trace(input.pod(), node, input.cluster());
                assertEquals(expected, whole.statistics().value(), expression);
                assertEquals(failure, whole.statistics().failure(), expression);
            });
        }
    }
}
