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
        for (MathFunction function : MathFunction.values()) {
            table.add(function(function));
        }
        for (StringTest test : StringTest.values()) {
            table.add(string(test.method(), text(test), "node.name." + test.method() + "('a')"));
        }
        table.add(string(
                "matches",
                "the whole string fits a pattern: . [a-z] [^a] \\d \\w \\s ( ) | * + ?",
                "node.name.matches('gpu-[0-9]+')"));
        table.add(new Operation(
                Group.STRING,
                List.of("length"),
                "s.length()",
                RuleType.NUMBER,
                "number of characters",
                "pod.name.length() < 20"));
        table.add(new Operation(
                Group.STRING,
                List.of("isEmpty"),
                "s.isEmpty()",
                RuleType.BOOL,
                "has no characters",
                "!node.zone.isEmpty()"));
        table.add(new Operation(
                Group.STRING,
                List.of("toLowerCase", "toUpperCase"),
                "s.toLowerCase()",
                RuleType.STRING,
                "in small or capital letters",
                "node.zone.toLowerCase() == 'a'"));
        lists(table);
        return List.copyOf(table);
    }

    private static void lists(List<Operation> table) {
        table.add(new Operation(
                Group.LIST,
                List.of("size"),
                "s.size",
                RuleType.NUMBER,
                "number of elements, also written size()",
                "pod.containers.size > 1"));
        table.add(new Operation(
                Group.LIST,
                List.of("isEmpty"),
                "s.isEmpty()",
                RuleType.BOOL,
                "has no elements",
                "node.taints.isEmpty()"));
        table.add(new Operation(
                Group.LIST,
                List.of("if"),
                "(e in s if c)",
                RuleType.PODS,
                "the elements for which c holds, or values of them; p or $ stands for the element",
                "(p in node.pods if p.labels['app'] == 'web').size() < 3"));
        for (ListOperation operation : ListOperation.values()) {
            table.add(list(operation));
        }
    }

    private static Operation list(ListOperation operation) {
        String method = operation.method();
        String body =
                operation.asksBool() ? "p.priority < 0" : operation == ListOperation.MAP ? "p.namespace" : "p.cpu";
        String call = "node.pods." + method + "(p, " + body + ")";
        String bodyType = operation.asksBool() ? "bool" : operation == ListOperation.MAP ? "value" : "number";
        RuleType result = operation.result(RuleType.PODS, RuleType.STRING);
        String example = switch (operation) {
            case ANY, ALL -> call;
            case COUNT, SUM, MAX -> call + " < 5";
            case FILTER -> call + ".isEmpty()";
            case MAP -> call + " contains 'prod'";
        };
        return new Operation(
                Group.LIST, List.of(method), "s." + method + "(x, " + bodyType + ")", result, text(operation), example);
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
                "a || b",
                RuleType.BOOL,
                "one of the two bools, also written or; between strings, or gives b where a is missing or blank",
                "node.unschedulable || pod.terminating or pod.hostPorts > 0",
                "||",
                "or"));
        table.add(operator(
                "a && b",
                RuleType.BOOL,
                "both bools, also written and",
                "node.hasLabel('gpu') && pod.priority > 0 and !node.unschedulable",
                "&&",
                "and"));
        table.add(operator(
                "a == b",
                RuleType.BOOL,
                "equal, not equal; both sides bools, numbers or strings; null and empty stand for what is missing",
                "pod.namespace != 'prod' && node.labels['gpu'] == null",
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
        table.add(operator(
                "a contains b",
                RuleType.BOOL,
                "a string has a part, a list has a value, a map has a key",
                "pod.name contains 'web'",
                "contains"));
        table.add(operator(
                "a ~= 'pattern'",
                RuleType.BOOL,
                "the whole string fits a pattern, as with matches",
                "pod.namespace ~= 'team-.*'",
                "~="));
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

    private static Operation function(MathFunction function) {
        String arguments = function.arguments() == 1 ? "(a)" : "(a, b)";
        String text = switch (function) {
            case MIN -> "the smaller one";
            case MAX -> "the greater one";
            case ABS -> "without its sign";
            case FLOOR -> "the next integer below";
            case CEIL -> "the next integer above";
            case ROUND -> "the nearest integer, the greater one of two";
            case SQRT -> "square root; the rule fails below 0";
            case LOG -> "natural logarithm; the rule fails at 0 and below";
        };
        return new Operation(
                Group.FUNCTION,
                List.of(function.word()),
                "Math." + function.word() + arguments,
                RuleType.NUMBER,
                text,
                "Math." + function.word() + (function.arguments() == 1 ? "(pod.cpu + 1)" : "(pod.cpu, 1)") + " < 5");
    }

    private static Operation string(String name, String text, String example) {
        return new Operation(Group.STRING, List.of(name), "s." + name + "('...')", RuleType.BOOL, text, example);
    }

    private static String text(StringTest test) {
        return switch (test) {
            case CONTAINS -> "the text is somewhere in the string";
            case STARTS_WITH -> "the string starts with the text";
            case ENDS_WITH -> "the string ends with the text";
        };
    }

    private static String text(ListOperation operation) {
        return switch (operation) {
            case ANY -> "holds for some element";
            case ALL -> "holds for every element";
            case COUNT -> "number of elements for which it holds";
            case SUM -> "sum over the elements";
            case MAX -> "greatest value, 0 for an empty list";
            case FILTER -> "the elements for which it holds";
            case MAP -> "its value for each element: numbers or strings";
        };
    }
}
