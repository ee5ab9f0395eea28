package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.table.TableDefinition;
import java.util.List;
import java.util.Map;

/**
 * What a library has for policies.
 *
 * @param rules that entries use by name, in file order
 * @param tables that rules read, by name
 */
public record RuleLibrary(List<RuleDefinition> rules, Map<String, TableDefinition> tables) {
    public RuleLibrary {
        rules = ImmutableList.copyOf(rules);
        tables = ImmutableSortedMap.copyOf(tables);
    }
}
