package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.StringWriter;
import org.junit.jupiter.api.Test;

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
}
