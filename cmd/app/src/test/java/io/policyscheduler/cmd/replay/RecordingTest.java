package io.policyscheduler.cmd.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.replay.ReplayRun.Recording;
import io.policyscheduler.cmd.replay.ReplayRun.Recording.Line;
import io.policyscheduler.cmd.replay.ReplayRun.Recording.Scenario;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordingTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String TEXT = "one\n\n  \ntwo\r\nthree";

    @TempDir
    private Path folder = Path.of("");

    private Path file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        try (OutputStream plain = Files.newOutputStream(file);
                OutputStream out = name.endsWith(".gz") ? new GZIPOutputStream(plain) : plain) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain.jsonl", "packed.jsonl.gz"})
    void linesComeAFewAtATimeAndKnowTheirPlace(String name) throws IOException {
        Path file = file(name, TEXT);
        try (Recording recording = new Recording(file)) {
            assertEquals(List.of(new Line(file + ":1", "one"), new Line(file + ":4", "two")), recording.next(2));
            assertEquals(List.of(new Line(file + ":5", "three")), recording.next(2));
            assertNull(recording.next(2));
            assertNull(recording.next(2));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", " \n\t\n"})
    void nothingIsInAnEmptyFile(String text) throws IOException {
        try (Recording recording = new Recording(file("empty.jsonl", text))) {
            assertNull(recording.next(32));
        }
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        Path gone = folder.resolve("gone.jsonl");
        IOException e = assertThrows(IOException.class, () -> new Recording(gone).close());
        assertTrue(String.valueOf(e.getMessage()).contains(gone.toString()), e.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy", "policyText", "provider", "config", "cluster"})
    void anyOfTheseMakesAScenario(String key) throws IOException {
        String named = "{\"name\":\"n\",\"" + key + "\":{}}";
        assertEquals(new Scenario("f:3", "n", MAPPER.readTree(named)), new Line("f:3", named).parse(MAPPER));
        String nameless = "{\"" + key + "\":{}}";
        assertEquals(new Scenario("f:3", "f:3", MAPPER.readTree(nameless)), new Line("f:3", nameless).parse(MAPPER));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]              | f:3: not a scenario: a JSON object is expected",
                "1               | f:3: not a scenario: a JSON object is expected",
                "null            | f:3: not a scenario: a JSON object is expected",
                "{}              | f:3: not a scenario: no policy, policyText or provider, no config or cluster",
                "{\"name\":\"n\"}    | f:3: not a scenario: no policy, policyText or provider, no config or cluster",
            })
    void whatIsNoScenario(String text, String message) {
        IOException e = assertThrows(IOException.class, () -> new Line("f:3", text).parse(MAPPER));
        assertEquals(message, e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"policy\":", "policy: {}", "{\"policy\" {}}"})
    void whatIsNoJsonIsToldInOneLine(String text) {
        IOException e = assertThrows(IOException.class, () -> new Line("f:3", text).parse(MAPPER));
        assertTrue(String.valueOf(e.getMessage()).startsWith("f:3: not JSON: "), e.getMessage());
        assertEquals(1, String.valueOf(e.getMessage()).lines().count());
    }
}
