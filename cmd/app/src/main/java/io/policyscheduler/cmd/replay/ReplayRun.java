package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.replay.ReplayRun.ReplayResult.ComparedScenario;
import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replays files, several scenarios concurrently; results are in the order of the files. */
final class ReplayRun {
    /** Maximum number of scenarios in memory. */
    private static final int BATCH = 32;

    private final Replayer replayer;
    private final ObjectMapper mapper = new ObjectMapper();
    private final Set<String> only;
    private final Consumer<String> progress;
    private int done;

    /**
     * A run.
     *
     * @param rules options of policies
     * @param only names of the scenarios; empty for all
     * @param progress receives the progress periodically
     */
    public ReplayRun(ReplayRules rules, Set<String> only, Consumer<String> progress) {
        this.replayer = new Replayer(rules);
        this.only = Set.copyOf(only);
        this.progress = progress;
    }

    /** How many scenarios have been replayed. */
    public int done() {
        return done;
    }

    /**
     * Compares a file.
     *
     * @return one result per mode
     * @throws IOException if the file or a line cannot be read; one line that names the place
     */
    public List<ReplayResult> compare(Path file, List<ReplayMode> modes) throws IOException {
        List<ReplayResult> results = modes.stream()
                .map(mode -> new ReplayResult(file.toString(), mode))
                .toList();
        forEach(
                file,
                scenario -> modes.stream().map(mode -> compare(scenario, mode)).toList(),
                comparisons -> {
                    for (int i = 0; i < comparisons.size(); i++) {
                        results.get(i).add(comparisons.get(i));
                    }
                });
        return results;
    }

    private ComparedScenario compare(Recording.Scenario scenario, ReplayMode mode) {
        String excepted = Replayer.excepted(scenario.json(), mode);
        if (excepted != null) {
            return new ComparedScenario(scenario.name(), ComparedScenario.Kind.EXCEPTED, List.of(excepted));
        }
        JsonNode outcome = replay(scenario, mode);
        List<String> missing = outcome.has("configError") ? missing(scenario) : List.of();
        if (!missing.isEmpty()) {
            return new ComparedScenario(scenario.name(), ComparedScenario.Kind.SKIPPED, missing);
        }
        List<String> differences = OutcomeComparison.differences(scenario.json(), mode, outcome);
        return new ComparedScenario(
                scenario.name(),
                differences.isEmpty() ? ComparedScenario.Kind.EQUAL : ComparedScenario.Kind.DIFFERENT,
                differences);
    }

    private List<String> missing(Recording.Scenario scenario) {
        try {
            return ImmutableList.copyOf(replayer.missing(scenario.json()));
        } catch (IOException e) {
            throw at(scenario, e);
        }
    }

    private static UncheckedIOException at(Recording.Scenario scenario, IOException e) {
        return new UncheckedIOException(new IOException(scenario.place() + ": " + e.getMessage(), e));
    }

    /**
     * Writes the outcome of every scenario of a file, a line each.
     *
     * @throws IOException as for {@link #compare}, or when it cannot be written
     */
    public void emit(Path file, ReplayMode mode, Writer out) throws IOException {
        forEach(file, scenario -> line(scenario, mode), line -> {
            try {
                out.write(line);
                out.write('\n');
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private String line(Recording.Scenario scenario, ReplayMode mode) {
        ObjectNode node = mapper.createObjectNode().put("name", scenario.name());
        return node.set("outcome", replay(scenario, mode)).toString();
    }

    private JsonNode replay(Recording.Scenario scenario, ReplayMode mode) {
        try {
            return replayer.replay(scenario.json(), mode);
        } catch (IOException e) {
            throw at(scenario, e);
        } catch (RuntimeException e) {
            throw new IllegalStateException(scenario.place() + ": scenario " + scenario.name() + ": " + e, e);
        }
    }

    private <T> void forEach(Path file, Function<Recording.Scenario, T> work, Consumer<T> sink) throws IOException {
        try (Recording recording = new Recording(file)) {
            @Nullable List<Recording.Line> lines = recording.next(BATCH);
            while (lines != null) {
                List<Recording.Scenario> selected = new ArrayList<>();
                for (Recording.Line line : lines) {
                    Recording.Scenario scenario = line.parse(mapper);
                    if (only.isEmpty() || only.contains(scenario.name())) {
                        selected.add(scenario);
                    }
                }
                selected.parallelStream().map(work).toList().forEach(sink);
                done += selected.size();
                progress.accept("replaying " + file + ": " + done + " scenarios done");
                lines = recording.next(BATCH);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** A file of recorded scenarios, one JSON object per line, plain or gzipped; streamed. */
    public static final class Recording implements AutoCloseable {
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
             * @throws IOException if the line is not a scenario; one line that names the place
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

        /** A scenario with its place in a file and its name, which defaults to the place. */
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
                    throw new IOException(
                            file + ":" + (line + 1) + ": a line of more than " + (LONGEST >> 20) + " MiB");
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

    /** The result of replaying one file in one mode. Filled by {@link ReplayRun}. */
    static final class ReplayResult {
        /** A scenario that differs, with a line for each difference. */
        public record Difference(String scenario, List<String> lines) {
            public Difference {
                lines = List.copyOf(lines);
            }
        }

        private final String file;
        private final ReplayMode mode;
        private int scenarios;
        private int equal;
        private final List<Difference> differences = new ArrayList<>();
        private final SortedMap<String, Integer> excepted = new TreeMap<>();
        private final SortedMap<String, Integer> skipped = new TreeMap<>();

        ReplayResult(String file, ReplayMode mode) {
            this.file = file;
            this.mode = mode;
        }

        void add(ComparedScenario comparison) {
            scenarios++;
            switch (comparison.kind()) {
                case EQUAL -> equal++;
                case DIFFERENT -> differences.add(new Difference(comparison.scenario(), comparison.lines()));
                case EXCEPTED -> excepted.merge(String.join(", ", comparison.lines()), 1, Integer::sum);
                case SKIPPED -> skipped.merge(String.join(", ", comparison.lines()), 1, Integer::sum);
            }
        }

        /** The file, as named by the user. */
        public String file() {
            return file;
        }

        /** How the algorithms were run. */
        public ReplayMode mode() {
            return mode;
        }

        /** Number of scenarios that were read. */
        public int scenarios() {
            return scenarios;
        }

        /** Number of scenarios that agree. */
        public int equal() {
            return equal;
        }

        /** Number of scenarios that were compared. */
        public int compared() {
            return equal + differences.size();
        }

        /** Number of scenarios that differ. */
        public List<Difference> differences() {
            return Collections.unmodifiableList(differences);
        }

        /** Why scenarios are not compared, and how many. */
        public SortedMap<String, Integer> excepted() {
            return Collections.unmodifiableSortedMap(excepted);
        }

        /** Algorithms that this program does not have, with the number of scenarios that use them. */
        public SortedMap<String, Integer> skipped() {
            return Collections.unmodifiableSortedMap(skipped);
        }

        /**
         * The result of one scenario in one mode.
         *
         * @param lines the differences, the reason of an exception, or the names of algorithms that are not built in
         */
        record ComparedScenario(String scenario, Kind kind, List<String> lines) {
            enum Kind {
                EQUAL,
                DIFFERENT,
                EXCEPTED,
                SKIPPED
            }

            ComparedScenario {
                lines = List.copyOf(lines);
            }
        }
    }
}
