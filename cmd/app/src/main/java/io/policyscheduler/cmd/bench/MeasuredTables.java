package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.bench.Bench.BackgroundLoad;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.history.DecisionHistory.TableSource;
import io.policyscheduler.cmd.history.DecisionLines;
import io.policyscheduler.cmd.history.DecisionLog;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.page.LivePage;
import io.policyscheduler.cmd.page.OwnPage.PagePort;
import io.policyscheduler.cmd.page.PageRates;
import io.policyscheduler.cmd.page.PageSource;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.policyscheduler.cmd.snapshot.BenchCluster;
import io.policyscheduler.cmd.table.TableFeeds;
import io.policyscheduler.cmd.table.TableFeeds.TableListener;
import io.policyscheduler.cmd.table.WatchedTables;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables of measured values with one number per node, and rules that read them. The source is an HTTP server in this process that
 * responds like Prometheus, with new numbers each time, so that a refresh has its full cost.
 */
final class MeasuredTables implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration FIRST = Duration.ofSeconds(30);
    private static final double MILLIS = 1_000;
    private static final long SEED = 7;

    private final int count;
    private final int nodes;
    private final Clock clock;
    private final SplittableRandom numbers = new SplittableRandom(SEED);
    private final Queue<ClusterChange.TableChanged> changes = new ConcurrentLinkedQueue<>();
    private final WebServer server;
    private final KubeConnection connection;
    private final WatchedTables sources;

    /**
     * Starts the server.
     *
     * @param count of tables
     * @param nodes nodes with a number in each table
     * @throws IOException if no port is free
     */
    MeasuredTables(int count, int nodes, Clock clock) throws IOException {
        this.count = count;
        this.nodes = nodes;
        this.clock = clock;
        this.server = new WebServer(
                "bench-tables",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Limits.withoutBodies(),
                this::answer);
        this.connection = KubeConnection.fromUrl(url(), TIMEOUT);
        this.sources = new WatchedTables(
                connection,
                Set.of(),
                clock,
                new ThreadFactoryBuilder()
                        .setNameFormat("table-%d")
                        .setDaemon(true)
                        .build());
    }

    private String url() {
        return "http://127.0.0.1:" + server.address().getPort();
    }

    /**
     * The algorithms of a provider, and for each table a rule that reads it, priorities and predicates alternately.
     *
     * @throws PolicyException never for a known provider
     */
    Policy policy(Providers.Provider provider) throws PolicyException {
        ObjectNode policy =
                JsonNodeFactory.instance.objectNode().put("kind", "Policy").put("apiVersion", "v1");
        ArrayNode predicates = policy.putArray("predicates");
        provider.predicates().forEach(name -> predicates.addObject().put("name", name));
        ArrayNode scores = policy.putArray("priorities");
        provider.priorities()
                .forEach((name, weight) -> scores.addObject().put("name", name).put("weight", weight));
        ObjectNode tables = policy.putObject("tables");
        for (int i = 1; i <= count; i++) {
            String value = "(tables.t" + i + "[node.name] or 0)";
            if (i % 2 == 0) {
                predicates
                        .addObject()
                        .put("name", "Rule" + i)
                        .putObject("argument")
                        .putObject("rule")
                        .put("expression", value + " < 2");
            } else {
                scores.addObject()
                        .put("name", "Rule" + i)
                        .put("weight", 1)
                        .putObject("argument")
                        .putObject("rule")
                        .put("expression", "100 * " + value);
            }
            tables.putObject("t" + i)
                    .putObject("prometheus")
                    .put("url", url())
                    .put("query", "t" + i)
                    .put("label", "node")
                    .put("interval", "1s");
        }
        return new PolicyReader().read(policy.toString(), "bench-policy.json");
    }

    /** Refreshes the tables of a policy until the result is closed. Returns when each table has its first values. */
    BackgroundLoad refresh(EffectivePolicy policy) {
        changes.clear();
        CountDownLatch first = new CountDownLatch(count);
        TableFeeds feeds = new TableFeeds(
                sources,
                change -> {
                    if (change instanceof ClusterChange.TableChanged table) {
                        changes.add(table);
                    }
                },
                new FirstValues(first));
        feeds.follow(List.of(policy.rules().tables()));
        try {
            if (!first.await(FIRST.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("no values after " + FIRST);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        apply();
        return new BackgroundLoad() {
            private int refreshed;

            @Override
            public void deciding() {
                refreshed += apply();
            }

            @Override
            public int events() {
                return refreshed;
            }

            @Override
            public void close() {
                feeds.close();
            }
        };
    }

    /**
     * Puts new values into effect between two decisions, as the scheduler does.
     *
     * @return tables with other values
     */
    private int apply() {
        int applied = 0;
        for (ClusterChange.TableChanged change = changes.poll(); change != null; change = changes.poll()) {
            RuleTables tables = change.tables();
            if (tables.put(change.state())) {
                applied++;
            }
        }
        return applied;
    }

    private void answer(Exchange exchange) {
        double now = clock.millis() / MILLIS;
        StringBuilder text =
                new StringBuilder("{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[");
        synchronized (numbers) {
            for (int i = 0; i < nodes; i++) {
                text.append(i == 0 ? "" : ",")
                        .append("{\"metric\":{\"node\":\"node-")
                        .append(i)
                        .append("\"},\"value\":[")
                        .append(now)
                        .append(",\"")
                        .append(numbers.nextDouble())
                        .append("\"]}");
            }
        }
        exchange.answer(200, text.append("]}}").toString());
    }

    /** Counts the tables that have received their first values. */
    private record FirstValues(CountDownLatch first) implements TableListener {
        @Override
        public void onChanged(TableDefinition table, TableState state) {
            first.countDown();
        }

        @Override
        public void onRefused(TableDefinition table, TableState state) {
            // Retried a second later.
        }

        @Override
        public void onRecovered(TableDefinition table, TableState state) {}

        @Override
        public void onStale(TableDefinition table, TableState state) {}
    }

    @Override
    public void close() {
        sources.close();
        server.close();
        connection.close();
    }

    /** The live page of one run, served over HTTP as in {@code run}, with one connected viewer. */
    static final class OpenPage implements PageSource, BackgroundLoad {
        /** How long a decision and a bind count. */
        private static final long NANOS = 1;

        private static final Logger LOG = LoggerFactory.getLogger(OpenPage.class);

        private final Queue<Consumer<SchedulerState>> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicInteger frames = new AtomicInteger();
        private final PageRates rates = new PageRates();
        private final State state;
        private final LivePage page;
        private final PagePort port;
        private final InputStream stream;

        /** @throws IOException if no port of the loopback address can be opened */
        OpenPage(BenchCluster cluster, DecisionHistory history) throws IOException {
            state = new State(cluster);
            page = new LivePage(history, rates, JsonNodeFactory.instance::arrayNode, Clock.systemUTC());
            page.follow(this);
            port = new PagePort(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), page, history, "round-robin");
            stream = URI.create(port.url() + "ui/events").toURL().openStream();
            new ThreadFactoryBuilder()
                    .setNameFormat("bench-viewer")
                    .setDaemon(true)
                    .build()
                    .newThread(this::read)
                    .start();
        }

        private void read() {
            byte[] buffer = new byte[1 << 16];
            int last = 0;
            try {
                for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                    for (int i = 0; i < n; i++) {
                        // An empty line ends an event.
                        if (buffer[i] == '\n' && last == '\n') {
                            frames.incrementAndGet();
                        }
                        last = buffer[i];
                    }
                }
            } catch (IOException e) {
                LOG.debug("closed", e);
            }
        }

        /** Number of received frames. */
        @Override
        public int events() {
            return frames.get();
        }

        @Override
        public void post(Consumer<SchedulerState> task) {
            tasks.add(task);
        }

        /** Updates the page between two decisions, as the scheduling thread does. */
        @Override
        public void deciding() {
            for (Consumer<SchedulerState> task = tasks.poll(); task != null; task = tasks.poll()) {
                task.accept(state);
            }
        }

        @Override
        public void decided(PodInfo pod, Decision decision) {
            rates.onDecision(pod, decision, NANOS);
            QueuedPod entry = state.waiting.get(state.done);
            String node = decision.node();
            if (node != null) {
                rates.onBound(entry, node, NANOS);
            }
            state.done++;
        }

        @Override
        public void close() {
            port.close();
            page.close();
            try {
                stream.close();
            } catch (IOException e) {
                LOG.debug("closed already", e);
            }
        }

        private static final class State implements SchedulerState {
            private final BenchCluster cluster;
            private final List<QueuedPod> waiting;
            private int done;

            State(BenchCluster cluster) {
                this.cluster = cluster;
                Instant now = Instant.now(Clock.systemUTC());
                this.waiting = cluster.pending.stream()
                        .map(pod -> new QueuedPod(pod, now, 0, 1, now, now, Set.of()))
                        .toList();
            }

            @Override
            public ClusterState cluster() {
                return cluster.cluster;
            }

            @Override
            public Counts counts() {
                return new Counts(waiting.size() - done, 0, 0, 0, 0, 0, done, cluster.cluster.nodeCount());
            }

            @Override
            public List<QueuedPod> waiting(Part part) {
                return part == Part.ACTIVE ? List.copyOf(waiting.subList(done, waiting.size())) : List.of();
            }

            @Override
            public @Nullable Part partOf(String key) {
                return null;
            }

            @Override
            public @Nullable PodInfo pod(String namespace, String name) {
                return null;
            }
        }
    }

    /** Runs that write a decision log, into a folder of their own that is deleted after each. */
    static final class LoggedRuns implements BackgroundLoad.Begin {
        private static final long BYTES = 1L << 30;

        private @Nullable DecisionLog log;
        private @Nullable Path folder;

        @Override
        public DecisionHistory history(int capacity) throws IOException {
            Path created = Files.createTempDirectory("bench-decision-log");
            Clock clock = SteadyClock.system();
            TraceWriter trace = TraceWriter.open(
                    TraceFiles.of(created),
                    TraceWriter.Limits.ofTotal(BYTES),
                    "bench",
                    JsonNodeFactory.instance.objectNode(),
                    clock.instant());
            DecisionLog started = new DecisionLog(trace, DecisionLines.open("round-robin"), clock);
            started.start(Executors.defaultThreadFactory(), Sleeper.REAL);
            folder = created;
            log = started;
            return new DecisionHistory(capacity, clock, TableSource.NONE, started);
        }

        @Override
        public BackgroundLoad with(BenchCluster cluster, DecisionHistory history) {
            DecisionLog running = Objects.requireNonNull(log);
            Path written = Objects.requireNonNull(folder);
            return new BackgroundLoad() {
                @Override
                public int events() {
                    return Math.toIntExact(running.written() + running.dropped());
                }

                @Override
                public void close() {
                    running.close();
                    try {
                        MoreFiles.deleteRecursively(written, RecursiveDeleteOption.ALLOW_INSECURE);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            };
        }
    }
}
