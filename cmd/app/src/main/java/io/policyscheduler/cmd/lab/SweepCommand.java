package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.WorkerThreads;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.TieBreakOption;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.WorkerPool;
import io.policyscheduler.framework.insight.lab.TraceRun.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lab sweep}: many runs, also on many machines. */
@Command(
        name = "sweep",
        modelTransformer = SweepCommand.WithoutTrace.class,
        description = "Runs many combinations of traces, schedulers, and seeds, on one machine or in parts on several.",
        sortOptions = false,
        customSynopsis = "policy-scheduler lab sweep FILE --out=DIR [--shard=I/N] [OPTION...]",
        footer = {
            "",
            "FILE is YAML or JSON:",
            "  traces: a list of directories, or a map from the name of a group to its directories",
            "  schedulers: a list; {trace} stands for the directory of the trace",
            "  tieBreak: a list of round-robin, random, and first (default: round-robin)",
            "  seeds: the number of seeds, counted from --seed (default: 1)",
            "Directories are relative to FILE.",
            "",
            "Each run writes a file to DIR/runs. Its name is the hash of the inputs of the run. A run whose file",
            "exists is not repeated. Shards are numbered from 0. lab merge merges the files of all shards, and names",
            "the missing runs of DIR/plan.json. A sweep without --shard merges its own files.",
            "",
            "The last table names the best scheduler by each metric: the highest allocation, the shortest wait, the",
            "fewest unplaced pods, and the lowest cost. It has a column for each way to break ties. (noise) means",
            "that the difference to the second best is less than twice its standard error. -o json prints the document"
                    + " that",
            "docs/schemas/lab-sweep.schema.json describes."
        })
final class SweepCommand implements Callable<Integer> {
    private static final String RUNS = "runs";
    private static final int HASH_DIGITS = 24;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> FIELDS = Set.of("traces", "schedulers", "tieBreak", "seeds");

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "File of the sweep.")
    private Path file = Path.of("");

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Directory of the results.")
    private Path out = Path.of("");

    @Option(
            names = "--shard",
            paramLabel = "I/N",
            description = "Make only every Nth run, beginning with run I. The first run is 0 (default: all runs).")
    private @Nullable String shard;

    @Mixin
    private HtmlOption html = new HtmlOption();

    @Mixin
    private LabOptions options = new LabOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    /** Leaves out of the help what the file names; see {@link LabOptions#open}. */
    static final class WithoutTrace implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            return CommonOptions.hide(spec, "--trace", "--cluster", "--arrivals", "--tie-break");
        }
    }

    /** A directory of a trace, and the name under which its results are summarized. */
    private record Trace(String group, String name, Path path) {}

    /** The contents of a file. */
    private record Sweep(List<Trace> traces, List<String> schedulers, List<TieBreakOption> tieBreaks, int seeds) {}

    /** One combination. */
    private record Combination(Trace trace, String scheduler, TieBreakOption tieBreak, int seed) {}

    @Override
    public Integer call() {
        html.check();
        if (html.isGiven() && shard != null) {
            throw new ParameterException(
                    spec.commandLine(), "--html needs all runs; omit --shard, or set --html of lab merge");
        }
        Sweep sweep = read();
        int[] part = part();
        SweepPlan plan = plan(sweep, part[1]);
        plan.write(out);
        Map<SweepPlan.Trace, Trace> traces = new LinkedHashMap<>();
        sweep.traces().forEach(trace -> traces.put(new SweepPlan.Trace(trace.group(), trace.name()), trace));
        List<Combination> mine = new ArrayList<>();
        List<SweepPlan.Run> runs = plan.runs();
        int all = runs.size();
        for (int i = part[0]; i < all; i += part[1]) {
            SweepPlan.Run run = runs.get(i);
            mine.add(new Combination(
                    Objects.requireNonNull(traces.get(new SweepPlan.Trace(run.group(), run.trace()))),
                    run.scheduler(),
                    tieBreak(run.tieBreak()),
                    Math.toIntExact(run.seed() - plan.firstSeed())));
        }
        int made;
        try (Progress progress = common.progress(SteadyClock.system());
                WorkerThreads threads = new WorkerThreads()) {
            made = run(sweep, mine, threads.workers(), progress);
        }
        int skipped = mine.size() - made;
        String text = "made " + made + " of " + all + " runs"
                + (skipped == 0 ? "" : "; " + skipped + " were there before") + "; results in " + out;
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("runs", all).put("made", made);
        if (shard == null) {
            MergedRuns merged = MergedRuns.of(List.of(out));
            merged.write(out);
            html.write(Clock.systemUTC(), () -> merged.page("lab sweep"));
            common.output()
                    .write(
                            () -> {
                                common.out().println(text);
                                merged.print(common.out());
                            },
                            merged::json);
        } else {
            common.output().write(() -> common.out().println(text), () -> json);
        }
        return ExitCode.OK;
    }

    private SweepPlan plan(Sweep sweep, int shards) {
        return new SweepPlan(
                sweep.traces().stream()
                        .map(trace -> new SweepPlan.Trace(trace.group(), trace.name()))
                        .toList(),
                sweep.schedulers(),
                sweep.tieBreaks().stream().map(TieBreakOption::toString).toList(),
                options.seed(),
                sweep.seeds(),
                shards);
    }

    private int[] part() {
        if (shard == null) {
            return new int[] {0, 1};
        }
        if (shard.matches("\\d{1,6}/\\d{1,6}")) {
            int slash = shard.indexOf('/');
            int index = Integer.parseInt(shard.substring(0, slash));
            int count = Integer.parseInt(shard.substring(slash + 1));
            if (index < count) {
                return new int[] {index, count};
            }
        }
        throw new ParameterException(
                spec.commandLine(), "--shard: \"" + shard + "\" is not I/N with I from 0 to N-1, such as 0/4");
    }

    private InputException problem(String text) {
        return new InputException(file + ": " + text);
    }

    private Sweep read() {
        JsonNode json =
                LabOptions.readObject(file, "traces and schedulers", FIELDS, "traces, schedulers, tieBreak, and seeds");
        List<Trace> traces = new ArrayList<>();
        JsonNode given = json.path("traces");
        if (given.isObject()) {
            given.properties()
                    .forEach(group -> texts("traces." + group.getKey(), group.getValue())
                            .forEach(trace -> traces.add(trace(group.getKey(), trace))));
        } else {
            texts("traces", given).forEach(trace -> traces.add(trace(trace, trace)));
        }
        List<String> schedulers = texts("schedulers", json.path("schedulers"));
        if (traces.isEmpty() || schedulers.isEmpty()) {
            throw problem("at least one trace and one scheduler are required");
        }
        List<TieBreakOption> tieBreaks = new ArrayList<>();
        texts("tieBreak", json.path("tieBreak")).forEach(name -> tieBreaks.add(tieBreak(name)));
        JsonNode seeds = json.path("seeds");
        if (!seeds.isMissingNode() && (!seeds.isInt() || seeds.asInt() < 1)) {
            throw problem("seeds must be 1 or more, not " + seeds);
        }
        return new Sweep(
                traces,
                schedulers,
                tieBreaks.isEmpty() ? List.of(TieBreakOption.ROUND_ROBIN) : tieBreaks,
                seeds.asInt(1));
    }

    /** A list of texts; empty if the field is missing. */
    private List<String> texts(String field, JsonNode value) {
        List<String> texts = new ArrayList<>();
        for (JsonNode text : value) {
            texts.add(text.asText());
        }
        if (!value.isMissingNode() && (!value.isArray() || texts.contains(""))) {
            throw problem(field + ": " + value + " is not a list of texts, such as ["
                    + (value.isTextual() ? value.asText() : "a, b") + "]");
        }
        return texts;
    }

    private Trace trace(String group, String name) {
        return new Trace(group, name, file.toAbsolutePath().resolveSibling(name).normalize());
    }

    private TieBreakOption tieBreak(String name) {
        for (TieBreakOption option : TieBreakOption.values()) {
            if (option.toString().equals(name)) {
                return option;
            }
        }
        throw problem("tieBreak: there is no \"" + name + "\"; there are " + List.of(TieBreakOption.values()));
    }

    /** Makes the runs, in the order of their traces; returns how many were not there before. */
    private int run(Sweep sweep, List<Combination> all, WorkerPool workers, Progress progress) {
        List<Supplier<Boolean>> runs = new ArrayList<>();
        AtomicInteger done = new AtomicInteger();
        AtomicBoolean failed = new AtomicBoolean();
        for (Trace trace : sweep.traces()) {
            List<Combination> of =
                    all.stream().filter(one -> one.trace() == trace).toList();
            OpenTrace open = new OpenTrace(trace, of, progress);
            for (int i = 0; i < of.size(); i++) {
                int index = i;
                runs.add(() -> {
                    if (failed.get()) {
                        return false;
                    }
                    boolean succeeded = false;
                    try {
                        boolean fresh = open.run(index);
                        succeeded = true;
                        progress.count("runs", done.incrementAndGet(), all.size());
                        return fresh;
                    } finally {
                        if (!succeeded) {
                            failed.set(true);
                        }
                    }
                });
            }
        }
        int made = 0;
        for (boolean fresh : workers.all(runs)) {
            made += fresh ? 1 : 0;
        }
        return made;
    }

    /** The runs of one trace. It is read for the first of them and dropped after the last, so that few traces are in memory. */
    private final class OpenTrace {
        private final Trace trace;
        private final List<Combination> runs;
        /** Each once, so that an invalid one fails before the first run. */
        private final List<String> names;

        private final Progress progress;
        private int left;
        private LabOptions.@Nullable Laboratory lab;

        OpenTrace(Trace trace, List<Combination> runs, Progress progress) {
            this.trace = trace;
            this.runs = runs;
            this.names = runs.stream().map(SweepCommand::scheduler).distinct().toList();
            this.progress = progress;
            this.left = runs.size();
        }

        boolean run(int index) {
            Combination one = runs.get(index);
            LabOptions.Laboratory own = opened();
            boolean fresh = SweepCommand.this.run(
                    own.with(one.tieBreak(), one.seed()),
                    one,
                    () -> own.schedulers().of(scheduler(one)),
                    progress);
            close();
            return fresh;
        }

        private synchronized LabOptions.Laboratory opened() {
            LabOptions.Laboratory known = lab;
            if (known == null) {
                // The options are set for the trace while it is read.
                synchronized (options) {
                    known = options.open(trace.path(), names, progress, new Warnings(progress));
                }
                lab = known;
            }
            return known;
        }

        private synchronized void close() {
            if (--left == 0) {
                lab = null;
            }
        }
    }

    private static String scheduler(Combination one) {
        return one.scheduler().replace("{trace}", one.trace().path().toString());
    }

    private boolean run(
            LabOptions.Laboratory lab,
            Combination one,
            Supplier<@Nullable SchedulerSpec> scheduler,
            Progress progress) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", "lab-sweep-run/1");
        json.put("group", one.trace().group()).put("trace", one.trace().name());
        json.put("scheduler", one.scheduler()).put("tieBreak", one.tieBreak().toString());
        json.put("seed", lab.seed()).put("version", lab.header().path("version").asText());
        // Paths differ from machine to machine.
        lab.header()
                .path("inputs")
                .forEach(input ->
                        json.withArray("/inputs").add(input.path("sha256").asText()));
        json.put("schedulerSha256", fileHash(scheduler(one)));
        json.set("release", lab.header().path("release"));
        options.schedulerInputs().forEach(json.withArray("/schedulerInputs")::add);
        json.set("settings", lab.header().path("settings"));
        String name = Hashing.sha256()
                        .hashString(json.toString(), StandardCharsets.UTF_8)
                        .toString()
                        .substring(0, HASH_DIGITS)
                + ".json";
        Path target = out.resolve(RUNS).resolve(name);
        if (Files.exists(target)) {
            return false;
        }
        Result result = lab.run(scheduler.get(), 0, null, progress);
        LabReport.put(json.putObject("metrics"), result.metrics());
        write(target, json);
        return true;
    }

    /** Writes a file at once, because other shards may write or read it at the same time. */
    static void write(Path target, ObjectNode json) {
        try {
            Path folder = target.toAbsolutePath().getParent();
            Files.createDirectories(folder);
            Path written = Files.createTempFile(folder, "run", ".new");
            Files.writeString(written, json.toPrettyString() + "\n");
            move(written, target);
        } catch (IOException e) {
            throw InputFiles.unwritable(target, e);
        }
    }

    private static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Returns the hash of the file that a scheduler names; empty if it names none. */
    private static String fileHash(String scheduler) {
        String path = scheduler.substring(scheduler.indexOf(':') + 1);
        int hash = path.indexOf('#');
        Path named = Path.of(hash < 0 ? path : path.substring(0, hash));
        if (!Files.isRegularFile(named)) {
            return "";
        }
        return LabOptions.hash(named);
    }

    /** The runs of one or more directories, in an order that does not depend on the directories. */
    static final class MergedRuns {
        private static final List<String> SHOWN =
                List.of("allocation.cpu.mean", "wait.mean", "wait.p99", "unplaced.pods", "cost.total");
        /** A difference of more standard errors is no noise. */
        private static final double ERRORS = 2;

        private final List<JsonNode> runs;
        /** A warning about runs that are in a plan, but in no directory; empty if there are none. */
        private final Optional<String> missing;

        private MergedRuns(List<JsonNode> runs, Set<SweepPlan> plans) {
            this.runs = ImmutableList.copyOf(runs);
            this.missing = SweepPlan.missing(
                    plans, runs.stream().map(SweepPlan.Run::of).collect(Collectors.toSet()));
        }

        /**
         * Reads directories.
         *
         * @throws InputException if two files of the same run differ, or there is none
         */
        static MergedRuns of(List<Path> folders) {
            Map<String, JsonNode> byName = new TreeMap<>();
            Set<SweepPlan> plans = new LinkedHashSet<>();
            for (Path folder : folders) {
                Path runs = folder.resolve(RUNS);
                Optional<SweepPlan> plan = SweepPlan.read(folder);
                plan.ifPresent(plans::add);
                if (!Files.isDirectory(runs)) {
                    if (plan.isPresent()) {
                        continue;
                    }
                    throw new InputException(folder + ": there is no directory " + RUNS + "; lab sweep writes it");
                }
                try (DirectoryStream<Path> files = Files.newDirectoryStream(runs, "*.json")) {
                    for (Path file : files) {
                        JsonNode run = JSON.readTree(file.toFile());
                        JsonNode known = byName.putIfAbsent(String.valueOf(file.getFileName()), run);
                        if (known != null && !known.equals(run)) {
                            throw new InputException(
                                    file + ": another directory has other metrics of the same run; the sweeps were"
                                            + " made with different programs");
                        }
                    }
                } catch (IOException e) {
                    throw new InputException("cannot read " + runs + ": " + e.getMessage(), e);
                }
            }
            if (byName.isEmpty()) {
                throw new InputException("there are no runs in " + folders);
            }
            List<JsonNode> sorted = new ArrayList<>(byName.values());
            sorted.sort((a, b) -> {
                for (String field : List.of("group", "trace", "scheduler", "tieBreak")) {
                    int order = a.path(field).asText().compareTo(b.path(field).asText());
                    if (order != 0) {
                        return order;
                    }
                }
                return Long.compare(a.path("seed").asLong(), b.path("seed").asLong());
            });
            return new MergedRuns(sorted, plans);
        }

        /** One group of traces under one scheduler. */
        private record Key(String group, String scheduler, String tieBreak) {}

        private Map<Key, List<JsonNode>> byKey() {
            Map<Key, List<JsonNode>> groups = new LinkedHashMap<>();
            for (JsonNode run : runs) {
                groups.computeIfAbsent(
                                new Key(
                                        run.path("group").asText(),
                                        run.path("scheduler").asText(),
                                        run.path("tieBreak").asText()),
                                any -> new ArrayList<>())
                        .add(run.path("metrics"));
            }
            return groups;
        }

        private Set<String> metrics() {
            Set<String> names = new LinkedHashSet<>();
            runs.forEach(run -> run.path("metrics").fieldNames().forEachRemaining(names::add));
            return names;
        }

        /** Returns mean and standard deviation; null if a run has no value. */
        private static double @Nullable [] statistics(List<JsonNode> metrics, String name) {
            double sum = 0;
            for (JsonNode one : metrics) {
                if (!one.path(name).isNumber()) {
                    return null;
                }
                sum += one.path(name).doubleValue();
            }
            double mean = sum / metrics.size();
            double squares = 0;
            for (JsonNode one : metrics) {
                double difference = one.path(name).doubleValue() - mean;
                squares += difference * difference;
            }
            return new double[] {mean, metrics.size() < 2 ? 0 : Math.sqrt(squares / (metrics.size() - 1))};
        }

        /** Returns the statistics of each group. */
        ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", "lab-sweep/1");
            json.put("runs", runs.size());
            byKey().forEach((key, metrics) -> {
                ObjectNode one = json.withArray("/groups")
                        .addObject()
                        .put("group", key.group())
                        .put("scheduler", key.scheduler())
                        .put("tieBreak", key.tieBreak())
                        .put("runs", metrics.size());
                ObjectNode means = one.putObject("mean");
                ObjectNode deviations = one.putObject("sd");
                for (String name : metrics()) {
                    double[] statistics = statistics(metrics, name);
                    if (statistics != null) {
                        means.put(name, LabReport.rounded(statistics[0]));
                        deviations.put(name, LabReport.rounded(statistics[1]));
                    }
                }
            });
            for (Best one : best()) {
                json.withArray("/best")
                        .addObject()
                        .put("group", one.group())
                        .put("metric", one.metric())
                        .put("is", one.isHighest() ? "highest" : "lowest")
                        .put("tieBreak", one.tieBreak())
                        .put("scheduler", one.scheduler())
                        .put("beyondNoise", one.isBeyondNoise());
            }
            return json;
        }

        /** Returns the statistics as a page. */
        PageContent page(String command) {
            ObjectNode data = json();
            Map<Key, List<JsonNode>> groups = byKey();
            shown(groups).forEach(data.putArray("shown")::add);
            missing.ifPresent(data.putArray("warnings")::add);
            String text = (runs.size() == 1 ? "1 run" : runs.size() + " runs") + " in "
                    + (groups.size() == 1 ? "1 combination" : groups.size() + " combinations")
                    + " of traces, schedulers, and ways to break ties.";
            return new PageContent(PageContent.View.LAB_SWEEP, command, List.of(text), data);
        }

        /**
         * The best scheduler for one group of traces, metric, and way to break ties.
         *
         * @param isBeyondNoise whether the difference to the second is more than twice its standard error; false with one run
         */
        private record Best(
                String group,
                String metric,
                boolean isHighest,
                String tieBreak,
                String scheduler,
                boolean isBeyondNoise) {}

        /** Returns the best of the shown metrics; empty if there is one scheduler. */
        private List<Best> best() {
            Map<Key, List<JsonNode>> groups = byKey();
            Map<String, Map<String, List<Key>>> byGroup = new TreeMap<>();
            groups.keySet()
                    .forEach(key -> byGroup.computeIfAbsent(key.group(), any -> new TreeMap<>())
                            .computeIfAbsent(key.tieBreak(), any -> new ArrayList<>())
                            .add(key));
            List<Best> all = new ArrayList<>();
            byGroup.forEach((group, byTieBreak) -> {
                for (String metric : shown(groups)) {
                    byTieBreak.forEach(
                            (tieBreak, keys) -> best(groups, keys, metric).ifPresent(all::add));
                }
            });
            return all;
        }

        private static Optional<Best> best(Map<Key, List<JsonNode>> groups, List<Key> keys, String metric) {
            boolean isHighest = metric.startsWith("allocation.");
            Key first = null;
            Key second = null;
            for (Key key : keys) {
                double[] own = statistics(groups.getOrDefault(key, List.of()), metric);
                if (own == null) {
                    return Optional.empty();
                }
                if (first == null || isBetter(isHighest, own[0], mean(groups, first, metric))) {
                    second = first;
                    first = key;
                } else if (second == null || isBetter(isHighest, own[0], mean(groups, second, metric))) {
                    second = key;
                }
            }
            if (first == null || second == null || mean(groups, first, metric) == mean(groups, second, metric)) {
                return Optional.empty();
            }
            double difference = Math.abs(mean(groups, first, metric) - mean(groups, second, metric));
            double error = Math.hypot(error(groups, first, metric), error(groups, second, metric));
            return Optional.of(new Best(
                    first.group(),
                    metric,
                    isHighest,
                    first.tieBreak(),
                    first.scheduler(),
                    difference > ERRORS * error));
        }

        private static boolean isBetter(boolean isHighest, double a, double b) {
            return isHighest ? a > b : a < b;
        }

        private static double mean(Map<Key, List<JsonNode>> groups, Key key, String metric) {
            double[] statistics = statistics(groups.getOrDefault(key, List.of()), metric);
            return statistics == null ? Double.NaN : statistics[0];
        }

        /** Returns the standard error of a mean; infinite for one run. */
        private static double error(Map<Key, List<JsonNode>> groups, Key key, String metric) {
            List<JsonNode> runs = groups.getOrDefault(key, List.of());
            double[] statistics = statistics(runs, metric);
            return statistics == null || runs.size() < 2
                    ? Double.POSITIVE_INFINITY
                    : statistics[1] / Math.sqrt(runs.size());
        }

        private List<String> shown(Map<Key, List<JsonNode>> groups) {
            return metrics().stream()
                    .filter(name -> SHOWN.contains(name) || (name.startsWith("allocation.") && name.endsWith(".end")))
                    .filter(name -> groups.values().stream().anyMatch(metrics -> {
                        double[] statistics = statistics(metrics, name);
                        return statistics != null && statistics[0] != 0;
                    }))
                    .toList();
        }

        /** Writes {@code sweep.json} and {@code sweep.csv}. */
        void write(Path folder) {
            StringBuilder csv = new StringBuilder("group,trace,scheduler,tieBreak,seed");
            Set<String> names = metrics();
            names.forEach(name -> csv.append(',').append(quoted(name)));
            csv.append('\n');
            for (JsonNode run : runs) {
                for (String field : List.of("group", "trace", "scheduler", "tieBreak")) {
                    csv.append(quoted(run.path(field).asText())).append(',');
                }
                csv.append(run.path("seed").asLong());
                for (String name : names) {
                    JsonNode value = run.path("metrics").path(name);
                    csv.append(',').append(value.isNumber() ? value.asText() : "");
                }
                csv.append('\n');
            }
            try {
                Files.createDirectories(folder);
                Files.writeString(folder.resolve("sweep.json"), json().toPrettyString() + "\n");
                Files.writeString(folder.resolve("sweep.csv"), csv);
            } catch (IOException e) {
                throw InputFiles.unwritable(folder, e);
            }
        }

        private static String quoted(String cell) {
            return cell.indexOf(',') < 0 && cell.indexOf('"') < 0 ? cell : '"' + cell.replace("\"", "\"\"") + '"';
        }

        /** Prints the means and standard deviations of some metrics. */
        void print(PrintWriter out) {
            out.println();
            TextTable table = new TextTable()
                    .text("TRACES")
                    .text("SCHEDULER")
                    .text("TIES")
                    .number("RUNS");
            Map<Key, List<JsonNode>> groups = byKey();
            List<String> shown = shown(groups);
            shown.forEach(table::number);
            groups.forEach((key, metrics) -> {
                List<Object> cells =
                        new ArrayList<>(List.of(key.group(), key.scheduler(), key.tieBreak(), metrics.size()));
                for (String name : shown) {
                    double[] statistics = statistics(metrics, name);
                    cells.add(
                            statistics == null
                                    ? "-"
                                    : LabReport.text(statistics[0])
                                            + (metrics.size() < 2
                                                    ? ""
                                                    : String.format(
                                                            Locale.ROOT, " +-%s", LabReport.text(statistics[1]))));
                }
                table.row(cells.toArray());
            });
            table.print(out);
            printBest(out);
        }

        /** Prints which scheduler is the best, with a column for each way to break ties, which may change it. */
        private void printBest(PrintWriter out) {
            record Line(String group, String metric, boolean isHighest) {}
            Map<Line, Map<String, String>> lines = new LinkedHashMap<>();
            Set<String> tieBreaks = new TreeSet<>();
            for (Best one : best()) {
                tieBreaks.add(one.tieBreak());
                lines.computeIfAbsent(
                                new Line(one.group(), one.metric(), one.isHighest()), any -> new LinkedHashMap<>())
                        .put(one.tieBreak(), one.scheduler() + (one.isBeyondNoise() ? "" : " (noise)"));
            }
            if (lines.isEmpty()) {
                return;
            }
            out.println();
            TextTable table = new TextTable().text("TRACES").text("BEST");
            tieBreaks.forEach(tieBreak -> table.text("TIES: " + tieBreak));
            lines.forEach((line, byTieBreak) -> {
                List<Object> cells = new ArrayList<>(
                        List.of(line.group(), (line.isHighest() ? "highest " : "lowest ") + line.metric()));
                tieBreaks.forEach(tieBreak -> cells.add(byTieBreak.getOrDefault(tieBreak, "-")));
                table.row(cells.toArray());
            });
            table.print(out);
        }
    }

    /** {@code lab merge}: the results of shards. */
    @Command(
            name = "merge",
            description = "Merges the results of the shards of a sweep.",
            sortOptions = false,
            customSynopsis = "policy-scheduler lab merge DIR... --out=DIR [OPTION...]",
            footer = {
                "",
                "The order of the directories does not matter, and one that occurs twice counts once. The result",
                "equals that of a sweep without shards: sweep.csv has a line for each run. sweep.json has the mean",
                "and the standard deviation of each metric for each group of traces, scheduler, and tie break."
            })
    static final class Merge implements Callable<Integer> {
        @Parameters(paramLabel = "DIR", arity = "1..*", description = "Directories that lab sweep has written.")
        private List<Path> folders = List.of();

        @Option(names = "--out", paramLabel = "DIR", required = true, description = "Directory of the result.")
        private Path out = Path.of("");

        @Mixin
        private HtmlOption html = new HtmlOption();

        @Mixin
        private CommonOptions common = new CommonOptions();

        @Override
        public Integer call() {
            html.check();
            MergedRuns merged = MergedRuns.of(folders);
            try (Progress progress = common.progress(SteadyClock.system())) {
                merged.missing.ifPresent(new Warnings(progress));
            }
            merged.write(out);
            html.write(Clock.systemUTC(), () -> merged.page("lab merge"));
            common.output()
                    .write(
                            () -> {
                                common.out().println("merged " + merged.runs.size() + " runs in " + out);
                                merged.print(common.out());
                            },
                            merged::json);
            return ExitCode.OK;
        }
    }
}
