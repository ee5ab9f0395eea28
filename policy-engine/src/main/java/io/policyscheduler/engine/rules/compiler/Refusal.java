package io.policyscheduler.engine.rules.compiler;

import org.jspecify.annotations.Nullable;

/** Makes the refusals of one expression. */
public record Refusal(String expression) {
    public RuleException at(RuleCode code, int offset, String message, @Nullable String hint) {
        return new RuleException(
                new RuleProblem(code, message, hint, expression, Math.min(offset, expression.length())));
    }
}
