package io.policyscheduler.engine.rules.term;

import io.policyscheduler.engine.rules.term.Operation.Group;
import io.policyscheduler.engine.rules.value.RuleType;
import java.util.ArrayList;
import java.util.List;

/** Everything that the language has besides members. Tests compare it with what the parser and the checker know. */
public final class Operations {
    private static final List<Operation> ALL = table();

    private Operations() {}

    /** All operations in the order of the documentation. */
    public static List<Operation> all() {
        return ALL;
    }

    private static List<Operation> table() {
        List<Operation> table = new ArrayList<>();
        operators(table);
        table.add(new Operation(
                Group.FUNCTION,
                List.of("number"),
                "number(text, otherwise)",
                RuleType.NUMBER,
                "reads a string as number or quantity; the second argument when it is neither",
                "number(node.label('gpus'), 0) > 1"));
        table.add(new Operation(
                Group.FUNCTION,
                List.of("quantity"),
                "quantity('512Mi')",
                RuleType.NUMBER,
                "a Kubernetes quantity; where a number is needed, the string literal alone does",
                "pod.memory > quantity('512Mi')"));
        for (Term.StringTest test : Term.StringTest.values()) {
            table.add(string(test.method, text(test), "node.name." + test.method + "('a')"));
        }
        table.add(string(
                "matches",
                "the whole string fits a pattern: . [a-z] [^a] \\d \\w \\s ( ) | * + ?",
                "node.name.matches('gpu-[0-9]+')"));
        table.add(new Operation(
                Group.LIST,
                List.of("size"),
                "s.size",
                RuleType.NUMBER,
                "number of elements",
                "pod.containers.size > 1"));
        for (Term.Operation operation : Term.Operation.values()) {
            boolean asksBool = operation.body == RuleType.BOOL;
            String call = "node.pods." + operation.method + (asksBool ? "(p, p.priority < 0)" : "(p, p.cpu)");
            table.add(new Operation(
                    Group.LIST,
                    List.of(operation.method),
                    "s." + operation.method + "(x, " + operation.body.label() + ")",
                    operation.result,
                    text(operation),
                    operation.result == RuleType.BOOL ? call : call + " < 5"));
        }
        return List.copyOf(table);
    }

    private static void operators(List<Operation> table) {
        table.add(operator(
                "c ? a : b",
                RuleType.NUMBER,
                "a when c is true, else b; both of one type, which is that of the value",
                "(node.hasLabel('gpu') ? 0 : 100) > 50",
                "?",
                ":"));
        table.add(operator(
                "a || b", RuleType.BOOL, "one of the two bools", "node.unschedulable || pod.terminating", "||"));
        table.add(operator("a && b", RuleType.BOOL, "both bools", "node.hasLabel('gpu') && pod.priority > 0", "&&"));
        table.add(operator(
                "a == b",
                RuleType.BOOL,
                "equal, not equal; both sides bools, numbers or strings",
                "pod.namespace != 'prod'",
                "==",
                "!="));
        table.add(
                operator("a < b", RuleType.BOOL, "compares numbers", "node.freeCpu >= pod.cpu", "<", "<=", ">", ">="));
        table.add(operator(
                "a in [b, ...]",
                RuleType.BOOL,
                "equals one of a list of literals, or of a parameter that is a list",
                "pod.namespace in ['prod', 'stage']",
                "in"));
        table.add(operator("a + b", RuleType.NUMBER, "sum, difference", "node.requestedCpu + pod.cpu < 8", "+", "-"));
        table.add(operator(
                "a * b",
                RuleType.NUMBER,
                "product, quotient (7 / 2 is 3.5), remainder; the rule fails when the right side of / and % is 0",
                "node.podCount % 2 == 0",
                "*",
                "/",
                "%"));
        table.add(operator("!a", RuleType.BOOL, "the other bool", "!node.unschedulable", "!"));
    }

    private static Operation operator(String usage, RuleType result, String text, String example, String... names) {
        return new Operation(Group.OPERATOR, List.of(names), usage, result, text, example);
    }

    private static Operation string(String name, String text, String example) {
        return new Operation(Group.STRING, List.of(name), "s." + name + "('...')", RuleType.BOOL, text, example);
    }

    private static String text(Term.StringTest test) {
        return switch (test) {
            case CONTAINS -> "the text is somewhere in the string";
            case STARTS_WITH -> "the string starts with the text";
            case ENDS_WITH -> "the string ends with the text";
        };
    }

    private static String text(Term.Operation operation) {
        return switch (operation) {
            case ANY -> "holds for some element";
            case ALL -> "holds for every element";
            case COUNT -> "number of elements for which it holds";
            case SUM -> "sum over the elements";
            case MAX -> "greatest value, 0 for an empty list";
        };
    }
}
