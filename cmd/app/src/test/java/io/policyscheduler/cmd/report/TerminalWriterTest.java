package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.report.TerminalWriter.Terminal;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import java.io.StringWriter;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalWriterTest {
    private final StringWriter terminal = new StringWriter();
    private final TerminalWriter writer = new TerminalWriter(terminal);

    @Test
    void dataCannotSpeakToTheTerminal() {
        writer.print("pod \u001b]0;owned\u0007 of \u202egnp.exe\n");
        writer.printf("%s%n", "a\rb\u009b2J");
        writer.write('\u001b');
        assertEquals("pod \\u001b]0;owned\\u0007 of \\u202egnp.exe\na\\u000db\\u009b2J\n\\u001b", terminal.toString());
    }

    @Test
    void passwordsAreMasked() {
        writer.println("extender https://me:secret@host/x");
        assertEquals("extender https://me:***@host/x" + System.lineSeparator(), terminal.toString());
    }

    @Test
    void theProgramItselfMayClearALine() {
        writer.print("a");
        writer.clearLine();
        assertEquals("a\r\u001b[K", terminal.toString());
    }

    @Test
    void verdictsHaveColoursWhereTheyAreWanted() {
        TerminalWriter.println(new TerminalWriter(terminal, new Terminal(80, true)), Verdict.BAD, "no \u001b[0m");
        TerminalWriter.println(writer, Verdict.GOOD, "yes");

        assertEquals("\u001b[31mno \\u001b[0m\u001b[0m\nyes\n", terminal.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "true, 120, xterm, '', 120, true",
        "true, 120, xterm, 1, 120, false",
        "true, 120, dumb, '', 120, false",
        "true, '', xterm, '', 0, true",
        "true, 7, xterm, '', 0, true",
        "false, 120, xterm, '', 0, false",
    })
    void terminalsAreWhatTheLauncherAndTheUserSay(
            String isTerminal, String columns, String term, String noColor, int width, boolean colours) {
        Properties properties = new Properties();
        properties.setProperty("screen", isTerminal);
        properties.setProperty("policyscheduler.columns", columns);

        assertEquals(
                new Terminal(width, colours),
                Terminal.of("screen", properties, Map.of("TERM", term, "NO_COLOR", noColor)));
    }
}
