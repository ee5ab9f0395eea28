package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.LogSetup.JsonLayout;
import org.junit.jupiter.api.Test;

class LogObjectsTest {
    @Test
    void eachEventIsOneObject() {
        assertEquals(
                "{\"time\":\"2026-01-02T03:04:05.006789Z\",\"level\":\"INFO\",\"component\":\"scheduler\","
                        + "\"thread\":\"scheduler\",\"msg\":\"bound\",\"pod\":\"default/web-1\",\"node\":\"n1\","
                        + "\"attempt\":2,\"ms\":13}\n",
                new JsonLayout()
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
    void aWarningHasItsCodeAndWhatDataBringsAlongStaysData() throws Exception {
        String line = new JsonLayout()
                .doLayout(LogEvents.event(
                        "io.policyscheduler.cmd.live.PodEvictor",
                        Level.WARN,
                        "W105 victim \"a\"\n{\"level\":\"ERROR\"} http://u:p@h",
                        new IllegalStateException("x\u202ey"),
                        "pod",
                        "a\u001bb"));
        assertEquals(1, line.lines().count(), line);
        JsonNode event = new ObjectMapper().readTree(line);
        assertEquals("W105", event.path("code").asText());
        assertEquals("cmd.live", event.path("component").asText());
        assertEquals(
                "W105 victim \"a\"\n{\"level\":\"ERROR\"} http://u:***@h",
                event.path("msg").asText());
        assertEquals("a\\u001bb", event.path("pod").asText());
        assertTrue(event.path("error").asText().startsWith("java.lang.IllegalStateException: x\\u202ey"), line);
    }
}
