package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.rules.analysis.RuleLint;
import io.policyscheduler.engine.rules.analysis.RuleLint.Finding;
import io.policyscheduler.engine.rules.analysis.RuleLint.LintCode;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartValue;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleLintTest {
    private static final Map<String, Object> PARAMS = Map.of("n", 3.0, "strict", true);

    private static RuleProgram compile(String expression) throws RuleException {
        try {
            return RuleCompiler.standard().compile(expression, PARAMS, RuleType.BOOL);
        } catch (RuleException e) {
            return RuleCompiler.standard().compile(expression, PARAMS, RuleType.NUMBER);
        }
    }

    private static String codes(List<Finding> findings) {
        return findings.stream()
                .map(finding -> finding.code().code() + "@" + finding.place().column())
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "pod.cpu < node.freeCpu -> ``",
                "true -> L001@1",
                "5 -> L001@1",
                "params.strict && pod.cpu > 1 -> ``",
                "params.n > 2 || pod.cpu > 1 -> L001@1",
                "pod.cpu >= 0 && node.podCount < 5 -> L002@1",
                "pod.cpu > 1 && node.podCount < 0 -> L002@16",
                "pod.priority < 3000000000 || node.unschedulable -> L002@1",
                "pod.label('a') == 'x' && pod.label('a') == 'y' -> L002@1",
                "pod.labels['a'] != 'x' || pod.labels['a'] != 'y' -> L002@1",
                "pod.labels['a'] == null && pod.labels['a'] in ['x', 'y'] -> L002@1",
                "pod.labels['a'] != 'x' && pod.labels['a'] != 'y' -> ``",
                "pod.labels['a'] == 'x' || pod.labels['a'] == 'y' -> ``",
                "pod.cpu > 5 && pod.cpu < 3 -> L002@1",
                "pod.cpu >= 3 && pod.cpu <= 3 -> ``",
                "pod.cpu > 3 && pod.cpu <= 3 -> L002@1",
                "pod.cpu < 3 || pod.cpu >= 3 -> L002@1",
                "5 < pod.cpu && pod.cpu == 4 -> L002@1",
                "pod.terminating && !pod.terminating -> L002@1",
                "pod.terminating || (node.unschedulable || !pod.terminating) -> L002@1",
                "pod.cpu > 1 ? node.podCount >= 0 : node.unschedulable -> L002@15",
                "pod.containers.any(c, c.name == 'a' && c.name == 'b') -> L002@23",
                "pod.cpu % 3 < 3 -> ``",
                "Math.min(pod.cpu, 3) <= 3 -> L002@1",
                "pod.containers.count(c, c.init) < 0 -> L002@1",
                "node.unschedulable -> L003@1",
                "pod.cpu -> L004@1",
                "cluster.nodeCount * pod.cpu -> L004@1",
                "pod.containers.count(c, c.init) > 0 -> L005@1",
                "pod.tolerations.filter(c, c.key == 'a').size() < 1 -> L005@1",
                "pod.containers.count(c, c.init) > 1 -> ``",
                "(p in node.pods if p.labels['a'] == 'x').size() < pod.cpu -> L006@1",
                "node.pods.size() < pod.cpu -> L006@1",
                "node.pods.count(p, p.cpu > 1) < pod.cpu -> ``",
                "x = node.podCount * 2; node.podCount -> L008@1",
                "x = node.podCount * 2; x + 1 -> ``",
                "!!pod.terminating -> L010@1",
                "!(!pod.terminating) -> L010@1",
                "pod.cpu == pod.cpu -> L011@1",
                "node.podCount - node.podCount -> L011@1",
                "pod.cpu > 1 && node.unschedulable && pod.cpu > 1 -> L012@38",
                "(pod.cpu > 1 || node.unschedulable) && pod.cpu > 1 -> ``",
                "100 + node.podCount -> L015@1",
                "0 - node.podCount -> L015@1",
                "node.podCount > 5 ? 100 : 250 -> L015@1",
                "100 - node.podCount -> ``",
            })
    void findsWhatIsProbablyNotMeant(String expression, String codes) throws RuleException {
        assertEquals(codes, codes(RuleLint.of(compile(expression))));
    }

    private static RuleDefinition rule(
            String expression,
            @Nullable String when,
            @Nullable String reason,
            @Nullable Boolean resolvable,
            String normalize) {
        return new RuleDefinition(
                "R",
                "",
                expression,
                when,
                Map.of("n", 3.0),
                reason,
                resolvable,
                normalize.isEmpty() ? null : normalize,
                null,
                new RuleDefinition.Place("p.yaml", 1, 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "node.podCount < params.n | pod.cpu > 1 | full | - | `` | ``",
                "node.podCount < params.n | - | full | - | `` | L003@1",
                "node.podCount < 2 | pod.cpu > 1 | full | - | `` | L007@1",
                "node.podCount < 2 | pod.cpu > params.n | full | - | `` | ``",
                "node.podCount < params.n | pod.cpu > 1 | - | - | `` | L013@1",
                "node.label('a') == pod.label('a') && params.n > 1 | - | other | true | `` | L014@1",
                "node.podCount < params.n + pod.cpu | - | full | true | `` | ``",
                "node.podCount < params.n + pod.cpu | - | full | false | `` | ``",
                "node.podCount < params.n | pod.cpu >= 0 | full | - | `` | L002@1",
                "node.podCount < params.n | 'true' | full | - | `` | L001@1 L003@1",
                "node.podCount + 100 * params.n | - | - | - | max | ``",
                "0 - node.podCount * params.n | - | - | - | max | L015@1",
                "0 - node.podCount * params.n | - | - | - | reverse | L015@1",
                "0 - node.podCount * params.n | - | - | - | minmax | ``",
            })
    void looksAtTheOtherFields(
            String expression,
            @Nullable String when,
            @Nullable String reason,
            @Nullable Boolean resolvable,
            String normalize,
            String codes)
            throws RuleException {
        String condition = when == null ? null : when.replace("'true'", "true");
        boolean predicate = expression.contains("<") || expression.contains("==");
        assertEquals(
                codes,
                codes(RuleLint.of(
                        rule(expression, condition, reason, resolvable, normalize),
                        predicate ? RuleType.BOOL : RuleType.NUMBER,
                        RuleTables.none())));
    }

    @Test
    void everyCodeIsAnotherOne() {
        TreeSet<String> codes = new TreeSet<>();
        for (LintCode code : LintCode.values()) {
            codes.add(code.code());
        }
        assertEquals(LintCode.values().length, codes.size());
    }

    /** The suggested replacement has the same value everywhere. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "node.pods.count(p, p.labels['app'] == 'web')",
                "node.pods.count(p, 'web' == p.labels['app'])",
                "node.pods.count(p, p.label('app') == 'web')",
                "node.pods.count(p, p.labels[pod.label('n')] == pod.label('zone'))",
                "node.pods.count(p, p.hasLabel('app'))",
                "node.pods.count(p, p.hasLabel('app', 'web'))",
                "node.pods.count(p, p.labels contains 'zone')",
                "node.pods.count(p, p.labels['zone'] != null)",
                "node.pods.count(p, p.namespace == pod.namespace)",
                "node.pods.any(p, p.namespace == 'web') ? 1 : 0",
                "node.pods.size()",
            })
    void adviceComesToTheSame(String expression) throws RuleException {
        Finding finding = RuleLint.of(compile(expression)).get(0);
        assertEquals(LintCode.COUNTED_MEMBER, finding.code());
        String advised = finding.suggestion().replaceAll("^write (.*), which reads a cached count$", "$1");
        String instead = expression.contains("?") ? advised + " ? 1 : 0" : advised;
        assertNotEquals(expression, instead);
        RuleProgram before = compile(expression);
        RuleProgram after = compile(instead);
        for (int seed = 0; seed < 300; seed++) {
            RandomRuleInput input = RandomRuleInput.of(new Random(seed));
            input.cluster()
                    .nodes()
                    .forEach(node -> assertEquals(
                            before.start(input.pod(), input.cluster()).number(node),
                            after.start(input.pod(), input.cluster()).number(node),
                            instead));
        }
    }

    /** What the linter calls constant is constant on random expressions and clusters; long texts are truncated in messages. */
    @Test
    void isSound() {
        int decided = 0;
        for (int seed = 0; seed < 5_000; seed++) {
            Random random = new Random(seed);
            String expression = RandomExpression.of(RuleType.BOOL, random);
            RuleProgram program;
            try {
                program = RuleCompiler.standard().compile(expression, Map.of(), RuleType.BOOL);
            } catch (RuleException e) {
                continue;
            }
            List<Finding> findings = RuleLint.of(program).stream()
                    .filter(finding -> finding.code() == LintCode.DECIDED)
                    .toList();
            decided += findings.size();
            for (int i = 0; i < 5 && !findings.isEmpty(); i++) {
                RandomRuleInput input = RandomRuleInput.of(random);
                input.cluster()
                        .nodes()
                        .forEach(node -> findings.forEach(
                                finding -> check(program.trace(input.pod(), node, input.cluster()), finding)));
            }
        }
        int found = decided;
        assertTrue(found > 100, () -> found + " findings say little");
    }

    private static void check(PartValue value, Finding finding) {
        String text = value.part().text();
        if (value.part().excerpt().equals(finding.place())) {
            if (finding.message().equals(text + " is always true")) {
                assertEquals(
                        0,
                        value.statistics().falses(),
                        () -> text + " in " + value.part().expression());
            } else if (finding.message().equals(text + " is always false")) {
                assertEquals(
                        0,
                        value.statistics().trues(),
                        () -> text + " in " + value.part().expression());
            }
        }
        value.parts().forEach(part -> check(part, finding));
    }
}
