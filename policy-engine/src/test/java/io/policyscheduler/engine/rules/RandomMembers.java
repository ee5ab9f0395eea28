package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/** Generates random accesses of every member of the objects that an expression can use at a place. */
final class RandomMembers {
    /** Something that has members. */
    record Seen(String text, RuleType type) {}

    private static final List<Seen> ROOTS = List.of(
            new Seen("pod", RuleType.POD),
            new Seen("node", RuleType.NODE),
            new Seen("cluster", RuleType.CLUSTER),
            new Seen("now", RuleType.NOW));

    private final List<Seen> seen = new ArrayList<>(ROOTS);
    private final RandomGenerator random;

    /** @param elements that list operations look at here */
    RandomMembers(List<Seen> elements, RandomGenerator random) {
        seen.addAll(elements);
        this.random = random;
    }

    private <T> T one(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    String bool() {
        return switch (random.nextInt(6)) {
            case 0 -> "(" + access(RuleType.MAYBE) + one(List.of(" == null", " != null", " == 'a'")) + ")";
            case 1 -> "(" + string() + " == " + string() + ")";
            case 2, 3 -> access(RuleType.BOOL);
            default -> strings();
        };
    }

    /** Lists of strings are only seen by elements. */
    private String strings() {
        List<Seen> having = having(member -> member.result() == RuleType.STRINGS);
        return having.isEmpty()
                ? access(RuleType.BOOL)
                : "(" + access(one(having), RuleType.STRINGS) + " contains 'web')";
    }

    String number() {
        return access(RuleType.NUMBER);
    }

    String string() {
        return random.nextInt(4) == 0
                ? "(" + access(RuleType.MAYBE) + " or " + access(RuleType.STRING) + ")"
                : access(RuleType.STRING);
    }

    /** A list of objects whose elements are no pods. */
    Seen list() {
        List<Seen> lists = new ArrayList<>();
        for (Seen each : seen) {
            for (Member member : Members.of(each.type())) {
                if (member.result().isObjectList() && member.result() != RuleType.PODS) {
                    lists.add(new Seen(each.text() + "." + member.name(), member.result()));
                }
            }
        }
        return one(lists);
    }

    /** A member of a type that is a string. */
    static String field(RuleType type, RandomGenerator random) {
        List<Member> strings = Members.of(type).stream()
                .filter(member -> member.property() && member.result() == RuleType.STRING)
                .toList();
        return strings.get(random.nextInt(strings.size())).name();
    }

    static boolean hasField(RuleType type) {
        return Members.of(type).stream().anyMatch(member -> member.property() && member.result() == RuleType.STRING);
    }

    private List<Seen> having(Predicate<Member> condition) {
        return seen.stream()
                .filter(each -> Members.of(each.type()).stream().anyMatch(condition))
                .toList();
    }

    private String access(RuleType result) {
        return access(one(having(member -> member.result() == result)), result);
    }

    private String access(Seen receiver, RuleType result) {
        Member member = one(Members.of(receiver.type()).stream()
                .filter(each -> each.result() == result)
                .toList());
        if (member.property()) {
            return receiver.text() + "." + member.name();
        }
        List<String> arguments =
                member.parameters().stream().map(this::argument).toList();
        return receiver.text() + "." + member.name() + "(" + String.join(", ", arguments) + ")";
    }

    private String argument(String parameter) {
        return switch (parameter) {
            case "zone" -> one(List.of("'Europe/Berlin'", "'Asia/Kolkata'", "'UTC'"));
            case "ownerUid" -> one(List.of("pod.ownerUid", "'u'", "''"));
            case "type" -> "'Ready'";
            case "resource" -> one(List.of("'cpu'", "'memory'", "'nvidia.com/gpu'"));
            case "key", "topologyKey" -> "'" + one(RandomExpression.KEYS) + "'";
            default -> "'" + one(RandomExpression.VALUES) + "'";
        };
    }
}
