package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.lab.Expectations.Checked;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.framework.insight.lab.ClusterTrace;
import io.policyscheduler.framework.insight.lab.PairedRuns;
import io.policyscheduler.framework.insight.lab.PairedRuns.Difference;
import io.policyscheduler.framework.insight.lab.TraceRun;
import io.policyscheduler.framework.insight.lab.TraceRun.PodLife;
import io.policyscheduler.framework.insight.lab.TraceRun.Result;
import io.policyscheduler.framework.insight.lab.TraceRun.Sample;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The results of one or several runs of a trace, as text, JSON, and Markdown. A result contains nothing of the machine, so that equal
 * inputs give equal bytes.
 *
 * @param header format, inputs, and settings
 * @param runs of each scheduler, the reference first
 */
record LabReport(ObjectNode header, List<PairedRuns> runs) {
    /** Metrics that a table for people shows; the JSON has all. */
    private static final List<String> SHOWN = List.of(
            "allocation.",
            "utilisation.",
            "wait.mean",
            "wait.p50",
            "wait.p95",
            "wait.p99",
            "wait.max",
            "pending.",
            "pods.",
            "unplaced.",
            "slowdown.mean",
            "cost.",
            "nodes.",
            "disruption.",
            "balance.",
            "fairness.",
            "frag.",
            "spread.",
            "agreement.");
    /** Metrics of which more is better; of {@link #NEUTRAL} ones, neither; of all others, less. */
    private static final List<String> MORE_IS_BETTER =
            List.of("allocation.", "utilisation.", "fairness.", "pods.placed", "pods.finished", "agreement.");

    private static final List<String> NEUTRAL =
            List.of("pods.arrived", "pods.removed", "nodes.started", "nodes.stopped");
    /** Assumptions at the top of each result. */
    private static final List<String> ASSUMPTIONS = List.of(
            "arrivals do not react to the scheduler: no autoscaler changes replicas",
            "durations do not depend on the node or on other pods on it",
            "running pods of the snapshot do not end");

    private static final MathContext DIGITS = new MathContext(12);
    private static final double NANOS_PER_SECOND = 1e9;

    LabReport {
        runs = ImmutableList.copyOf(runs);
    }

    private List<String> assumptions() {
        String model = header.path("settings").path("nodeGroups").path("model").asText();
        return model.isEmpty()
                ? ASSUMPTIONS
                : ImmutableList.<String>builder()
                        .addAll(ASSUMPTIONS)
                        .add("nodes are added and removed by a model of " + model + ", not by its code")
                        .build();
    }

    private PairedRuns reference() {
        return runs.get(0);
    }

    /** Returns a number without the noise of its last digits. */
    static BigDecimal rounded(double value) {
        BigDecimal number = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
        return number.scale() < 0 ? number.setScale(0) : number;
    }

    /** Adds metrics. */
    static void put(ObjectNode node, Map<String, @Nullable Double> metrics) {
        metrics.forEach((name, value) -> {
            if (value == null) {
                node.putNull(name);
            } else {
                node.put(name, rounded(value));
            }
        });
    }

    private ObjectNode withHeader(String format) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", format);
        json.setAll(header.deepCopy());
        assumptions().forEach(json.putArray("assumptions")::add);
        json.putObject("window")
                .put("fromSeconds", rounded(reference().runs().get(0).fromNanos() / NANOS_PER_SECOND))
                .put("toSeconds", rounded(reference().runs().get(0).toNanos() / NANOS_PER_SECOND));
        return json;
    }

    /** Returns the result of a run, as {@code docs/schemas/lab-run.schema.json} describes it. */
    ObjectNode runJson() {
        ObjectNode json = withHeader("lab-run/1").put("scheduler", reference().scheduler());
        put(json.putObject("metrics"), reference().metrics());
        return json;
    }

    /** Returns the result of a comparison, as {@code docs/schemas/lab-compare.schema.json} describes it. */
    ObjectNode compareJson() {
        ObjectNode json = withHeader("lab-compare/1");
        for (PairedRuns run : runs) {
            ObjectNode node = json.withArray("/runs").addObject().put("scheduler", run.scheduler());
            put(node.putObject("metrics"), run.metrics());
            if (run == reference()) {
                continue;
            }
            ObjectNode differences = node.putObject("differences");
            ObjectNode intervals = node.putObject("intervals");
            ArrayNode within = node.putArray("withinNoise");
            for (String name : run.metrics().keySet()) {
                Difference difference = run.difference(reference(), name);
                if (difference == null) {
                    differences.putNull(name);
                    continue;
                }
                differences.put(name, rounded(difference.mean()));
                if (difference.low() != null && difference.high() != null) {
                    intervals.putArray(name).add(rounded(difference.low())).add(rounded(difference.high()));
                }
                if (isNoise(name, difference)) {
                    within.add(name);
                }
            }
        }
        json.put("runsPerScheduler", reference().runs().size());
        json.put("blocks", reference().blocks());
        ObjectNode noise = json.putObject("noise");
        for (String name : reference().metrics().keySet()) {
            Double floor = reference().noise(name);
            if (floor != null) {
                noise.put(name, rounded(floor));
            }
        }
        caveats().forEach(json.putArray("caveats")::add);
        return json;
    }

    private static boolean isShown(String metric) {
        return isOneOf(metric, SHOWN);
    }

    private static boolean isOneOf(String metric, List<String> beginnings) {
        return beginnings.stream().anyMatch(metric::startsWith);
    }

    /** Returns a number as tables show it. */
    static String text(@Nullable Double value) {
        if (value == null) {
            return "-";
        }
        double magnitude = Math.abs(value);
        if (magnitude == Math.rint(magnitude) && magnitude < 1e15) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return String.format(Locale.ROOT, magnitude >= 100 ? "%.1f" : magnitude >= 1 ? "%.3f" : "%.4f", value);
    }

    private boolean isNoise(String name, Difference difference) {
        Double floor = reference().noise(name);
        return floor != null && floor > 0 && Math.abs(difference.mean()) <= floor;
    }

    private String difference(PairedRuns run, String name) {
        Difference difference = run.difference(reference(), name);
        return difference == null ? "-" : signed(difference.mean()) + (isNoise(name, difference) ? " (noise)" : "");
    }

    private String interval(PairedRuns run, String name) {
        Difference difference = run.difference(reference(), name);
        return difference == null || difference.low() == null || difference.high() == null
                ? "-"
                : signed(difference.low()) + ".." + signed(difference.high());
    }

    private static String signed(double difference) {
        return (difference > 0 ? "+" : "") + text(difference);
    }

    /** What the numbers do not say. */
    private List<String> caveats() {
        if (runs.size() == 1) {
            return List.of();
        }
        List<String> caveats = new ArrayList<>();
        if (reference().blocks() < PairedRuns.FEWEST_BLOCKS) {
            caveats.add("no intervals: the window has " + reference().blocks() + " blocks, and an interval needs "
                    + PairedRuns.FEWEST_BLOCKS + " (--block); one day says nothing about others");
        }
        if (reference().runs().size() < PairedRuns.FEWEST_RUNS) {
            caveats.add("no difference is marked as noise: this needs --runs " + PairedRuns.FEWEST_RUNS);
        }
        return caveats;
    }

    /** Returns the answer: a line for each scheduler, and, if there are intervals, one for each comparison. */
    String answer() {
        StringBuilder text = new StringBuilder();
        for (PairedRuns run : runs) {
            Map<String, @Nullable Double> metrics = run.metrics();
            text.append(text.isEmpty() ? "" : "\n")
                    .append(run.scheduler())
                    .append(": ")
                    .append(text(metrics.get("pods.placed")))
                    .append(" pods placed, ")
                    .append(text(metrics.get("unplaced.pods")))
                    .append(" unplaced, ")
                    .append(percent(metrics.get("allocation.cpu.mean")))
                    .append(" of the CPU allocated");
            Double wait = metrics.get("wait.mean");
            if (wait != null) {
                text.append(", mean wait ").append(text(wait)).append(" s");
            }
        }
        if (reference().blocks() >= PairedRuns.FEWEST_BLOCKS) {
            runs.stream().skip(1).forEach(run -> text.append('\n').append(verdict(run)));
        }
        return text.toString();
    }

    /** Returns in which metrics a scheduler is better or worse than the reference, as far as this is not chance. */
    private String verdict(PairedRuns run) {
        List<String> better = new ArrayList<>();
        List<String> worse = new ArrayList<>();
        for (String name : run.metrics().keySet()) {
            Difference difference = run.difference(reference(), name);
            if (difference != null
                    && isShown(name)
                    && !isOneOf(name, NEUTRAL)
                    && isClear(difference)
                    && !isNoise(name, difference)) {
                boolean isBetter = difference.mean() > 0 == isOneOf(name, MORE_IS_BETTER);
                (isBetter ? better : worse).add(name + " " + signed(difference.mean()));
            }
        }
        String against = run.scheduler() + " compared with " + reference().scheduler();
        if (better.isEmpty() && worse.isEmpty()) {
            return against + ": all differences can be chance";
        }
        return against + ": better " + (better.isEmpty() ? "in nothing" : String.join(", ", better)) + "; worse "
                + (worse.isEmpty() ? "in nothing" : String.join(", ", worse)) + "; other differences can be chance";
    }

    /** Whether the whole interval is on the side of the difference. */
    private static boolean isClear(Difference difference) {
        Double low = difference.low();
        Double high = difference.high();
        return low != null && high != null && (difference.mean() > 0 ? low > 0 : high < 0);
    }

    private static String percent(@Nullable Double share) {
        return share == null ? "-" : String.format(Locale.ROOT, "%.2f%%", share * 100);
    }

    /** Prints the answer and the table of metrics. */
    void print(PrintWriter out) {
        out.println(answer());
        out.println();
        TextTable table = new TextTable().text("METRIC");
        for (PairedRuns run : runs) {
            table.number(runs.size() == 1 ? "VALUE" : run.scheduler());
            if (run != reference()) {
                table.number("DIFFERENCE");
                if (reference().blocks() >= PairedRuns.FEWEST_BLOCKS) {
                    table.number("95% INTERVAL");
                }
            }
        }
        reference().metrics().forEach((name, value) -> {
            List<Object> cells = new ArrayList<>();
            boolean any = false;
            cells.add(name);
            for (PairedRuns run : runs) {
                Double own = run.metrics().get(name);
                any |= own != null && own != 0;
                cells.add(text(own));
                if (run != reference()) {
                    cells.add(difference(run, name));
                    if (reference().blocks() >= PairedRuns.FEWEST_BLOCKS) {
                        cells.add(interval(run, name));
                    }
                }
            }
            if (any && isShown(name)) {
                table.row(cells.toArray());
            }
        });
        table.print(out);
        out.println();
        out.println("Assumed: " + String.join("; ", assumptions()) + ".");
        caveats().forEach(out::println);
    }

    /** Prints the limits that were checked. */
    static void print(PrintWriter out, Expectations expectations, List<Checked> checked, long failed) {
        out.println(
                failed == 0
                        ? expectations.candidate() + " fails no limit"
                        : expectations.candidate() + " fails " + failed + " of " + checked.size() + " limits");
        out.println();
        TextTable table = new TextTable()
                .text("METRIC")
                .text("LIMIT")
                .number("BASELINE")
                .number("CANDIDATE")
                .text("RESULT");
        for (Checked one : checked) {
            table.row(
                    one.limit().metric(),
                    one.limit().text(),
                    text(one.baseline()),
                    text(one.candidate()),
                    one.outcome());
        }
        table.print(out);
    }

    /** Returns the limits that were checked, as {@code docs/schemas/lab-test.schema.json} describes them. */
    static ObjectNode testJson(Expectations expectations, List<Checked> checked) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", "lab-test/1");
        json.put("baseline", expectations.baseline()).put("candidate", expectations.candidate());
        ArrayNode limits = json.putArray("limits");
        for (Checked one : checked) {
            limits.addObject()
                    .put("metric", one.limit().metric())
                    .put("limit", one.limit().text())
                    .put("baseline", one.baseline() == null ? null : rounded(one.baseline()))
                    .put("candidate", one.candidate() == null ? null : rounded(one.candidate()))
                    .put("result", one.outcome().toString());
        }
        return json;
    }

    /** Returns the same as Markdown. */
    String markdown() {
        StringBuilder text = new StringBuilder();
        answer().lines()
                .forEach(line ->
                        text.append("**").append(line.replace("|", "\\|")).append("**\n\n"));
        text.append("| metric |");
        StringBuilder rule = new StringBuilder("|---|");
        for (PairedRuns run : runs) {
            text.append(' ').append(run.scheduler().replace("|", "\\|")).append(" |");
            rule.append("--:|");
            if (run != reference()) {
                text.append(" difference | 95% interval |");
                rule.append("--:|--:|");
            }
        }
        text.append('\n').append(rule).append('\n');
        reference().metrics().forEach((name, value) -> {
            if (!isShown(name)) {
                return;
            }
            text.append("| `").append(name).append("` |");
            for (PairedRuns run : runs) {
                Double own = run.metrics().get(name);
                text.append(' ').append(text(own)).append(" |");
                if (run != reference()) {
                    text.append(' ')
                            .append(difference(run, name))
                            .append(" | ")
                            .append(interval(run, name))
                            .append(" |");
                }
            }
            text.append('\n');
        });
        text.append("\nAssumed: ").append(String.join("; ", assumptions())).append(".\n");
        caveats().forEach(caveat -> text.append("\n").append(caveat).append("\n"));
        return text.toString();
    }

    /** Writes {@code pods.csv.gz} and {@code samples.csv.gz} of one run into a folder, as the run goes on. */
    static final class RunFiles implements TraceRun.Listener, AutoCloseable {
        private final Writer pods;
        private final Writer samples;

        /**
         * Creates the files.
         *
         * @param resources as {@link Result#resources()}
         */
        RunFiles(Path folder, List<String> resources) {
            try {
                Files.createDirectories(folder);
                pods = gzip(folder.resolve("pods.csv.gz"));
                samples = gzip(folder.resolve("samples.csv.gz"));
                pods.write("namespace,name,arrived,bound,ended,node,end\n");
                samples.write("time,nodes,running,pending");
                for (String resource : resources) {
                    samples.write("," + quoted("allocated." + resource) + "," + quoted("pending." + resource));
                }
                samples.write("\n");
            } catch (IOException e) {
                throw InputFiles.unwritable(folder, e);
            }
        }

        static Writer gzip(Path file) throws IOException {
            return new BufferedWriter(
                    new OutputStreamWriter(new GZIPOutputStream(Files.newOutputStream(file)), StandardCharsets.UTF_8));
        }

        private static String quoted(String cell) {
            return cell.indexOf(',') < 0 && cell.indexOf('"') < 0 ? cell : '"' + cell.replace("\"", "\"\"") + '"';
        }

        private static String seconds(long nanos) {
            return nanos == ClusterTrace.NONE
                    ? ""
                    : BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
        }

        @Override
        public void ended(PodLife life) {
            try {
                pods.write(quoted(life.pod().namespace())
                        + ','
                        + quoted(life.pod().name())
                        + ','
                        + seconds(life.arrived())
                        + ','
                        + seconds(life.bound())
                        + ','
                        + seconds(life.ended())
                        + ','
                        + quoted(life.node())
                        + ','
                        + life.end()
                        + '\n');
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void sampled(Sample sample) {
            try {
                samples.write(seconds(sample.nanos())
                        + ','
                        + sample.nodes()
                        + ','
                        + sample.running()
                        + ','
                        + sample.waiting());
                for (int r = 0; r < sample.allocated().length; r++) {
                    samples.write("," + sample.allocated()[r] + ',' + sample.pending()[r]);
                }
                samples.write('\n');
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try (pods;
                    samples) {
                pods.flush();
            } catch (IOException e) {
                throw new InputException("cannot write the results: " + e.getMessage(), e);
            }
        }
    }
}
