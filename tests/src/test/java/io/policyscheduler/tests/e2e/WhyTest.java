package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.tests.ResultSchemas;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code why} explains decisions of a running scheduler. */
class WhyTest {
    private static final Pattern STATUS = Pattern.compile("status at (http://\\S+)");

    private final LiveCluster live = new LiveCluster();
    private final Path folder;

    WhyTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void close() {
        live.close();
    }

    private record Answer(int code, String out, String err) {}

    private static Answer why(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> command = new ArrayList<>(List.of("why"));
        command.addAll(List.of(args));
        int code = Main.run(command.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
        return new Answer(code, out.toString(), err.toString());
    }

    private Program run(String... more) {
        List<String> args = new ArrayList<>(
                List.of("run", "--master", live.cluster().url(), "--scheduler-name", Manifest.SCHEDULER));
        args.addAll(List.of("--algorithm-provider", "DefaultProvider", "--status-address", "0"));
        args.addAll(List.of(more));
        Program program = Program.start(folder, args.toArray(String[]::new));
        program.awaitOutput("status at");
        return program;
    }

    private static String url(Program program) {
        Matcher status = STATUS.matcher(program.output());
        assertTrue(status.find());
        return status.group(1);
    }

    @Test
    void placedPendingAndPreemptingPods() throws IOException {
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        live.addNodes(2, "4");
        try (Program program = run()) {
            String url = url(program);
            live.api().createPod(Manifest.podWithPriority("placed", "1", "low"));
            live.awaitBound("placed");
            awaitLine(
                    url,
                    "placed",
                    "default/placed is bound to " + live.nodeOf("placed") + ": 2 of 2 nodes are feasible.");
            String placed = why("placed", "--url", url).out();
            assertTrue(placed.contains("\nattempt 1 at "), placed);
            assertTrue(placed.contains(", profile " + Manifest.SCHEDULER + ", "), placed);
            assertTrue(placed.contains("\nLeastRequestedPriority "), placed);
            assertTrue(placed.contains("is one of 2 nodes with the highest total; tie break: round-robin"), placed);

            assertEquals(placed, why("plac", "--url", url).out());
            assertEquals(1, why("plac", "-n", "other", "--url", url).code());

            live.api().createPod(Manifest.pod("pending", "5"));
            live.awaitUnschedulable("pending");
            awaitLine(url, "pending", "default/pending is unschedulable: 0 of 2 nodes are feasible.");
            assertEquals(
                    "error: default/p is ambiguous: default/pending, default/placed; use the full name\n",
                    why("p", "--url", url).err());
            String pending = why("pending", "-n", "default", "--url", url).out();
            assertTrue(pending.matches("(?s).*Insufficient cpu +2: n[01], n[01]\n.*"), pending);

            live.api().createPod(Manifest.podWithPriority("filler", "4", "low"));
            live.awaitBound("filler");
            live.api().createPod(Manifest.podWithPriority("urgent", "4", "high"));
            live.awaitBound("urgent");
            Answer urgent = why("default/urgent", "--limit", "50", "--url", url);
            String node = live.nodeOf("urgent");
            assertTrue(urgent.out().contains("Nominated node: " + node + "\n"), urgent::out);
            assertTrue(
                    urgent.out().matches("(?s).*\nPreemption evicts default/\\w+ from " + node + "\\.\n.*"),
                    urgent::out);
            awaitLine(url, "urgent", "default/urgent is bound to " + node + ": 1 of 2 nodes is feasible.");
            String bound = why("default/urgent", "--url", url).out();
            assertTrue(bound.startsWith("default/urgent is bound to " + node + ": "), bound);
            assertTrue(bound.matches("(?s).*\nAttempt \\d+ evicted default/\\w+ from " + node + "\\.\n.*"), bound);

            Answer json = why("urgent", "--limit", "50", "--url", url, "-o", "json");
            ResultSchemas.assertValid("why", json.out());
            JsonNode decisions = Manifest.json(json.out()).path("decisions");
            JsonNode first = decisions.get(decisions.size() - 1);
            assertEquals("unschedulable", first.path("outcome").asText());
            assertEquals(1, first.path("preemption").path("victimCount").asInt());

            for (String pod : List.of("placed", "pending", "nobody")) {
                ResultSchemas.assertValid(
                        "why", why(pod, "--url", url, "-o", "json").out());
            }
            Answer unknown = why("nobody", "--url", url);
            assertEquals(1, unknown.code());
            assertTrue(
                    unknown.err()
                            .startsWith("no decision about default/nobody is recorded: the scheduler has recorded "),
                    unknown::err);
            assertTrue(Double.parseDouble(program.metric("policy_scheduler_decision_history_bytes")) > 1000);
        }
    }

    /** The log remains after the pod was deleted and the process was killed. */
    @Test
    void logsDecisionsAboutPodsThatAreGone() throws IOException {
        live.addNodes(2, "4");
        String log = folder.resolve("decisions").toString();
        try (Program program = run("--decision-log", log, "--decision-history", "0")) {
            live.api().createPod(Manifest.pod("short", "1"));
            live.awaitBound("short");
            live.api().createPod(Manifest.pod("huge", "5"));
            live.awaitUnschedulable("huge");
            awaitLogged("huge", log, "default/huge is unschedulable: 0 of 2 nodes are feasible.");
            awaitLogged(
                    "short", log, "default/short is bound to " + live.nodeOf("short") + ": 2 of 2 nodes are feasible.");
            assertEquals(
                    0.0,
                    Double.parseDouble(
                            program.metric("policy_scheduler_decision_log_entries_total{result=\"dropped\"}")));
            assertTrue(Double.parseDouble(program.metric("policy_scheduler_decision_log_bytes")) > 100);
            String node = live.nodeOf("short");
            live.api().deletePod("short");
            program.kill();
            Answer killed = why("short", "--log", log, "-o", "json");
            ResultSchemas.assertValid("why", killed.out());
            assertEquals(
                    node,
                    Manifest.json(killed.out())
                            .path("decisions")
                            .path(0)
                            .path("node")
                            .asText());
        }
        try (Program program = run("--decision-log", log)) {
            awaitLogged("hug", log, "default/huge is unschedulable: 0 of 2 nodes are feasible.");
            Answer second = why("p", "--log", log);
            assertEquals(1, second.code());
            assertTrue(program.output().contains("scheduling pods"), program::output);
        }
    }

    private static void awaitLogged(String pod, String log, String line) {
        Await.until(
                LiveCluster.PATIENCE,
                "the log says " + line,
                () -> why(pod, "--log", log).out().startsWith(line + "\n"),
                () -> why(pod, "--log", log).toString());
    }

    private static void awaitLine(String url, String pod, String line) {
        Await.until(
                LiveCluster.PATIENCE,
                "why says " + line,
                () -> why(pod, "--url", url).out().startsWith(line + "\n"),
                () -> why(pod, "--url", url).toString());
    }

    @Test
    void aSchedulerThatRemembersNothing() {
        try (Program program = run("--decision-history", "0")) {
            String url = url(program);
            assertEquals(
                    new Answer(
                            4,
                            "",
                            "error: " + url + " has no recorded decisions: it is not policy-scheduler, or runs with"
                                    + " --decision-history=0\n"),
                    why("p", "--url", url));
        }
    }

    @Test
    void whatIsWrongIsTold() {
        Answer nobody = why("p", "--url", "http://127.0.0.1:1");
        assertEquals(4, nobody.code());
        assertTrue(
                nobody.err().startsWith("error: cannot connect to the scheduler at http://127.0.0.1:1: "), nobody::err);
        Answer plain = why("p", "--token-file", "token");
        assertEquals(2, plain.code());
        assertTrue(plain.err().contains("--token-file: http://127.0.0.1:10251 would send the token"), plain::err);
        assertEquals(2, why("a/b/c").code());
        assertEquals(2, why("p", "--limit", "0").code());
        assertEquals(2, why("p", "--url", "ftp://x").code());
        Answer missing = why(
                "p",
                "--url",
                "https://127.0.0.1:1",
                "--token-file",
                folder.resolve("no").toString());
        assertEquals(3, missing.code());
        assertTrue(missing.err().startsWith("error: cannot read "), missing::err);
    }
}
