package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Generates random expressions as authors of MVEL write them: only forms that have the same value in a rule and in MVEL, over {@link PlainObjects}.
 * Numbers are written as doubles, because MVEL calls other functions of Math for integers.
 */
final class RandomIdiom {
    private static final List<String> PATTERNS =
            List.of("[a-z]+", "(a|b)*", "un.*ay", "[^a]*", "\\\\d+[MG]i", "w?e+b|a");
    private static final List<String> NUMBERS = List.of("0.0", "1.0", "2.0", "10.0", "0.5", "3.25");

    private final RandomGenerator random;
    private int names;

    private RandomIdiom(RandomGenerator random) {
        this.random = random;
    }

    static String of(RuleType type, RandomGenerator random) {
        RandomIdiom writer = new RandomIdiom(random);
        int depth = random.nextInt(4);
        return random.nextInt(4) == 0 ? writer.statements(type, 1 + depth) : writer.value(type, depth);
    }

    private String one(List<String> list) {
        return list.get(random.nextInt(list.size()));
    }

    private String value(RuleType type, int depth) {
        return type == RuleType.BOOL ? bool(depth) : number(depth);
    }

    private String statements(RuleType type, int depth) {
        int d = depth - 1;
        if (depth <= 0) {
            return "return " + value(type, 0) + ";";
        }
        String name = "k" + names++;
        return switch (random.nextInt(6)) {
            case 0 ->
                name + " = " + map() + "['" + key() + "']; return "
                        + choice(name + " == null", value(type, d), value(type, d)) + ";";
            case 1 ->
                name + " = " + number(d) + "; return " + choice("(" + name + " > 1.0)", value(type, d), value(type, d))
                        + ";";
            case 2 -> "if (" + bool(d) + ") { return " + value(type, d) + "; } " + statements(type, d);
            case 3 -> "if (" + bool(d) + ") { " + statements(type, d) + " } else { " + statements(type, d) + " }";
            case 4 ->
                "if (" + bool(d) + ") { return " + value(type, d) + "; } else if (" + bool(d) + ") { return "
                        + value(type, d) + "; } else { return " + value(type, d) + "; }";
            default ->
                "var " + name + " = " + bool(d) + "; if (" + name + ") { return " + value(type, d) + "; } return "
                        + value(type, d) + ";";
        };
    }

    private static String choice(String condition, String yes, String no) {
        return "(" + condition + " ? " + yes + " : " + no + ")";
    }

    private String bool(int depth) {
        if (depth <= 0) {
            return boolLeaf();
        }
        int d = depth - 1;
        return switch (random.nextInt(7)) {
            case 0 -> "(" + and(bool(d), bool(d)) + ")";
            case 1 -> "(" + bool(d) + " || " + bool(d) + ")";
            case 2 -> "!(" + bool(d) + ")";
            case 3 -> "(" + number(d) + one(List.of(" < ", " <= ", " > ", " >= ", " == ", " != ")) + number(d) + ")";
            case 4 -> choice(bool(d), bool(d), bool(d));
            case 5 -> "(" + and(boolLeaf(), boolLeaf()) + ")";
            default -> boolLeaf();
        };
    }

    /** MVEL takes {@code and (} for the call of a function. */
    private String and(String left, String right) {
        return left + (right.startsWith("(") || random.nextBoolean() ? " && " : " and ") + right;
    }

    private String boolLeaf() {
        String entry = map() + "['" + key() + "']";
        return switch (random.nextInt(20)) {
            case 17 -> tableBool();
            case 18 ->
                "((" + one(List.of("$.kind", "kind", "$.name")) + " in pod.volumes) contains "
                        + one(List.of("'emptyDir'", "'web'")) + ")";
            case 19 ->
                "(" + "($ in pod.volumes if $.claimName " + one(List.of("== null", "!= null", "== 'web'"))
                        + ").size() > 1)";
            case 0 -> "(" + entry + one(List.of(" == ", " != ")) + literal() + ")";
            case 1 -> "(" + entry + one(List.of(" == null", " != null", " == nil", " == empty", " != empty")) + ")";
            case 2 -> "(" + entry + one(List.of(" == ", " != ")) + map() + "['" + key() + "'])";
            case 3 -> "(" + map() + ".?" + key() + one(List.of(" == ", " != ")) + literal() + ")";
            case 4 -> "(" + map() + "." + key() + " == " + literal() + ")";
            case 5 -> "(" + string() + " contains " + string() + ")";
            case 6 -> "(" + string() + " ~= '" + one(PATTERNS) + "')";
            case 7 -> string() + "." + one(List.of("contains", "startsWith", "endsWith")) + "(" + string() + ")";
            case 8 -> map() + one(List.of(".containsKey('" + key() + "')", ".isEmpty()"));
            case 9 -> list() + one(List.of(".isEmpty()", ".size() > 1", " == empty", " != empty"));
            case 10 -> "(" + string() + one(List.of(" == ", " != ")) + string() + ")";
            case 11 -> "(" + string() + one(List.of(" == empty", " != empty")) + ")";
            case 12 -> one(List.of("node.unschedulable", "pod.terminating", "true", "false"));
            case 13 -> "(" + pods() + one(List.of(".isEmpty()", ".size() == 1", " == empty")) + ")";
            case 14 ->
                "((" + one(List.of("$.name", "name", "$.namespace", "$.labels['app']", "$.name.toUpperCase()"))
                        + " in node.pods" + filter() + ") contains " + literal() + ")";
            case 15 ->
                "((" + one(List.of("key", "$.key", "effect", "$.value")) + " in node.taints) contains " + literal()
                        + ")";
            case 16 ->
                "(" + entry + " != null && " + entry
                        + one(List.of(".startsWith('a')", " contains 'e'", ".length() > 2")) + ")";
            default -> "(null " + one(List.of("==", "!=")) + " " + entry + ")";
        };
    }

    private String number(int depth) {
        if (depth <= 0) {
            return numberLeaf();
        }
        int d = depth - 1;
        return switch (random.nextInt(7)) {
            case 0 -> "(" + number(d) + one(List.of(" + ", " - ", " * ")) + number(d) + ")";
            case 1 -> "Math." + one(List.of("min", "max")) + "(" + numberLeaf() + ", " + numberLeaf() + ")";
            case 2 -> "Math." + one(List.of("abs", "floor", "ceil", "sqrt")) + "(" + numberLeaf() + ")";
            case 3 -> "Math.round(" + numberLeaf() + ")";
            case 4 -> choice(bool(d), number(d), number(d));
            case 5 -> "(" + number(d) + " / " + one(List.of("2.0", "0.5", "10.0")) + ")";
            default -> numberLeaf();
        };
    }

    private String numberLeaf() {
        return switch (random.nextInt(5)) {
            case 4 -> tableNumber();
            case 0 -> one(NUMBERS);
            case 1 -> one(List.of("pod.priority", "pod.cpuLimit", "now.hour"));
            default -> "node." + one(List.of("podCount", "allocatableCpu"));
        };
    }

    /** Often one that is there. */
    private String tableKey() {
        return one(List.of("node.name", "pod.namespace", literal(), "'web'"));
    }

    private String tableBool() {
        String price = "tables.price[" + tableKey() + "]";
        return switch (random.nextInt(6)) {
            case 0 -> "(" + price + one(List.of(" == null", " != null", " == 3.0", " != 0.5")) + ")";
            case 1 -> "(" + price + " != null && " + price + " < 2.0)";
            case 2 -> "tables.gold.containsKey(" + tableKey() + ")";
            case 3 -> "(tables.host['n0'].owner" + one(List.of(" == ", " != ")) + literal() + ")";
            case 4 -> "(tables.gold[" + tableKey() + "] == true)";
            default -> "(tables.team[" + tableKey() + "]" + one(List.of(" == empty", " == null", " != 'b'")) + ")";
        };
    }

    private String tableNumber() {
        return one(List.of(
                "(tables.price[" + tableKey() + "] or 1.5)",
                "tables.price.getOrDefault(" + tableKey() + ", 2.5)",
                "(tables.host['n0'].watts or 1.0)",
                "(tables.price.size() + 0.0)"));
    }

    private String string() {
        return switch (random.nextInt(7)) {
            case 6 -> one(List.of("pod.phase", "pod.serviceAccountName"));
            case 0 -> literal();
            case 1 -> "(" + map() + "['" + key() + "'] or '" + one(List.of("web", "3")) + "')";
            case 2 -> map() + ".getOrDefault('" + key() + "', " + literal() + ")";
            case 3 -> "pod.name" + one(List.of("", ".toUpperCase()", ".toLowerCase()"));
            case 4 -> "node.name";
            default -> "pod.namespace";
        };
    }

    private String map() {
        return one(List.of("pod.labels", "pod.annotations", "node.labels", "node.annotations"));
    }

    private String list() {
        return one(List.of("node.taints", "node.pods", "pod.tolerations", "pod.volumes"));
    }

    private String pods() {
        return "($ in node.pods" + filter() + ")";
    }

    private String filter() {
        return switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> " if $.labels['" + key() + "'] == " + literal();
            case 2 -> " if $.priority > 0.0";
            default -> " if $.labels['" + key() + "'] != null && $.terminating";
        };
    }

    private String key() {
        return one(RandomExpression.KEYS);
    }

    private String literal() {
        return "'" + one(RandomExpression.VALUES) + "'";
    }
}
