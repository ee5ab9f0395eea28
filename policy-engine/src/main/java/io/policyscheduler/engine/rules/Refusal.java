package io.policyscheduler.engine.rules;

import org.jspecify.annotations.Nullable;

/** Makes the refusals of one expression. */
record Refusal(String expression) {
    RuleException at(RuleCode code, int offset, String message, @Nullable String hint) {
        return new RuleException(
                new RuleProblem(code, message, hint, expression, Math.min(offset, expression.length())));
    }
}
