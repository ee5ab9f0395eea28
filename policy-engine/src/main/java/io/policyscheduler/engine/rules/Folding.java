package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.Term.Constant;

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
        Code code = CodeBuilder.standalone(term);
        Frame frame = Frame.ofConstants();
        try {
            return switch (term.type()) {
                case BOOL -> Constant.of(code.bool(frame));
                case NUMBER -> Constant.of(code.number(frame));
                default -> Constant.of(code.string(frame));
            };
        } catch (RuleFailure e) {
            throw refusal.at(
                    RuleCode.CONSTANT,
                    at,
                    "this fails whenever it is evaluated: " + e.kind().text(),
                    null);
        }
    }
}
