package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
}
