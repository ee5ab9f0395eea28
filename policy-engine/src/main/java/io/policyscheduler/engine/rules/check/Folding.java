package io.policyscheduler.engine.rules.check;

import io.policyscheduler.engine.rules.direct.DirectProgram;
import io.policyscheduler.engine.rules.syntax.Refusal;
import io.policyscheduler.engine.rules.syntax.RuleCode;
import io.policyscheduler.engine.rules.syntax.RuleException;
import io.policyscheduler.engine.rules.term.Term;
import io.policyscheduler.engine.rules.term.Term.Constant;
import io.policyscheduler.engine.rules.value.RuleFailure;

/** Works out what does not depend on anything. Only whole terms of constants, and branches that a constant decides. */
final class Folding {
    private Folding() {}

    /** The term, or what it comes to. */
    static Term fold(Term term, Refusal refusal, int at) throws RuleException {
        if (term instanceof Term.Logic logic && logic.left() instanceof Constant left) {
            boolean decided = left.value().equals(!logic.and());
            return decided ? left : logic.right();
        }
        if (term instanceof Term.Choice choice && choice.condition() instanceof Constant condition) {
            return condition.value().equals(true) ? choice.yes() : choice.no();
        }
        for (Term part : term.parts()) {
            if (!(part instanceof Constant)) {
                return term;
            }
        }
        try {
            return DirectProgram.constant(term);
        } catch (RuleFailure e) {
            throw refusal.at(
                    RuleCode.CONSTANT, at, "this always fails: " + e.kind().text(), null);
        }
    }
}
