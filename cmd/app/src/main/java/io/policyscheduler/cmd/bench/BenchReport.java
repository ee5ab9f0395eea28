package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.bench.Bench.Result;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.snapshot.Workload;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.profile.Profile;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The results of {@code bench}, as a table and as data.
 *
 * @param beside the background load of every second run
 */
record BenchReport(List<Result> results, CompanionKind beside) {
    /** The possible background loads. */
    enum CompanionKind {
        NOTHING("", ""),
        PAGE("frames", "viewed"),
        LOG("entries", "logged"),
        TABLES("refreshes", "refreshed");

        /** What is counted. */
        private final String events;
        /** Label of the runs with the load. */
        private final String word;

        CompanionKind(String events, String word) {
            this.events = events;
            this.word = word;
        }
    }

    BenchReport {
        results = List.copyOf(results);
    }

    private boolean isCompared() {
        return results.stream().anyMatch(result -> result.paths().size() > 1);
    }

    /** Prints a row for each result, and for several paths a column each and their ratio. */
    void print(PrintWriter out) {
        TextTable table = new TextTable().text("WORKLOAD").text("SCHEDULER");
        if (isCompared()) {
            results.get(0)
                    .paths()
                    .forEach(
                            path -> table.number(upper(path.name()) + " PODS/S").number("CPU US"));
            table.number("GAIN");
        } else {
            table.number("PODS/S").number("MIN").number("MAX").number("CPU US");
        }
        table.number("PLACED");
        if (beside != CompanionKind.NOTHING) {
            table.number(upper(beside.events)).number(upper(beside.word));
        }
        results.forEach(result -> table.row(cells(result).toArray()));
        table.print(out);
    }

    private List<Object> cells(Result result) {
        List<Object> cells = new ArrayList<>(List.of(result.workload(), result.decider()));
        if (isCompared()) {
            for (Result.PathRuns path : result.paths()) {
                cells.add(round(path.rate()));
                cells.add(round(path.cpu()));
            }
            cells.add(String.format(Locale.ROOT, "%.2f", result.gain()));
        } else {
            Result.PathRuns plain = result.plain();
            cells.add(round(plain.rate()));
            cells.add(round(Collections.min(plain.podsPerSecond())));
            cells.add(round(Collections.max(plain.podsPerSecond())));
            cells.add(round(plain.cpu()));
        }
        cells.add(result.placed());
        if (beside != CompanionKind.NOTHING) {
            cells.add(result.events());
            cells.add(String.format(Locale.ROOT, "%.3f", result.besideRatio()));
        }
        return cells;
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }

    private static String round(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }

    /** Returns the document of {@code docs/schemas/bench.schema.json}. */
    ArrayNode json() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (Result result : results) {
            Result.PathRuns usual = result.usual();
            ObjectNode node = list.addObject()
                    .put("workload", result.workload().toString())
                    .put("title", result.workload().title())
                    .put("decider", result.decider())
                    .put("podsPerSecond", usual.rate())
                    .put("cpuMicrosPerPod", usual.cpu())
                    .put("placed", result.placed());
            usual.podsPerSecond().forEach(node.putArray("runs")::add);
            ArrayNode paths = node.putArray("paths");
            for (Result.PathRuns path : result.paths()) {
                ObjectNode each = paths.addObject()
                        .put("path", path.name())
                        .put("podsPerSecond", path.rate())
                        .put("cpuMicrosPerPod", path.cpu());
                path.podsPerSecond().forEach(each.putArray("runs")::add);
                path.cpuMicros().forEach(each.putArray("cpuMicrosPerPodRuns")::add);
            }
            node.put("gain", result.gain());
            if (!result.beside().isEmpty()) {
                node.put(beside.word + "Ratio", result.besideRatio()).put(beside.events, result.events());
                result.beside().forEach(node.putArray(beside.word + "Runs")::add);
            }
        }
        return list;
    }

    /**
     * The measured configuration.
     *
     * @param decider the scheduler, as in the argument of a command
     * @param profile makes the plugins for the cluster of each run
     */
    record Row(String decider, Workload workload, Function<ClusterState, Profile> profile) {}

    /** Returns the median. */
    static final class Medians {
        private Medians() {}

        /** Returns the median, or the mean of the two middle values; there is at least one value. */
        static double of(List<Double> values) {
            List<Double> sorted = values.stream().sorted().toList();
            int middle = sorted.size() / 2;
            return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        }

        /** Returns the median of the ratios of the values of each pair. */
        static double ofRatios(List<Double> values, List<Double> to) {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                ratios.add(values.get(i) / to.get(i));
            }
            return of(ratios);
        }
    }

    /** The JVM options of this process that affect measurements. */
    static final class JvmOptions {
        /** Options of the launcher for class data sharing, logging, and errors. They do not affect a warm process. */
        private static final Pattern WITHOUT_EFFECT = Pattern.compile("-Xshare:.*|-Xlog:.*|-XX:SharedArchiveFile=.*"
                + "|-XX:AOTCache=.*|-XX:ArchiveRelocationMode=.*|-XX:\\+UnlockDiagnosticVMOptions|-XX:-DisplayVMOutput"
                + "|-XX:\\+ExitOnOutOfMemoryError|-XX:OnOutOfMemoryError=.*");

        private JvmOptions() {}

        /** Returns the line that {@code bench} prints about them. */
        static String note() {
            return note(ManagementFactory.getRuntimeMXBean().getInputArguments());
        }

        static String note(List<String> arguments) {
            List<String> shown = arguments.stream()
                    .filter(option -> option.startsWith("-X"))
                    .filter(option -> !WITHOUT_EFFECT.matcher(option).matches())
                    .toList();
            return shown.isEmpty()
                    ? "note: measured with the default JVM options"
                    : "note: measured with the JVM options " + String.join(" ", shown);
        }
    }
}
