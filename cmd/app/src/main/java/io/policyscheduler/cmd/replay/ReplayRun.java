package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.replay.ReplayResult.ComparedScenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replays whole files, several scenarios at a time; results come in the order of the files. */
final class ReplayRun {
    /** Scenarios in memory at once. */
    private static final int BATCH = 32;

    private final Replayer replayer;
    private final ObjectMapper mapper = new ObjectMapper();
    private final Set<String> only;
    private final Consumer<String> progress;
    private int done;

    /**
     * A run.
     *
     * @param rules by what policies are carried out
     * @param only names of the scenarios wanted; empty for all
     * @param progress is told now and then how far it is
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
     * @return one result a mode
     * @throws IOException when the file or a line cannot be read; one line that names the place
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
                List<Recording.Scenario> wanted = new ArrayList<>();
                for (Recording.Line line : lines) {
                    Recording.Scenario scenario = line.parse(mapper);
                    if (only.isEmpty() || only.contains(scenario.name())) {
                        wanted.add(scenario);
                    }
                }
                wanted.parallelStream().map(work).toList().forEach(sink);
                done += wanted.size();
                progress.accept("replaying " + file + ": " + done + " scenarios done");
                lines = recording.next(BATCH);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
