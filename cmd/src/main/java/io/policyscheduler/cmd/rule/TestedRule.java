package io.policyscheduler.cmd.rule;

import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RulePriority;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.Reads;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleLimits;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A rule that compiles.
 *
 * @param type BOOL for a predicate, NUMBER for a priority
 * @param tables that it may read
 */
record TestedRule(RuleDefinition definition, RuleType type, RuleTables tables) {
    /**
     * A rule that does not say whether it is for predicates or priorities.
     *
     * @throws RuleException when it is neither
     */
    static TestedRule of(RuleDefinition definition, RuleTables tables) throws RuleException {
        if (definition.normalize() == null) {
            try {
                return of(definition, RuleType.BOOL, tables);
            } catch (RuleException e) {
                boolean isPriority = e.problem().code() == RuleCode.RESULT
                        || (e.problem().code() == RuleCode.DEFINITION && definition.onError() != null);
                if (!isPriority) {
                    throw e;
                }
            }
        }
        return of(definition, RuleType.NUMBER, tables);
    }

    /**
     * A rule of a known type.
     *
     * @throws RuleException when it does not compile
     */
    static TestedRule of(RuleDefinition definition, RuleType type, RuleTables tables) throws RuleException {
        TestedRule rule = new TestedRule(definition, type, tables);
        RuleCompiler compiler = rule.compiler(RuleProgram.Executor.DIRECT);
        if (type == RuleType.BOOL) {
            RulePredicate.compile(definition, compiler, RuleFailures.heardBy(kind -> {}));
        } else {
            RulePriority.compile(definition, compiler, RuleFailures.heardBy(kind -> {}));
        }
        return rule;
    }

    /** The predicate, run by one executor. */
    RulePredicate predicate(RuleProgram.Executor executor, Consumer<RuleFailure.Kind> listener) {
        try {
            return RulePredicate.compile(definition, compiler(executor), RuleFailures.heardBy(listener));
        } catch (RuleException e) {
            throw new IllegalStateException("compiled before: " + definition.name(), e);
        }
    }

    /** The priority, run by one executor. */
    RulePriority priority(RuleProgram.Executor executor, Consumer<RuleFailure.Kind> listener) {
        try {
            return RulePriority.compile(definition, compiler(executor), RuleFailures.heardBy(listener));
        } catch (RuleException e) {
            throw new IllegalStateException("compiled before: " + definition.name(), e);
        }
    }

    /** True when its answer may be another one at another time. */
    boolean readsTime() {
        Set<Reads> reads = type == RuleType.BOOL
                ? predicate(RuleProgram.Executor.DIRECT, kind -> {}).reads()
                : priority(RuleProgram.Executor.DIRECT, kind -> {}).reads();
        return reads.contains(Reads.TIME);
    }

    private RuleCompiler compiler(RuleProgram.Executor executor) {
        return new RuleCompiler(RuleLimits.DEFAULT, new RuleExecution(executor, 0), tables);
    }
}
