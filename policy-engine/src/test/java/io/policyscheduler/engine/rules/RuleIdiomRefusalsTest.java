package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.RuleProblem;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MVEL idioms that are rejected: position, code, reason, and replacement. */
class RuleIdiomRefusalsTest {
    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "len(pod.labels) > 0 -> 1: R014: unknown function 'len'; write .size() after a list or a map, such as pod.labels.size()",
                "pod.labels.len() > 0 -> 12: R013: a map of strings has no member 'len'; write .size() after a list or a map, such as pod.labels.size()",
                "has(pod.labels.app) -> 1: R014: unknown function 'has'; write pod.hasLabel('app'), or pod.labels['app'] != null",
                "pod.name.equals('x') -> 10: R024: 'equals' is not accessible in a rule; compare with ==, as in pod.name == 'web'",
                "pod.Spec.SchedulerName == 'x' -> 5: R013: a pod has no member 'Spec'; did you mean \"pod.schedulerName\"?",
                "pod.metadata.labels['a'] == 'b' -> 5: R013: a pod has no member 'metadata'; did you mean \"pod.labels\"?",
                "node.Status.Allocatable.Cpu > 1 -> 6: R013: a node has no member 'Status'; did you mean \"node.allocatableCpu\"?",
                "pod.spec.nodeName == '' -> 5: R013: a pod has no member 'spec'; members have no spec before them: write pod.schedulerName or node.labels",
                "pod.getName() == 'x' -> 5: R013: a pod has no member 'getName'; did you mean \"name\"?",
                "pod.labels['a'].startsWith('b') -> 17: R029: pod.labels['a'] may be missing; give a default: (pod.labels['a'] or 'none'); or check first: pod.labels['a'] != null && ...",
                "pod.labels['a'] > 1 -> 11: R016: '>' must be a number, not a string that may be missing; convert it: number(..., 0)",
                "pod.labels['a'] == 1 -> 17: R016: '==' between a string that may be missing and a number; both sides must have the same type; number('...', 0) converts a string",
                "!pod.labels['a'] -> 12: R016: '!' must be a bool, not a string that may be missing; compare it: ... != null",
                "pod.labels[pod.labels['a']] == 'b' -> 22: R029: pod.labels['a'] may be missing; give a default: (pod.labels['a'] or 'none'); or check first: pod.labels['a'] != null && ...",
                "(node.labels['a'] or '') == 'b' -> 22: R016: the default after 'or' is blank, which MVEL treats as null; write ....getOrDefault('key', '')",
                "node.labels['a'] == null || node.labels['b'].isEmpty() -> 46: R029: node.labels['b'] may be missing; give a default: (node.labels['b'] or 'none'); or check first: node.labels['b'] != null && ...",
                "node.labels['a'] == null && node.labels['a'].isEmpty() -> 46: R029: node.labels['a'] may be missing; give a default: (node.labels['a'] or 'none'); or check first: node.labels['a'] != null && ...",
                "pod.labels.app.kubernetes.io == 'b' -> 16: R013: an entry has no member 'kubernetes'; write a key with dots or slashes as ['example.com/key']",
                "pod.name == null -> 5: R016: 'null' next to a string, which is never null; compare it with ''",
                "node.podCount == empty -> 6: R016: 'empty' next to a number; compare it with 0",
                "empty == node.labels['a'] -> 1: R016: 'empty' is on the left, where MVEL returns a different result; write ... == empty",
                "pod.labels == empty -> 5: R016: 'empty' next to a map of strings; use .isEmpty(); in MVEL, a map without entries is not 'empty'",
                "pod.labels.size > 1 -> 12: R015: 'size' is called with parentheses; write .size(); to read a label, write ['size']",
                "pod.labels.getClass == 'a' -> 12: R024: 'getClass' is not accessible in a rule; to read a label, write ['getClass']",
                "node.allocatable.gpu > 1 -> 18: R013: unknown resource 'gpu'; did you mean \"cpu\"? write other resources as ['nvidia.com/gpu']",
                "node.taints[0].key == 'a' -> 12: R016: [...] on a list of taints; only labels, annotations, and resources have entries; use any, all, or count on its elements",
                "Math.exp(1) > 1 -> 6: R024: 'Math.exp' is not part of the rule language; there are abs, ceil, floor, log, max, min, round, sqrt",
                "flor(1) > 1 -> 1: R014: unknown function 'flor'; did you mean \"floor\"?",
                "Math.min(1) > 0 -> 6: R015: 'min' with 1 arguments; write Math.min(a, b)",
                "pod.name ~= '(a' -> 13: R018: invalid pattern: '(' has no ')'",
                "pod.name ~= pod.namespace -> 17: R015: the pattern of '~=' must be a constant; write a string literal or a parameter",
                "node.pods contains 'a' -> 11: R016: the left side of 'contains' must be a list of values, not a list of pods; use any: list.any(x, x.name == ...)",
                "(p in node.pods if q.cpu > 1).size() > 0 -> 20: R012: unknown name 'q'; there are cluster, node, now, p, params, pod",
                "(pod in node.pods).size() > 0 -> 2: R015: the name 'pod' is already used; use another name for the element",
                "(p.terminating in node.pods) contains true -> 4: R016: a list of values must contain numbers or strings, not a bool; use any, all, or count, or a filter: (x in list if ...)",
                "$.name == 'a' -> 1: R012: unknown name '$'; $ is only valid in ($ in list if ...), for the element",
                "if (pod.terminating) { return true; } -> 38: R028: this path through the rule ends without a value; end it with return ...; each 'if' needs an 'else' or a 'return' after it",
                "if (pod.terminating) { true } return false -> 24: R028: this value ends its block, but the rule continues after the block; write return before it",
                "if (pod.terminating) return true; return false -> 22: R006: expected a block in '{' and '}', found 'return'; write if (c) { return a; } else { return b; }",
                "if (true) { return true; } else { return false; } return true -> 51: R011: unreachable code after this 'if': both of its blocks return; remove it, or remove a 'return'",
                "return true; return false -> 14: R011: unreachable code after 'return'; remove it",
                "true; false -> 1: R011: unused value; assign it to a local: x = ...; or return it",
                "x = 1; x = 2; x > 1 -> 8: R010: 'x' already has a value; use another name; rules cannot change values",
                "pod = node; true -> 1: R010: 'pod' cannot be changed; use another name; rules cannot change values",
                "Math = 1; true -> 1: R010: 'Math' cannot be changed; use another name; rules cannot change values",
                "pod.labels['a'] = 'b'; true -> 17: R010: '=' is an assignment; rules cannot change values; compare with ==; write a local as x = 1; at the start of a statement",
                "int x = 1; x > 0 -> 1: R009: rules have no 'int'; rules have no types or casts; write a local as x = 1;",
                "String x = 'a'; x == 'b' -> 1: R009: rules have no type 'String'; write a local as x = 1;",
                "while (true) { return true; } -> 1: R009: rules have no 'while'; rules have no loops or jumps; use if, return, and list operations such as any(x, ...)",
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
