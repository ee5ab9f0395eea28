package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartValue;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.TermText;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables in expressions; both executors. The pod is web with the label app=a, on node n0 without a label zone. */
class RuleTablesTest {
    private static final PodInfo POD =
            PodBuilder.pod("web").label("app", "a").label("size", "3").build();

    private static ClusterState cluster() {
        ClusterState cluster = new ClusterState();
        cluster.putNode(NodeBuilder.node("n0")
                .cpu("4")
                .memory("1Gi")
                .label("kind", "web")
                .build());
        cluster.startCycle();
        return cluster;
    }

    private static Object value(RuleProgram program, RuleProgram.Executor executor) {
        ClusterState cluster = cluster();
        RuleProgram.Run run = program.start(POD, cluster, executor);
        return program.type() == RuleType.BOOL
                ? (Object) run.bool(cluster.nodes().get(0))
                : (Object) run.number(cluster.nodes().get(0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "tables.price['web'] or 9 => 3.0",
                "tables.price['none'] or 9 => 9.0",
                "tables.price['n0'] or 9 => 0.0",
                "tables['price']['web'] or 9 => 3.0",
                "tables.price[node.labels['kind']] or 9 => 3.0",
                "tables.price[node.labels['zone']] or 9 => 9.0",
                "tables.price[node.name] or 9 => 0.0",
                "tables.price.get('a') or 9 => 0.5",
                "tables.price.getOrDefault('a', 9) => 0.5",
                "tables.price.getOrDefault('x', '1Gi') => 1073741824.0",
                "tables.price.size() => 4.0",
                "tables.cost['web'] => 3.0",
                "tables.cost[node.labels['zone']] => 2.5",
                "tables.cost['web'] * 2 + 1 => 7.0",
                "tables.host[node.name].watts or 7 => 120.5",
                "tables.host['n1'].watts or 7 => 0.0",
                "tables.host['web'].watts or 7 => 7.0",
                "tables.host['x'].watts or 7 => 7.0",
                "tables.rack['x'].watts => 1.0",
                "tables.rack['web'].watts => 1.0",
                "p = tables.price['web']; return p == null ? 5 : p * 2; => 6.0",
                "p = tables.price['x']; return p == null ? 5 : p * 2; => 5.0",
                "p = tables.price; return p['web'] or 1; => 3.0",
                "h = tables.host[node.name]; return h.watts or 1; => 120.5",
                "h = tables.host[pod.labels['app'] or 'n1']; return h == null ? 4 : (h.watts or 1); => 4.0",
                "tables.price['web'] != null ? tables.price['web'] : 1 => 3.0",
                "tables.price.containsKey('web') ? tables.price['web'] : 1 => 3.0",
                "(tables.gold['web'] or false) ? 1 : 0 => 1.0",
                "(tables.gold['x'] or true) ? 1 : 0 => 1.0",
                "tables.rich['x'] ? 1 : 0 => 1.0",
                "tables.rich['a'] ? 1 : 0 => 0.0",
                "node.pods.sum(p, tables.cost[p.name]) => 0.0",
                "tables.team['web'].length() => -",
            })
    void numbers(String expression, String expected) throws RuleException {
        if (expected.equals("-")) {
            assertThrows(RuleException.class, () -> compile(expression, RuleType.NUMBER));
            return;
        }
        RuleProgram program = compile(expression, RuleType.NUMBER);
        for (RuleProgram.Executor executor : RuleProgram.Executor.values()) {
            assertEquals(Double.valueOf(expected), value(program, executor), () -> executor + " " + expression);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "tables.price['web'] == 3 => true",
                "tables.price['web'] != 3 => false",
                "tables.price['x'] == 3 => false",
                "tables.price['x'] != 3 => true",
                "3 == tables.price['web'] => true",
                "tables.price['x'] == tables.price['y'] => true",
                "tables.price['web'] == tables.price['y'] => false",
                "tables.price['x'] == tables.price['web'] => false",
                "tables.price['web'] == tables.host['n0'].watts => false",
                "tables.price['n0'] == tables.host['n1'].watts => true",
                "tables.price['x'] == null => true",
                "tables.price['web'] == null => false",
                "null != tables.price['web'] => true",
                "tables.price['web'] in [1, 3] => true",
                "tables.price['x'] in [1, 3] => false",
                "tables.price contains 'web' => true",
                "tables.price.containsKey(node.labels['zone']) => false",
                "tables.price.isEmpty() => false",
                "tables.price['web'] != null && tables.price['web'] < 4 => true",
                "tables.price['x'] == null || tables.price['x'] < 4 => true",
                "tables.gold['web'] == true => true",
                "tables.gold['x'] == false => false",
                "tables.gold['x'] == null => true",
                "tables.gold['a'] or pod.name == 'web' => false",
                "tables.gold['x'] or pod.name == 'web' => true",
                "tables.team['web'] == 'b' => true",
                "tables.team['x'] == null => true",
                "tables.team['b'] == empty => true",
                "(tables.team['b'] or 'none') == 'none' => true",
                "tables.team.getOrDefault('b', 'none') == ' ' => true",
                "tables.team.getOrDefault('x', 'none') == 'none' => true",
                "tables.group['x'] == 'none' => true",
                "tables.host['n0'] == null => false",
                "tables.host['x'] == null => true",
                "tables.host['n0'].owner == pod.name => true",
                "tables.rack['x'].owner == 'nobody' => true",
                "tables.host['n0'].on == true && tables.host['n1'].on == null => true",
                "f = tables.gold['x']; return f == null || f; => true",
                "number(tables.team['x'], 4) == 4 => true",
                "tables.price[tables.team['b'] or 'web'] == 3 => true",
                "tables.price[tables.team['underlay']] == 3 => true",
            })
    void bools(String expression, boolean expected) throws RuleException {
        RuleProgram program = compile(expression, RuleType.BOOL);
        for (RuleProgram.Executor executor : RuleProgram.Executor.values()) {
            assertEquals(expected, value(program, executor), () -> executor + " " + expression);
        }
    }

    private static RuleProgram compile(String expression, RuleType type) throws RuleException {
        RuleProgram program = ExampleTables.compiler().compile(expression, Map.of(), type);
        // What a trace shows can be pasted into a rule.
        ExampleTables.compiler().compile(TermText.of(program.term()), Map.of(), type);
        return program;
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "tables.prize['web'] == 1 => R013 => there is no table 'prize'; did you mean \"price\"?",
                "tables.host['n0'].wats == 1 => R013 => table host has no field 'wats'; did you mean \"watts\"?",
                "tables.price['web'] < 1 => R029 => give a default: (tables.price['web'] or 0)",
                "tables.gold['web'] && true => R029 => (tables.gold['web'] or false)",
                "tables.gold['web'] => R029 => may be missing",
                "(pod.cpu > 1 ? tables.price['a'] : 1) > 0 => R029 => may be missing",
                "tables.price == null => R016 => never null",
                "tables.cost['web'] == null => R016 => never null",
                "tables.cost.getOrDefault('web', 1) > 0 => R016 => has a default",
                "tables.host.getOrDefault('web', 1) > 0 => R016 => has records",
                "tables.price.web == 1 => R013 => write an entry as ['web']",
                "tables.price.size > 1 => R015 => write .size()",
                "tables.price.get() == 1 => R015 => write .get(key)",
                "tables.price[3] == 1 => R016 => must be a string",
                "tables.price['a'] == 'x' => R019 => is not a quantity",
                "tables.price['a'] == true => R016 => must have the same type",
                "tables.price['a'] in ['x'] => R019 => is not a quantity",
                "tables.price['a'] == empty => R016 => compare it with null",
                "tables.host['a'] == 'x' => R016 => a record",
                "tables.host['a']['watts'] == 1 => R016 => write a field with a dot",
                "tables == null => R016 => never null",
                "tables.getClass() == null => R024 => not accessible",
                "tables.price.getClass() == null => R024 => not accessible",
                "tables.host['a'].getClass() == null => R024 => not accessible",
                "tables.Runtime == null => R013 => Runtime",
                "tables = 3; return pod.cpu > tables; => R010 => cannot be changed",
                "node.pods.any(tables, tables.cpu > 1) => R015 => is already used",
                "(tables.price[$.name] in node.pods).size() > 1 => R029 => may be missing",
                "node.pods.map(p, tables.host[p.name]).size() > 1 => R016 => not a record",
                "pod.cpu > 1 ? tables.price : tables.price => R016 => must be bools",
            })
    void refused(String expression, String code, String part) {
        RuleException refused = assertThrows(
                RuleException.class, () -> ExampleTables.compiler().compile(expression, Map.of(), RuleType.BOOL));
        assertEquals(code, refused.problem().code().code(), refused.problem()::format);
        assertTrue(refused.problem().text().contains(part), refused.problem()::format);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tables.price['a'] == 1", "tables == null"})
    void withoutTables(String expression) {
        RuleException refused = assertThrows(
                RuleException.class, () -> RuleCompiler.standard().compile(expression, Map.of(), RuleType.BOOL));
        assertEquals(
                "R012: there are no tables; declare them next to the rules: tables: {...}",
                refused.problem().text());
    }

    @Test
    void whatIsReadAndWhatItCosts() throws RuleException {
        RuleProgram program =
                compile("tables.price[pod.name] == 1 || node.pods.any(p, tables.gold[p.name] or false)", RuleType.BOOL);
        assertAll(
                () -> assertEquals(Set.of("gold", "price"), program.tables()),
                () -> assertEquals(Set.of(Reads.TABLES, Reads.POD_NAME, Reads.NODE_PODS), program.reads()),
                () -> assertTrue(program.cost() > 3L * RuleLimits.DEFAULT.pods(), () -> "cost " + program.cost()));
    }

    @Test
    void theConditionMayAskATable() throws RuleException {
        RuleProgram when = ExampleTables.compiler().compileWhen("tables.gold[pod.name] or false", Map.of());
        assertTrue(when.start(POD, cluster()).bool());
    }

    @Test
    void aTraceShowsThem() throws RuleException {
        RuleProgram program = compile("(tables.gold['x'] or false) || tables.price['web'] == 3", RuleType.BOOL);
        ClusterState cluster = cluster();
        PartValue tree = program.trace(POD, cluster.nodes().get(0), cluster);
        PartValue left = tree.parts().get(0);
        assertEquals("tables.gold['x'] or false", left.part().text());
        assertEquals("tables.gold['x']", left.parts().get(0).part().text());
        assertNull(left.parts().get(0).statistics().value());
        assertEquals(
                List.of(false, true),
                tree.parts().stream().map(part -> part.statistics().value()).toList());
    }

    @Test
    void aKeyIsBounded() {
        String longest = "k".repeat(TableLimits.MAX_KEY);
        TableValues values = TableValues.of(Map.of(longest, ImmutableMap.of("", 1.0)));
        assertTrue(values.has(longest));
        assertEquals(null, values.get(longest + "k", ""));
    }

    /** An attempt uses the values that were current when it started. */
    @Test
    void valuesAreSwappedBetweenAttempts() throws RuleException {
        RuleTables tables = ExampleTables.of();
        RuleCompiler compiler = new RuleCompiler(RuleLimits.DEFAULT, RuleExecution.standard(), tables);
        RuleProgram program = compiler.compile("tables.price['web'] or 9", Map.of(), RuleType.NUMBER);
        ClusterState cluster = cluster();
        RuleProgram.Run before = program.start(POD, cluster);
        TableState old = Objects.requireNonNull(tables.get().states().get("price"));
        tables.put(old.next(TableValues.of(Map.of("web", ImmutableMap.of("", 4.0)))));
        assertAll(
                () -> assertEquals(3, before.number(cluster.nodes().get(0))),
                () -> assertEquals(
                        4, program.start(POD, cluster).number(cluster.nodes().get(0))),
                () -> assertEquals(
                        2,
                        Objects.requireNonNull(tables.get().states().get("price"))
                                .generation()),
                () -> assertThrows(
                        IllegalArgumentException.class,
                        () -> tables.put(Objects.requireNonNull(
                                        RuleTablesTest.other().get().states().get("gold"))
                                .next(TableValues.EMPTY))));
    }

    /** Tables of the same names and other types. */
    private static RuleTables other() {
        RuleTables known = ExampleTables.of();
        TableState gold = Objects.requireNonNull(known.get().states().get("price"));
        return new RuleTables(
                Map.of("gold", Objects.requireNonNull(known.definitions().get("price"))),
                Map.of(
                        "gold",
                        TableState.first(
                                new TableSchema(
                                        "gold",
                                        gold.schema().fields(),
                                        gold.schema().defaults()),
                                TableValues.EMPTY)));
    }
}
