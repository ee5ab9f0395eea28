package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.sources.InputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The runs of a sweep, which {@code lab sweep} writes into its directory before the first run, so that {@code lab merge} can name the runs
 * that are missing. All shards of a sweep write the same plan.
 *
 * @param schedulers as in the file of the sweep
 * @param tieBreaks their names
 * @param firstSeed the seeds count from it
 * @param shards number of shards, 1 for a sweep without shards
 */
record SweepPlan(
        List<Trace> traces, List<String> schedulers, List<String> tieBreaks, long firstSeed, int seeds, int shards) {
    private static final String FILE = "plan.json";
    private static final ObjectMapper JSON = new ObjectMapper();
    /** More shards are counted instead of named. */
    private static final int MOST_NAMED = 10;

    SweepPlan {
        traces = ImmutableList.copyOf(traces);
        schedulers = ImmutableList.copyOf(schedulers);
        tieBreaks = ImmutableList.copyOf(tieBreaks);
    }

    /** A trace and the group under which its results are summarized. */
    record Trace(String group, String name) {}

    /** One run, without what it depends on besides these. */
    record Run(String group, String trace, String scheduler, String tieBreak, long seed) {
        /** Returns the run of a result. */
        static Run of(JsonNode result) {
            return new Run(
                    result.path("group").asText(),
                    result.path("trace").asText(),
                    result.path("scheduler").asText(),
                    result.path("tieBreak").asText(),
                    result.path("seed").asLong());
        }
    }

    /** Returns all runs. The shard of a run is the remainder of its index and {@link #shards}. */
    List<Run> runs() {
        List<Run> runs = new ArrayList<>();
        for (Trace trace : traces) {
            for (String scheduler : schedulers) {
                for (String tieBreak : tieBreaks) {
                    for (int seed = 0; seed < seeds; seed++) {
                        runs.add(new Run(trace.group(), trace.name(), scheduler, tieBreak, firstSeed + seed));
                    }
                }
            }
        }
        return runs;
    }

    /** Writes the plan into the directory of a sweep, whose other shards may do so at the same time. */
    void write(Path folder) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", "lab-sweep-plan/1");
        ArrayNode all = json.putArray("traces");
        traces.forEach(trace -> all.addObject().put("group", trace.group()).put("trace", trace.name()));
        schedulers.forEach(json.putArray("schedulers")::add);
        tieBreaks.forEach(json.putArray("tieBreak")::add);
        json.put("firstSeed", firstSeed).put("seeds", seeds).put("shards", shards);
        SweepCommand.write(folder.resolve(FILE), json);
    }

    /** Returns the plan in a directory; empty if there is none, as in those of earlier versions. */
    static Optional<SweepPlan> read(Path folder) {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            JsonNode json = JSON.readTree(file.toFile());
            List<Trace> traces = new ArrayList<>();
            json.path("traces")
                    .forEach(trace -> traces.add(new Trace(
                            trace.path("group").asText(), trace.path("trace").asText())));
            return Optional.of(new SweepPlan(
                    traces,
                    texts(json.path("schedulers")),
                    texts(json.path("tieBreak")),
                    json.path("firstSeed").asLong(),
                    json.path("seeds").asInt(),
                    Math.max(1, json.path("shards").asInt())));
        } catch (IOException e) {
            throw InputFiles.unreadable(file, e);
        }
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    /**
     * Returns a warning that names the runs of plans that are not there, by shard; empty if none is missing. A run of several plans counts
     * once, as one of the first plan.
     */
    static Optional<String> missing(Collection<SweepPlan> plans, Set<Run> there) {
        Set<Run> all = new LinkedHashSet<>();
        int missing = 0;
        Map<Integer, Map<Integer, Set<Long>>> seeds = new TreeMap<>();
        for (SweepPlan plan : plans) {
            List<Run> runs = plan.runs();
            for (int i = 0; i < runs.size(); i++) {
                if (all.add(runs.get(i)) && !there.contains(runs.get(i))) {
                    missing++;
                    seeds.computeIfAbsent(plan.shards(), any -> new TreeMap<>())
                            .computeIfAbsent(i % plan.shards(), any -> new TreeSet<>())
                            .add(runs.get(i).seed());
                }
            }
        }
        if (missing == 0) {
            return Optional.empty();
        }
        List<String> shards = new ArrayList<>();
        seeds.forEach((count, byShard) -> byShard.forEach((shard, of) ->
                shards.add(shard + "/" + count + " (" + (of.size() == 1 ? "seed " : "seeds ") + ranges(of) + ")")));
        int more = shards.size() - MOST_NAMED;
        return Optional.of("W158 " + missing + " of " + all.size() + " runs are missing, of shard "
                + String.join(", ", more > 0 ? shards.subList(0, MOST_NAMED) : shards)
                + (more > 0 ? ", and " + more + " more" : "")
                + "; run lab sweep with --shard again, or add its directory");
    }

    /** Returns numbers in ascending order with ranges, such as {@code 1, 3 to 5}. */
    private static String ranges(Set<Long> ascending) {
        List<Long> numbers = List.copyOf(ascending);
        List<String> ranges = new ArrayList<>();
        for (int i = 0, j = 0; i < numbers.size(); i = j) {
            while (j < numbers.size() && numbers.get(j) - numbers.get(i) == j - i) {
                j++;
            }
            ranges.add(j - i == 1 ? String.valueOf(numbers.get(i)) : numbers.get(i) + " to " + numbers.get(j - 1));
        }
        return String.join(", ", ranges);
    }
}
