package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.policy.PolicyTables.TableAges;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that were taken at 12:10 keep their age. */
class TableAgesTest {
    private static final Instant TAKEN = Instant.parse("2026-01-31T12:10:00Z");
    private static final ImmutableMap<String, Instant> TIMES = ImmutableMap.of(
            "old", Instant.parse("2026-01-31T12:08:00Z"),
            "young", Instant.parse("2026-01-31T12:08:01Z"));

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "staleAfter: 2m => {young={=2.0}, other={=3.0}} {=9.0} of 2026-01-31T12:10:00Z, 1 stale",
                "staleAfter: 1m => {other={=3.0}} {=9.0} of 2026-01-31T12:10:00Z, 2 stale",
                "interval: 30s => {old={=1.0}, young={=2.0}, other={=3.0}} {=9.0} of 2026-01-31T12:10:00Z, 0 stale",
            })
    void ages(String setting, String expected) throws Exception {
        String table = setting.startsWith("interval")
                ? "{prometheus: {url: http://p, query: up, label: node, " + setting + "}, default: 9}"
                : "{prometheus: {url: http://p, query: up, label: node}, default: 9, " + setting + "}";
        TableDeclarations.Declarations found = TableDeclarations.of(
                SourceDocument.parse("tables: {t: " + table + "}").root(), "p.yaml");
        TableInput.Text text = new TableInput.Text(
                "{\"old\": 1, \"young\": 2, \"other\": 3}", "t.json", "the dump", new TableAges(TIMES, TAKEN));
        TableState state =
                Objects.requireNonNull(PolicyTables.of(found.tables(), Map.of(), definition -> text, new ArrayList<>())
                        .get()
                        .states()
                        .get("t"));
        assertEquals(
                expected,
                state.values().rows() + " " + state.values().defaults() + " of " + state.sourceTime() + ", "
                        + state.stale() + " stale");
        assertEquals(state.values().rows().keySet(), state.values().times().keySet());
    }
}
