package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.compiler.Checker;
import io.policyscheduler.engine.rules.compiler.Checker.Checked;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.executor.DirectProgram;
import java.util.Map;

/** The compiler of expressions. Immutable. */
public final class RuleCompiler {
    private final RuleLimits limits;
    private final RuleExecution execution;
    private final RuleTables tables;

    /**
     * A compiler for rules without tables.
     *
     * @param limits of rules
     * @param execution runs the compiled rules
     */
    public RuleCompiler(RuleLimits limits, RuleExecution execution) {
        this(limits, execution, RuleTables.none());
    }

    /**
     * The same with tables.
     *
     * @param tables that rules can read; programs use the values at the start of an attempt
     */
    public RuleCompiler(RuleLimits limits, RuleExecution execution, RuleTables tables) {
        this.limits = limits;
        this.execution = execution;
        this.tables = tables;
    }

    /** A compiler for the direct executor. */
    RuleCompiler(RuleLimits limits) {
        this(limits, RuleExecution.standard());
    }

    /** A compiler with the default limits, for the direct executor. */
    public static RuleCompiler standard() {
        return new RuleCompiler(RuleLimits.DEFAULT);
    }

    /** The same with tables. */
    public static RuleCompiler reading(RuleTables tables) {
        return new RuleCompiler(RuleLimits.DEFAULT, RuleExecution.standard(), tables);
    }

    /**
     * Compiles an expression.
     *
     * @param parameters values of {@code params.NAME}: Boolean, Number, String, or a list of Numbers or Strings
     * @param type BOOL for a predicate, NUMBER for a priority
     * @throws RuleException if the expression is invalid
     */
    public RuleProgram compile(String expression, Map<String, ?> parameters, RuleType type) throws RuleException {
        return compile(expression, parameters, type, false);
    }

    /**
     * Compiles the condition of a rule, which can read the pod only.
     *
     * @throws RuleException if the expression is invalid
     */
    public RuleProgram compileWhen(String expression, Map<String, ?> parameters) throws RuleException {
        return compile(expression, parameters, RuleType.BOOL, true);
    }

    private RuleProgram compile(String expression, Map<String, ?> parameters, RuleType type, boolean podOnly)
            throws RuleException {
        Checked checked =
                Checker.check(expression, parameters, type, limits, podOnly, tables.schemas(), DirectProgram::constant);
        return new RuleProgram(expression, checked, limits, execution, tables);
    }
}
