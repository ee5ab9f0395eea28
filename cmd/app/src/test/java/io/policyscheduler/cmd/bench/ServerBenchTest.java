package io.policyscheduler.cmd.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.policyscheduler.cmd.bench.ServerRun.Contender;
import io.policyscheduler.cmd.bench.ServerRun.SchedulerProcess;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerBenchTest {
    @Test
    void contendersAreNamedCommands() {
        Contender real = Contender.parse("real=/bin/ks  --kubeconfig {kubeconfig} --name={name} --port {port}");
        assertEquals("real", real.name());
        assertEquals(List.of("/bin/ks", "--kubeconfig", "/k", "--name=s", "--port", "7"), real.command("/k", "s", 7));
        assertTrue(real.tellsReady());
        assertFalse(Contender.parse("a=/bin/b").tellsReady());
        assertTrue(Contender.own().tellsReady());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "=b", "a=", "a= ", "/bin/ks --kubeconfig=x"})
    void whatIsNoContender(String text) {
        InputException e = assertThrows(InputException.class, () -> Contender.parse(text));
        assertTrue(String.valueOf(e.getMessage()).contains("is not NAME=COMMAND"), e.getMessage());
    }

    @Test
    void cpuTimeIsThatOfUserAndSystem() {
        assertEquals(1.5, SchedulerProcess.cpuSeconds("42 (a b) c) S 1 2 3 4 5 6 7 8 9 10 100 50 0 0 20 0 9 0 77 1"));
    }

    @Test
    void theMiddleIsThatOfEachFigure() {
        ServerRun.ThroughputResult middle = ServerRun.middleOf(List.of(
                new ServerRun.ThroughputResult("a", 1, 30, 5, 100, 2, 9),
                new ServerRun.ThroughputResult("a", 3, 10, 4, 300, 1, 8),
                new ServerRun.ThroughputResult("a", 2, 20, 6, 200, 3, 7)));
        assertEquals(new ServerRun.ThroughputResult("a", 2, 20, 5, 200, 2, 8), middle);
        ServerRun.SyncResult synced = ServerRun.middle(List.of(
                new ServerRun.SyncResult("a", 1, 4, 2, 10, 30, 50),
                new ServerRun.SyncResult("a", 3, 2, 4, 20, 40, 60)));
        assertEquals(new ServerRun.SyncResult("a", 2, 3, 3, 15, 35, 55), synced);
    }

    private static JsonNode measured(String line) throws IOException {
        CommandRun run = CommandRun.of((line + " -o json").split(" "));
        assertEquals(ExitCode.OK, run.code(), run.err());
        return new ObjectMapper().readTree(run.out());
    }

    private static void assertValid(String schema, JsonNode result) throws IOException {
        JsonNode rules = new ObjectMapper()
                .readTree(Path.of("../../docs/schemas", schema + ".schema.json").toFile());
        assertEquals(
                Set.of(),
                JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                        .getSchema(rules)
                        .validate(result));
    }

    /** The scheduler is a process of its own, which is started, measured and stopped. */
    @Test
    void startsAndBacklogsAreMeasured() throws IOException {
        JsonNode synced = measured("bench sync --nodes 2 --pods 3 --pad 10 --rest 0s --pending 2");
        assertValid("bench-sync", synced);
        JsonNode start = synced.get(0);
        assertEquals("policy-scheduler", start.path("scheduler").asText());
        assertTrue(start.path("firstBindSeconds").asDouble() > 0, synced.toString());
        assertTrue(start.path("cpuSeconds").asDouble() > 0, synced.toString());
        assertTrue(start.path("peakBytes").asLong() >= start.path("restBytes").asLong(), synced.toString());
        assertTrue(start.path("restBytes").asLong() > 10_000_000, synced.toString());

        JsonNode lived = measured("bench live --nodes 2 --pending 3");
        assertValid("bench-live", lived);
        List<String> names = new ArrayList<>();
        lived.forEach(each -> names.add(each.path("scheduler").asText()));
        assertEquals(List.of("policy-scheduler", "(limit)"), names);
        assertTrue(lived.get(0).path("podsPerSecond").asDouble() > 0, lived.toString());
        assertTrue(
                lived.get(0).path("p99Seconds").asDouble()
                        >= lived.get(0).path("p50Seconds").asDouble(),
                lived.toString());
        assertTrue(lived.get(1).path("cpuSeconds").isNull(), lived.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bench live --nodes 1 --pending 1 --with other=/bin/false | 4 | other exited with code 1",
                "bench live --nodes 1 --pending 1 --with other=/nowhere/x | 3 | /nowhere/x is not an executable"
                        + " program",
                "bench sync --kubeconfig /nowhere/kubeconfig | 3 | cannot read /nowhere/kubeconfig",
                "bench sync --with other | 3 | is not NAME=COMMAND",
            })
    void troubleIsOneLine(String line, int code, String expected) {
        CommandRun run = CommandRun.of(line.split(" "));
        assertEquals(code, run.code(), run.err());
        String error = run.err()
                .lines()
                .filter(each -> each.startsWith("error: "))
                .findFirst()
                .orElse("");
        assertTrue(error.contains(expected), run.err());
    }
}
