package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.EffectivePolicy.RuleSet;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RulePriority;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.RuleProblem;
import io.policyscheduler.engine.rules.data.RuleTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Compiles the rules of one policy: those of its entries, of its own list and of libraries. */
final class PolicyRules {
    private final RuleCompiler compiler;
    private final RuleFailures failures;
    private final RuleTables tables;
    private final Map<String, RuleDefinition> shared = new TreeMap<>();
    private final TreeMap<String, RulePredicate> predicates = new TreeMap<>();
    private final TreeMap<String, RulePriority> priorities = new TreeMap<>();
    private final List<Problem> problems = new ArrayList<>();

    /**
     * @param own rules of the policy file
     * @param libraries rules of other files; a rule of the policy file overrides one of the same name
     * @param tables that rules can read
     */
    PolicyRules(
            List<RuleDefinition> own,
            List<RuleDefinition> libraries,
            RuleTables tables,
            RuleExecution execution,
            RuleFailures failures) {
        this.compiler = new RuleCompiler(RuleLimits.DEFAULT, execution, tables);
        this.tables = tables;
        this.failures = failures;
        addAll(libraries);
        Map<String, RuleDefinition> others = new TreeMap<>(shared);
        shared.clear();
        addAll(own);
        others.forEach(shared::putIfAbsent);
    }

    private void addAll(List<RuleDefinition> rules) {
        for (RuleDefinition rule : rules) {
            if (rule.name().isEmpty()) {
                problem(RuleCode.LIBRARY, "a rule without a name", rule, "give it a name to use it by", null);
            } else if (shared.putIfAbsent(rule.name(), rule) != null) {
                problem(RuleCode.LIBRARY, "the second rule named " + rule.name(), rule, "rename one of them", null);
            }
        }
    }

    List<Problem> problems() {
        return problems;
    }

    RuleSet set() {
        return new RuleSet(predicates, priorities, failures, tables);
    }

    /** Reports problems of shared rules that are not used by an entry. */
    void checkNames(String name, RuleDefinition rule, boolean taken) {
        if (name.isEmpty()) {
            problem(RuleCode.DEFINITION, "an entry with a rule but without a name", rule, "name the entry", null);
        } else if (taken) {
            problem(RuleCode.DEFINITION, "rule " + name + ": the name is taken", rule, "choose another one", null);
        }
    }

    void predicate(RuleDefinition entry) {
        try {
            RuleDefinition rule = complete(entry);
            if (rule != null) {
                predicates.put(entry.name(), RulePredicate.compile(rule, compiler, failures));
            }
        } catch (RuleException e) {
            rejected(entry, e.problem());
        }
    }

    void priority(RuleDefinition entry) {
        try {
            RuleDefinition rule = complete(entry);
            if (rule != null) {
                priorities.put(entry.name(), RulePriority.compile(rule, compiler, failures));
            }
        } catch (RuleException e) {
            rejected(entry, e.problem());
        }
    }

    private @Nullable RuleDefinition complete(RuleDefinition entry) throws RuleException {
        if (entry.use().isEmpty()) {
            return entry;
        }
        if (!entry.expression().isEmpty()) {
            String message = "rule " + entry.name() + " has both use and expression";
            problem(RuleCode.DEFINITION, message, entry, "keep one of them", null);
            return null;
        }
        RuleDefinition library = shared.get(entry.use());
        if (library == null) {
            String known =
                    shared.isEmpty() ? "there are no shared rules" : "there are " + String.join(", ", shared.keySet());
            problem(
                    RuleCode.LIBRARY,
                    "rule " + entry.name() + " uses " + GoText.quote(entry.use()) + ", which is not there",
                    entry,
                    known,
                    Suggestions.nearest(entry.use(), shared.keySet()));
            return null;
        }
        return entry.over(library);
    }

    private void rejected(RuleDefinition entry, RuleProblem problem) {
        RuleDefinition library = shared.get(entry.use());
        boolean borrowed = library != null && problem.expression().equals(library.expression());
        RuleDefinition.Place place = borrowed && library != null ? library.place() : entry.place();
        problems.add(new Problem(
                problem.code().code(),
                "rule " + entry.name() + ": " + problem.line() + ":" + problem.column() + ": " + problem.text(),
                place.file(),
                new SourcePosition(place.line(), place.column()),
                problem.caret(),
                null));
    }

    private void problem(RuleCode code, String message, RuleDefinition rule, String hint, @Nullable String suggestion) {
        RuleDefinition.Place place = rule.place();
        problems.add(new Problem(
                code.code(),
                code.code() + ": " + message + "; " + hint,
                place.file(),
                new SourcePosition(place.line(), place.column()),
                rule.name(),
                suggestion));
    }
}
