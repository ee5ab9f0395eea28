package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.syntax.RuleException;
import io.policyscheduler.engine.rules.value.RuleType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules that the cases of a file may be about, by name: those of a policy, sorted, then those of a library, in file order.
 */
record RuleBook(Map<String, TestedRule> rules) {
    RuleBook {
        rules = Collections.unmodifiableMap(new LinkedHashMap<>(rules));
    }

    /**
     * Reads the rules.
     *
     * @param policy null for none
     * @param library null for none; the policy may use its rules
     * @throws InputException when a file cannot be read or is refused
     */
    static RuleBook read(@Nullable Path policy, @Nullable Path library) {
        Map<String, TestedRule> rules = new LinkedHashMap<>();
        List<RuleDefinition> shared = new ArrayList<>();
        try {
            if (library != null) {
                shared.addAll(new PolicyReader().readRules(InputFiles.text(library), library.toString()));
            }
            if (policy != null) {
                PolicyResolver resolver = new PolicyResolver(
                        FeatureGates.defaults().at(Release.NEWEST),
                        1,
                        false,
                        Algorithms.registry(),
                        shared,
                        SteadyClock.system());
                Policy read = resolver.reader().read(InputFiles.text(policy), policy.toString());
                EffectivePolicy effective = resolver.resolve(read);
                effective
                        .rules()
                        .predicates()
                        .forEach((name, rule) -> rules.put(name, new TestedRule(rule.definition(), RuleType.BOOL)));
                effective
                        .rules()
                        .priorities()
                        .forEach((name, rule) ->
                                rules.putIfAbsent(name, new TestedRule(rule.definition(), RuleType.NUMBER)));
                shared.addAll(read.rules());
            }
        } catch (PolicyException e) {
            throw InputException.refused(e);
        }
        for (RuleDefinition rule : shared) {
            rules.putIfAbsent(rule.name(), compile(rule));
        }
        return new RuleBook(rules);
    }

    /** All rules but the shared ones that entries of the policy use: what entries make of them stands for them. */
    List<TestedRule> rulesInUse() {
        Set<String> used = new HashSet<>();
        rules.values().forEach(rule -> used.add(rule.definition().use()));
        return rules.values().stream()
                .filter(rule -> !used.contains(rule.definition().name()))
                .toList();
    }

    private static TestedRule compile(RuleDefinition rule) {
        try {
            return TestedRule.of(rule);
        } catch (RuleException e) {
            throw new InputException(RuleChecks.problem(rule, e.problem()).line(), e);
        }
    }
}
