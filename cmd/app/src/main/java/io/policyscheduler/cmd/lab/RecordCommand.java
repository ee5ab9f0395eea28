package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.connection.ServerWait;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.kube.watch.Reflector;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.DurationConverter;
import io.policyscheduler.cmd.options.CommonOptions.WithoutFormat;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.StopSignal;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.snapshot.Anonymizer.AnonymousStream;
import io.policyscheduler.cmd.snapshot.KindReaders;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.SnapshotOptions.ConnectionOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.PodUsage;
import io.policyscheduler.cmd.table.PodUsage.PrometheusServer;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code lab record}: watches a cluster and writes a trace. */
@Command(
        name = "record",
        modelTransformer = WithoutFormat.class,
        description =
                "Watches a cluster and records its pods, nodes, and other objects for lab run. Writes nothing to the"
                        + " cluster.",
        sortOptions = false,
        customSynopsis = "policy-scheduler lab record --out=DIR [--duration=TIME] [--anonymize] [OPTION...]",
        footer = {
            "",
            "DIR contains a file of compressed JSON lines for each hour (docs/trace-format.md). The files are readable",
            "while the recorder runs. If DIR already contains a trace, the recorder adds a new part. The recorder runs",
            "until you interrupt it, or for --duration. If the API server is not available at start, it waits for",
            "--wait-for-api-server and then exits with code 4.",
            "",
            "The recorder needs permission to list and watch the kinds that it records. policy-files/deploy/reader",
            "contains the RBAC rules. --usage metrics also needs permission to list pods of metrics.k8s.io.",
            "",
            "The recorder does not record Secrets, ConfigMaps, environment variables, and commands. --anonymize",
            "replaces names, namespaces, images, and label values while it writes. Each start of the recorder uses",
            "other names."
        })
final class RecordCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RecordCommand.class);
    private static final Duration CHECK = Duration.ofMillis(200);
    private static final int KEY_BYTES = 32;
    private static final long MEBIBYTE = 1L << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    @Spec
    private CommandSpec spec;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Directory of the trace.")
    private Path out = Path.of("");

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Stop after this time, such as 24h (default: run until interrupted).")
    private @Nullable Duration duration;

    @Option(
            names = "--max-size",
            paramLabel = "MIB",
            description = "Delete the oldest files so that the trace does not exceed this size (default: no limit).")
    private @Nullable Integer maxSize;

    @Option(
            names = "--anonymize",
            description = "Replace the names of objects and namespaces, images, and label values.")
    private boolean anonymize;

    @Option(
            names = "--keep",
            paramLabel = "TEXT",
            split = ",",
            description = "With --anonymize: keep these names and values, because a policy refers to them.")
    private List<String> kept = List.of();

    @Option(
            names = "--for",
            paramLabel = "SCHEDULER",
            description = "Record only the kinds that this scheduler reads. Repeatable (default: all kinds).")
    private List<String> schedulers = List.of();

    @Option(
            names = "--usage",
            paramLabel = "SOURCE",
            converter = UsageConverter.class,
            description = "Also record the measured CPU and memory of pods: prometheus:URL, or metrics for the API"
                    + " metrics.k8s.io.")
    private @Nullable UsageSource usage;

    @Option(
            names = "--usage-every",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = UsagePeriodConverter.class,
            description = "Period of the measurements of --usage, 10s or more (default: ${DEFAULT-VALUE}).")
    private Duration usagePeriod = Duration.ofMinutes(5);

    @Option(
            names = "--usage-bearer-token-file",
            paramLabel = "FILE",
            description = "With --usage prometheus:URL: file with a bearer token, read again when it changes.")
    private @Nullable Path usageToken;

    @Option(
            names = "--usage-ca-file",
            paramLabel = "FILE",
            description = "With --usage prometheus:URL: certificate authorities in PEM (default: those of the JVM).")
    private @Nullable Path usageAuthorities;

    @Option(
            names = "--wait-for-api-server",
            paramLabel = "TIME",
            defaultValue = "1m",
            converter = DurationConverter.class,
            description = "Maximum time to wait for the API server at start (default: ${DEFAULT-VALUE}).")
    private Duration wait = Duration.ofMinutes(1);

    @Mixin
    private ConnectionOptions connectionOptions = new ConnectionOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    private final Clock clock = SteadyClock.system();

    @Override
    public Integer call() throws InterruptedException {
        if (!kept.isEmpty() && !anonymize) {
            throw new ParameterException(spec.commandLine(), "--keep requires --anonymize");
        }
        if ((usageToken != null || usageAuthorities != null)
                && (usage == null || usage.url().isEmpty())) {
            throw new ParameterException(
                    spec.commandLine(),
                    (usageToken == null ? "--usage-ca-file" : "--usage-bearer-token-file")
                            + " requires --usage prometheus:URL");
        }
        if (maxSize != null && maxSize < 1) {
            throw new ParameterException(spec.commandLine(), "--max-size: " + maxSize + " is not 1 or more");
        }
        common.requireNoFormat("it writes a trace");
        try (Progress progress = common.progress(clock);
                StopSignal stop = new StopSignal();
                KubeConnection connection = connectionOptions.connect()) {
            return record(connection, usage == null ? null : open(usage, connection), stop, progress);
        } catch (IOException | UncheckedIOException e) {
            throw new InputException("cannot write " + out + ": " + e.getMessage(), e);
        }
    }

    private PodUsage open(UsageSource source, KubeConnection connection) {
        if (source.url().isEmpty()) {
            return PodUsage.ofMetricsApi(connection);
        }
        if (usageToken != null) {
            try {
                TextInput.read(usageToken);
            } catch (IOException e) {
                throw new InputException(
                        "--usage-bearer-token-file: " + usageToken + ": " + ApiIoException.describe(e), e);
            }
        }
        try {
            return PodUsage.ofPrometheus(
                    new PrometheusServer(
                            source.url(),
                            usageToken == null ? null : usageToken.toString(),
                            usageAuthorities == null ? null : usageAuthorities.toString()),
                    usagePeriod);
        } catch (ClusterException e) {
            throw new InputException("--usage-ca-file: " + e.getMessage(), e);
        }
    }

    private int record(KubeConnection connection, @Nullable PodUsage measured, StopSignal stop, Progress progress)
            throws IOException, InterruptedException {
        Served served = served(connection, stop, progress);
        String version = served.version();
        Instant previous = lastLine(TraceFiles.of(out), new Warnings(progress));
        ObjectNode about = JsonNodeFactory.instance.objectNode().put("serverVersion", version);
        Limits limits = maxSize == null ? Limits.NONE : Limits.ofTotal(maxSize * MEBIBYTE);
        Instant begin = clock.instant();
        try (TraceWriter trace = TraceWriter.open(TraceFiles.of(out), limits, "lab record", about, begin)) {
            ClusterRecorder recorder = new ClusterRecorder(trace, clock, names());
            recorder.begin(version);
            if (previous != null) {
                recorder.resumedAfter(previous);
            }
            List<Reflector<ObjectNode>> reflectors = new ArrayList<>();
            Map<ResourceKind, AtomicReference<String>> troubles = new LinkedHashMap<>();
            AtomicReference<RuntimeException> failure = new AtomicReference<>();
            ThreadFactory threads = new ThreadFactoryBuilder()
                    .setNameFormat("record-%d")
                    .setDaemon(true)
                    .build();
            try (UsageRecorder uses =
                    measured == null ? null : new UsageRecorder(measured, recorder, threads, failure)) {
                for (Map.Entry<ResourceKind, Optional<String>> each :
                        served.paths().entrySet()) {
                    ResourceKind kind = each.getKey();
                    Optional<String> path = each.getValue();
                    if (path.isEmpty()) {
                        recorder.replaced(kind, List.of());
                    }
                    AtomicReference<String> trouble = new AtomicReference<>("");
                    troubles.put(kind, trouble);
                    Reflector<ObjectNode> reflector = Reflector.of(
                                    connection,
                                    path.orElse(""),
                                    RecordCommand::tree,
                                    new Changes(recorder, kind, trouble, failure))
                            .paths(() -> WatchedResource.of(kind).path(ApiDiscovery.load(connection)))
                            // With the selector of unfinished pods, a finished one is a deletion with its last
                            // unfinished state.
                            .options(Reflector.Options.defaults())
                            .clock(clock)
                            .build();
                    reflectors.add(reflector);
                    reflector.start(threads);
                }
                progress.note("recording " + connection.serverUrl() + " to " + out);
                follow(recorder, uses, troubles, failure, stop, progress, begin);
            } finally {
                reflectors.forEach(Reflector::close);
            }
            recorder.flush();
            progress.clear();
            common.out().println("wrote " + recorder.lines() + " lines to " + out);
        }
        return ExitCode.OK;
    }

    /**
     * The part of the API that is recorded.
     *
     * @param version gitVersion of the API server
     * @param paths URL paths of the kinds; empty for those that the server does not have
     */
    private record Served(String version, Map<ResourceKind, Optional<String>> paths) {}

    /** Waits for the API server. */
    private Served served(KubeConnection connection, StopSignal stop, Progress progress) throws InterruptedException {
        ServerWait start = new ServerWait(
                pause -> {
                    if (stop.await(pause)) {
                        throw new ClusterFailure("interrupted before " + connection.serverUrl() + " was available");
                    }
                },
                clock,
                problem -> progress.note("W135 waiting for the API server " + connection.serverUrl() + ": " + problem));
        try {
            ApiDiscovery discovery = start.until(wait, () -> ApiDiscovery.load(connection));
            Set<ResourceKind> kinds = kinds(connection, progress);
            return start.until(wait, () -> {
                Map<ResourceKind, Optional<String>> paths = new EnumMap<>(ResourceKind.class);
                for (ResourceKind kind : kinds) {
                    paths.put(kind, WatchedResource.of(kind).path(discovery));
                }
                return new Served(discovery.serverVersion(), paths);
            });
        } catch (ApiIoException e) {
            throw new ClusterFailure(connection.failure(e), e);
        }
    }

    private void follow(
            ClusterRecorder recorder,
            @Nullable UsageRecorder uses,
            Map<ResourceKind, AtomicReference<String>> troubles,
            AtomicReference<RuntimeException> failure,
            StopSignal stop,
            Progress progress,
            Instant begin)
            throws IOException, InterruptedException {
        Instant end = duration == null ? Instant.MAX : begin.plus(duration);
        Set<ResourceKind> told = EnumSet.noneOf(ResourceKind.class);
        while (clock.instant().isBefore(end) && !stop.await(CHECK)) {
            RuntimeException failed = failure.get();
            if (failed != null) {
                throw failed;
            }
            recorder.flush();
            progress.count("lines recorded", (int) Math.min(Integer.MAX_VALUE, recorder.lines()), 0);
            troubles.forEach((kind, trouble) -> {
                String why = trouble.get();
                if (why != null && !why.isEmpty() && !recorder.isListed(kind) && told.add(kind)) {
                    progress.note("W154 " + kind.plural() + " not recorded: " + why);
                }
            });
            if (uses != null && recorder.isListed(ResourceKind.PODS)) {
                uses.start(usagePeriod);
                uses.newTrouble().ifPresent(why -> progress.note("W157 use of pods not recorded: " + why));
            }
        }
    }

    private static ObjectNode tree(JsonParser parser) throws IOException {
        // Leaves the parser on the end of the object, unlike readTree.
        try (TokenBuffer buffer = new TokenBuffer(JSON, false)) {
            buffer.copyCurrentStructure(parser);
            return JSON.readTree(buffer.asParser());
        }
    }

    private UnaryOperator<@Nullable ObjectNode> names() {
        if (!anonymize) {
            return object -> object;
        }
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return new AnonymousStream(key, Set.copyOf(kept));
    }

    /**
     * Returns the time of the last line of earlier processes; null if there is none. Files without a line, of a process that was killed
     * immediately after it began them, are skipped.
     *
     * @param problems receives a line for a damaged file, which does not prevent that the record continues
     */
    static @Nullable Instant lastLine(TraceFiles trace, Consumer<String> problems) throws IOException {
        AtomicReference<@Nullable Instant> last = new AtomicReference<>();
        for (TraceFiles.TraceFile file : trace.list().reverse()) {
            try {
                TraceReader.read(file, text -> true, line -> last.set(line.time()));
            } catch (IOException e) {
                problems.accept(String.valueOf(e.getMessage()));
            }
            if (last.get() != null) {
                break;
            }
        }
        return last.get();
    }

    private Set<ResourceKind> kinds(KubeConnection connection, Progress progress) {
        if (schedulers.isEmpty()) {
            return EnumSet.copyOf(Arrays.asList(ResourceKind.values()));
        }
        PolicyOptions options = PolicyOptions.of(spec, false, "", 1, List.of());
        options.configMapsFrom(ConfigMapEntries.of(connection));
        options.withoutMeasuredValues();
        SchedulerFactory sources = new SchedulerFactory(
                options,
                FeatureGates.defaults().at(Release.NEWEST),
                new PluginOptions(),
                () -> connection,
                new Warnings(progress));
        Set<ResourceKind> kinds = EnumSet.of(ResourceKind.NODES, ResourceKind.PODS, ResourceKind.DISRUPTION_BUDGETS);
        schedulers.forEach(name -> kinds.addAll(KindReaders.of(sources.parse(name))));
        return kinds;
    }

    /**
     * The source of measurements.
     *
     * @param url of Prometheus; empty for the API metrics.k8s.io
     */
    private record UsageSource(String url) {}

    static final class UsageConverter implements ITypeConverter<UsageSource> {
        private static final String PROMETHEUS = "prometheus:";

        @Override
        public UsageSource convert(String value) {
            if (value.equals("metrics")) {
                return new UsageSource("");
            }
            String url = value.startsWith(PROMETHEUS)
                    ? value.substring(PROMETHEUS.length()).replaceFirst("/+$", "")
                    : "";
            if (!TableOrigin.Prometheus.isBase(url)) {
                throw new TypeConversionException("'" + value
                        + "' is neither metrics nor prometheus:URL, such as prometheus:http://localhost:9090");
            }
            return new UsageSource(url);
        }
    }

    static final class UsagePeriodConverter implements ITypeConverter<Duration> {
        private static final Duration SHORTEST = Duration.ofSeconds(10);

        @Override
        public Duration convert(String value) {
            Duration period = new DurationConverter().convert(value);
            if (period.compareTo(SHORTEST) < 0) {
                throw new TypeConversionException("'" + value + "' is less than 10s");
            }
            return period;
        }
    }

    /** Measures the use of pods periodically, on a thread of its own. A failed measurement does not affect the record. */
    static final class UsageRecorder implements AutoCloseable {
        private final PodUsage usage;
        private final ClusterRecorder recorder;
        private final AtomicReference<RuntimeException> failure;
        private final ScheduledExecutorService thread;
        private boolean started;
        private boolean fails;
        private Optional<String> trouble = Optional.empty();
        private boolean closed;

        /** @param failure receives what ends the record, such as a full disk */
        UsageRecorder(
                PodUsage usage,
                ClusterRecorder recorder,
                ThreadFactory threads,
                AtomicReference<RuntimeException> failure) {
            this.usage = usage;
            this.recorder = recorder;
            this.failure = failure;
            this.thread = Executors.newSingleThreadScheduledExecutor(threads);
        }

        /** Starts the measurements, unless they are started. */
        void start(Duration period) {
            if (!started) {
                started = true;
                thread.scheduleAtFixedRate(
                        () -> measure(period.multipliedBy(2)), 0, period.toMillis(), TimeUnit.MILLISECONDS);
            }
        }

        /**
         * Measures once.
         *
         * @param valid how long a value is valid if no other one follows
         */
        void measure(Duration valid) {
            try {
                Map<String, PodUsage.Use> uses = usage.measure();
                synchronized (this) {
                    fails = false;
                    // The trace is closed next, and a late line would begin another file.
                    if (!closed) {
                        recorder.used(uses, valid);
                    }
                }
            } catch (MeasureException e) {
                failed(String.valueOf(e.getMessage()));
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
                throw e;
            }
        }

        private synchronized void failed(String why) {
            trouble = fails ? trouble : Optional.of(why);
            fails = true;
        }

        /** Returns why measurements fail, once for each outage. */
        synchronized Optional<String> newTrouble() {
            Optional<String> found = trouble;
            trouble = Optional.empty();
            return found;
        }

        @Override
        public void close() {
            synchronized (this) {
                closed = true;
            }
            thread.shutdownNow();
            usage.close();
        }
    }

    /** Passes the changes of a kind on to the recorder, on the thread of the watch. */
    private static final class Changes implements Reflector.Listener<ObjectNode> {
        private final ClusterRecorder recorder;
        private final ResourceKind kind;
        private final AtomicReference<String> trouble;
        private final AtomicReference<RuntimeException> failure;

        Changes(
                ClusterRecorder recorder,
                ResourceKind kind,
                AtomicReference<String> trouble,
                AtomicReference<RuntimeException> failure) {
            this.recorder = recorder;
            this.kind = kind;
            this.trouble = trouble;
            this.failure = failure;
        }

        private void guarded(Runnable change) {
            try {
                change.run();
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
                throw e;
            }
        }

        @Override
        public void onReplaced(List<ObjectNode> items, String resourceVersion) {
            guarded(() -> recorder.replaced(kind, items));
        }

        @Override
        public void onAdded(ObjectNode object) {
            guarded(() -> recorder.upserted(kind, object));
        }

        @Override
        public void onModified(ObjectNode object) {
            guarded(() -> recorder.upserted(kind, object));
        }

        @Override
        public void onDeleted(ObjectNode object) {
            guarded(() -> recorder.deleted(kind, object));
        }

        @Override
        public void onUnreadable(Unreadable object) {
            LOG.warn("W101 skipped an unreadable object of {}: {} ({})", kind.plural(), object.key(), object.reason());
        }

        @Override
        public void onConnected() {
            trouble.set("");
            recorder.resumed(kind);
        }

        @Override
        public void onDisconnected(String why) {
            trouble.set(why);
            recorder.lost(kind);
        }
    }
}
