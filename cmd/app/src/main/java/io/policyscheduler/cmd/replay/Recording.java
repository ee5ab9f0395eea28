package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file of recorded scenarios, one JSON object a line, plain or gzipped; read a few lines at a time. */
public final class Recording implements AutoCloseable {
    /** Characters of a line; a device has lines without an end. */
    private static final int LONGEST = 32 << 20;

    private final Path file;
    private final BufferedReader in;
    private int line;

    /**
     * A line of a recording.
     *
     * @param place file and line, for messages
     * @param text the JSON text
     */
    record Line(String place, String text) {
        private static final List<String> KEYS = List.of("policy", "policyText", "provider", "config", "cluster");

        /**
         * The scenario of this line.
         *
         * @throws IOException when it is no scenario; one line that names the place
         */
        Scenario parse(ObjectMapper mapper) throws IOException {
            JsonNode node;
            try {
                node = mapper.readTree(text);
            } catch (IOException e) {
                String reason =
                        String.valueOf(e.getMessage()).lines().findFirst().orElse("");
                throw new IOException(place + ": not JSON: " + reason, e);
            }
            if (!node.isObject()) {
                throw new IOException(place + ": not a scenario: a JSON object is expected");
            }
            if (KEYS.stream().noneMatch(node::has)) {
                throw new IOException(
                        place + ": not a scenario: no policy, policyText or provider, no config or cluster");
            }
            return new Scenario(place, node.path("name").asText(place), node);
        }
    }

    /** A scenario, its place in a file and its name, which is the place when it has none. */
    record Scenario(String place, String name, JsonNode json) {}

    /** Opens a recording; errors are one line that names the file. */
    public Recording(Path file) throws IOException {
        this.file = file;
        this.in = new BufferedReader(new InputStreamReader(ClusterFile.open(file), StandardCharsets.UTF_8));
    }

    /** The next lines that are not blank; null at the end. */
    @Nullable
    List<Line> next(int most) throws IOException {
        List<Line> lines = new ArrayList<>();
        while (lines.size() < most) {
            String text = readLine();
            if (text == null) {
                break;
            }
            line++;
            if (!text.isBlank()) {
                lines.add(new Line(file + ":" + line, text));
            }
        }
        return lines.isEmpty() ? null : lines;
    }

    private @Nullable String readLine() throws IOException {
        StringBuilder text = new StringBuilder();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (text.length() >= LONGEST) {
                throw new IOException(file + ":" + (line + 1) + ": a line of more than " + (LONGEST >> 20) + " MiB");
            }
            text.append((char) next);
        }
        int length = text.length();
        return text.substring(0, length > 0 && text.charAt(length - 1) == '\r' ? length - 1 : length);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
