package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Lists;
import io.policyscheduler.cmd.bench.ServerRun.Contender;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.DurationConverter;
import io.policyscheduler.cmd.options.CommonOptions.IntRange;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.SnapshotOptions.ConnectionOptions;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures schedulers against an API server, each in its own process.
 *
 * @param <R> the result of one run
 */
abstract class BenchServerCommand<R> implements Callable<Integer> {
    private static final double MEGA = 1024 * 1024;

    @Mixin
    private Options options = new Options();

    @Mixin
    private CommonOptions common = new CommonOptions();

    /** Measures each scheduler once, in order. */
    abstract Map<String, R> round(ServerRun run, List<Contender> contenders, int number, int nodes)
            throws IOException, InterruptedException;

    abstract TextTable table();

    abstract Object[] cells(List<R> runs);

    abstract void json(List<R> runs, ObjectNode node);

    @Override
    public Integer call() throws InterruptedException {
        List<Contender> contenders = options.contenders();
        Map<String, List<R>> results = new LinkedHashMap<>();
        try (Options.Server server = options.server();
                ServerLoad load = new ServerLoad(server.connection());
                Progress progress = common.progress(SteadyClock.system())) {
            progress.note("server: " + server.place());
            load.nodes(options.nodes(), done -> progress.count("nodes", done, options.nodes()));
            load.bound(
                    options.pods(),
                    options.nodes(),
                    options.pad(),
                    options.schedulerName(),
                    done -> progress.count("pods on them", done, options.pods()));
            ServerRun run = new ServerRun(
                    server.connection(), load, server.kubeconfig(), options.schedulerName(), options.limit());
            for (int number = 0; number < options.runs(); number++) {
                progress.count("runs", number, options.runs());
                // The order alternates between forward and backward, so that periodic work of the server, such as
                // garbage
                // collection, affects all schedulers.
                List<Contender> turn = number % 2 == 0 ? contenders : Lists.reverse(contenders);
                round(run, turn, number, options.nodes())
                        .forEach((name, result) -> results.computeIfAbsent(name, key -> new ArrayList<>())
                                .add(result));
            }
        } catch (IOException e) {
            throw new ClusterFailure(ApiIoException.describe(e), e);
        }
        common.output().write(() -> print(results), () -> json(results));
        return ExitCode.OK;
    }

    private void print(Map<String, List<R>> results) {
        TextTable table = table();
        results.values().forEach(runs -> table.row(cells(runs)));
        table.print(common.out());
    }

    private ArrayNode json(Map<String, List<R>> results) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        results.forEach((name, runs) -> {
            ObjectNode node = list.addObject()
                    .put("scheduler", name)
                    .put("nodes", options.nodes())
                    .put("pods", options.pods());
            json(runs, node);
        });
        return list;
    }

    /** The text of a cell; a dash if the value is unknown. */
    static String rounded(double value, int digits) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    /** The text of a cell in megabytes; a dash if the value is unknown. */
    static String mega(long bytes) {
        return bytes == 0 ? "-" : rounded(bytes / MEGA, 0);
    }

    /** A JSON number; null if the value is unknown. */
    static void put(ObjectNode node, String name, double value) {
        if (Double.isNaN(value)) {
            node.putNull(name);
        } else {
            node.put(name, value);
        }
    }

    /** {@code bench live}: how fast a scheduler binds a backlog of pods on an API server. */
    @Command(
            name = "live",
            description = "Measures the throughput and the resource usage of a scheduler that binds a backlog of"
                    + " pods on an API server.",
            sortOptions = false,
            footer = {
                "",
                "The pods exist before the scheduler starts. The scheduler runs in a process of its own. PODS/S",
                "counts from the start to the last bind, STEADY from the first bind to the last. P50 and P99 are",
                "the seconds from the start until a pod is bound. CPU S is the CPU time of the process and RSS MB",
                "its memory, both at the last bind. (limit) is the limit of the API server: this command binds",
                "the pods with 16 threads, with one event each, without a scheduler. With several runs, each",
                "figure is the median.",
                "",
                "-o json prints the document that docs/schemas/bench-live.schema.json describes."
            },
            customSynopsis = {
                "policy-scheduler bench live [--kubeconfig=FILE] [--nodes=N] [--pods=N]",
                "           [--pending=N] [--with=NAME=COMMAND] [OPTION...]"
            })
    static final class Live extends BenchServerCommand<ServerRun.ThroughputResult> {
        @Option(
                names = "--pending",
                paramLabel = "N",
                converter = IntRange.Positive.class,
                defaultValue = "5000",
                description = "Number of pending pods (default: ${DEFAULT-VALUE}).")
        private int pending;

        @Override
        Map<String, ServerRun.ThroughputResult> round(ServerRun run, List<Contender> contenders, int number, int nodes)
                throws IOException, InterruptedException {
            Map<String, ServerRun.ThroughputResult> results = new LinkedHashMap<>();
            for (Contender contender : contenders) {
                String prefix = "bench-live-" + contender.name() + "-" + number + "-";
                results.put(contender.name(), run.live(contender, prefix, pending));
            }
            ServerRun.ThroughputResult limit = run.limit("bench-limit-" + number + "-", pending, nodes);
            results.put(limit.name(), limit);
            return results;
        }

        @Override
        TextTable table() {
            return new TextTable()
                    .text("SCHEDULER")
                    .number("PODS/S")
                    .number("STEADY")
                    .number("P50")
                    .number("P99")
                    .number("CPU S")
                    .number("RSS MB");
        }

        @Override
        Object[] cells(List<ServerRun.ThroughputResult> runs) {
            ServerRun.ThroughputResult middle = ServerRun.middleOf(runs);
            return new Object[] {
                middle.name(),
                rounded(middle.podsPerSecond(), 0),
                rounded(middle.steady(), 0),
                rounded(middle.median(), 2),
                rounded(middle.late(), 2),
                rounded(middle.cpu(), 1),
                mega(middle.residentBytes())
            };
        }

        @Override
        void json(List<ServerRun.ThroughputResult> runs, ObjectNode node) {
            node.put("pending", pending);
            put(ServerRun.middleOf(runs), node);
            runs.forEach(run -> put(run, node.withArray("runs").addObject()));
        }

        private static void put(ServerRun.ThroughputResult run, ObjectNode node) {
            put(node, "podsPerSecond", run.podsPerSecond());
            put(node, "steadyPodsPerSecond", run.steady());
            put(node, "p50Seconds", run.median());
            put(node, "p99Seconds", run.late());
            put(node, "cpuSeconds", run.cpu());
            node.put("residentBytes", run.residentBytes());
        }
    }

    /** {@code bench sync}: the time and memory that a scheduler takes until its caches are synced. */
    @Command(
            name = "sync",
            description = "Measures the startup time and the memory of a scheduler on an API server.",
            sortOptions = false,
            footer = {
                "",
                "The scheduler runs in a process of its own. One pod is pending when it starts. SYNCED is the time"
                        + " until",
                "/readyz succeeds, and FIRST BIND is the time until the pod is bound, both in seconds from the start.",
                "CPU S is the CPU time until the first bind, in seconds. The memory columns show the resident set size",
                "(RSS): after --rest, after binding --pending more pods, and the maximum. With several runs, each",
                "figure is the median.",
                "",
                "-o json prints the document that docs/schemas/bench-sync.schema.json describes."
            },
            customSynopsis = {
                "policy-scheduler bench sync [--kubeconfig=FILE] [--nodes=N] [--pods=N]",
                "           [--pending=N] [--with=NAME=COMMAND] [OPTION...]"
            })
    static final class Sync extends BenchServerCommand<ServerRun.SyncResult> {
        @Option(
                names = "--rest",
                paramLabel = "TIME",
                converter = DurationConverter.class,
                defaultValue = "10s",
                description = "Idle time before the memory is measured (default: ${DEFAULT-VALUE}).")
        private Duration rest = Duration.ofSeconds(10);

        @Option(
                names = "--pending",
                paramLabel = "N",
                converter = IntRange.NotNegative.class,
                defaultValue = "1000",
                description = "Number of pods to bind after --rest (default: ${DEFAULT-VALUE}).")
        private int pending;

        @Override
        Map<String, ServerRun.SyncResult> round(ServerRun run, List<Contender> contenders, int number, int nodes)
                throws IOException, InterruptedException {
            Map<String, ServerRun.SyncResult> results = new LinkedHashMap<>();
            for (Contender contender : contenders) {
                String prefix = "bench-sync-" + contender.name() + "-" + number + "-";
                results.put(contender.name(), run.sync(contender, prefix, rest, pending));
            }
            return results;
        }

        @Override
        TextTable table() {
            return new TextTable()
                    .text("SCHEDULER")
                    .number("SYNCED")
                    .number("FIRST BIND")
                    .number("CPU S")
                    .number("REST MB")
                    .number("LOAD MB")
                    .number("PEAK MB");
        }

        @Override
        Object[] cells(List<ServerRun.SyncResult> runs) {
            ServerRun.SyncResult middle = ServerRun.middle(runs);
            return new Object[] {
                middle.name(),
                rounded(middle.synced(), 2),
                rounded(middle.firstBind(), 2),
                rounded(middle.cpu(), 1),
                mega(middle.restBytes()),
                mega(middle.loadBytes()),
                mega(middle.peakBytes())
            };
        }

        @Override
        void json(List<ServerRun.SyncResult> runs, ObjectNode node) {
            put(ServerRun.middle(runs), node);
            runs.forEach(run -> put(run, node.withArray("runs").addObject()));
        }

        private static void put(ServerRun.SyncResult run, ObjectNode node) {
            put(node, "syncedSeconds", run.synced());
            put(node, "firstBindSeconds", run.firstBind());
            put(node, "cpuSeconds", run.cpu());
            node.put("restBytes", run.restBytes())
                    .put("loadBytes", run.loadBytes())
                    .put("peakBytes", run.peakBytes());
        }
    }

    /** Picocli mixin: the API server, the cluster size, and the schedulers to measure. */
    static final class Options {
        @Option(
                names = "--kubeconfig",
                paramLabel = "FILE",
                description = "Kubeconfig of a cluster without other users. Pods are created in the namespace default"
                        + " (default: an API server in the process of this command).")
        private @Nullable Path kubeconfig;

        @Option(
                names = "--nodes",
                paramLabel = "N",
                converter = IntRange.Positive.class,
                defaultValue = "1000",
                description = "Number of nodes with 32 cores. Missing nodes are created (default: ${DEFAULT-VALUE}).")
        private int nodes;

        @Option(
                names = "--pods",
                paramLabel = "N",
                converter = IntRange.NotNegative.class,
                defaultValue = "0",
                description = "Number of running pods. Missing pods are created (default: ${DEFAULT-VALUE}).")
        private int pods;

        @Option(
                names = "--pad",
                paramLabel = "BYTES",
                converter = IntRange.NotNegative.class,
                defaultValue = "3600",
                description = "Size of the annotations of each running pod in bytes. The default makes a pod of 4.5 kB"
                        + " (default: ${DEFAULT-VALUE}).")
        private int pad;

        @Option(
                names = "--runs",
                paramLabel = "N",
                converter = IntRange.Positive.class,
                defaultValue = "1",
                description = "Number of runs. Each run measures all schedulers, in alternating order (default:"
                        + " ${DEFAULT-VALUE}).")
        private int runs;

        @Option(
                names = "--with",
                paramLabel = "NAME=COMMAND",
                description = "Also measure another scheduler. In COMMAND, {kubeconfig}, {name}, and {port} are"
                        + " replaced by the kubeconfig, the scheduler name, and a plain HTTP port for /readyz."
                        + " COMMAND must stay in the foreground. Repeatable.")
        private List<String> with = List.of();

        @Option(
                names = "--scheduler-name",
                paramLabel = "NAME",
                defaultValue = "default-scheduler",
                description = "spec.schedulerName of the pods. No other scheduler may serve it (default:"
                        + " ${DEFAULT-VALUE}).")
        private String schedulerName = "default-scheduler";

        @Option(
                names = "--limit",
                paramLabel = "TIME",
                converter = DurationConverter.class,
                defaultValue = "10m",
                description = "Time limit for each scheduler (default: ${DEFAULT-VALUE}).")
        private Duration limit = Duration.ofMinutes(10);

        int nodes() {
            return nodes;
        }

        int pods() {
            return pods;
        }

        int pad() {
            return pad;
        }

        int runs() {
            return runs;
        }

        String schedulerName() {
            return schedulerName;
        }

        Duration limit() {
            return limit;
        }

        /** This program's scheduler, and the others to measure. */
        List<Contender> contenders() {
            List<Contender> all = new ArrayList<>(List.of(Contender.own()));
            with.forEach(text -> all.add(Contender.parse(text).found()));
            return List.copyOf(all);
        }

        /**
         * The server; must be closed.
         *
         * @throws IOException if it cannot be started
         */
        Server server() throws IOException {
            Path given = kubeconfig;
            if (given != null) {
                if (!Files.isReadable(given)) {
                    throw new InputException("--kubeconfig: cannot read " + given);
                }
                return new Server(null, given, ConnectionOptions.connect(given, null));
            }
            EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                    .release(Release.V1_34)
                    .kubeletPeriod(Duration.ZERO)
                    .start();
            Path file = Files.createTempFile("bench", ".kubeconfig");
            Files.writeString(
                    file,
                    String.join(
                            "\n",
                            "apiVersion: v1",
                            "kind: Config",
                            "clusters: [{name: c, cluster: {server: \"" + cluster.url() + "\"}}]",
                            "contexts: [{name: x, context: {cluster: c, user: u}}]",
                            "users: [{name: u, user: {}}]",
                            "current-context: x",
                            ""));
            return new Server(cluster, file, KubeConnection.fromUrl(cluster.url(), Duration.ofMinutes(1)));
        }

        /**
         * An API server.
         *
         * @param embedded null for a server in another process
         * @param kubeconfig kubeconfig file for other processes
         */
        record Server(@Nullable EmbeddedControlPlane embedded, Path kubeconfig, KubeConnection connection)
                implements AutoCloseable {
            /** For people. */
            String place() {
                return embedded == null
                        ? connection.serverUrl()
                        : "embedded in this process, where it competes with the scheduler for CPU";
            }

            @Override
            public void close() {
                connection.close();
                if (embedded != null) {
                    embedded.close();
                    try {
                        Files.deleteIfExists(kubeconfig);
                    } catch (IOException e) {
                        kubeconfig.toFile().deleteOnExit();
                    }
                }
            }
        }
    }
}
