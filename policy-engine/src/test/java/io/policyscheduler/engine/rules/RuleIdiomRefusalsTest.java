package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.rules.syntax.RuleException;
import io.policyscheduler.engine.rules.syntax.RuleProblem;
import io.policyscheduler.engine.rules.value.RuleType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is refused of the idioms of MVEL: the place, the code, the reason and the way out. */
class RuleIdiomRefusalsTest {
    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "pod.labels['a'].startsWith('b') -> 17: R029: pod.labels['a'] may be missing; give a default: (pod.labels['a'] or 'none'); or ask before: pod.labels['a'] != null && ...",
                "pod.labels['a'] > 1 -> 11: R016: '>' needs a number, found a string that may be missing; read it: number(..., 0)",
                "pod.labels['a'] == 1 -> 17: R016: '==' between a string that may be missing and a number; both sides must be of one type; number('...', 0) reads a number",
                "!pod.labels['a'] -> 12: R016: '!' needs a bool, found a string that may be missing; compare it: ... != null",
                "pod.labels[pod.labels['a']] == 'b' -> 22: R029: pod.labels['a'] may be missing; give a default: (pod.labels['a'] or 'none'); or ask before: pod.labels['a'] != null && ...",
                "(node.labels['a'] or '') == 'b' -> 22: R016: a blank default after 'or', which MVEL takes for null; write ....getOrDefault('key', '')",
                "node.labels['a'] == null || node.labels['b'].isEmpty() -> 46: R029: node.labels['b'] may be missing; give a default: (node.labels['b'] or 'none'); or ask before: node.labels['b'] != null && ...",
                "node.labels['a'] == null && node.labels['a'].isEmpty() -> 46: R029: node.labels['a'] may be missing; give a default: (node.labels['a'] or 'none'); or ask before: node.labels['a'] != null && ...",
                "pod.labels.app.kubernetes.io == 'b' -> 16: R013: an entry has no member 'kubernetes'; a key with dots or slashes is written ['example.com/key']",
                "pod.name == null -> 5: R016: 'null' next to a string, which is never null; compare it with ''",
                "node.podCount == empty -> 6: R016: 'empty' next to a number; compare it with 0",
                "empty == node.labels['a'] -> 1: R016: 'empty' on the left, where MVEL returns another result than on the right; write ... == empty",
                "pod.labels == empty -> 5: R016: 'empty' next to a map of strings; ask .isEmpty(); a map without entries is not 'empty' to MVEL",
                "pod.labels.size > 1 -> 12: R015: 'size' is called with parentheses; write .size(); a label of this name is read with ['size']",
                "pod.labels.getClass == 'a' -> 12: R024: 'getClass' is not reachable from a rule; a label of this name is read with ['getClass']",
                "node.allocatable.gpu > 1 -> 18: R013: no resource is called 'gpu'; did you mean \"cpu\"? others are written ['nvidia.com/gpu']",
                "node.taints[0].key == 'a' -> 12: R016: [...] on a list of taints; labels, annotations and resources have entries; ask its elements with any, all or count",
                "Math.exp(1) > 1 -> 6: R024: 'Math.exp' is not part of a rule; there are abs, ceil, floor, log, max, min, round, sqrt",
                "flor(1) > 1 -> 1: R014: unknown function 'flor'; did you mean \"floor\"?",
                "Math.min(1) > 0 -> 6: R015: 'min' with 1 arguments; write Math.min(a, b)",
                "pod.name ~= '(a' -> 13: R018: bad pattern: '(' without ')'",
                "pod.name ~= pod.namespace -> 17: R015: the pattern of '~=' must be known before the rule runs; write a string literal or use a parameter",
                "node.pods contains 'a' -> 11: R016: 'contains' needs a list of values on its left, found a list of pods; ask with any: list.any(x, x.name == ...)",
                "(p in node.pods if q.cpu > 1).size() > 0 -> 20: R012: unknown name 'q'; there are cluster, node, now, p, params, pod",
                "(pod in node.pods).size() > 0 -> 2: R015: the name 'pod' is taken; use another one for the element",
                "(p.terminating in node.pods) contains true -> 4: R016: a list of values needs numbers or strings, found a bool; ask with any, all or count, or filter: (x in list if ...)",
                "$.name == 'a' -> 1: R012: unknown name '$'; it stands for the element in ($ in list if ...) and nowhere else",
                "if (pod.terminating) { return true; } -> 38: R028: a path through the rule ends here without a value; end it with return ...; and give each 'if' an 'else' or a 'return' after it",
                "if (pod.terminating) { true } return false -> 24: R028: this value ends its block, not the rule, which goes on after it; write return before it",
                "if (pod.terminating) return true; return false -> 22: R006: expected a block in '{' and '}', found 'return'; write if (c) { return a; } else { return b; }",
                "if (true) { return true; } else { return false; } return true -> 51: R011: nothing after this 'if' is reached: both of its blocks return; remove it, or what should not return",
                "return true; return false -> 14: R011: nothing after 'return' is reached; remove it",
                "true; false -> 1: R011: a value that nothing uses; keep it in a local: x = ...; or return it",
                "x = 1; x = 2; x > 1 -> 8: R010: 'x' has a value already; use another name; a rule only looks",
                "pod = node; true -> 1: R010: 'pod' cannot be changed; use another name; a rule only looks",
                "Math = 1; true -> 1: R010: 'Math' cannot be changed; use another name; a rule only looks",
                "pod.labels['a'] = 'b'; true -> 17: R010: '=' would change something; a rule only looks; compare with ==; a local is written x = 1; at the start of a statement",
                "int x = 1; x > 0 -> 1: R009: rules do not have 'int'; there are no types and casts; a local is written x = 1;",
                "String x = 'a'; x == 'b' -> 1: R009: rules do not have the type 'String'; a local is written x = 1;",
                "while (true) { return true; } -> 1: R009: rules do not have 'while'; a rule has no loops and jumps; use if, return and list operations such as any(x, ...)",
            })
    void tellsPlaceReasonAndWayOut(String expression, String expected) {
        RuleException refused = assertThrows(
                RuleException.class,
                () -> RuleCompiler.standard().compile(expression, Map.of("names", List.of("a")), RuleType.BOOL));
        RuleProblem problem = refused.problem();
        assertEquals(expected, problem.column() + ": " + problem.text());
        assertEquals(
                " ".repeat(problem.column() - 1) + "^",
                problem.caret().lines().skip(1).findFirst().orElse(""));
    }
}
