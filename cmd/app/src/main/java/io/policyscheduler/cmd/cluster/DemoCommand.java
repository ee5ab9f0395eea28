package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cluster.ClusterCommand.ServerOptions;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AuthorizationMode;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.ProfileSettings.Lines;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.DurationConverter;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.StopSignal;
import io.policyscheduler.cmd.options.UiOption;
import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code demo}: an embedded cluster, a mixed workload, and the scheduler with a policy of 1.17. */
@Command(
        name = "demo",
        description = "Starts an embedded cluster, creates a mixed workload, and schedules it with a policy.",
        sortOptions = false,
        footer = {
            "",
            "The scheduler connects to the embedded cluster over HTTP, as it does with any cluster. With",
            "--ui, the web page shows each pod as it is scheduled and a preemption at the end, until you",
            "interrupt the command.",
            "",
            "-o json prints",
            "  {\"pods\": [ {\"pod\": \"default/web\", \"node\": \"node-a1\", \"score\": 1000692} ],",
            "   \"unschedulable\": [ {\"pod\": \"default/huge\", \"message\": \"...\"} ], \"seconds\": 0.9}"
        })
public final class DemoCommand implements Callable<Integer> {
    private static final String SCHEDULER_NAME = "policy-scheduler";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Policy file (default: policy-files/demo/policy.json).")
    private @Nullable Path policyFile;

    @Mixin
    private UiOption ui = new UiOption();

    @Option(
            names = "--pace",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "400ms",
            description = "With --ui: time between two pods (default: ${DEFAULT-VALUE}).")
    private Duration pace = Duration.ofMillis(400);

    @Mixin
    private ServerOptions clusterOptions = new ServerOptions();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    private final Result result = new Result(SCHEDULER_NAME);

    @Override
    @SuppressWarnings("try") // the scheduler runs by itself
    public Integer call() throws InterruptedException {
        Path demo = ProjectHome.find().resolve("policy-files/demo");
        Path file = policyFile == null ? demo.resolve("policy.json") : policyFile;
        EffectivePolicy policy = policy(file, policyOptions.gates().at(clusterOptions.release()));
        try (EmbeddedControlPlane cluster = clusterOptions.start(0, AuthorizationMode.ALWAYS_ALLOW, false);
                Progress progress = common.progress(SteadyClock.system())) {
            ServerOptions.load(cluster, List.of(demo.resolve("cluster.yaml")));
            if (common.output().isTable()) {
                introduce(cluster, file, policy);
            }
            SchedulerSettings settings =
                    new SchedulerSettings(SCHEDULER_NAME, policy, TieBreak.roundRobin(), 100, false, result);
            try (OwnPage page = ui.open(() -> Lines.json(settings.profiles(), 1), "round-robin", Clock.systemUTC())) {
                if (page != null) {
                    shown(page, cluster, demo, settings, progress);
                    return ExitCode.OK;
                }
                KubeConnection connection = KubeConnection.fromUrl(cluster.url());
                try (LiveScheduler live = LiveScheduler.start(settings, connection, "demo", Clock.systemUTC())) {
                    result.start();
                    ServerOptions.load(cluster, List.of(demo.resolve("workload.yaml")));
                    await(cluster, LIMIT, progress, () -> false);
                }
            } catch (ApiIoException e) {
                throw new ClusterFailure("embedded cluster: " + e.getMessage(), e);
            }
        }
        common.output().write(() -> result.print(common.out()), result::json);
        return ExitCode.OK;
    }

    /** Runs the demo with the web page: creates the pods one by one, and serves the page until the command is interrupted. */
    private void shown(
            OwnPage page, EmbeddedControlPlane cluster, Path demo, SchedulerSettings settings, Progress progress)
            throws ApiIoException, InterruptedException {
        SchedulerSettings withPage =
                settings.withListener(SchedulerListener.all(settings.listener(), page.history(), page.rates()));
        KubeConnection connection = KubeConnection.fromUrl(cluster.url());
        connection.listen(page.rates());
        try (StopSignal stop = new StopSignal();
                LiveScheduler live = LiveScheduler.start(withPage, connection, "demo", Clock.systemUTC())) {
            page.follow(live.scheduler());
            common.out().println("page      " + page.url());
            common.out().flush();
            result.start();
            if (!create(cluster, demo.resolve("workload.yaml"), stop)) {
                return;
            }
            await(cluster, LIMIT, progress, stop::isGiven);
            progress.clear();
            if (stop.isGiven()) {
                return;
            }
            common.output().write(() -> result.print(common.out()), result::json);
            common.out().flush();
            progress.note("creating urgent.yaml, which preempts a pod; press Ctrl-C to stop");
            create(cluster, demo.resolve("urgent.yaml"), stop);
            stop.await();
        }
    }

    /** Creates the objects of a file one by one. Returns false if the command was interrupted before the last one. */
    private boolean create(EmbeddedControlPlane cluster, Path file, StopSignal stop) throws InterruptedException {
        for (JsonNode document : ManifestFiles.read(file)) {
            if (stop.await(pace)) {
                return false;
            }
            cluster.load(document);
        }
        return true;
    }

    private void await(EmbeddedControlPlane cluster, Duration limit, Progress progress, BooleanSupplier interrupted)
            throws InterruptedException {
        if (!result.await(cluster, limit, progress, interrupted) && !interrupted.getAsBoolean()) {
            throw new ClusterFailure(
                    "after " + limit.toSeconds() + " s, these pods have no decision: " + result.undecided(cluster));
        }
    }

    private void introduce(EmbeddedControlPlane cluster, Path file, EffectivePolicy policy) {
        common.out().println("cluster   " + cluster.list("nodes").size() + " nodes at " + cluster.url());
        common.out()
                .println("policy    " + file + ": " + policy.predicateCounts() + ", "
                        + policy.priorities().size() + " priorities");
        policy.warnings().forEach(warning -> common.out().println("warning   " + warning.line(policy.source())));
        common.out().println();
        common.out().flush();
    }

    private EffectivePolicy policy(Path file, FeatureGates gates) {
        try {
            PolicyResolver resolver = policyOptions.resolver(Algorithms.registry(), gates);
            return resolver.resolve(resolver.reader().read(InputFiles.text(file), file.toString()));
        } catch (PolicyException e) {
            throw InputException.of(e);
        }
    }

    /** The decisions about the pods of the demo. Thread-safe. */
    static final class Result implements SchedulerListener {
        private static final long QUIET_NANOS = Duration.ofMillis(700).toNanos();
        private static final long POLL_MILLIS = 50;

        /** The last result for one pod; {@code node} is null for an unschedulable pod. */
        private record LastResult(@Nullable String node, long score, int feasible, String message) {}

        private final String schedulerName;
        private final SortedMap<String, Decision> decisions = new TreeMap<>();
        private final SortedMap<String, LastResult> fates = new TreeMap<>();
        private long started;
        private long lastChange;

        Result(String schedulerName) {
            this.schedulerName = schedulerName;
        }

        synchronized void start() {
            started = System.nanoTime();
            lastChange = started;
        }

        @Override
        public synchronized void onDecision(PodInfo pod, Decision decision, long nanos) {
            decisions.put(pod.key(), decision);
            lastChange = System.nanoTime();
        }

        @Override
        public synchronized void onBound(QueuedPod entry, String node, long nanos) {
            Decision decision = decisions.get(entry.pod().key());
            fates.put(
                    entry.pod().key(),
                    new LastResult(
                            node,
                            decision == null ? 0 : decision.score(),
                            decision == null ? 0 : decision.feasibleNodes(),
                            ""));
            lastChange = System.nanoTime();
            notifyAll();
        }

        @Override
        public synchronized void onFailure(QueuedPod entry, String reason, String message) {
            fates.put(entry.key(), new LastResult(null, 0, 0, message));
            lastChange = System.nanoTime();
            notifyAll();
        }

        /**
         * Waits until every pod has a decision and nothing has happened for a moment.
         *
         * @return false if the limit is reached first, or the command is interrupted
         */
        synchronized boolean await(
                EmbeddedControlPlane cluster, Duration limit, Progress progress, BooleanSupplier interrupted)
                throws InterruptedException {
            long deadline = started + limit.toNanos();
            while (System.nanoTime() < deadline && !interrupted.getAsBoolean()) {
                long bound = fates.values().stream()
                        .filter(fate -> fate.node() != null)
                        .count();
                progress.update(bound + " pods bound, " + (fates.size() - bound) + " unschedulable");
                if (System.nanoTime() - lastChange > QUIET_NANOS
                        && undecided(cluster).isEmpty()) {
                    return true;
                }
                wait(POLL_MILLIS);
            }
            return false;
        }

        /** Returns the pods of this scheduler without a result. */
        synchronized List<String> undecided(EmbeddedControlPlane cluster) {
            List<String> names = new ArrayList<>();
            for (ObjectNode pod : cluster.list("pods")) {
                String key = pod.path("metadata").path("namespace").asText() + "/"
                        + pod.path("metadata").path("name").asText();
                if (pod.path("spec").path("schedulerName").asText().equals(schedulerName) && !fates.containsKey(key)) {
                    names.add(key);
                }
            }
            return names;
        }

        private synchronized double seconds() {
            return (lastChange - started) / 1e9;
        }

        synchronized void print(PrintWriter out) {
            TextTable bound =
                    new TextTable().text("POD").text("NODE").number("SCORE").number("FEASIBLE");
            TextTable waiting = new TextTable().text("UNSCHEDULABLE").message("MESSAGE");
            int placed = 0;
            for (Map.Entry<String, LastResult> entry : fates.entrySet()) {
                LastResult fate = entry.getValue();
                if (fate.node() == null) {
                    waiting.row(entry.getKey(), fate.message());
                } else {
                    placed++;
                    bound.row(entry.getKey(), fate.node(), fate.feasible() == 1 ? "-" : fate.score(), fate.feasible());
                }
            }
            bound.print(out);
            out.println();
            if (!waiting.isEmpty()) {
                waiting.print(out);
                out.println();
            }
            out.println(String.format(
                    Locale.ROOT, "%d pods bound, %d unschedulable, %.1f s", placed, fates.size() - placed, seconds()));
        }

        synchronized ObjectNode json() {
            ObjectNode result = JsonNodeFactory.instance.objectNode();
            ArrayNode bound = result.putArray("pods");
            ArrayNode waiting = result.putArray("unschedulable");
            fates.forEach((pod, fate) -> {
                if (fate.node() == null) {
                    waiting.addObject().put("pod", pod).put("message", fate.message());
                } else {
                    bound.addObject().put("pod", pod).put("node", fate.node()).put("score", fate.score());
                }
            });
            return result.put("seconds", seconds());
        }
    }

    /** The folder of the program, which contains {@code policy-files}. */
    static final class ProjectHome {
        /** Set by the launcher. */
        private static final String PROPERTY = "policyscheduler.home";

        private ProjectHome() {}

        /**
         * The folder that the launcher passes, else the nearest one above the working directory.
         *
         * @throws InputException if there is none
         */
        static Path find() {
            String property = System.getProperty(PROPERTY);
            if (property != null && Files.isDirectory(Path.of(property, "policy-files"))) {
                return Path.of(property);
            }
            for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
                if (Files.isDirectory(dir.resolve("policy-files/demo"))) {
                    return dir;
                }
            }
            throw new InputException(
                    "no directory policy-files in the current directory or above it; start the program with"
                            + " cmd/policy-scheduler");
        }
    }
}
