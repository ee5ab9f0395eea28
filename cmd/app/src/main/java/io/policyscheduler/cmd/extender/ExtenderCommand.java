package io.policyscheduler.cmd.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.extender.ExtenderService.ServedRequest.MalformedRequestException;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.ClusterMirror;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.StopSignal;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.sources.DumpFiles;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory.SchedulerChoice.PolicySource;
import io.policyscheduler.cmd.sources.SnapshotOptions.ConnectionOptions;
import io.policyscheduler.cmd.table.WatchedTables.TableFollower;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code extender}: serves the filter and prioritize calls of another scheduler according to a policy. */
@Command(
        name = "extender",
        description = "Serves a policy as an HTTP scheduler extender for any release of kube-scheduler.",
        sortOptions = false,
        footer = {
            "",
            "POST /filter and POST /prioritize use the extender API of v1.17. GET /healthz returns 200 when",
            "the caches are synced. The extender watches the cluster (or reads a snapshot) for the pods on",
            "each node. The best nodes of a request score 10, the worst 0. The extender runs until it is",
            "interrupted.",
            "",
            "Add it to the configuration of kube-scheduler:",
            "  extenders:",
            "  - urlPrefix: http://127.0.0.1:8888",
            "    filterVerb: filter",
            "    prioritizeVerb: prioritize",
            "    weight: 1",
            "    nodeCacheCapable: true"
        },
        customSynopsis = {
            "policy-scheduler extender (--policy=FILE | --provider=NAME) [--port=PORT]",
            "           [--kubeconfig=FILE | --cluster=FILE...] [OPTION...]"
        })
public final class ExtenderCommand implements Callable<Integer> {
    private static final int LAST_PORT = 65_535;

    @ArgGroup(multiplicity = "1")
    private PolicySource source = new PolicySource();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8888",
            description = "Port to listen on. 0 selects a free port (default: ${DEFAULT-VALUE}).")
    private int port = 8888;

    @Option(
            names = "--bind-address",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "Address to listen on (default: ${DEFAULT-VALUE}).")
    private String bindAddress = "127.0.0.1";

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Serve from this snapshot instead of a cluster.")
    private List<Path> clusterFiles = List.of();

    @Mixin
    private DumpFiles dumps = new DumpFiles();

    @Mixin
    private ConnectionOptions connectionOptions = new ConnectionOptions();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        AlgorithmRegistry registry = Algorithms.registry();
        if (clusterFiles.isEmpty()) {
            policyOptions.configMapsFrom(ConfigMapEntries.of(connectionOptions::connect));
            policyOptions.withoutMeasuredValues();
        } else {
            policyOptions.tablesFromDump(clusterFiles);
        }
        FeatureGates given = policyOptions.gates();
        EffectivePolicy asNewest = source.resolve(policyOptions.resolver(registry, releaseOptions.unknown(given)));
        try {
            if (clusterFiles.isEmpty()) {
                serveCluster(registry, given);
            } else {
                serveDump(registry, given, asNewest);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.OK;
    }

    private EffectivePolicy policy(AlgorithmRegistry registry, FeatureGates gates) {
        EffectivePolicy policy = source.resolve(policyOptions.resolver(registry, gates));
        ReleaseOptions.newer(gates.release()).forEach(note -> common.err().println("warning: " + note));
        policy.warnings().forEach(warning -> common.err().println("warning: " + warning.line(policy.source())));
        if (!policy.extenders().isEmpty()) {
            common.err()
                    .println(policy.source() + ": warning " + PolicyWarningCode.EXTENDERS
                            + ": the extenders are not called");
        }
        return policy;
    }

    private void serveCluster(AlgorithmRegistry registry, FeatureGates given) throws InterruptedException {
        try (KubeConnection connection = connectionOptions.connect()) {
            FeatureGates gates = releaseOptions.in(ApiDiscovery.release(connection), given);
            EffectivePolicy policy = policy(registry, gates);
            try (ClusterMirror mirror = new ClusterMirror(connection, reading(gates, policy), Clock.systemUTC());
                    TableFollower tables = TableFollower.follow(
                            connection,
                            policy.rules().tables(),
                            policyOptions.givenTables(),
                            mirror.scheduler()::post)) {
                serve(policy, registry, mirror.state(), mirror.owner(), mirror::isSynced);
            }
        } catch (ClusterException | ApiIoException e) {
            throw new ClusterFailure(String.valueOf(e.getMessage()), e);
        }
    }

    private void serveDump(AlgorithmRegistry registry, FeatureGates given, EffectivePolicy asNewest)
            throws InterruptedException {
        Dump dump = new Dump(
                reading(releaseOptions.unknown(given), asNewest),
                warning -> common.err().println("warning: " + warning),
                objects -> {});
        dumps.read(clusterFiles, dump);
        ExecutorService owner = Executors.newSingleThreadExecutor(new ThreadFactoryBuilder()
                .setNameFormat("cluster")
                .setDaemon(true)
                .build());
        try {
            ClusterSnapshot snapshot = dump.snapshot();
            EffectivePolicy policy = policy(registry, releaseOptions.in(snapshot, given));
            serve(policy, registry, snapshot.state(), owner, () -> true);
        } finally {
            owner.shutdownNow();
        }
    }

    /** The feature gates that pods are read with. */
    private static FeatureGates reading(FeatureGates gates, EffectivePolicy policy) {
        return gates.keepingPodAnnotations(policy.rules().readsPodAnnotations());
    }

    private void serve(
            EffectivePolicy policy,
            AlgorithmRegistry registry,
            ClusterState cluster,
            Executor owner,
            BooleanSupplier ready)
            throws InterruptedException {
        SchedulingCycle cycle = SchedulingCycle.of(
                new ProviderAdapter(registry, Algorithms.environment()).adapt(policy, cluster), cluster);
        ExtenderService service = new ExtenderService(cycle, cluster, reading(policy.gates(), policy), owner);
        try (StopSignal stop = new StopSignal();
                ExtenderServer server = new ExtenderServer(address(), service, ready)) {
            common.err()
                    .println("serving " + policy.source() + " by the rules of "
                            + policy.gates().release() + " as an extender on http://" + bindAddress + ":"
                            + server.address().getPort());
            common.err().flush();
            stop.await();
        } catch (IOException e) {
            throw new InputException("cannot listen on " + bindAddress + ":" + port + ": " + e.getMessage(), e);
        }
    }

    private InetSocketAddress address() {
        if (port < 0 || port > LAST_PORT) {
            throw new InputException("--port: " + port + " is not in the valid range [0-65535]");
        }
        InetSocketAddress address = new InetSocketAddress(bindAddress, port);
        if (address.isUnresolved()) {
            throw new InputException("--bind-address: unknown host " + bindAddress);
        }
        return address;
    }

    /**
     * Serves {@code POST /filter}, {@code POST /prioritize} and {@code GET /healthz}. Responds with 503 until the caches are
     * synced, and to calls above the limit of concurrent ones.
     */
    static final class ExtenderServer implements AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger(ExtenderServer.class);
        private static final int THREADS = 4;
        private static final int WAITING_CALLS = 256;
        /** Enough for about 10,000 node objects, which a scheduler sends without {@code nodeCacheCapable}. */
        private static final int BODY_BYTES = 128 << 20;

        private interface Call {
            JsonNode answer(InputStream body) throws IOException, MalformedRequestException;
        }

        private final WebServer server;
        private final ExecutorService threads;
        private final ExtenderService service;
        private final BooleanSupplier ready;
        private final ObjectMapper mapper = new ObjectMapper();

        /**
         * Starts to serve.
         *
         * @param address port 0 selects a free one
         * @param ready whether the caches are synced
         * @throws IOException if the address cannot be used
         */
        public ExtenderServer(InetSocketAddress address, ExtenderService service, BooleanSupplier ready)
                throws IOException {
            this.service = service;
            this.ready = ready;
            this.threads = new ThreadPoolExecutor(
                    THREADS,
                    THREADS,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(WAITING_CALLS),
                    new ThreadFactoryBuilder()
                            .setNameFormat("extender-call-%d")
                            .setDaemon(true)
                            .build());
            long quarterOfHeap = Runtime.getRuntime().maxMemory() / 4;
            Limits limits = Limits.withBodies((int) Math.min(BODY_BYTES, quarterOfHeap), quarterOfHeap);
            try {
                this.server = new WebServer("extender", address, limits, this::handle);
            } catch (IOException e) {
                threads.shutdownNow();
                throw e;
            }
        }

        /** Where it listens. */
        public InetSocketAddress address() {
            return server.address();
        }

        private void handle(Exchange exchange) {
            switch (exchange.path()) {
                case "/healthz" -> {
                    boolean ok = ready.getAsBoolean();
                    exchange.answer(ok ? 200 : 503, ok ? "ok" : "waiting for the caches to sync");
                }
                case "/filter" -> post(exchange, service::filter);
                case "/prioritize" -> post(exchange, service::prioritize);
                default -> exchange.answer(404, "not found");
            }
        }

        private void post(Exchange exchange, Call call) {
            if (!exchange.method().equals("POST")) {
                exchange.responseHeader("Allow", "POST");
                exchange.answer(405, "only POST");
            } else if (!ready.getAsBoolean()) {
                exchange.answer(503, "waiting for the caches to sync");
            } else {
                try {
                    threads.execute(() -> answer(exchange, call));
                } catch (RejectedExecutionException e) {
                    exchange.responseHeader("Retry-After", "1");
                    exchange.answer(503, "too many concurrent requests");
                }
            }
        }

        private void answer(Exchange exchange, Call call) {
            try {
                byte[] json = mapper.writeValueAsBytes(call.answer(new ByteArrayInputStream(exchange.body())));
                exchange.answer(200, "application/json", json);
            } catch (MalformedRequestException e) {
                exchange.answer(400, String.valueOf(e.getMessage()));
            } catch (IOException | RuntimeException e) {
                LOG.warn("W108 {} failed: {}", exchange.path(), e.getMessage());
                LOG.debug("{} failed", exchange.path(), e);
                exchange.answer(500, String.valueOf(e.getMessage()));
            }
        }

        @Override
        public void close() {
            server.close();
            threads.shutdownNow();
        }
    }
}
