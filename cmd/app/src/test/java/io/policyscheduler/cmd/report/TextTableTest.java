package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.report.TerminalWriter.Terminal;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TextTableTest {
    private static String print(TextTable table) {
        StringWriter text = new StringWriter();
        table.print(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void alignsColumnsWithoutTrailingSpaces() {
        TextTable table = new TextTable().text("NAME").number("N").text("NOTE");
        table.row("a", 7, "x");
        table.row("a-name-that-is-long-but-never-broken", 1234, "");

        assertEquals("""
                NAME                                      N   NOTE
                a                                         7   x
                a-name-that-is-long-but-never-broken   1234
                """, print(table));
    }

    @Test
    void countsCharactersNotUtf16Units() {
        TextTable table = new TextTable().text("A").text("B");
        table.row("\uD83D\uDE00é", "x");
        table.row("abc", "x");

        assertEquals("A     B\n\uD83D\uDE00é    x\nabc   x\n", print(table));
    }

    @Test
    void controlCharactersDoNotBreakTheTable() {
        TextTable table = new TextTable().text("A");
        table.row("x\n\ty\u001b[31m");

        assertEquals("A\nx y [31m\n", print(table));
    }

    @Test
    void anEmptyTablePrintsNothing() {
        assertEquals("", print(new TextTable().text("A")));
    }

    @Test
    void refusesRowsOfAnotherWidth() {
        TextTable table = new TextTable().text("A");

        assertThrows(IllegalArgumentException.class, () -> table.row(1, 2));
    }

    private static String print(TextTable table, int columns, boolean wide) {
        StringWriter text = new StringWriter();
        TerminalWriter writer = new TerminalWriter(text, new Terminal(columns, false));
        if (wide) {
            writer.widen();
        }
        table.print(writer);
        return text.toString();
    }

    @Test
    void aNarrowTerminalGetsTextsInSeveralLines() {
        TextTable table = new TextTable().text("POD").text("MESSAGE");
        table.row("default/huge", "0/13 nodes are available: 12 Insufficient cpu.");

        assertEquals("""
                POD            MESSAGE
                default/huge   0/13 nodes are available: 12
                               Insufficient cpu.
                """, print(table, 45, false));
        assertEquals(print(table), print(table, 0, false));
        assertEquals(print(table), print(table, 45, true));
    }

    @Test
    void numbersWithoutRoomAreLeftOutAndNamed() {
        TextTable table = new TextTable()
                .text("NODE")
                .number("TOTAL")
                .number("FIRST")
                .number("SECOND")
                .text("WHY");
        table.row("node-1", 100, 1, 22, "a");

        assertEquals("""
                NODE     TOTAL   FIRST   WHY
                node-1     100       1   a
                (not shown: SECOND; -o wide shows all columns)
                """, print(table, 30, false));
    }

    @Test
    void textsUseTheRoomOfOmittedColumns() {
        TextTable table = new TextTable().text("CLUSTER").number("PLACED").number("UNSCHEDULABLE");
        table.row("after policy.json", 37, 4);

        assertEquals("""
                CLUSTER             PLACED
                after policy.json       37
                (not shown: UNSCHEDULABLE; -o wide shows all columns)
                """, print(table, 30, false));
    }
}
