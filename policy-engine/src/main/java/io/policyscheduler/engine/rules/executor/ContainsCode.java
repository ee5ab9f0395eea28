package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.Texts;
import java.util.List;

/** Code that looks for a value in a list that is known when the rule runs. */
final class ContainsCode {
    private ContainsCode() {}

    static Code of(Term.Contains term, CodeBuilder builder) {
        Code list = builder.build(term.list());
        Code value = builder.build(term.value());
        return term.value().type() == RuleType.NUMBER
                ? Code.ofBool(frame -> list.list(frame).contains(value.number(frame)))
                : Code.ofBool(frame -> texts(list.list(frame), value.string(frame), frame));
    }

    private static boolean texts(List<?> texts, String wanted, Frame frame) {
        for (int i = 0; i < texts.size(); i++) {
            if (Texts.same((String) texts.get(i), wanted, frame.meter)) {
                return true;
            }
        }
        return false;
    }
}
