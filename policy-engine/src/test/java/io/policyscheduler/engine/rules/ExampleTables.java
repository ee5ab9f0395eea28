package io.policyscheduler.engine.rules;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.Measuring;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableValues;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tables of every kind, whose keys are among the values that {@link RandomExpression} uses. */
final class ExampleTables {
    private static final TableDefinition.Place PLACE = new TableDefinition.Place("policy.yaml", 1, 1);
    static final Map<String, Map<String, Object>> PLAIN = Map.of(
            "price", Map.of("web", 3.0, "a", 0.5, "3", -7.0, "n0", 0.0),
            "gold", Map.of("web", true, "a", false, "n1", true),
            "team", Map.of("web", "b", "underlay", "web", "b", " ", "n0", "a"));
    static final Map<String, Map<String, Object>> HOSTS = Map.of(
            "n0", Map.of("watts", 120.5, "owner", "web", "on", true),
            "n1", Map.of("watts", 0.0, "owner", "a"),
            "web", Map.of("on", false));

    private ExampleTables() {}

    private static ImmutableMap<String, ImmutableMap<String, Object>> rows(Map<String, Object> values) {
        Map<String, ImmutableMap<String, Object>> rows = new LinkedHashMap<>();
        values.forEach((key, value) -> rows.put(key, ImmutableMap.of("", value)));
        return ImmutableMap.copyOf(rows);
    }

    private static ImmutableMap<String, ImmutableMap<String, Object>> records() {
        Map<String, ImmutableMap<String, Object>> rows = new LinkedHashMap<>();
        HOSTS.forEach((key, record) -> rows.put(key, ImmutableMap.copyOf(record)));
        return ImmutableMap.copyOf(rows);
    }

    /** price, gold, team and host without defaults; cost, rich and rack, which has one for a field, with. */
    static RuleTables of() {
        Map<String, TableDefinition> definitions = new TreeMap<>();
        Map<String, TableState> states = new TreeMap<>();
        add(definitions, states, "price", Map.of("", RuleType.NUMBER), rows(plain("price")), Map.of());
        add(definitions, states, "gold", Map.of("", RuleType.BOOL), rows(plain("gold")), Map.of());
        add(definitions, states, "team", Map.of("", RuleType.STRING), rows(plain("team")), Map.of());
        add(definitions, states, "cost", Map.of("", RuleType.NUMBER), rows(plain("price")), Map.of("", 2.5));
        add(definitions, states, "rich", Map.of("", RuleType.BOOL), rows(plain("gold")), Map.of("", true));
        add(definitions, states, "group", Map.of("", RuleType.STRING), rows(plain("team")), Map.of("", "none"));
        Map<String, RuleType> fields = Map.of("watts", RuleType.NUMBER, "owner", RuleType.STRING, "on", RuleType.BOOL);
        add(definitions, states, "host", fields, records(), Map.of());
        add(definitions, states, "rack", fields, records(), Map.of("owner", "nobody", "watts", 1.0));
        return new RuleTables(definitions, states);
    }

    private static Map<String, Object> plain(String name) {
        return PLAIN.getOrDefault(name, Map.of());
    }

    private static void add(
            Map<String, TableDefinition> definitions,
            Map<String, TableState> states,
            String name,
            Map<String, RuleType> fields,
            ImmutableMap<String, ImmutableMap<String, Object>> rows,
            Map<String, Object> defaults) {
        SortedMap<String, RuleType> types = new TreeMap<>(fields);
        TableValues values = new TableValues(rows, ImmutableMap.copyOf(defaults));
        TableDefinition definition =
                new TableDefinition(name, new TableOrigin.Inline(), types, defaults, values, Measuring.NONE, PLACE);
        definitions.put(name, definition);
        states.put(name, TableState.first(definition.schema(types), values));
    }

    /** A compiler with these tables. */
    static RuleCompiler compiler() {
        return compiler(RuleLimits.DEFAULT);
    }

    static RuleCompiler compiler(RuleLimits limits) {
        return new RuleCompiler(limits, RuleExecution.standard(), of());
    }
}
