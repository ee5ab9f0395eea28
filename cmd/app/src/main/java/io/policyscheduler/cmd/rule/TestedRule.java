package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.TableInputs;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyReader.RuleLibrary;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyResolver.RuleEnvironment;
import io.policyscheduler.engine.policy.PolicyTables;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RulePriority;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A rule that compiles.
 *
 * @param type BOOL for a predicate, NUMBER for a priority
 * @param tables tables that it may read
 */
record TestedRule(RuleDefinition definition, RuleType type, RuleTables tables) {
    /**
     * A rule that does not declare whether it is a predicate or a priority.
     *
     * @throws RuleException if it is neither
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
     * @throws RuleException if it does not compile
     */
    static TestedRule of(RuleDefinition definition, RuleType type, RuleTables tables) throws RuleException {
        TestedRule rule = new TestedRule(definition, type, tables);
        RuleCompiler compiler = rule.compiler(RuleProgram.Executor.DIRECT);
        if (type == RuleType.BOOL) {
            RulePredicate.compile(definition, compiler, RuleFailures.withListener(kind -> {}));
        } else {
            RulePriority.compile(definition, compiler, RuleFailures.withListener(kind -> {}));
        }
        return rule;
    }

    /** Returns the predicate, evaluated by one executor. */
    RulePredicate predicate(RuleProgram.Executor executor, Consumer<RuleFailure.Kind> listener) {
        try {
            return RulePredicate.compile(definition, compiler(executor), RuleFailures.withListener(listener));
        } catch (RuleException e) {
            throw new IllegalStateException("compiled before: " + definition.name(), e);
        }
    }

    /** Returns the priority, evaluated by one executor. */
    RulePriority priority(RuleProgram.Executor executor, Consumer<RuleFailure.Kind> listener) {
        try {
            return RulePriority.compile(definition, compiler(executor), RuleFailures.withListener(listener));
        } catch (RuleException e) {
            throw new IllegalStateException("compiled before: " + definition.name(), e);
        }
    }

    /** Whether the result depends on the time. */
    boolean readsTime() {
        Set<Reads> reads = type == RuleType.BOOL
                ? predicate(RuleProgram.Executor.DIRECT, kind -> {}).reads()
                : priority(RuleProgram.Executor.DIRECT, kind -> {}).reads();
        return reads.contains(Reads.TIME);
    }

    private RuleCompiler compiler(RuleProgram.Executor executor) {
        return new RuleCompiler(RuleLimits.DEFAULT, new RuleExecution(executor, 0), tables);
    }

    /** The rules for the cases of a file, by name: those of a policy, sorted, then those of a library, in file order. */
    record RuleBook(Map<String, TestedRule> rules, RuleTables tables) {
        RuleBook {
            rules = Collections.unmodifiableMap(new LinkedHashMap<>(rules));
        }

        /**
         * Reads the rules.
         *
         * @param policy null for none
         * @param library null for none; the policy may use its rules
         * @param tableFiles values of tables that override policy and library, by name
         * @throws InputException if a file cannot be read or is invalid
         */
        static RuleBook read(@Nullable Path policy, @Nullable Path library, Map<String, Path> tableFiles) {
            Map<String, TestedRule> rules = new LinkedHashMap<>();
            List<RuleDefinition> shared = new ArrayList<>();
            TableInputs input = new TableInputs(tableFiles, ConfigMapEntries.NONE, true);
            RuleTables tables = RuleTables.none();
            Map<String, TableDefinition> libraryTables = new TreeMap<>();
            try {
                if (library != null) {
                    RuleLibrary read = new PolicyReader().readLibrary(InputFiles.text(library), library.toString());
                    shared.addAll(read.rules());
                    libraryTables.putAll(read.tables());
                    tables = tables(libraryTables, input);
                }
                if (policy != null) {
                    PolicyResolver resolver = new PolicyResolver(
                            FeatureGates.defaults().at(Release.NEWEST),
                            1,
                            false,
                            Algorithms.registry(),
                            new RuleEnvironment(
                                    new RuleLibrary(shared, libraryTables),
                                    input,
                                    RuleExecution.standard(),
                                    SteadyClock.system()));
                    Policy read = resolver.reader().read(InputFiles.text(policy), policy.toString());
                    EffectivePolicy effective = resolver.resolve(read);
                    RuleTables known = effective.rules().tables();
                    tables = known;
                    effective
                            .rules()
                            .predicates()
                            .forEach((name, rule) ->
                                    rules.put(name, new TestedRule(rule.definition(), RuleType.BOOL, known)));
                    effective
                            .rules()
                            .priorities()
                            .forEach((name, rule) ->
                                    rules.putIfAbsent(name, new TestedRule(rule.definition(), RuleType.NUMBER, known)));
                    shared.addAll(read.rules());
                }
            } catch (PolicyException e) {
                throw InputException.of(e);
            }
            for (RuleDefinition rule : shared) {
                rules.putIfAbsent(rule.name(), compile(rule, tables));
            }
            return new RuleBook(rules, tables);
        }

        /** All rules, with the rules of entries instead of the shared rules that they use. */
        List<TestedRule> rulesInUse() {
            Set<String> used = new HashSet<>();
            rules.values().forEach(rule -> used.add(rule.definition().use()));
            return rules.values().stream()
                    .filter(rule -> !used.contains(rule.definition().name()))
                    .toList();
        }

        private static RuleTables tables(Map<String, TableDefinition> declared, TableInputs input)
                throws PolicyException {
            List<Problem> problems = new ArrayList<>();
            RuleTables tables = PolicyTables.of(declared, Map.of(), input, problems);
            if (!problems.isEmpty()) {
                throw new PolicyException(problems.get(0).message(), problems);
            }
            return tables;
        }

        private static TestedRule compile(RuleDefinition rule, RuleTables tables) {
            try {
                return TestedRule.of(rule, tables);
            } catch (RuleException e) {
                throw new InputException(RuleChecks.problem(rule, e.problem()).line(), e);
            }
        }
    }
}
