package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.policyscheduler.cmd.cli.LogSetup.TextLayout;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class LogLinesTest {
    private static final String WATCH = "io.policyscheduler.cmd.kube.watch.Reflector";

    @Test
    void timeHasItsZone() {
        assertEquals(
                "2026-01-02T04:04:05.006+01:00 INFO scheduler: bound pod=default/web-1 node=n1 attempt=2 ms=13\n",
                new TextLayout(ZoneId.of("Europe/Berlin"))
                        .doLayout(LogEvents.event(
                                "scheduler",
                                Level.INFO,
                                "bound",
                                null,
                                "pod",
                                "default/web-1",
                                "node",
                                "n1",
                                "attempt",
                                2,
                                "ms",
                                13L)));
    }

    @Test
    void whatWasSaidStandsAtTheEndAsItIs() {
        assertEquals(
                "2026-01-02T03:04:05.006Z WARN scheduler: W106 not bound pod=default/a node=n1: User \"u\" cannot\\u000a\n",
                new TextLayout(ZoneOffset.UTC)
                        .doLayout(LogEvents.event(
                                "scheduler",
                                Level.WARN,
                                "W106 not bound",
                                null,
                                "pod",
                                "default/a",
                                "message",
                                "User \"u\" cannot\n",
                                "node",
                                "n1")));
    }

    @Test
    void aMessageIsOneLine() {
        assertEquals(
                "2026-01-02T03:04:05.006Z WARN cmd.kube.watch: W101 pod a\\u000a2026 INFO fake\\u001b[2J\n",
                new TextLayout(ZoneOffset.UTC)
                        .doLayout(LogEvents.event(WATCH, Level.WARN, "W101 pod a\n2026 INFO fake\u001b[2J", null)));
    }

    @Test
    void aLongTextIsCut() {
        assertEquals(
                "2026-01-02T03:04:05.006Z WARN scheduler: " + "a".repeat(2000) + "... (9000 characters) reason=" + "\""
                        + "b".repeat(2000) + "... (3000 characters)\"\n",
                new LogSetup.TextLayout(ZoneOffset.UTC)
                        .doLayout(LogEvents.event(
                                "scheduler", Level.WARN, "a".repeat(9000), null, "reason", "b".repeat(3000))));
    }

    @Test
    void aValueCannotPassForAnother() {
        assertEquals(
                "2026-01-02T03:04:05.006Z INFO scheduler: said reason=\"a node=n2\" node=\"\" by=\"\\\"x\\\"\" of=\\u0000\n",
                new TextLayout(ZoneOffset.UTC)
                        .doLayout(LogEvents.event(
                                "scheduler",
                                Level.INFO,
                                "said",
                                null,
                                "reason",
                                "a node=n2",
                                "node",
                                "",
                                "by",
                                "\"x\"",
                                "of",
                                "\u0000")));
    }

    @Test
    void passwordsAreMaskedAndTracesFollow() {
        String text = new TextLayout(ZoneOffset.UTC)
                .doLayout(LogEvents.event(
                        WATCH,
                        Level.WARN,
                        "Post \"http://u:p@h/filter\": EOF",
                        new IllegalStateException("http://u:p@h \u202e")));
        assertTrue(
                text.startsWith("2026-01-02T03:04:05.006Z WARN cmd.kube.watch: Post \"http://u:***@h/filter\": EOF\n"
                        + "java.lang.IllegalStateException: http://u:***@h \\u202e\n\tat "),
                text);
    }
}
