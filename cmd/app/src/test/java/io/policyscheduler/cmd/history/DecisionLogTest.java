package io.policyscheduler.cmd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.history.DecisionHistory.TableSource;
import io.policyscheduler.cmd.history.DecisionLines.Definitions;
import io.policyscheduler.cmd.history.DecisionRecord.AttemptInfo;
import io.policyscheduler.cmd.history.DecisionRecord.TableMark;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.AttemptDetails.Algorithm;
import io.policyscheduler.framework.cycle.AttemptDetails.Rejection;
import io.policyscheduler.framework.cycle.AttemptDetails.Scored;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecisionLogTest {
    private static final Instant START = Instant.parse("2026-11-28T03:12:00.5Z");
    private static final TableMark TABLE = new TableMark("load", 7, START, 2, null);
    private static final AttemptDetails SCORES = new AttemptDetails(
            4,
            List.of(new Rejection("Insufficient cpu", 1, List.of("node-z"))),
            0,
            List.of(new Algorithm("LeastRequestedPriority", 1), new Algorithm("RulePriority", 2, "price")),
            0,
            List.of(
                    new Scored("node-a", 25, ImmutableLongArray.of(5, 10)),
                    new Scored("node-b", 25, ImmutableLongArray.of(5, 10))),
            2);
    private static final AttemptDetails REJECTIONS = new AttemptDetails(
            4,
            List.of(new Rejection("Insufficient cpu", 4, List.of("node-a", "node-b"))),
            0,
            List.of(),
            0,
            List.of(),
            0);

    private final Path folder;
    private Instant now = START;

    DecisionLogTest(@TempDir Path folder) {
        this.folder = folder;
    }

    /** A process that logs its decisions. */
    private final class Process implements AutoCloseable {
        private final DecisionLog log;
        private final DecisionHistory history;

        Process(String name, DecisionLines lines, Limits limits) throws IOException {
            TraceWriter trace =
                    TraceWriter.open(TraceFiles.of(folder), limits, name, JsonNodeFactory.instance.objectNode(), now);
            log = new DecisionLog(trace, lines, () -> now);
            TableSource tables = (generation, schedulerName) -> List.of(TABLE);
            // Results of older decisions refer to the pod instead of the decision.
            history = new DecisionHistory(1, () -> now, tables, log);
        }

        Process(String name) throws IOException {
            this(name, DecisionLines.open("round-robin"), Limits.NONE);
        }

        void attempt(QueuedPod entry, Decision decision, AttemptDetails details) {
            history.onAttempt(entry);
            history.onAttempted(entry.pod(), details);
            history.onDecision(entry.pod(), decision.withGeneration(2), 1_234_567);
            if (!decision.isPlaced()) {
                history.onFailure(entry, "Unschedulable", decision.message());
            }
        }

        void place(QueuedPod entry, String node) {
            attempt(entry, new Decision(Decision.Kind.PLACED, node, 25, "", 3, 4), SCORES);
        }

        void reject(QueuedPod entry) {
            String message = "0/4 nodes are available: 4 Insufficient cpu.";
            attempt(entry, new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, 4), REJECTIONS);
        }

        @Override
        public void close() {
            log.close();
        }
    }

    private static PodInfo pod(String name) {
        return PodBuilder.pod(name).build();
    }

    private QueuedPod entry(PodInfo pod, int attempts) {
        return new QueuedPod(pod, now, 1, attempts, now, now, Set.of());
    }

    private record Answer(int code, String out, String err) {}

    private Answer why(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> command = new ArrayList<>(List.of("why", "--log", folder.toString()));
        command.addAll(List.of(args));
        int code = Main.run(command.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
        return new Answer(code, out.toString(), err.toString());
    }

    private JsonNode logged(String pod, Instant until) throws IOException {
        return new LoggedDecisions(List.of(folder), until, DecisionLines.open(""), problem -> {}).decisions(pod, 10);
    }

    @Test
    void explainsADecisionAboutADeletedPodAnHourLater() throws IOException {
        QueuedPod waiting = entry(pod("report-1"), 3);
        try (Process first = new Process("first")) {
            first.reject(waiting);
            first.history.onNominated(waiting.pod(), "node-b", List.of(pod("victim")));
            now = now.plusSeconds(20);
            QueuedPod again = entry(waiting.pod(), 4);
            first.place(again, "node-b");
            first.history.onBound(again, "node-b", 1);
            now = now.plusSeconds(1);
            first.history.onPodGone(waiting.pod());
            for (int i = 0; i < 3000; i++) {
                now = now.plusSeconds(1);
                first.place(entry(pod("other-" + i), 1), "node-a");
                first.log.write(false);
            }
        }
        try (Process second = new Process("second")) {
            now = START.plus(Duration.ofHours(1));
            second.reject(entry(pod("report-2"), 1));
            second.log.write(true);

            Answer before = why("report-1", "--at", "2026-11-28T03:12:10Z");
            assertEquals("""
                default/report-1 is unschedulable: 0 of 4 nodes are feasible.
                Most common reason: Insufficient cpu (4 nodes).
                Message: 0/4 nodes are available: 4 Insufficient cpu.
                Preemption evicts default/victim from node-b.
                Table load: update 7, measured at 2026-11-28T03:12:00.500Z, 2 values are stale

                REASON             REJECTED NODES
                Insufficient cpu   4: node-a, node-b, ...
                (explain POD shows the smallest change that makes a pod schedulable)

                attempt 3 at 2026-11-28T03:12:00.500Z, profile default-scheduler, after 1 policy reload, 1.234 ms
                note: the counts are complete; the scheduler keeps only some of the node names and scores
                """, before.out(), before.err());
            Answer after = why("report-1");
            assertTrue(
                    after.out().startsWith("default/report-1 is bound to node-b: 3 of 4 nodes are feasible.\n"),
                    after.out());
            assertTrue(after.out().contains("tie break: round-robin"), after.out());
            assertTrue(after.out().contains("\nprice "), after.out());
        }
        assertEquals(
                new Answer(
                        1,
                        "",
                        "no decision about default/report-1 is recorded: the log contains no decision before"
                                + " 2026-11-28T02:00:00Z; check the time\n"),
                why("report-1", "--at", "2026-11-28T02:00:00Z"));
        assertEquals(1, why("report-1", "--at", "2026-11-28T03:12:00Z").code());
        assertEquals(
                "error: default/report is ambiguous: default/report-1, default/report-2; use the full name\n",
                why("report").err());
    }

    @Test
    void readsResultsThatAreInTheNextFile() throws IOException {
        now = Instant.parse("2026-11-28T03:59:59Z");
        QueuedPod early = entry(pod("early"), 1);
        QueuedPod late = entry(pod("late"), 1);
        try (Process process = new Process("first")) {
            process.place(early, "node-a");
            process.place(late, "node-a");
            process.log.write(true);
            assertEquals("binding", outcome("early"));
            assertEquals("binding", outcome("late"));
            now = now.plusSeconds(2);
            process.history.onBound(early, "node-a", 1);
            process.history.onBindFailed(late, "node-a", "timeout");
        }
        assertEquals(2, TraceFiles.of(folder).list().size());
        assertEquals("bound", outcome("early"));
        assertEquals("bind-refused", outcome("late"));
    }

    private String outcome(String pod) throws IOException {
        return logged("default/" + pod, Instant.MAX)
                .path("decisions")
                .path(0)
                .path("outcome")
                .asText();
    }

    /** Decisions that are read from the log equal those that were written. */
    @Test
    void keepsEverythingThatWhyShows() throws IOException {
        DecisionHistory memory = new DecisionHistory(10, () -> now, (generation, name) -> List.of(TABLE), null);
        QueuedPod entry = entry(pod("p"), 2);
        Decision decision = new Decision(Decision.Kind.PLACED, "node-a", 25, "", 3, 4);
        memory.onAttempt(entry);
        memory.onAttempted(entry.pod(), SCORES);
        memory.onDecision(entry.pod(), decision.withGeneration(2), 1_234_567);
        memory.onBound(entry, "node-a", 5);
        try (Process process = new Process("first")) {
            process.place(entry, "node-a");
            process.history.onBound(entry, "node-a", 5);
        }
        assertEquals(
                DecisionJson.full(memory.find(kept -> true).get(0), "round-robin"),
                logged("default/p", Instant.MAX).path("decisions").path(0));
    }

    /** Decisions that share definitions, and others between them. */
    @Test
    void distinguishesDecisionsThatShareSomeScores() throws IOException {
        List<Algorithm> other = List.of(new Algorithm("Most\"Requested\"\u00e9\n", 1));
        ImmutableLongArray shared = ImmutableLongArray.of(5, 10);
        List<Scored> others = List.of(new Scored("node-b", 24, shared), new Scored("node-c", Long.MIN_VALUE, shared));
        List<AttemptDetails> attempts = new ArrayList<>(List.of(
                SCORES,
                details(SCORES.algorithms(), new Scored("node-a", 25, shared), others.get(0)),
                details(SCORES.algorithms(), new Scored("node-a", 24, shared), new Scored("node-b", 25, shared)),
                details(SCORES.algorithms(), new Scored("node-b", 25, shared), new Scored("node-b", 25, shared)),
                details(other, new Scored("node-a", -7, ImmutableLongArray.of(-7))),
                details(List.of(), new Scored("node-a", 0, ImmutableLongArray.of())),
                new AttemptDetails(4, List.of(), 3, List.of(), 0, List.of(), 0),
                REJECTIONS,
                SCORES));
        // More than the encoder keeps, so that IDs are defined again.
        for (int i = 0; i < 2000; i++) {
            attempts.add(details(SCORES.algorithms(), new Scored("node-a", i, shared), others.get(1)));
        }
        attempts.addAll(attempts.subList(0, 100));
        List<DecisionRecord> expected = new ArrayList<>();
        now = START.minus(Duration.ofMillis(1501));
        try (Process process = new Process("first")) {
            now = now.minus(Duration.ofMillis(2501));
            for (AttemptDetails attempt : attempts) {
                PodInfo pod = PodBuilder.pod("p")
                        .nominatedTo(expected.size() % 7 == 6 ? "node-n" : "")
                        .build();
                QueuedPod entry = entry(pod, expected.size() + 1);
                Decision decision = expected.size() % 5 == 4
                        ? new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, "", 0, 4)
                        : new Decision(Decision.Kind.PLACED, "node-a", 25, "", 4, 4 - expected.size() % 2);
                process.history.onAttempt(entry);
                process.history.onAttempted(pod, attempt);
                process.history.onDecision(pod, decision.withGeneration(2), 1_234_567);
                AttemptInfo info = new AttemptInfo(
                        "default/p",
                        pod.uid(),
                        entry.attempts(),
                        now,
                        "default-scheduler",
                        pod.nominatedNodeName(),
                        1_234_567,
                        List.of(TABLE));
                expected.add(DecisionRecord.of(expected.size() + 1, info, decision.withGeneration(2), attempt));
                now = now.plusNanos(2_000_001);
            }
        }
        assertEquals(expected, decisions());
    }

    private List<DecisionRecord> decisions() throws IOException {
        List<DecisionRecord> read = new ArrayList<>();
        for (TraceFile file : TraceFiles.of(folder).list()) {
            Definitions definitions = new Definitions();
            TraceReader.read(
                    file,
                    line -> !definitions.add(line) && line.contains("\"dec\""),
                    line -> read.add(DecisionLines.read(definitions.expanded(line))));
        }
        return read;
    }

    /** Each file contains what its decisions share, so that the deletion of older files does not affect it. */
    @Test
    void keepsTheNewestDecisionsWithinTheLimit() throws IOException {
        long limit = 64 * 1024;
        try (Process process = new Process("first", DecisionLines.open("round-robin"), Limits.ofTotal(limit))) {
            for (int i = 0; i < 4000; i++) {
                process.place(entry(pod("p-" + i + "-" + Integer.toHexString(i * 0x9E3779B9)), 1), "node-a");
                if (i % 20 == 0) {
                    process.log.write(true);
                    assertTrue(process.log.bytes() <= limit + 4096, process.log.bytes() + " bytes");
                }
            }
        }
        List<DecisionRecord> left = decisions();
        assertTrue(left.size() > 500 && left.size() < 4000, left.size() + " decisions");
        assertTrue(TraceFiles.of(folder).list().size() > 8);
        for (int i = 0; i < left.size(); i++) {
            assertEquals(4000 - left.size() + 1 + i, left.get(i).number());
            assertEquals(SCORES, left.get(i).details());
        }
    }

    /** A log of version 1, whose decisions contain everything, in the folder of a newer process. */
    @Test
    void readsLogsOfTheVersionBefore() throws IOException {
        String description =
                "{\"format\":\"policy-scheduler-trace\",\"version\":1,\"start\":\"" + START + "\",\"kinds\":[]}";
        Files.writeString(folder.resolve("trace.json"), description);
        String lines = """
            {"line":"file","format":"policy-scheduler-trace","version":1,"start":"2026-11-28T03:12:00.5Z","writer":"old"}
            {"line":"dec","t":0.250000001,"cycle":1,"pod":"default/p","uid":"uid-p","attempt":1,"profile":"s","kind":"placed",\
            "node":"node-a","score":25,"nanos":5000,"nodes":4,"examined":4,"feasible":3,"algorithms":[["RulePriority",2,"price"]],\
            "best":[["node-a",25,5],["node-b",24,4]],"tied":1}
            {"line":"res","t":0.260000000,"uid":"uid-p","attempt":1,"outcome":"bind-refused","message":"timeout"}
            """;
        try (OutputStream file =
                new GZIPOutputStream(Files.newOutputStream(folder.resolve("2026-11-28T03-0001.jsonl.gz")))) {
            file.write(lines.getBytes(StandardCharsets.UTF_8));
        }
        now = START.plusSeconds(60);
        QueuedPod again = entry(PodBuilder.pod("p").uid("uid-p").build(), 2);
        try (Process process = new Process("new")) {
            process.place(again, "node-b");
            process.history.onBound(again, "node-b", 1);
        }
        JsonNode decisions = logged("default/p", Instant.MAX).path("decisions");
        assertEquals(2, decisions.size());
        assertEquals("bound", decisions.path(0).path("outcome").asText());
        assertEquals("bind-refused", decisions.path(1).path("outcome").asText());
        Answer before = why("p", "--at", "2026-11-28T03:12:30Z");
        assertTrue(before.out().contains("node-a beats node-b by 1"), before.out());
        assertTrue(before.out().contains("timeout"), before.out());
    }

    /** The files of three processes with decisions about one pod; the second one is damaged. */
    private final class DamagedLog {
        private final Path file;
        private final byte[] whole;

        /** @param decisions of each process */
        DamagedLog(int decisions) throws IOException {
            for (String name : List.of("first", "second", "third")) {
                try (Process process = new Process(name)) {
                    for (int i = 1; i <= decisions; i++) {
                        process.place(entry(pod("p"), i), "node-" + name);
                        process.log.write(true);
                        now = now.plusSeconds(1);
                    }
                }
            }
            file = TraceFiles.of(folder).list().get(1).path();
            whole = Files.readAllBytes(file);
        }

        /** Returns how many decisions of each process are found. */
        Map<String, Integer> found(Consumer<String> problems) throws IOException {
            Map<String, Integer> found = new TreeMap<>();
            new LoggedDecisions(List.of(folder), Instant.MAX, DecisionLines.open(""), problems)
                    .decisions("default/p", 10_000)
                    .path("decisions")
                    .forEach(one -> found.merge(one.path("node").asText(), 1, Integer::sum));
            return found;
        }

        byte[] flipped(int index) {
            byte[] bytes = whole.clone();
            bytes[index] ^= 0x55;
            return bytes;
        }

        byte[] damaged(String how) throws IOException {
            ByteArrayOutputStream zipped = new ByteArrayOutputStream();
            return switch (how) {
                case "none" -> whole;
                case "cut" -> Arrays.copyOf(whole, whole.length / 2);
                case "empty" -> new byte[0];
                case "foreign" -> {
                    try (OutputStream out = new GZIPOutputStream(zipped)) {
                        out.write("time,cpu\n0,1\n".getBytes(StandardCharsets.UTF_8));
                    }
                    yield zipped.toByteArray();
                }
                case "text" -> Arrays.copyOf("not a log".getBytes(StandardCharsets.UTF_8), whole.length);
                case "head" -> flipped(2);
                case "middle" -> flipped(whole.length / 2);
                case "end" -> flipped(whole.length - 5);
                default -> throw new IllegalArgumentException(how);
            };
        }
    }

    /** FILE is the damaged one, N any number. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        none    | true  | 300 | ''
        none    | false | 300 | ''
        cut     | true  | 1   | FILE: has N bytes, but DIR/trace.json says N; copy the file again, or delete it
        cut     | false | 1   | ''
        empty   | true  | 0   | FILE: has N bytes, but DIR/trace.json says N; copy the file again, or delete it
        empty   | false | 0   | ''
        foreign | true  | 0   | FILE: has N bytes, but DIR/trace.json says N; copy the file again, or delete it
        foreign | false | 0   | FILE:N: not a file of a trace
        text    | true  | 0   | FILE: its SHA-N is not that in DIR/trace.json; copy the file again, or delete it
        text    | false | 0   | FILE:N: not a file of a trace
        head    | false | 0   | FILE:N: not a file of a trace
        middle  | true  | 1   | FILE: its SHA-N is not that in DIR/trace.json; copy the file again, or delete it
        middle  | false | 1   | FILE: damaged after line N: invalid distance code; copy the file again, or delete it
        end     | false | 300 | FILE: damaged after line N: Corrupt GZIP trailer; copy the file again, or delete it
        """)
    void damagedFilesDoNotAffectOthers(String how, boolean isDescribed, int atLeast, String problem)
            throws IOException {
        DamagedLog log = new DamagedLog(300);
        Files.write(log.file, log.damaged(how));
        if (!isDescribed) {
            Files.delete(folder.resolve("trace.json"));
        }
        Map<String, Integer> found = log.found(one -> {});
        int ofDamaged = found.getOrDefault("node-second", 0);
        assertEquals(
                600 + ofDamaged,
                found.values().stream().mapToInt(Integer::intValue).sum());
        assertTrue(ofDamaged >= atLeast && (atLeast > 0 || ofDamaged == 0), found::toString);
        Answer answer = why("p", "--limit", "1000");
        assertEquals(0, answer.code());
        assertEquals(
                problem.isEmpty() ? "" : "warning: " + problem + "\n",
                answer.err()
                        .replace(log.file.toString(), "FILE")
                        .replace(folder.toString(), "DIR")
                        .replaceAll("\\b\\d+\\b", "N"));
        assertEquals("", why("p").err(), "only the newest file is read");
    }

    /** Each byte of a file in turn, with and without a checksum: one line at most, and all decisions of the other files. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anyFlippedByteIsOneLine(boolean isDescribed) throws IOException {
        DamagedLog log = new DamagedLog(30);
        if (!isDescribed) {
            Files.delete(folder.resolve("trace.json"));
        }
        for (int i = 0; i < log.whole.length; i++) {
            Files.write(log.file, log.flipped(i));
            List<String> problems = new ArrayList<>();
            Map<String, Integer> found = log.found(problems::add);
            String where = "byte " + i + ": " + problems;
            assertEquals(30, found.get("node-first"), where);
            assertEquals(30, found.get("node-third"), where);
            // Without a checksum, a file can look like that of a killed process.
            assertTrue(problems.size() == 1 || !isDescribed && problems.isEmpty(), where);
            assertTrue(
                    problems.stream()
                            .allMatch(problem ->
                                    problem.startsWith(log.file.toString()) && VisibleText.isVisible(problem)),
                    where);
        }
    }

    @Test
    void aDamagedDescriptionIsOneLine() throws IOException {
        DamagedLog log = new DamagedLog(2);
        Files.writeString(folder.resolve("trace.json"), "{\"files\": [");
        List<String> problems = new ArrayList<>();
        assertEquals(Map.of("node-first", 2, "node-second", 2, "node-third", 2), log.found(problems::add));
        assertEquals(1, problems.size());
        assertTrue(problems.get(0).startsWith(folder.resolve("trace.json") + ": invalid JSON: "), problems::toString);
        assertTrue(VisibleText.isVisible(problems.get(0)), problems::toString);
    }

    private static AttemptDetails details(List<Algorithm> algorithms, Scored... best) {
        return new AttemptDetails(4, List.of(), 0, algorithms, 0, List.of(best), best.length);
    }

    @Test
    void pausesForAboutOneBatch() {
        assertEquals(
                List.of(100, 25, 5, 5, 10, 100),
                List.of(
                        pause(100, 0),
                        pause(100, 2048),
                        pause(10, 1024),
                        pause(5, DecisionLog.CAPACITY),
                        pause(5, 256),
                        pause(10, 5)));
    }

    private static int pause(int lastMillis, long entries) {
        return Math.toIntExact(
                DecisionLog.pause(Duration.ofMillis(lastMillis), entries).toMillis());
    }

    @Test
    void neverWaitsAndCountsWhatItDrops() throws IOException {
        try (Process process = new Process("first")) {
            for (int i = 0; i < DecisionLog.CAPACITY + 3; i++) {
                process.place(entry(pod("p-" + i), 1), "node-a");
            }
            assertEquals(3, process.log.dropped());
            process.log.write(true);
            assertEquals(DecisionLog.CAPACITY, process.log.written());
            process.place(entry(pod("last"), 1), "node-a");
        }
        assertEquals("binding", outcome("last"));
    }

    @Test
    void continuesAfterTheFolderWasNotWritable() throws IOException {
        try (Process process = new Process("first")) {
            Path moved = folder.resolveSibling(folder.getFileName() + "-moved");
            Files.move(folder, moved);
            process.place(entry(pod("lost"), 1), "node-a");
            process.log.write(true);
            assertEquals(1, process.log.failed());
            Files.move(moved, folder);
            process.place(entry(pod("kept"), 1), "node-a");
            process.log.write(true);
            assertEquals(0, process.log.written());
            now = now.plusSeconds(6);
            process.log.write(true);
            assertEquals(1, process.log.written());
        }
        assertEquals("binding", outcome("kept"));
    }

    @Test
    void replacesNamesByPseudonymsOfAKey() throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "0123456789abcdef");
        try (Process process = new Process("first", DecisionLines.anonymous("first", key), Limits.NONE)) {
            process.place(entry(pod("secret-name"), 1), "node-a");
            PodInfo preemptor =
                    PodBuilder.pod("preemptor").nominatedTo("node-a").build();
            process.reject(entry(preemptor, 1));
            process.history.onNominated(preemptor, "node-a", List.of(pod("evicted-1")));
            process.place(entry(preemptor, 2), "node-a");
            String message =
                    "0/4 nodes are available: 3 node(s) had taint {team: blue}, that the pod didn't tolerate, 1"
                            + " node(s) didn't match \"zone-b\", 1 node(s) didn't match pod anti-affinity.";
            process.attempt(
                    entry(pod("other"), 1),
                    new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, 4),
                    REJECTIONS);
        }
        StringBuilder text = new StringBuilder();
        for (TraceFile file : TraceFiles.of(folder).list()) {
            TraceReader.read(file, line -> true, line -> text.append(line.fields()));
        }
        for (String name :
                List.of("secret-name", "evicted-1", "default", "node-a", "node-z", "blue", "team", "zone-b")) {
            assertFalse(text.toString().contains(name), name + " in " + text);
        }
        Answer found = why("default/secret-name", "--log-key", key.toString());
        assertEquals(0, found.code(), found.err());
        assertTrue(found.out().matches("(?s)x[0-9a-f]{12}/x[0-9a-f]{12} is being bound to x.*"), found.out());
        Answer other = why("default/other", "--log-key", key.toString());
        assertTrue(
                other.out()
                        .matches("(?s).*\nMessage: 0/4 nodes are available: 3 node\\(s\\) had taint x\\w+, that the pod"
                                + " didn't tolerate, 1 node\\(s\\) didn't match x\\w+, 1 node\\(s\\) didn't match pod"
                                + " anti-affinity\\.\n.*"),
                other.out());
        Answer preempting = why("default/preemptor", "--log-key", key.toString());
        assertTrue(
                preempting.out().matches("(?s).*\nAttempt 1 evicted x\\w+/x\\w+ from x\\w+\\.\n"),
                preempting.out() + preempting.err());
        assertEquals(
                new Answer(
                        3,
                        "",
                        "error: the names in the log are pseudonyms; set --log-key to the file of run --decision-log-key\n"),
                why("default/secret-name"));
        assertEquals(
                new Answer(3, "", "error: no such file: " + folder.resolve("none") + "\n"),
                why("default/secret-name", "--log-key", folder.resolve("none").toString()));
    }

    /** Messages of API servers contain names without quotes, also names that look like words. */
    @Test
    void replacesNamesThatLookLikeWords() throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "0123456789abcdef");
        try (Process process = new Process("first", DecisionLines.anonymous("first", key), Limits.NONE)) {
            QueuedPod placed = entry(pod("web"), 1);
            process.place(placed, "alpha");
            process.history.onBindFailed(placed, "alpha", "pod web is being deleted, cannot be assigned to alpha.");
            AttemptDetails rejected = new AttemptDetails(
                    4, List.of(new Rejection("beta is full", 1, List.of("beta"))), 0, List.of(), 0, List.of(), 0);
            process.attempt(
                    entry(pod("api"), 1),
                    new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, "api does not fit on beta.", 0, 4),
                    rejected);
        }
        StringBuilder text = new StringBuilder();
        for (TraceFile file : TraceFiles.of(folder).list()) {
            TraceReader.read(file, line -> true, line -> text.append(line.fields()));
        }
        for (String name : List.of("web", "api", "alpha", "beta")) {
            assertFalse(text.toString().contains(name), name + " in " + text);
        }
        assertTrue(text.toString().contains(" is being deleted, cannot be assigned to x"), text::toString);
        assertTrue(text.toString().contains(" does not fit on x"), text::toString);
    }

    @Test
    void saysWhatIsMissing() {
        Answer none = why("p");
        assertEquals(3, none.code());
        assertEquals(
                "error: cannot read " + folder + ": no decision log here; use the value of run --decision-log\n",
                none.err());
    }
}
