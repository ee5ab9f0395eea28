package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import com.google.common.primitives.Doubles;
import io.policyscheduler.cmd.lab.ArrivalsFile.Arrivals;
import io.policyscheduler.cmd.options.CommonOptions.DurationConverter;
import io.policyscheduler.cmd.options.CommonOptions.IntRange;
import io.policyscheduler.cmd.options.CommonOptions.TieBreakOption;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.sources.DumpFiles;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.lab.ClusterTrace;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.GpuFragmentation;
import io.policyscheduler.framework.insight.lab.LoadScenario;
import io.policyscheduler.framework.insight.lab.LoadScenario.Purpose;
import io.policyscheduler.framework.insight.lab.NodeGroups;
import io.policyscheduler.framework.insight.lab.RunOverview;
import io.policyscheduler.framework.insight.lab.RunSettings;
import io.policyscheduler.framework.insight.lab.TraceRun;
import io.policyscheduler.framework.insight.lab.TraceRun.PodLife;
import io.policyscheduler.framework.insight.lab.TraceRun.Result;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import picocli.CommandLine.TypeConversionException;

/** Picocli mixin: the trace, the times, and the schedulers of a run. */
final class LabOptions {
    /** The snapshot in a folder of a trace. */
    static final String CLUSTER_FILE = "cluster.json";
    /** The facts about a trace in its folder; optional. */
    static final String TRACE_FILE = "trace.json";
    /** The arrivals in a folder of a trace. */
    static final String ARRIVALS_FILE = "arrivals.csv";

    private static final Instant DEFAULT_START = Instant.parse("2024-01-01T00:00:00Z");
    private static final String INSTANCE_TYPE = "node.kubernetes.io/instance-type";
    /** After the last known event, pods that wait may still be placed. */
    private static final Duration SLACK = Duration.ofMinutes(10);

    /** Shifts the arrivals of the second run and later ones. */
    private static final Duration NOISE = Duration.ofSeconds(1);

    private static final String NO_PLACEMENTS =
            "the trace does not contain the nodes of pods, which the scheduler recorded requires; use a trace of lab record";

    private static final Duration LONGEST_WARM_UP = Duration.ofHours(2);
    private static final int WARM_UP_SHARE = 20;

    /**
     * Reads the file of a study, which has one object.
     *
     * @param required for the message about another content
     * @param fields the known fields
     * @param list of the fields, for the message about an unknown one
     * @throws InputException if the file cannot be read, is no object, or has another field
     */
    static JsonNode readObject(Path file, String required, Set<String> fields, String list) {
        List<JsonNode> documents = ImmutableList.copyOf(ManifestFiles.read(file));
        if (documents.size() != 1 || !documents.get(0).isObject()) {
            throw new InputException(file + ": one object with " + required + " is required");
        }
        for (Map.Entry<String, JsonNode> field : documents.get(0).properties()) {
            if (!fields.contains(field.getKey())) {
                throw new InputException(file + ": unknown field \"" + field.getKey() + "\"; the fields are " + list);
            }
        }
        return documents.get(0);
    }

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Spec(Target.SELF)
    private CommandSpec own;

    @Option(names = "--trace", paramLabel = "DIR", description = "Directory that lab record or lab import has written.")
    private @Nullable Path trace;

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Snapshot at the start: a dump or manifests. Pending pods arrive at the start.")
    private List<Path> cluster = List.of();

    @Option(
            names = "--arrivals",
            paramLabel = "FILE",
            description =
                    "CSV file with a header line, and one pod per line. The column time is required; duration, end,"
                            + " name, namespace, owner, and restarts are optional. The column template names a pod of"
                            + " --templates. Without it, these columns describe the pod: cpu, memory, priority,"
                            + " request.NAME, label.KEY, annotation.KEY, selector.KEY, and toleration.KEY.")
    private @Nullable Path arrivals;

    @Option(
            names = "--templates",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Manifests of pods that the column template refers to by name.")
    private List<Path> templates = List.of();

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description =
                    "Start with the recorded cluster of this moment, as lab at prints it. Only for traces of lab record."
                            + " The time of --until counts from the start of the trace, all others from TIME.")
    private @Nullable String from;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = DaysConverter.class,
            description = "End of the run (default: the end in trace.json, else 10m after the last arrival).")
    private @Nullable Duration until;

    @Option(
            names = "--warm-up",
            paramLabel = "TIME",
            converter = DaysConverter.class,
            description = "Time before the metrics begin (default: 5%% of the run, at most 2h).")
    private @Nullable Duration warmUp;

    @Option(
            names = "--tie-break",
            paramLabel = "HOW",
            defaultValue = "round-robin",
            description = "How to select among nodes with the highest score: round-robin, random, or first"
                    + " (default: ${DEFAULT-VALUE}).")
    private TieBreakOption tieBreak = TieBreakOption.ROUND_ROBIN;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of random draws: among nodes with the highest score, and for --scale-load, --jitter,"
                    + " --extend, --fail, and --spot (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(
            names = "--percentage-of-nodes-to-score",
            paramLabel = "N",
            converter = IntRange.Percent.class,
            description = "Stop the search after this percentage of the nodes is feasible. 0 adapts to the cluster"
                    + " size, as in kube-scheduler (default: the value of the configuration, else 100).")
    private @Nullable Integer percentage;

    @Option(
            names = "--binding-time",
            paramLabel = "TIME",
            defaultValue = "50ms",
            converter = DurationConverter.class,
            description = "Time from the decision until the pod is bound (default: ${DEFAULT-VALUE}).")
    private Duration binding = Duration.ofMillis(50);

    @Option(
            names = "--start-time",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description = "Time from the bind until the containers run (default: ${DEFAULT-VALUE}).")
    private Duration start = Duration.ofSeconds(1);

    @Option(
            names = "--decision-time",
            paramLabel = "TIME",
            defaultValue = "0s",
            converter = DurationConverter.class,
            description = "Time that a scheduling attempt takes. The other pods wait in the queue (default:"
                    + " ${DEFAULT-VALUE}).")
    private Duration decision = Duration.ZERO;

    @Option(
            names = "--eviction-time",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description = "Time from the eviction of a pod until it is gone (default: ${DEFAULT-VALUE}).")
    private Duration grace = Duration.ofSeconds(1);

    @Option(
            names = "--sample-every",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = DurationConverter.class,
            description = "Period of the lines in samples.csv.gz (default: ${DEFAULT-VALUE}).")
    private Duration sample = Duration.ofMinutes(5);

    @Option(
            names = "--price-table",
            paramLabel = "FILE",
            description =
                    "CSV file with the lines NODE,PRICE: the price per hour of a node, by its name or by its label"
                            + " node.kubernetes.io/instance-type.")
    private @Nullable Path prices;

    @Option(
            names = "--block",
            paramLabel = "TIME",
            defaultValue = "1d",
            converter = BlockConverter.class,
            description = "Length of the blocks into which lab compare, test, and tune divide a run, such as 1d or 6h"
                    + " (default: ${DEFAULT-VALUE}).")
    private Duration block = Duration.ofDays(1);

    @Mixin
    private ScenarioOptions scenarios = new ScenarioOptions();

    @Option(
            names = "--frag-from",
            paramLabel = "FILE",
            description =
                    "Measure frag.fgd for the pods of FILE, which has the columns of --arrivals (default: the pods that"
                            + " arrive after the warm-up).")
    private @Nullable Path fragFrom;

    @Option(
            names = "--frag-memory",
            description = "Measure frag.fgd by the free memory of nodes instead of their free CPU.")
    private boolean fragMemory;

    @Mixin
    private DumpFiles dumps = new DumpFiles();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private PluginOptions pluginOptions = new PluginOptions();

    /**
     * The inputs of all runs.
     *
     * @param header inputs and settings, for the result
     * @param original the trace before {@code scenario}
     * @param trace the trace of the runs
     * @param objects the objects that a dump is made of
     * @param factory creates schedulers for the cluster of the trace
     */
    record Laboratory(
            ObjectNode header,
            RunSchedulers schedulers,
            ClusterTrace original,
            LoadScenario scenario,
            ClusterTrace trace,
            RunSettings settings,
            TieBreakOption tieBreak,
            long seed,
            MomentDump objects,
            SchedulerFactory factory) {
        /** Warns if pods arrive, but none in the window of the metrics. */
        void checkArrivals(Warnings warnings) {
            List<Arrival> arrivals = trace.arrivals();
            if (!arrivals.isEmpty()
                    && arrivals.get(arrivals.size() - 1).atNanos()
                            < settings.warmUp().toNanos()) {
                warnings.accept("no pod arrives after the warm-up of " + text(settings.warmUp())
                        + ", so that pods and waits are not measured; set a shorter --warm-up");
            }
        }

        /** Returns a copy that selects among equal nodes in another way, with a seed that is so much higher. */
        Laboratory with(TieBreakOption otherTieBreak, int moreSeed) {
            ObjectNode copy = header.deepCopy();
            copy.withObject("/settings")
                    .put("tieBreak", otherTieBreak.toString())
                    .put("seed", seed + moreSeed);
            LoadScenario.Load load = scenario.apply(original, seed + moreSeed);
            describe(copy, load);
            return new Laboratory(
                    copy,
                    schedulers,
                    original,
                    scenario,
                    load.trace(),
                    settings.withSeed(seed + moreSeed),
                    otherTieBreak,
                    seed + moreSeed,
                    objects,
                    factory);
        }

        private static void describe(ObjectNode header, LoadScenario.Load load) {
            ClusterTrace trace = load.trace();
            ObjectNode described = header.putObject("trace")
                    .put("start", trace.start().toString())
                    .put("nodes", trace.cluster().nodes().size())
                    .put("running", trace.cluster().running().size())
                    .put(
                            "arrivals",
                            trace.arrivals().size() + trace.cluster().pending().size());
            load.ratios()
                    .forEach((name, ratio) -> described.withObject("/scaled").put(name, LabReport.rounded(ratio)));
        }

        /** Runs a scheduler, or the record if it is null, until a moment, and returns the cluster of that moment as a dump. */
        ObjectNode at(@Nullable SchedulerSpec scheduler, long nanos, Consumer<String> warnings) {
            List<PodLife> pods = new ArrayList<>();
            TraceRun run = prepared(scheduler, trace.until(nanos), 0, new TraceRun.Listener() {
                @Override
                public void ended(PodLife life) {
                    if (life.end() == TraceRun.End.RUNNING || life.end() == TraceRun.End.PENDING) {
                        pods.add(life);
                    }
                }
            });
            run.run();
            return objects.of(run.nodes(), pods, warnings);
        }

        /**
         * Runs a scheduler.
         *
         * @param scheduler null to follow the record
         * @param number of the run, 0 for the first; it decides the seed, and whether arrivals are shifted
         * @param folder for the lists of pods and samples; null for none
         */
        Result run(@Nullable SchedulerSpec scheduler, int number, @Nullable Path folder, Progress progress) {
            return run(scheduler, number, folder, TraceRun.Listener.NONE, progress);
        }

        /** Returns an empty overview of one run. */
        RunOverview overview() {
            return new RunOverview(
                    trace,
                    settings.resources(trace),
                    settings.warmUp().toNanos(),
                    settings.binding().plus(settings.decision()).toNanos());
        }

        /** The same with another receiver of what happens. */
        Result run(
                @Nullable SchedulerSpec scheduler,
                int number,
                @Nullable Path folder,
                TraceRun.Listener receiver,
                Progress progress) {
            Counter counter =
                    new Counter(TraceRun.name(scheduler), trace.arrivals().size(), progress);
            List<String> resources = settings.resources(trace);
            try (LabReport.RunFiles files = folder == null ? null : new LabReport.RunFiles(folder, resources)) {
                return run(scheduler, number, new TraceRun.Listener() {
                    @Override
                    public void ended(PodLife life) {
                        counter.ended(life);
                        receiver.ended(life);
                        if (files != null) {
                            files.ended(life);
                        }
                    }

                    @Override
                    public void sampled(TraceRun.Sample one) {
                        receiver.sampled(one);
                        if (files != null) {
                            files.sampled(one);
                        }
                    }

                    @Override
                    public void changed(long nanos, ClusterChange change) {
                        receiver.changed(nanos, change);
                    }

                    @Override
                    public void allocated(long nanos, PodInfo pod, String node, int sign) {
                        receiver.allocated(nanos, pod, node, sign);
                    }

                    @Override
                    public void stepped(TraceRun run) {
                        receiver.stepped(run);
                    }
                });
            }
        }

        /**
         * Runs a scheduler on the beginning of the trace.
         *
         * @param from start of the metrics, nanoseconds since the start
         * @param to end of the run
         * @param moreSeed is added to the seed
         */
        void run(SchedulerSpec scheduler, long from, long to, int moreSeed, TraceRun.Listener listener) {
            TraceRun.of(
                            trace.until(to),
                            scheduler,
                            tieBreak.create(seed + moreSeed),
                            settings.withWarmUp(Duration.ofNanos(from)),
                            listener)
                    .ifPresent(TraceRun::run);
        }

        private Result run(@Nullable SchedulerSpec scheduler, int number, TraceRun.Listener listener) {
            ClusterTrace own =
                    number == 0 || scheduler == null ? trace : trace.jittered(seed + number, Purpose.NOISE, NOISE);
            return prepared(scheduler, own, number, listener).run();
        }

        private TraceRun prepared(
                @Nullable SchedulerSpec scheduler, ClusterTrace own, int number, TraceRun.Listener listener) {
            return TraceRun.of(own, scheduler, tieBreak.create(seed + number), settings, listener)
                    .orElseThrow(() -> new InputException("\"" + TraceRun.name(scheduler)
                            + "\" runs algorithms as functions, which have no scheduling queue; use the same SCHEDULER"
                            + " without legacy:"));
        }
    }

    /** Shows how many pods have ended. */
    private static final class Counter implements TraceRun.Listener {
        /** Runs of one trace share the progress, so that they report only now and then. */
        private static final int STEP = 100;

        private final String scheduler;
        private final int all;
        private final Progress progress;
        private int ended;

        Counter(String scheduler, int all, Progress progress) {
            this.scheduler = scheduler;
            this.all = all;
            this.progress = progress;
        }

        @Override
        public void ended(PodLife life) {
            if (++ended % STEP != 0) {
                return;
            }
            progress.count("pods ended under " + scheduler, ended, Math.max(all, ended));
        }
    }

    /** Reads all inputs, with the trace of a directory. */
    Laboratory open(Path folder, List<String> names, Progress progress, Warnings warnings) {
        if (trace != null || arrivals != null || !cluster.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "the file names the traces; omit --trace, --cluster, and --arrivals");
        }
        trace = folder;
        try {
            return open(names, progress, warnings);
        } finally {
            trace = null;
        }
    }

    /**
     * Reads everything.
     *
     * @param names of the schedulers
     * @throws InputException if a file cannot be used
     */
    Laboratory open(List<String> names, Progress progress, Warnings warnings) {
        if ((trace == null) == cluster.isEmpty() || (trace == null) == (arrivals == null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "a trace is required: set --trace DIR, or --cluster FILE... and --arrivals FILE");
        }
        if (trace != null && !Files.isDirectory(trace)) {
            throw new InputException("no such directory: " + trace);
        }
        if (trace != null && RecordedTrace.isIn(trace)) {
            return openRecord(trace, names, warnings);
        }
        if (from != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--from needs a trace of lab record, because only it contains the nodes of the pods at that moment");
        }
        if (trace != null && !Files.exists(trace.resolve(CLUSTER_FILE))) {
            throw new InputException(trace + ": there is no trace: neither files of lab record nor " + CLUSTER_FILE);
        }
        if (followsRecord(names)) {
            throw new InputException((trace == null ? arrivals : trace) + ": " + NO_PLACEMENTS);
        }
        List<Path> clusterFiles = trace == null ? cluster : List.of(trace.resolve(CLUSTER_FILE));
        Path arrivalsFile = trace == null && arrivals != null ? arrivals : inTrace();
        // Another trace that is opened with these options has other tables, or none.
        PolicyOptions ofTrace = policyOptions.withTablesFromDump(clusterFiles);
        FeatureGates given = ofTrace.gates();
        FeatureGates unknown = releaseOptions.unknown(given).keepingPodAnnotations(true);
        Dump dump = new Dump(unknown, warnings, objects -> progress.count("objects read", objects, 0));
        dumps.read(clusterFiles, dump);
        ClusterSnapshot snapshot = dump.snapshot();
        FeatureGates gates = releaseOptions.in(snapshot, given);
        ReleaseOptions.newer(gates.release()).forEach(warnings);
        SchedulerFactory factory = new SchedulerFactory(ofTrace, gates, pluginOptions, warnings)
                .as(releaseOptions)
                .onPercentageOfNodes(percentage);
        RunSchedulers schedulers = new RunSchedulers(names, factory::parse);
        Arrivals pods = ArrivalsFile.read(
                arrivalsFile,
                gates,
                templates(unknown, warnings),
                dump.captured().orElse(null));
        Instant begin = pods.start() == null ? DEFAULT_START : pods.start();
        long observed = recordedEnd().orElseGet(() -> end(pods.arrivals()));
        long end = until != null ? until.toNanos() : observed;
        ClusterTrace read = new ClusterTrace(snapshot.at(begin), begin, pods.arrivals(), end);
        List<Path> inputs = new ArrayList<>(clusterFiles);
        inputs.add(arrivalsFile);
        inputs.addAll(templates);
        return laboratory(
                inputs,
                gates,
                schedulers,
                read,
                observed,
                new MomentDump(() -> MomentDump.objects(clusterFiles), templates, pods.objects(), begin),
                factory,
                warnings);
    }

    private Laboratory laboratory(
            List<Path> inputs,
            FeatureGates gates,
            RunSchedulers schedulers,
            ClusterTrace read,
            long observed,
            MomentDump objects,
            SchedulerFactory factory,
            Warnings warnings) {
        RunSettings settings = settings(gates, read.endNanos(), read.cluster().nodes(), factory, warnings);
        checkWindow(read.endNanos(), settings);
        LoadScenario scenario = scenarios.load(Duration.ofNanos(observed));
        LoadScenario.Load load = scenario.apply(read, seed);
        scenarios.warn(load, warnings);
        List<Path> all = new ArrayList<>(inputs);
        Stream.of(prices, scenarios.groupsFile(), fragFrom)
                .filter(Objects::nonNull)
                .forEach(all::add);
        ObjectNode header = header(all, gates, settings);
        Laboratory.describe(header, load);
        return new Laboratory(
                header, schedulers, read, scenario, load.trace(), settings, tieBreak, seed, objects, factory);
    }

    /**
     * The schedulers of the runs of one trace, which may be concurrent; {@link TraceRun#RECORDED} is none. One that runs must not share is parsed again for each run but the
     * first, and dropped after it. Thread-safe.
     */
    static final class RunSchedulers {
        private final Function<String, SchedulerSpec> parser;
        private final Map<String, SchedulerSpec> ready = new HashMap<>();

        /** @param names each is parsed once here, so that an invalid one fails before the first run */
        RunSchedulers(Collection<String> names, Function<String, SchedulerSpec> parser) {
            this.parser = parser;
            names.stream()
                    .filter(name -> !name.equals(TraceRun.RECORDED))
                    .forEach(name -> ready.computeIfAbsent(name, parser));
        }

        /** Returns the scheduler of a name for one more run; null to follow the record. */
        synchronized @Nullable SchedulerSpec of(String name) {
            if (name.equals(TraceRun.RECORDED)) {
                return null;
            }
            SchedulerSpec known = ready.remove(name);
            SchedulerSpec own = known == null ? parser.apply(name) : known;
            if (own.independent()) {
                ready.put(name, own);
            }
            return own;
        }
    }

    private RunSettings settings(
            FeatureGates gates, long end, List<Node> nodes, SchedulerFactory factory, Warnings warnings) {
        NodeGroups scaled = scenarios.groups(factory, gates, warnings, seed);
        return new RunSettings(
                binding,
                start,
                decision,
                grace,
                Duration.ofSeconds(1),
                warmUp != null ? warmUp : defaultWarmUp(end),
                sample,
                gates,
                policyOptions.strict(),
                priced(scaled, nodes, warnings),
                block,
                scenarios.outages(nodes, end),
                scaled,
                scenarios.hazards(nodes, scaled),
                seed,
                new GpuFragmentation.Expected(expected(gates, warnings), fragMemory));
    }

    private @Nullable List<PodInfo> expected(FeatureGates gates, Warnings warnings) {
        return fragFrom == null
                ? null
                : ArrivalsFile.read(fragFrom, gates, templates(gates, warnings), null).arrivals().stream()
                        .map(Arrival::template)
                        .toList();
    }

    private static void checkWindow(long end, RunSettings settings) {
        Duration length = Duration.ofNanos(end);
        if (settings.warmUp().compareTo(length) >= 0) {
            throw new InputException("the run of " + text(length) + " is not longer than its warm-up of "
                    + text(settings.warmUp()) + "; set another --until or --warm-up");
        }
    }

    static String text(Duration time) {
        return time.truncatedTo(ChronoUnit.SECONDS)
                .toString()
                .substring("PT".length())
                .toLowerCase(Locale.ROOT);
    }

    /** Returns the price of a node: that of the table, else that of its group; null if neither is given. */
    private @Nullable ToDoubleFunction<Node> priced(@Nullable NodeGroups scaled, List<Node> nodes, Warnings warnings) {
        ToDoubleFunction<Node> table = prices == null ? null : prices(prices);
        if (table != null && !nodes.isEmpty() && nodes.stream().allMatch(node -> table.applyAsDouble(node) == 0)) {
            warnings.accept(prices + " has a price for no node of the snapshot");
        }
        if (scaled == null) {
            return table;
        }
        return node -> {
            double price = table == null ? 0 : table.applyAsDouble(node);
            Double ofGroup = price == 0 ? scaled.priceOf(node) : null;
            return ofGroup == null ? price : ofGroup;
        };
    }

    /**
     * Returns whether one of the schedulers is the record.
     *
     * @throws ParameterException if a scenario changes the trace that the record follows
     */
    private boolean followsRecord(List<String> names) {
        if (!names.contains(TraceRun.RECORDED)) {
            return false;
        }
        scenarios.set().ifPresent(option -> {
            throw new ParameterException(
                    spec.commandLine(),
                    "the scheduler recorded follows the trace, which " + option + " changes; omit one of them");
        });
        return true;
    }

    private Laboratory openRecord(Path folder, List<String> names, Warnings warnings) {
        boolean follows = followsRecord(names);
        RecordedTrace record = RecordedTrace.open(folder);
        Release release = Release.ofVersion(record.serverVersion()).orElse(Release.NEWEST);
        FeatureGates gates = releaseOptions.in(release, policyOptions.gates());
        SchedulerFactory factory = new SchedulerFactory(policyOptions, gates, pluginOptions, warnings)
                .as(releaseOptions)
                .onPercentageOfNodes(percentage);
        RunSchedulers schedulers = new RunSchedulers(names, factory::parse);
        FeatureGates reading = gates.keepingPodAnnotations(true);
        RecordedTrace.Contents contents = from == null
                ? record.contents(reading, warnings)
                : record.contents(reading, warnings, moment(from, record::start));
        if (follows && !contents.hasPlacements()) {
            throw new InputException(folder + ": " + NO_PLACEMENTS);
        }
        contents.notes().forEach(warnings);
        Dump dump = new Dump(reading, warnings, objects -> {});
        contents.ofSnapshot().forEach(object -> dump.add(folder.toString(), object));
        ClusterSnapshot snapshot = dump.snapshot();
        long end = contents.endNanos();
        if (until != null) {
            // It counts from the start of the trace.
            Duration before = from == null ? Duration.ZERO : Duration.between(record.start(), contents.start());
            end = until.minus(before).toNanos();
        }
        if (from != null && end <= 0) {
            throw new InputException("the run from " + contents.start()
                    + " has no length; set a --from before --until and the end of the trace");
        }
        ClusterTrace read = new ClusterTrace(
                snapshot.at(contents.start()),
                contents.start(),
                contents.arrivals(),
                end,
                contents.changes(),
                contents.departures(),
                contents.updates(),
                contents.uses(),
                contents.placements());
        return laboratory(
                record.files(),
                gates,
                schedulers,
                read,
                contents.endNanos(),
                new MomentDump(contents::objects, templates, contents.templates(), contents.start()),
                factory,
                warnings);
    }

    /**
     * Returns the record that is the trace.
     *
     * @throws ParameterException if the trace is no record, so that only a scheduler places its pods
     */
    RecordedTrace record() {
        if (trace == null || (Files.isDirectory(trace) && !RecordedTrace.isIn(trace))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "a SCHEDULER is required, because only traces of lab record contain the nodes of pods");
        }
        return RecordedTrace.open(trace);
    }

    private Path inTrace() {
        Path folder = trace == null ? Path.of("") : trace;
        Path zipped = folder.resolve(ARRIVALS_FILE + ".gz");
        return Files.exists(zipped) ? zipped : folder.resolve(ARRIVALS_FILE);
    }

    /** Returns the end that {@code trace.json} names. */
    private Optional<Long> recordedEnd() {
        Path file = trace == null ? null : trace.resolve(TRACE_FILE);
        if (file == null || !Files.exists(file)) {
            return Optional.empty();
        }
        try {
            JsonNode end = new ObjectMapper().readTree(file.toFile()).path("endSeconds");
            if (!end.isNumber() || end.doubleValue() < 0) {
                throw new InputException(file + ": endSeconds must be a number of seconds, not " + end);
            }
            return Optional.of(end.decimalValue().movePointRight(9).longValue());
        } catch (IOException e) {
            throw new InputException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns a time of the trace.
     *
     * @param text time since the start, time of day in UTC, or RFC 3339
     * @param start of the trace
     */
    Instant moment(String text, Supplier<Instant> start) {
        try {
            if (text.indexOf('T') > 0) {
                return Instant.parse(text);
            }
            return text.indexOf(':') > 0
                    ? next(LocalTime.parse(text), start.get())
                    : start.get().plus(new BlockConverter().convert(text));
        } catch (DateTimeException | TypeConversionException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "\"" + text
                            + "\" is neither a time since the start, such as 3h12m, nor a time of day in UTC, such as"
                            + " 03:12, nor an RFC 3339 time",
                    e);
        }
    }

    /** Returns when a time of day comes first, at the start or after it. */
    private static Instant next(LocalTime time, Instant start) {
        Instant sameDay =
                start.atZone(ZoneOffset.UTC).toLocalDate().atTime(time).toInstant(ZoneOffset.UTC);
        return sameDay.isBefore(start) ? sameDay.plus(Duration.ofDays(1)) : sameDay;
    }

    /**
     * Returns the command that prints the cluster of a run with these options at one moment.
     *
     * @param nanos since the start, more than 0
     */
    String atCommand(long nanos, String scheduler) {
        String time =
                Duration.ofNanos(nanos).toString().substring("PT".length()).toLowerCase(Locale.ROOT);
        StringBuilder command = new StringBuilder(spec.root().name())
                .append(" lab at ")
                .append(time)
                .append(' ')
                .append(HtmlOption.quoted(scheduler));
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (own.findOption(option.longestName()) == null) {
                continue;
            }
            if (option.arity().max() == 0) {
                command.append(' ').append(option.longestName());
            } else {
                option.originalStringValues()
                        .forEach(value -> command.append(' ')
                                .append(option.longestName())
                                .append(' ')
                                .append(HtmlOption.quoted(value)));
            }
        }
        return command.toString();
    }

    /** Returns the seed of the first run. */
    long seed() {
        return seed;
    }

    /** The same as nanoseconds since the start of a trace, in which it must be. */
    long moment(String text, Laboratory lab) {
        Duration since = Duration.between(lab.trace().start(), moment(text, lab.trace()::start));
        long nanos = since.isNegative() ? -1 : since.toNanos();
        if (nanos < 0 || nanos > lab.trace().endNanos()) {
            throw new InputException(text + " is not in the trace, which starts at "
                    + lab.trace().start() + " and lasts "
                    + text(Duration.ofNanos(lab.trace().endNanos())));
        }
        return nanos;
    }

    private static Duration defaultWarmUp(long end) {
        Duration share = Duration.ofNanos(end / WARM_UP_SHARE);
        return share.compareTo(LONGEST_WARM_UP) < 0 ? share : LONGEST_WARM_UP;
    }

    private static long end(List<Arrival> arrivals) {
        long last = 0;
        for (Arrival arrival : arrivals) {
            last = Math.max(last, arrival.atNanos());
        }
        return last + SLACK.toNanos();
    }

    private Map<String, PodInfo> templates(FeatureGates gates, Warnings warnings) {
        Map<String, PodInfo> pods = new HashMap<>();
        if (!templates.isEmpty()) {
            Dump dump = new Dump(gates, warnings, objects -> {});
            dumps.read(templates, dump);
            dump.snapshot().pending().forEach(pod -> pods.put(pod.name(), pod));
        }
        return pods;
    }

    /** Durations that may also be days. */
    static final class DaysConverter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String value) {
            return value.matches("[0-9]{1,5}d")
                    ? Duration.ofDays(Integer.parseInt(value.substring(0, value.length() - 1)))
                    : new DurationConverter().convert(value);
        }
    }

    /** Positive durations that can also be days. */
    static final class BlockConverter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String value) {
            Duration found = new DaysConverter().convert(value);
            if (found.isZero()) {
                throw new TypeConversionException("'" + value + "' is not a positive duration (such as 1d or 6h)");
            }
            return found;
        }
    }

    private static double price(String place, String text) {
        Double price = Doubles.tryParse(text);
        if (price == null || !(price >= 0 && price <= Double.MAX_VALUE)) {
            throw new InputException(place + ": the price \"" + text + "\" is not a number, 0 or more");
        }
        return price;
    }

    private static ToDoubleFunction<Node> prices(Path file) {
        Map<String, Double> prices = new HashMap<>();
        int line = 0;
        for (String text : InputFiles.text(file).lines().toList()) {
            line++;
            List<String> cells = Splitter.on(',').trimResults().splitToList(text);
            if (text.isBlank() || text.startsWith("#") || (line == 1 && isHeader(cells))) {
                continue;
            }
            if (cells.size() != 2) {
                throw new InputException(file + ":" + line + ": \"" + text + "\" is not NODE,PRICE");
            }
            prices.put(cells.get(0), price(file + ":" + line, cells.get(1)));
        }
        return node -> {
            Double own = prices.get(node.name());
            Double type = prices.get(node.labels().getOrEmpty(INSTANCE_TYPE));
            return own != null ? own : type != null ? type : 0;
        };
    }

    private static boolean isHeader(List<String> cells) {
        try {
            Double.parseDouble(cells.get(cells.size() - 1));
            return false;
        } catch (NumberFormatException e) {
            return true;
        }
    }

    private ObjectNode header(List<Path> inputs, FeatureGates gates, RunSettings settings) {
        ObjectNode header = JsonNodeFactory.instance.objectNode();
        String[] version = spec.root().version();
        header.put("version", version.length == 0 ? "policy-scheduler" : version[0]);
        header.put("release", gates.release().toString());
        ArrayNode files = header.putArray("inputs");
        for (Path input : inputs) {
            files.addObject().put("file", input.toString()).put("sha256", hash(input));
        }
        header.putObject("trace");
        header.putObject("settings")
                .put("tieBreak", tieBreak.toString())
                .put("seed", seed)
                .put("percentageOfNodesToScore", percentage)
                .put("bindingTime", settings.binding().toString())
                .put("startTime", settings.start().toString())
                .put("decisionTime", settings.decision().toString())
                .put("evictionTime", settings.grace().toString())
                .put("warmUp", settings.warmUp().toString())
                .put("block", settings.block().toString())
                .put("fragMemory", fragMemory);
        scenarios.describe(header.withObject("/settings"));
        NodeGroups scaled = settings.groups();
        if (scaled != null) {
            ObjectNode described = header.withObject("/settings").putObject("nodeGroups");
            scaled.describe().forEach(described::put);
        }
        return header;
    }

    /** What schedulers depend on besides their own files and traces: the values of options, and the hashes of files. */
    List<String> schedulerInputs() {
        List<String> inputs = new ArrayList<>(policyOptions.values());
        policyOptions.files().forEach(file -> inputs.add(hash(file)));
        pluginOptions.files().forEach(file -> inputs.add(hash(file)));
        return inputs;
    }

    /**
     * The SHA-256 digest of a file in hexadecimal digits.
     *
     * @throws InputException if it cannot be read
     */
    static String hash(Path file) {
        try {
            return com.google.common.io.Files.asByteSource(file.toFile())
                    .hash(Hashing.sha256())
                    .toString();
        } catch (IOException e) {
            throw new InputException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
