package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term.MathFunction;
import io.policyscheduler.engine.rules.compiler.Term.TextFunction;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Generates random well-typed expressions of the rule language with the names that {@link RandomRuleInput} uses. */
final class RandomExpression {
    static final List<String> KEYS = List.of("net", "app", "zone", "n", "missing");
    static final List<String> VALUES = List.of("underlay", "web", "a", "b", "3", "512Mi", "-7", "");
    private static final List<String> PATTERNS =
            List.of("[a-z]+", "(a|b)*", "un.*ay", "[^a]*", "\\\\d+[MG]i", "w?e+b|a");
    private static final List<String> NUMBERS = List.of("0", "1", "2", "10", "0.5", "100", "'512Mi'", "'250m'", "3.25");

    private final RandomGenerator random;
    private final List<String> elements = new ArrayList<>();
    private final List<RuleType> elementTypes = new ArrayList<>();
    private final List<Local> locals = new ArrayList<>();
    private int folds;
    private int names;

    private record Local(String name, RuleType type) {}

    private RandomExpression(RandomGenerator random) {
        this.random = random;
    }

    static String of(RuleType type, RandomGenerator random) {
        RandomExpression writer = new RandomExpression(random);
        int depth = 1 + random.nextInt(5);
        return random.nextInt(8) == 0 ? writer.statements(type, depth) : writer.value(type, depth);
    }

    private String value(RuleType type, int depth) {
        return type == RuleType.BOOL ? bool(depth) : number(depth);
    }

    /** Local variables and choices, written as statements. */
    private String statements(RuleType type, int depth) {
        int d = Math.max(0, depth - 1);
        if (depth <= 0 || random.nextInt(4) == 0) {
            return "return " + value(type, d) + ";";
        }
        int declared = locals.size();
        String block = switch (random.nextInt(4)) {
            case 0 -> local(RuleType.NUMBER, number(d)) + statements(type, d);
            case 1 ->
                local(RuleType.STRING, random.nextBoolean() ? string(d) : maybe() + " or 'none'") + statements(type, d);
            case 2 -> "if (" + bool(d) + ") { " + statements(type, d) + " } " + statements(type, d);
            default -> "if (" + bool(d) + ") { " + statements(type, d) + " } else { " + statements(type, d) + " }";
        };
        locals.subList(declared, locals.size()).clear();
        return block;
    }

    private String local(RuleType type, String value) {
        String name = "k" + names++;
        locals.add(new Local(name, type));
        return name + " = " + value + "; ";
    }

    private @Nullable String localOf(RuleType type) {
        List<Local> fitting =
                locals.stream().filter(local -> local.type() == type).toList();
        return fitting.isEmpty() || random.nextInt(3) == 0 ? null : one(fitting).name();
    }

    private <T> T one(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** A call of a string method, or nothing. */
    private String converted() {
        TextFunction[] functions = TextFunction.values();
        int next = random.nextInt(functions.length + 1);
        return next == functions.length ? "" : "." + functions[next].method() + "()";
    }

    private static List<String> mathFunctions(int arguments) {
        return Arrays.stream(MathFunction.values())
                .filter(function -> function.arguments() == arguments)
                .map(MathFunction::word)
                .toList();
    }

    private String bool(int depth) {
        if (depth <= 0) {
            return boolLeaf();
        }
        int d = depth - 1;
        return switch (random.nextInt(14)) {
            case 12 -> "(" + bool(d) + " and " + bool(d) + " or " + bool(d) + ")";
            case 13 -> known(d);
            case 0, 1 -> "(" + bool(d) + " && " + bool(d) + ")";
            case 2, 3 -> "(" + bool(d) + " || " + bool(d) + ")";
            case 4 -> "!" + bool(d);
            case 5, 6 -> "(" + number(d) + " " + one(List.of("<", "<=", ">", ">=", "==", "!=")) + " " + number(d) + ")";
            case 7 -> "(" + string(d) + (random.nextBoolean() ? " == " : " != ") + string(d) + ")";
            case 8 -> "(" + bool(d) + " ? " + bool(d) + " : " + bool(d) + ")";
            case 9 -> "(" + string(d) + " in [" + string(d) + ", " + literal() + ", " + literal() + "])";
            case 10 -> "(" + number(d) + " in [" + number(d) + ", 1, 0, '2'])";
            default -> fold(RuleType.BOOL, d);
        };
    }

    private String boolLeaf() {
        return switch (random.nextInt(18)) {
            case 16, 17 -> random.nextInt(4) == 0 ? tableBool() : members().bool();
            case 9 -> "(" + maybe() + one(List.of(" == null", " != null", " == empty", " != empty", " == nil")) + ")";
            case 10 ->
                "(" + maybe() + one(List.of(" == ", " != ")) + (random.nextBoolean() ? maybe() : string(0)) + ")";
            case 11 ->
                "(" + maybe() + " in [" + literal() + ", " + (random.nextBoolean() ? literal() : string(0)) + "])";
            case 12 -> "(" + string(0) + " contains " + string(0) + ")";
            case 13 -> "(" + string(0) + " ~= '" + one(PATTERNS) + "')";
            case 14 -> map() + ".containsKey(" + key() + ")";
            case 15 -> "(" + string(0) + one(List.of(" == empty", ".isEmpty()")) + ")";
            case 0 -> object() + ".hasLabel('" + one(KEYS) + "')";
            case 1 -> object() + ".hasLabel('" + one(KEYS) + "', " + literal() + ")";
            case 2 -> string(0) + ".matches('" + one(PATTERNS) + "')";
            case 3 -> string(0) + "." + one(List.of("contains", "startsWith", "endsWith")) + "(" + string(0) + ")";
            case 4 -> "node.unschedulable";
            case 5 -> "pod.tolerates('gpu', " + literal() + ", 'NoSchedule')";
            case 6 -> random.nextBoolean() ? "true" : "false";
            case 7 -> elementOf(RuleType.CONTAINER, "init", "pod.terminating");
            default -> "(" + number(0) + " > " + number(0) + ")";
        };
    }

    private String number(int depth) {
        if (depth <= 0) {
            return numberLeaf();
        }
        int d = depth - 1;
        return switch (random.nextInt(11)) {
            case 9 -> "Math." + one(mathFunctions(1)) + "(" + number(d) + ")";
            case 10 -> one(List.of("", "Math.")) + one(mathFunctions(2)) + "(" + number(d) + ", " + number(d) + ")";
            case 0, 1 -> "(" + number(d) + " + " + number(d) + ")";
            case 2 -> "(" + number(d) + " - " + number(d) + ")";
            case 3 -> "(" + number(d) + " * " + number(d) + ")";
            case 4 -> "(" + number(d) + " / " + number(d) + ")";
            case 5 -> "(" + number(d) + " % " + number(d) + ")";
            case 6 -> "(" + bool(d) + " ? " + number(d) + " : " + number(d) + ")";
            case 7 -> "-(" + number(d) + ")";
            default -> fold(RuleType.NUMBER, d);
        };
    }

    private String numberLeaf() {
        String local = localOf(RuleType.NUMBER);
        if (local != null) {
            return local;
        }
        return switch (random.nextInt(23)) {
            case 20, 21, 22 ->
                random.nextInt(6) == 0 ? tableNumber() : members().number();
            case 16 -> "number(" + maybe() + ", " + one(NUMBERS) + ")";
            case 17 -> string(0) + ".length()";
            case 18 ->
                one(List.of("node.allocatable", "node.requested", "node.free", "pod.requests"))
                        + one(List.of(".cpu", "['memory']", ".get('nvidia.com/gpu')", ".pods"));
            case 19 -> map() + ".size()";
            case 10 -> "node.podsWithLabel(" + string(0) + ", " + string(0) + ")";
            case 11 -> "cluster." + one(List.of("podsWithLabel(", "nodesWithLabel(", "topologyCount(")) + key() + ")";
            case 12 -> "node.podsInTopology(" + key() + ", " + key() + ", " + string(0) + ")";
            case 13 ->
                "cluster." + one(List.of("min", "max")) + "PodsInTopology(" + key() + ", " + key() + ", " + string(0)
                        + ")";
            case 14 -> "node." + one(List.of("podsInNamespace(", "podsWithImage(")) + string(0) + ")";
            case 0 -> object() + "." + one(List.of("cpu", "memory", "priority", "cpuLimit", "hostPorts"));
            case 1 -> "node." + one(List.of("freeCpu", "freeMemory", "podCount", "allocatableCpu", "requestedMemory"));
            case 2 -> "node.podsWithLabel('" + one(KEYS) + "', " + literal() + ")";
            case 3 -> "cluster." + one(List.of("nodeCount", "podsWithLabel('net')", "nodesWithLabel('zone', 'a')"));
            case 4 -> "node.podsInTopology('zone', '" + one(KEYS) + "', " + literal() + ")";
            case 5 -> "cluster." + one(List.of("min", "max")) + "PodsInTopology('zone', 'net', 'underlay')";
            case 6 -> "number(" + string(0) + ", " + one(NUMBERS) + ")";
            case 7 -> one(List.of("node.pods", "pod.containers", "node.taints", "pod.tolerations")) + ".size";
            case 8 -> "pod.request('nvidia.com/gpu')";
            case 9 -> "node.free('" + one(List.of("cpu", "memory", "pods", "nvidia.com/gpu")) + "')";
            default -> {
                String number = one(NUMBERS);
                yield number.startsWith("'") ? "quantity(" + number + ")" : number;
            }
        };
    }

    /** Of a label: mostly known before, sometimes another one for each node. */
    private String key() {
        return random.nextInt(3) > 0 ? "'" + one(KEYS) + "'" : string(0);
    }

    /** Labelled things: the pod, the node, or a pod that a list operation looks at. */
    private String object() {
        int at = elementTypes.lastIndexOf(RuleType.POD);
        return at >= 0 && random.nextBoolean() ? elements.get(at) : "pod";
    }

    private RandomMembers members() {
        List<RandomMembers.Seen> seen = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            seen.add(new RandomMembers.Seen(elements.get(i), elementTypes.get(i)));
        }
        return new RandomMembers(seen, random);
    }

    private String elementOf(RuleType type, String member, String otherwise) {
        int at = elementTypes.indexOf(type);
        return at < 0 ? otherwise : elements.get(at) + "." + member;
    }

    private String literal() {
        return "'" + one(VALUES) + "'";
    }

    private String string(int depth) {
        if (depth > 1 && random.nextInt(4) == 0) {
            return "(" + bool(depth - 1) + " ? " + string(depth - 1) + " : " + string(depth - 1) + ")";
        }
        String local = localOf(RuleType.STRING);
        if (local != null) {
            return local;
        }
        return switch (random.nextInt(14)) {
            case 12, 13 -> random.nextInt(6) == 0 ? tableString() : members().string();
            case 9 -> "(" + maybe() + " or '" + one(List.of("web", "3")) + "')";
            case 10 -> map() + ".getOrDefault(" + key() + ", " + literal() + ")";
            case 11 ->
                "(" + object() + ".label('" + one(KEYS) + "')" + converted() + " or node.annotation('long')"
                        + converted() + ")";
            case 0 -> literal();
            case 1 -> object() + ".label('" + one(KEYS) + "')";
            case 2 -> "node.label('" + one(KEYS) + "', " + literal() + ")";
            case 3 -> object() + "." + one(List.of("name", "namespace", "ownerKind"));
            case 4 -> one(List.of("node.name", "node.zone", "node.annotation('long')", "node.annotation('a')"));
            case 5 -> elementOf(RuleType.TAINT, one(List.of("key", "value", "effect")), "node.condition('Ready')");
            case 6 -> elementOf(RuleType.TOLERATION, one(List.of("key", "operator", "effect")), "pod.ownerName");
            case 7 -> elementOf(RuleType.CONTAINER, one(List.of("name", "image")), "pod.nodeSelector('zone')");
            default -> object() + ".label(" + literal() + ", " + literal() + ")";
        };
    }

    /** A key of a table, which may be missing. */
    private String tableKey() {
        return random.nextInt(3) == 0 ? maybe() : string(0);
    }

    private String maybeNumber() {
        return random.nextInt(3) == 0
                ? "tables.host[" + tableKey() + "].watts"
                : "tables.price" + one(List.of("[" + tableKey() + "]", ".get(" + tableKey() + ")"));
    }

    private String maybeBool() {
        return random.nextBoolean() ? "tables.gold[" + tableKey() + "]" : "tables.host[" + tableKey() + "].on";
    }

    private String tableBool() {
        String number = maybeNumber();
        return switch (random.nextInt(8)) {
            case 0 -> "(" + number + one(List.of(" == ", " != ")) + one(List.of("3", "0.5", maybeNumber())) + ")";
            case 1 -> "(" + one(List.of(number, maybeBool(), "tables.host[" + tableKey() + "]")) + " == null)";
            case 2 -> "(" + number + " != null && " + number + " < 2)";
            case 3 -> "(" + number + " in [3, 0, '500m'])";
            case 4 -> "(" + maybeBool() + " or " + boolLeaf() + ")";
            case 5 -> "tables.rich[" + tableKey() + "]";
            case 6 -> "tables." + one(List.of("price", "host")) + ".containsKey(" + tableKey() + ")";
            default -> "(" + maybeBool() + one(List.of(" == ", " != ")) + one(List.of("true", maybeBool())) + ")";
        };
    }

    private String tableNumber() {
        return switch (random.nextInt(5)) {
            case 0 -> "(" + maybeNumber() + " or " + numberLeaf() + ")";
            case 1 -> "tables.price.getOrDefault(" + tableKey() + ", " + one(NUMBERS) + ")";
            case 2 -> "tables.rack[" + tableKey() + "].watts";
            case 3 -> "tables." + one(List.of("price", "host")) + ".size()";
            default -> "tables.cost[" + tableKey() + "]";
        };
    }

    private String tableString() {
        return switch (random.nextInt(4)) {
            case 0 -> "tables.group[" + tableKey() + "]";
            case 1 -> "tables.team.getOrDefault(" + tableKey() + ", " + literal() + ")";
            case 2 -> "(tables.host[" + tableKey() + "].owner or 'web')";
            default -> "tables.rack[" + tableKey() + "].owner";
        };
    }

    /** Something with entries. */
    private String map() {
        return one(List.of(
                object() + ".labels", "node.labels", "node.annotations", "pod.annotations", "pod.nodeSelector"));
    }

    private String maybe() {
        if (random.nextInt(12) == 0) {
            return one(List.of("tables.team[node.name]", "tables.team[pod.labels['app']]", "tables.host['n1'].owner"));
        }
        return map() + one(List.of("['" + one(KEYS) + "']", "." + one(KEYS), ".?" + one(KEYS), ".get('long')"));
    }

    /** A question that makes sure that an entry is there. */
    private String known(int depth) {
        String entry = maybe();
        String asked =
                entry + one(List.of(".startsWith('a')", " contains 'e'", ".length() > 2", ".toUpperCase() == 'WEB'"));
        return switch (random.nextInt(4)) {
            case 0 -> "(" + entry + " != null && " + asked + ")";
            case 1 -> "(" + entry + " == empty || " + asked + ")";
            case 2 -> "(" + entry + " == null ? " + bool(depth) + " : " + asked + ")";
            default -> "((" + entry + " == 'web' && " + bool(depth) + ") ? " + asked + " : " + bool(depth) + ")";
        };
    }

    /** A filter, or values, of what a list has. */
    private String projection(RuleType type, String list, String name, int depth) {
        String filter = random.nextInt(3) == 0 ? "" : " if " + bool(depth);
        RuleType element = elementTypes.get(elementTypes.size() - 1);
        boolean asksSize = type == RuleType.NUMBER || !RandomMembers.hasField(element);
        if (asksSize) {
            String size = "(" + name + " in " + list + filter + ")" + one(List.of(".size()", ".size"));
            return type == RuleType.NUMBER ? size : "(" + size + " > 1)";
        }
        String field = element == RuleType.POD && random.nextBoolean()
                ? "labels['app']"
                : RandomMembers.field(element, random);
        return switch (random.nextInt(4)) {
            case 0 -> "(" + name + " in " + list + filter + ").isEmpty()";
            case 1 -> "((" + name + " in " + list + filter + ") == empty)";
            case 2 -> "((" + name + "." + field + " in " + list + filter + ") contains " + literal() + ")";
            default ->
                "(" + one(List.of("pod.name", "node.name", "pod.namespace")) + " in (" + name + "." + field + " in "
                        + list + filter + "))";
        };
    }

    private String fold(RuleType type, int depth) {
        // Deeper nesting is refused for its cost most of the time.
        if (elements.size() >= 2 || ++folds > 4) {
            return type == RuleType.BOOL ? boolLeaf() : numberLeaf();
        }
        boolean ofPods = elements.isEmpty() && random.nextInt(3) == 0;
        RandomMembers.Seen chosen = ofPods
                ? new RandomMembers.Seen("node.pods", RuleType.PODS)
                : members().list();
        String list = chosen.text();
        ListOperation operation = one(
                type == RuleType.BOOL
                        ? List.of(ListOperation.ANY, ListOperation.ALL)
                        : List.of(ListOperation.COUNT, ListOperation.SUM, ListOperation.MAX));
        String name = "x" + elements.size();
        elements.add(name);
        elementTypes.add(Objects.requireNonNull(chosen.type().element()));
        if (random.nextInt(3) == 0) {
            String projection = projection(type, list, name, depth);
            elements.remove(elements.size() - 1);
            elementTypes.remove(elementTypes.size() - 1);
            return projection;
        }
        String body = operation.returnsBool() ? bool(depth) : number(depth);
        elements.remove(elements.size() - 1);
        elementTypes.remove(elementTypes.size() - 1);
        return list + "." + operation.method() + "(" + name + ", " + body + ")";
    }
}
