package io.policyscheduler.cmd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.Hashing;
import com.google.common.io.MoreFiles;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class TraceTest {
    private static final Instant START = Instant.parse("2026-11-28T08:59:58.000000001Z");

    private final Path folder;

    TraceTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private TraceWriter open(Limits limits, Instant now) throws IOException {
        return TraceWriter.open(TraceFiles.of(folder), limits, "test", JsonNodeFactory.instance.objectNode(), now);
    }

    private static ObjectNode number(int number) {
        return JsonNodeFactory.instance.objectNode().put("n", number);
    }

    private List<String> names() throws IOException {
        return TraceFiles.of(folder).list().stream()
                .map(file -> file.path().getFileName().toString())
                .toList();
    }

    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (TraceFile file : TraceFiles.of(folder).list()) {
            TraceReader.read(
                    file,
                    text -> true,
                    line -> lines.add(line.kind() + " " + line.time() + " "
                            + line.fields().path("n").asInt()));
        }
        return lines;
    }

    @Test
    void keepsTimesToTheNanosecondAndBeginsAFileEachHour() throws IOException {
        try (TraceWriter writer = open(Limits.NONE, START)) {
            writer.write("dec", START.plusNanos(5), number(1));
            writer.write("res", START.plusSeconds(2), number(2));
            writer.write("dec", START.plus(Duration.ofHours(2)), number(3));
        }
        assertEquals(
                List.of("2026-11-28T08-0001.jsonl.gz", "2026-11-28T09-0001.jsonl.gz", "2026-11-28T10-0001.jsonl.gz"),
                names());
        assertEquals(
                List.of(
                        "dec 2026-11-28T08:59:58.000000006Z 1",
                        "res 2026-11-28T09:00:00.000000001Z 2",
                        "dec 2026-11-28T10:59:58.000000001Z 3"),
                lines());
        JsonNode description =
                new ObjectMapper().readTree(folder.resolve("trace.json").toFile());
        assertEquals(TraceFiles.FORMAT, description.path("format").asText());
        assertEquals(START.toString(), description.path("start").asText());
        assertEquals("[\"dec\",\"res\"]", description.path("kinds").toString());
        assertEquals(3, description.path("files").size());
        assertEquals(
                MoreFiles.asByteSource(folder.resolve("2026-11-28T08-0001.jsonl.gz"))
                        .hash(Hashing.sha256())
                        .toString(),
                description.path("files").path(0).path("sha256").asText());
    }

    @Test
    void isContinuedByTheNextProcessWithTheSameStart() throws IOException {
        try (TraceWriter writer = open(Limits.NONE, START)) {
            writer.write("dec", START, number(1));
        }
        try (TraceWriter writer = open(Limits.NONE, START.plusSeconds(1))) {
            assertEquals(START, writer.start());
            writer.write("dec", START.plusSeconds(1), number(2));
        }
        assertEquals(List.of("2026-11-28T08-0001.jsonl.gz", "2026-11-28T08-0002.jsonl.gz"), names());
        assertEquals(List.of("dec " + START + " 1", "dec " + START.plusSeconds(1) + " 2"), lines());
    }

    @Test
    void hasOneWriterAtATime() throws IOException {
        try (TraceWriter writer = open(Limits.NONE, START)) {
            assertEquals(0, writer.bytes());
            assertFails(folder + " is in use by another process; use another folder", () -> open(Limits.NONE, START));
        }
    }

    /** Cuts a file at every byte: what was flushed before the cut is read, and nothing else. */
    @Test
    void isReadableWhereverItIsCut() throws IOException {
        List<Long> flushed = new ArrayList<>();
        Path file = folder.resolve("2026-11-28T08-0001.jsonl.gz");
        byte[] whole;
        try (TraceWriter writer = open(Limits.NONE, START)) {
            for (int i = 1; i <= 3; i++) {
                writer.write("dec", START, number(i));
                writer.flush();
                flushed.add(Files.size(file));
            }
            whole = Files.readAllBytes(file);
        }
        Path cut = folder.resolve("cut.jsonl.gz");
        for (int length = 0; length <= whole.length; length++) {
            Files.write(cut, Arrays.copyOf(whole, length));
            List<Integer> read = new ArrayList<>();
            TraceReader.read(
                    cut, text -> true, line -> read.add(line.fields().path("n").asInt()));
            int size = length;
            int atLeast = (int) flushed.stream().filter(end -> end <= size).count();
            assertEquals(List.of(1, 2, 3).subList(0, read.size()), read, "cut at " + length);
            assertTrue(read.size() >= atLeast, "cut at " + length);
        }
    }

    @Test
    void deletesTheOldestFilesAboveTheLimit() throws IOException {
        Random random = new Random(1);
        long limit = 64 * 1024;
        try (TraceWriter writer = open(Limits.ofTotal(limit), START)) {
            for (int i = 0; i < 2000; i++) {
                byte[] noise = new byte[200];
                random.nextBytes(noise);
                writer.write("dec", START, number(i).put("noise", noise));
                writer.flush();
                assertTrue(writer.bytes() <= limit + 4096);
            }
        }
        long onDisk = 0;
        for (TraceFile file : TraceFiles.of(folder).list()) {
            onDisk += Files.size(file.path());
        }
        assertTrue(onDisk <= limit && onDisk > limit / 2, onDisk + " bytes");
        List<String> left = lines();
        assertEquals("dec " + START + " 1999", left.get(left.size() - 1));
        JsonNode description =
                new ObjectMapper().readTree(folder.resolve("trace.json").toFile());
        assertEquals(names().size(), description.path("files").size());
    }

    @Test
    void standsBesideOthersUnderAPrefix() throws IOException {
        TraceFiles named = TraceFiles.of(folder.resolve("decisions.jsonl.gz"));
        try (TraceWriter writer =
                        TraceWriter.open(named, Limits.NONE, "test", JsonNodeFactory.instance.objectNode(), START);
                TraceWriter other = open(Limits.NONE, START)) {
            writer.write("dec", START, number(1));
            other.write("dec", START, number(2));
        }
        assertEquals(
                List.of("decisions-2026-11-28T08-0001.jsonl.gz"),
                named.list().stream()
                        .map(file -> file.path().getFileName().toString())
                        .toList());
        assertEquals(List.of("dec " + START + " 2"), lines());
    }

    @Test
    void rejectsOtherFilesAndNewerVersions() throws IOException {
        Path file = folder.resolve("a.jsonl");
        Files.writeString(file, "{\"apiVersion\":\"v1\"}\n{}\n");
        assertFails(file + ":1: not a file of a trace", () -> TraceReader.read(file, text -> true, line -> {}));
        Files.writeString(file, "{\"line\":\"file\",\"format\":\"policy-scheduler-trace\",\"version\":3}\n{}\n");
        assertFails(
                file + ":1: version 3 is newer than this program, which reads 2; use a newer program",
                () -> TraceReader.read(file, text -> true, line -> {}));
        Files.writeString(folder.resolve("trace.json"), "{\"format\":\"another\"}");
        assertFails(
                folder.resolve("trace.json") + " is not the description of a trace of version 1 to 2",
                () -> open(Limits.NONE, START));
    }

    private static void assertFails(String message, Executable call) {
        assertEquals(message, assertThrows(IOException.class, call).getMessage());
    }

    /** A file that another process writes ends where its reader met the end, even if more is written meanwhile. */
    @Test
    void theEndIsWhereTheReaderMetItFirst() throws IOException {
        InputStream growing = new SequenceOfReads("{\"n\":", null, "1}\n");
        try (InputStream written = new TraceReader.Written(growing)) {
            assertEquals("{\"n\":", new String(written.readAllBytes(), StandardCharsets.UTF_8));
            assertEquals(-1, written.read());
        }
    }

    /** Gives one text with each read; null is the end at that moment. */
    private static final class SequenceOfReads extends InputStream {
        private final Iterator<@Nullable String> texts;

        SequenceOfReads(@Nullable String... texts) {
            this.texts = Arrays.asList(texts).iterator();
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("reads are of arrays");
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            String text = texts.hasNext() ? texts.next() : null;
            if (text == null) {
                return -1;
            }
            byte[] given = text.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(given, 0, bytes, offset, given.length);
            return given.length;
        }
    }
}
