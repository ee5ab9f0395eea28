package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Member.Call;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;

/** Collects members of one type. */
final class MemberTable {
    private static final String NO_UNIT = "";

    private final RuleType receiver;
    private final List<Member> members = new ArrayList<>();

    MemberTable(RuleType receiver) {
        this.receiver = receiver;
    }

    List<Member> members() {
        return members;
    }

    void bool(String name, Reads reads, String text, String example, Call.OfBool call) {
        add(name, RuleType.BOOL, NO_UNIT, reads, 1, text, example, call);
    }

    void string(String name, Reads reads, String text, String example, Call.OfString call) {
        add(name, RuleType.STRING, NO_UNIT, reads, 1, text, example, call);
    }

    void number(String name, String unit, Reads reads, int cost, String text, String example, Call.OfNumber call) {
        add(name, RuleType.NUMBER, unit, reads, cost, text, example, call);
    }

    void maybe(String name, Reads reads, String text, String example, Call.OfMaybe call) {
        maybe(name, reads, 1, text, example, call);
    }

    void maybe(String name, Reads reads, int cost, String text, String example, Call.OfMaybe call) {
        add(name, RuleType.MAYBE, NO_UNIT, reads, cost, text, example, call);
    }

    void map(String name, RuleType type, Reads reads, String text, String example, Call.OfMap call) {
        add(name, type, NO_UNIT, reads, 1, text, example, call);
    }

    void list(String name, RuleType type, Reads reads, String text, String example, Call.OfList call) {
        add(name, type, NO_UNIT, reads, 2, text, example, call);
    }

    /** A name in the form {@code name(a, b)} is a method, any other a property. */
    private void add(
            String signature,
            RuleType result,
            String unit,
            Reads reads,
            int cost,
            String text,
            String example,
            Call call) {
        int open = signature.indexOf('(');
        boolean property = open < 0;
        String name = property ? signature : signature.substring(0, open);
        List<String> parameters = property || signature.endsWith("()")
                ? List.of()
                : List.of(signature.substring(open + 1, signature.length() - 1).split(", "));
        members.add(new Member(receiver, name, parameters, property, result, unit, text, example, reads, cost, call));
    }
}
