package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Operations.Operation.Group;
import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term.MathFunction;
import io.policyscheduler.engine.rules.compiler.Term.StringOperator;
import io.policyscheduler.engine.rules.compiler.Term.TextFunction;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;

/** The language elements other than members. Tests compare them with the parser and the checker. */
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
                "converts a string to a number; the second argument if it is neither a number nor a quantity",
                "number(node.label('gpus'), 0) > 1"));
        table.add(new Operation(
                Group.FUNCTION,
                List.of("quantity"),
                "quantity('512Mi')",
                RuleType.NUMBER,
                "a Kubernetes quantity; the string literal alone is enough where a number is required",
                "pod.memory > quantity('512Mi')"));
        for (MathFunction function : MathFunction.values()) {
            table.add(function(function));
        }
        for (StringOperator test : StringOperator.values()) {
            table.add(string(test.method(), text(test), "node.name." + test.method() + "('a')"));
        }
        table.add(string(
                "matches",
                "the whole string matches a pattern: . [a-z] [^a] \\d \\w \\s ( ) | * + ?",
                "node.name.matches('gpu-[0-9]+')"));
        table.add(new Operation(
                Group.STRING,
                List.of("length"),
                "s.length()",
                RuleType.NUMBER,
                "number of characters",
                "pod.name.length() < 20"));
        table.add(new Operation(
                Group.STRING, List.of("isEmpty"), "s.isEmpty()", RuleType.BOOL, "is empty", "!node.zone.isEmpty()"));
        for (TextFunction function : TextFunction.values()) {
            table.add(new Operation(
                    Group.STRING,
                    List.of(function.method()),
                    "s." + function.method() + "()",
                    RuleType.STRING,
                    function.text(),
                    "node.zone." + function.method() + "() != ''"));
        }
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
                "the elements for which c is true, or values of them; the element is p or $",
                "(p in node.pods if p.labels['app'] == 'web').size() < 3"));
        for (ListOperation operation : ListOperation.values()) {
            table.add(list(operation));
        }
    }

    private static Operation list(ListOperation operation) {
        String method = operation.method();
        String body =
                operation.returnsBool() ? "p.priority < 0" : operation == ListOperation.MAP ? "p.namespace" : "p.cpu";
        String call = "node.pods." + method + "(p, " + body + ")";
        String bodyType = operation.returnsBool() ? "bool" : operation == ListOperation.MAP ? "value" : "number";
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
                "a if c is true, otherwise b; both have the same type",
                "(node.hasLabel('gpu') ? 0 : 100) > 50",
                "?",
                ":"));
        table.add(operator(
                "a || b",
                RuleType.BOOL,
                "true if one side is true, also written or; for strings, a or b is b if a is missing or blank",
                "node.unschedulable || pod.terminating or pod.hostPorts > 0",
                "||",
                "or"));
        table.add(operator(
                "a && b",
                RuleType.BOOL,
                "true if both sides are true, also written and",
                "node.hasLabel('gpu') && pod.priority > 0 and !node.unschedulable",
                "&&",
                "and"));
        table.add(operator(
                "a == b",
                RuleType.BOOL,
                "equal, not equal; for bools, numbers, or strings; null and empty match missing values",
                "pod.namespace != 'prod' && node.labels['gpu'] == null",
                "==",
                "!="));
        table.add(
                operator("a < b", RuleType.BOOL, "compares numbers", "node.freeCpu >= pod.cpu", "<", "<=", ">", ">="));
        table.add(operator(
                "a in [b, ...]",
                RuleType.BOOL,
                "equals an item of a list of literals or of a list parameter",
                "pod.namespace in ['prod', 'stage']",
                "in"));
        table.add(operator(
                "a contains b",
                RuleType.BOOL,
                "a string contains a text, a list contains a value, a map contains a key",
                "pod.name contains 'web'",
                "contains"));
        table.add(operator(
                "a ~= 'pattern'",
                RuleType.BOOL,
                "the whole string matches a pattern, as with matches",
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
        table.add(operator("!a", RuleType.BOOL, "true if a is false", "!node.unschedulable", "!"));
    }

    private static Operation operator(String usage, RuleType result, String text, String example, String... names) {
        return new Operation(Group.OPERATOR, List.of(names), usage, result, text, example);
    }

    private static Operation function(MathFunction function) {
        String arguments = function.arguments() == 1 ? "(a)" : "(a, b)";
        return new Operation(
                Group.FUNCTION,
                List.of(function.word()),
                "Math." + function.word() + arguments,
                RuleType.NUMBER,
                function.text(),
                "Math." + function.word() + (function.arguments() == 1 ? "(pod.cpu + 1)" : "(pod.cpu, 1)") + " < 5");
    }

    private static Operation string(String name, String text, String example) {
        return new Operation(Group.STRING, List.of(name), "s." + name + "('...')", RuleType.BOOL, text, example);
    }

    private static String text(StringOperator test) {
        return switch (test) {
            case CONTAINS -> "the string contains the text";
            case STARTS_WITH -> "the string starts with the text";
            case ENDS_WITH -> "the string ends with the text";
        };
    }

    private static String text(ListOperation operation) {
        return switch (operation) {
            case ANY -> "true if the condition is true for an element";
            case ALL -> "true if the condition is true for all elements";
            case COUNT -> "number of elements for which the condition is true";
            case SUM -> "sum over the elements";
            case MAX -> "largest value, 0 for an empty list";
            case FILTER -> "the elements for which the condition is true";
            case MAP -> "the values of the expression: numbers or strings";
        };
    }

    /**
     * An operator, function or operation of the language, for {@code rule docs}.
     *
     * @param group its group
     * @param names as written; several with a common description
     * @param usage the syntax with its operands
     * @param result type of its value
     * @param text its description
     * @param example an expression with it
     */
    public record Operation(
            Group group, List<String> names, String usage, RuleType result, String text, String example) {
        /** Groups of operations, in the order of the documentation. */
        public enum Group {
            /** Operators, from lowest to highest precedence. */
            OPERATOR("operators"),
            FUNCTION("functions"),
            /** On strings. */
            STRING("on a string"),
            /** On lists of pods, containers, taints and tolerations. */
            LIST("on a list");

            private final String title;

            Group(String title) {
                this.title = title;
            }

            /** The title in the documentation. */
            public String title() {
                return title;
            }
        }

        public Operation {
            names = List.copyOf(names);
        }
    }
}
