package io.policyscheduler.engine.rules.compiler;

/** A rule that is refused when it is loaded. The only exception that parsing, checking and building of rules throw. */
public final class RuleException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient RuleProblem problem;

    /** Refuses a rule. */
    public RuleException(RuleProblem problem) {
        super(problem.text());
        this.problem = problem;
    }

    /** What is wrong, where, and the way out. */
    public RuleProblem problem() {
        return problem;
    }
}
