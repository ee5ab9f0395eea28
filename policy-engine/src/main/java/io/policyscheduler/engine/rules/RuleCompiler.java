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
     * A compiler for rules that have no tables.
     *
     * @param limits what is refused as too much
     * @param execution how what is compiled will be run
     */
    public RuleCompiler(RuleLimits limits, RuleExecution execution) {
        this(limits, execution, RuleTables.none());
    }

    /**
     * The same with tables.
     *
     * @param tables that rules may name; programs see the values that are in effect when they start on a pod
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
     * @throws RuleException when the expression is refused
     */
    public RuleProgram compile(String expression, Map<String, ?> parameters, RuleType type) throws RuleException {
        return compile(expression, parameters, type, false);
    }

    /**
     * Compiles the condition under which a rule applies; it may look at the pod alone.
     *
     * @throws RuleException when the expression is refused
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
