package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.data.RuleTables;
import java.time.Clock;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rules of one policy, by their name in it. Immutable.
 *
 * @param predicates predicate rules, sorted by name
 * @param priorities priority rules, sorted by name
 * @param failures what is counted when they fail at run time
 * @param tables what they read besides pods and nodes
 */
public record RuleSet(
        SortedMap<String, RulePredicate> predicates,
        SortedMap<String, RulePriority> priorities,
        RuleFailures failures,
        RuleTables tables) {
    public RuleSet {
        predicates = Collections.unmodifiableSortedMap(new TreeMap<>(predicates));
        priorities = Collections.unmodifiableSortedMap(new TreeMap<>(priorities));
    }

    /** Whether some rule reads annotations of pods, so that whoever reads pods for these rules must keep them. */
    public boolean readsPodAnnotations() {
        return predicates.values().stream().anyMatch(RulePredicate::readsPodAnnotations)
                || priorities.values().stream().anyMatch(RulePriority::readsPodAnnotations);
    }

    /** True when there are none. */
    public boolean isEmpty() {
        return predicates.isEmpty() && priorities.isEmpty();
    }

    /** No rules. */
    public static RuleSet none() {
        return new RuleSet(new TreeMap<>(), new TreeMap<>(), new RuleFailures(Clock.systemUTC()), RuleTables.none());
    }
}
