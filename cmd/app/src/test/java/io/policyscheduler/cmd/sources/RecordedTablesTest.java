package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.snapshot.RecordedTable;
import io.policyscheduler.cmd.sources.TableInputs.RecordedTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordedTablesTest {
    private static final String TABLE = "{'apiVersion':'policy-scheduler.io/v1','kind':'RecordedTable','metadata':"
            + "{'name':'load'},'source':'s','question':'q','taken':'2026-01-31T12:10:00Z','values':{'n1':0.5},"
            + "'times':{'n1':'2026-01-31T12:09:00Z'}}";

    private static RecordedTables of(Path folder, String text) throws IOException {
        Path file = Files.writeString(folder.resolve("dump.json"), text.replace('\'', '"'));
        return RecordedTables.ofDump(List.of(file));
    }

    /** In a list, alone, and next to others. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "{'kind':'List','items':[{'kind':'Node','items':[1]},TABLE]}",
                "{'items':[TABLE,{'kind':'RecordedTable','metadata':{'name':'load'}}],'kind':'List'}",
                "TABLE",
                "{'kind':'Node'} TABLE",
            })
    void areFound(String text, @TempDir Path folder) throws IOException {
        RecordedTables tables = of(folder, text.replace("TABLE", TABLE));
        RecordedTable table = Objects.requireNonNull(tables.table("load"));
        assertEquals(TABLE, table.object().toString().replace('"', '\''));
        assertEquals(null, tables.table("other"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "policy-scheduler.io/v1 => policy-scheduler.io/v2 => is of apiVersion \"policy-scheduler.io/v2\", only"
                        + " policy-scheduler.io/v1 is known",
                "'values' => 'value' => has no values",
                "2026-01-31T12:10:00Z => noon => taken \"noon\" is no time such as 2026-01-31T12:00:00Z",
                "2026-01-31T12:09:00Z => now => times[n1] \"now\" is no time such as 2026-01-31T12:00:00Z",
            })
    void othersAreRefused(String part, String other, String expected, @TempDir Path folder) throws IOException {
        RecordedTables tables = of(folder, TABLE.replace(part, other));
        IOException refused = assertThrows(IOException.class, () -> tables.table("load"));
        assertEquals("the dump's RecordedTable load " + expected, refused.getMessage());
    }

    @Test
    void thereAreNoneWithoutADump() throws IOException {
        assertEquals(null, RecordedTables.NONE.table("load"));
    }
}
