package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.Measuring;
import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableDefinition.WhenStale;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that read measured values: pods placed since the measurement, and missing values; both executors. */
class MeasuredRulesTest {
    private static final long NOON = Instant.parse("2026-01-01T12:00:00Z").toEpochMilli();
    private static final PodInfo POD = PodBuilder.pod("web").build();

    private static PodInfo placed(String name, String cpu, @Nullable Long atSecond) {
        PodInfo pod = PodBuilder.pod(name)
                .uid(name)
                .cpu(cpu)
                .memory("1Ki")
                .onNode("n0")
                .build();
        return atSecond == null ? pod : pod.withScheduledAt(NOON + atSecond * 1_000);
    }

    /** Pods on n0: one older than the value, one newer, one of unknown age, and one that was placed before. */
    private static ClusterState cluster() {
        ClusterState cluster = new ClusterState();
        cluster.putNode(NodeBuilder.node("n0").cpu("16").build());
        cluster.putNode(NodeBuilder.node("n1").cpu("16").build());
        cluster.addPod(placed("old", "8", -2L));
        cluster.addPod(placed("new", "2", 5L));
        cluster.addPod(placed("unknown", "1", null));
        cluster.addPod(PodBuilder.pod("started")
                .uid("started")
                .cpu("4")
                .onNode("n0")
                .startTime(NOON - 60_000)
                .build());
        cluster.startCycle();
        return cluster;
    }

    private static RuleTables tables(@Nullable PlacedAmount placed, WhenStale whenStale, Map<String, Object> defaults) {
        TreeMap<String, PlacedAmount> plusPlaced = new TreeMap<>();
        if (placed != null) {
            plusPlaced.put(TableSchema.VALUE, placed);
        }
        TableDefinition definition = new TableDefinition(
                "load",
                new TableOrigin.NodeMetrics(Duration.ofSeconds(30)),
                new TreeMap<>(Map.of(TableSchema.VALUE, RuleType.NUMBER)),
                defaults,
                TableValues.EMPTY,
                new Measuring(null, whenStale, plusPlaced),
                new TableDefinition.Place("p.yaml", 1, 1));
        return new RuleTables(
                Map.of("load", definition),
                Map.of("load", TableState.none(definition.schema(definition.fields()), defaults)));
    }

    private static void put(RuleTables tables, Map<String, Double> values) {
        ImmutableMap.Builder<String, ImmutableMap<String, Object>> rows = ImmutableMap.builder();
        ImmutableMap.Builder<String, Instant> times = ImmutableMap.builder();
        values.forEach((key, value) -> {
            rows.put(key, ImmutableMap.of(TableSchema.VALUE, value));
            times.put(key, Instant.ofEpochMilli(NOON));
        });
        TableState known = tables.get().states().get("load");
        if (known == null) {
            throw new AssertionError("no table");
        }
        TableValues next = new TableValues(rows.buildOrThrow(), known.values().defaults(), times.buildOrThrow());
        tables.put(known.next(next, Instant.ofEpochMilli(NOON), 0, null));
    }

    private static NodeInfo node(ClusterState cluster, String name) {
        NodeInfo node = cluster.node(name);
        if (node == null) {
            throw new AssertionError(name);
        }
        return node;
    }

    @ParameterizedTest
    @CsvSource({
        "CPU, tables.load[node.name] or 99, n0, 3.5",
        "CPU, tables.load[node.name] or 99, n1, 99",
        "CPU, tables.load['n0'] or 99, n0, 3.5",
        "CPU, tables.load['n0'] or 99, n1, 0.5",
        "MEMORY, tables.load[node.name] or 99, n0, 2048.5",
        "PODS, tables.load[node.name] or 99, n0, 2.5",
        ", tables.load[node.name] or 99, n0, 0.5",
        "PODS, tables.load['other'] or 7, n0, 7",
    })
    void podsPlacedSinceAdd(@Nullable PlacedAmount placed, String expression, String node, double expected)
            throws RuleException {
        RuleTables tables = tables(placed, WhenStale.DEFAULT, Map.of());
        put(tables, Map.of("n0", 0.5));
        RuleCompiler compiler = new RuleCompiler(RuleLimits.DEFAULT, RuleExecution.standard(), tables);
        RuleProgram program = compiler.compile(expression, Map.of(), RuleType.NUMBER);
        ClusterState cluster = cluster();
        for (RuleProgram.Executor executor : RuleProgram.Executor.values()) {
            RuleProgram.Run run = program.start(POD, cluster, executor);
            assertEquals(expected, run.number(node(cluster, node)), executor::toString);
        }
    }

    /** Results depend on the pods of the node then; the condition of a rule has no node, and takes the value as it is. */
    @Test
    void podsPlacedSinceAreReadFromTheNode() throws RuleException {
        RuleTables tables = tables(PlacedAmount.CPU, WhenStale.DEFAULT, Map.of());
        RuleCompiler compiler = new RuleCompiler(RuleLimits.DEFAULT, RuleExecution.standard(), tables);
        RuleProgram program = compiler.compile("tables.load['n0'] or 0", Map.of(), RuleType.NUMBER);
        assertEquals(Set.of(Reads.TABLES, Reads.NODE_PODS), program.reads());
        put(tables, Map.of("n0", 0.5));
        RuleProgram when = compiler.compileWhen("(tables.load['n0'] or 9) < 1", Map.of());
        for (RuleProgram.Executor executor : RuleProgram.Executor.values()) {
            assertTrue(when.start(POD, cluster(), executor).bool(), executor::toString);
        }
    }

    private static RuleDefinition rule(String expression) {
        return new RuleDefinition(
                "Load",
                "",
                expression,
                null,
                Map.of(),
                null,
                null,
                null,
                null,
                new RuleDefinition.Place("p.yaml", 1, 1));
    }

    /** Without a value, a rule is skipped if the table says so; a default alone is no value. */
    @ParameterizedTest
    @CsvSource({"SKIP, false, true, 0", "SKIP, true, false, 7", "DEFAULT, false, false, 9", "DEFAULT, true, false, 7"})
    void withoutValues(WhenStale whenStale, boolean measured, boolean fits, long score) throws RuleException {
        RuleTables tables = tables(null, whenStale, Map.of(TableSchema.VALUE, 9.0));
        if (measured) {
            put(tables, Map.of("n0", 7.0));
        }
        RuleCompiler compiler = new RuleCompiler(RuleLimits.DEFAULT, RuleExecution.standard(), tables);
        RuleFailures failures = new RuleFailures(Clock.systemUTC());
        ClusterState cluster = cluster();
        NodeInfo node = node(cluster, "n0");
        PodContext context = PodContext.of(POD, cluster);
        PodFilter filter = RulePredicate.compile(rule("tables.load[node.name] < 5"), compiler, failures)
                .start(context);
        PodScorer scorer = RulePriority.compile(rule("tables.load[node.name]"), compiler, failures)
                .start(context, cluster.nodes());
        assertEquals(fits, filter.check(node).fits());
        assertEquals(score, scorer.score(node));
    }
}
