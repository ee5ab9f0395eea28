package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.history.DecisionLines;
import io.policyscheduler.cmd.history.DecisionLog;
import io.policyscheduler.cmd.history.DecisionPage;
import io.policyscheduler.cmd.history.RunRecorder;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.connection.ServerWait;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.live.InputRecording;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.PolicyCanary;
import io.policyscheduler.cmd.live.PolicyReloader;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.ProfileSettings.Lines;
import io.policyscheduler.cmd.live.SchedulerLog;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.cmd.live.SchedulerStatus;
import io.policyscheduler.cmd.metrics.PolicyMetrics;
import io.policyscheduler.cmd.metrics.PolicyMetrics.Executions;
import io.policyscheduler.cmd.metrics.ProcessMetrics;
import io.policyscheduler.cmd.options.CommonOptions.TieBreakOption;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.StopSignal;
import io.policyscheduler.cmd.page.LivePage;
import io.policyscheduler.cmd.page.PageSource.SchedulerSource;
import io.policyscheduler.cmd.report.Output;
import io.policyscheduler.cmd.run.EffectiveConfiguration.Text;
import io.policyscheduler.cmd.run.LoggingFlags.Verbosity;
import io.policyscheduler.cmd.run.RunSettings.Kube;
import io.policyscheduler.cmd.run.RunTables.Listeners;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.ProfilePlan;
import io.policyscheduler.cmd.sources.SnapshotOptions.ConnectionOptions;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

/** {@code run}: schedules pods on a cluster. */
@Command(
        name = "run",
        description = "Schedules pods on a cluster according to policies or scheduling profiles.",
        sortOptions = false,
        customSynopsis = "policy-scheduler run [FLAG...]",
        footer = {
            "",
            "Flags of kube-scheduler 1.17 have the same meaning, except those listed as without effect.",
            "--compat=1.17 also uses the defaults of 1.17 for the scheduler name, leader election, and ports. Of",
            "several replicas, only the leader schedules pods. --leader-elect=false turns leader election off.",
            "",
            "run reloads a policy or configuration when its file or ConfigMap changes, and on SIGHUP. If the",
            "new text is valid, it applies to all later scheduling attempts. If it is invalid, run logs the",
            "error and keeps the old policy or configuration.",
            "",
            "On SIGTERM or SIGINT, run finishes its binds, releases the lease, and exits with code 0. A leader",
            "that loses its lease exits with code 5. If the API server is not available at start, run waits",
            "for --wait-for-api-server and then exits with code 4. The log goes to stderr."
        })
public final class RunCommand extends SchedulerArguments implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);
    private static final Duration CHECK = Duration.ofMillis(200);

    private Consumer<Verbosity> log = unheard -> {};

    /** With the environment of this process. */
    public RunCommand() {
        this(System.getenv());
    }

    /** @param environment variables that set flags */
    RunCommand(Map<String, String> environment) {
        super(environment);
    }

    /** Sets the handler that configures the log when its settings are read. */
    public void onLogSettings(Consumer<Verbosity> listener) {
        log = listener;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (settings().isOn(Kube.VERSION)) {
            spec.root().commandLine().printVersionHelp(common.out());
            common.out().flush();
            return ExitCode.OK;
        }
        common.requireNoFormat("its log is JSON with --logging-format json, its settings with config show -o json");
        ProfilePlan plan = new ProfilePlan(profileRequest()).withCanary(canary());
        check();
        log.accept(logging());
        if (!settings().text(Kube.WRITE_CONFIG_TO).isEmpty()) {
            warn(warnings());
            plan.check();
            return write(path(Kube.WRITE_CONFIG_TO));
        }
        String version = String.join(" ", spec.root().version());
        LOG.info("{}, Java {}", version, Runtime.version());
        logged(warnings());
        KubeConnection connection = connect();
        long seed = System.nanoTime();
        ProfilePlan.Loaded loaded;
        SchedulerSettings settings;
        try {
            await(connection, settings().duration(RunSettings.WAIT_FOR_API_SERVER));
            loaded = plan.load(connection);
            settings = settings(loaded, seed);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
        logged(loaded.warnings());
        PrometheusRegistry registry = new PrometheusRegistry();
        registry.register(new ProcessMetrics(version));
        AtomicReference<CurrentProfiles> inEffect =
                new AtomicReference<>(new CurrentProfiles(1, loaded.forReloading()));
        PolicyMetrics policyMetrics =
                new PolicyMetrics(registry, () -> ruleFailures(Objects.requireNonNull(inEffect.get())));
        Executions.register(registry, policy().execution());
        RunTables tables = new RunTables(registry);
        DecisionLog decisionLog = decisionLog(settings.name(), connection);
        RunSources sources = new RunSources(this, plan, seed);
        RunRecorder recorder = recorder(sources, connection);
        if (recorder != null) {
            recorder.policy(1, sources.of(loaded), RunTables.tables(loaded.profiles()));
        }
        CompletableFuture<Consumer<PolicyCanary.Rollback>> rollbacks = new CompletableFuture<>();
        PolicyCanary canary = watch(loaded, rollbacks);
        Listeners listeners = new Listeners(
                registry,
                settings.name(),
                !disablePreemption(),
                Math.toIntExact(settings().number(RunSettings.DECISION_HISTORY)),
                tables,
                settings.listener(),
                decisionLog,
                canary,
                connection);
        DecisionHistory history = listeners.history();
        settings = settings.withListener(
                recorder == null ? listeners.all() : SchedulerListener.all(listeners.all(), recorder));
        policyMetrics.inEffect(loaded.forReloading().text());
        SchedulerSettings initial = settings;
        ObjectNode shown = shownConfiguration();
        SchedulerStatus status = new SchedulerStatus(
                registry,
                settings.election(),
                () -> configz(shown, initial, Objects.requireNonNull(inEffect.get()), tables),
                new DecisionPage(history, settings().text(RunSettings.TIE_BREAK)),
                tables::note);
        Supplier<JsonNode> lines = () -> inEffect(Objects.requireNonNull(inEffect.get()), canary);
        AtomicReference<String> rolledBack = new AtomicReference<>("");
        // The status ports open before the election starts: a port in use must not end a leader.
        int code;
        try (StopSignal stop = new StopSignal();
                decisionLog;
                recorder;
                LivePage page = new LivePage(history, listeners.rates(), lines, Clock.systemUTC());
                StatusPorts ports = serve(status.content().withPages(page), connection);
                LiveScheduler live = start(settings, connection, recorder);
                tables;
                PolicyReloader reloader = reloader(
                        canaryLoader(plan, connection, rolledBack, sources),
                        loaded,
                        live,
                        policyMetrics,
                        inEffect,
                        tables,
                        (now, generation) -> record(recorder, sources, generation, now));
                ReloadTriggers triggers = new ReloadTriggers(loaded.texts(), followed(loaded), connection, reloader)) {
            status.running(live);
            page.follow(new SchedulerSource(live.scheduler()));
            // Before the first reload, which makes it follow other tables.
            tables.start(live, connection, settings.name(), loaded.profiles());
            triggers.start();
            rollbacks.complete(end -> rollBack(end, live, reloader, () -> rolledBack.set(plan.canaryText())));
            announce(settings, loaded.gates(), connection, ports.urls());
            code = waitFor(live, stop);
            status.stopping();
            Counts counts = live.counts(CHECK);
            LOG.atInfo()
                    .addKeyValue("binding", counts.binding())
                    .addKeyValue("waiting", counts.active() + counts.backoff() + counts.unschedulable())
                    .log("stopping: waiting for running binds");
        }
        LOG.info("stopped");
        return code;
    }

    private int write(Path file) {
        try {
            Files.writeString(file, Output.yaml(effectiveConfiguration()));
        } catch (IOException e) {
            throw new InputException("cannot write " + file + ": " + e, e);
        }
        return ExitCode.OK;
    }

    /** The decision log, started; null if it is off. */
    private @Nullable DecisionLog decisionLog(String name, KubeConnection connection) {
        if (settings().text(RunSettings.DECISION_LOG).isEmpty()) {
            return null;
        }
        String tieBreak = settings().text(RunSettings.TIE_BREAK);
        boolean isOpen = settings().text(RunSettings.DECISION_LOG_KEY).isEmpty();
        Setting file = RunSettings.DECISION_LOG_KEY;
        try {
            DecisionLines lines = isOpen
                    ? DecisionLines.open(tieBreak)
                    : DecisionLines.anonymous(tieBreak, path(RunSettings.DECISION_LOG_KEY));
            file = RunSettings.DECISION_LOG;
            ObjectNode about = JsonNodeFactory.instance.objectNode();
            about.put("program", String.join(" ", spec.root().version()));
            if (isOpen) {
                about.put("scheduler", name).put("server", connection.serverUrl());
            }
            TraceWriter trace = TraceWriter.open(
                    TraceFiles.of(path(RunSettings.DECISION_LOG)),
                    Limits.ofTotal(settings().number(RunSettings.DECISION_LOG_SIZE) << 20),
                    isOpen
                            ? LeaderElectionConfig.newIdentity()
                            : UUID.randomUUID().toString(),
                    about,
                    Instant.now());
            DecisionLog started = new DecisionLog(trace, lines, Clock.systemUTC());
            started.start(
                    new ThreadFactoryBuilder()
                            .setNameFormat("decision-log")
                            .setDaemon(true)
                            .build(),
                    Sleeper.REAL);
            return started;
        } catch (IOException e) {
            connection.close();
            throw new InputException(
                    file.flag() + ": " + InputFiles.unreadable(path(file), e).getMessage(), e);
        }
    }

    private KubeConnection connect() {
        String kubeconfig = settings().text(Settings.KUBECONFIG);
        String master = settings().text(RunSettings.MASTER);
        return ConnectionOptions.connect(
                kubeconfig.isEmpty() ? null : path(Settings.KUBECONFIG), master.isEmpty() ? null : master);
    }

    /** The recording that is being written; null if none is asked for. */
    private @Nullable RunRecorder recorder(RunSources sources, KubeConnection connection) {
        if (settings().text(RunSettings.RECORD).isEmpty()) {
            return null;
        }
        try {
            TraceWriter trace = TraceWriter.open(
                    TraceFiles.of(path(RunSettings.RECORD)),
                    Limits.NONE,
                    LeaderElectionConfig.newIdentity(),
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("program", String.join(" ", spec.root().version()))
                            .put("server", connection.serverUrl()),
                    Instant.now());
            return new RunRecorder(
                    trace,
                    settings().number(RunSettings.RECORD_SIZE) << 20,
                    sources.start(),
                    new ThreadFactoryBuilder()
                            .setNameFormat("record")
                            .setDaemon(true)
                            .build());
        } catch (IOException e) {
            connection.close();
            throw new InputException(RunSettings.RECORD.flag() + ": " + e.getMessage(), e);
        }
    }

    private static void record(
            @Nullable RunRecorder recorder, RunSources sources, long generation, PolicyReloader.Loaded loaded) {
        if (recorder != null) {
            recorder.policy(generation, sources.of(loaded), RunTables.tables(loaded.profiles()));
        }
    }

    /** @param seed of the tie break */
    SchedulerSettings settings(ProfilePlan.Loaded loaded, long seed) {
        String name = loaded.profiles().get(0).schedulerName();
        return new SchedulerSettings(
                loaded.profiles(),
                TieBreakOption.of(settings().text(RunSettings.TIE_BREAK)).create(seed),
                disablePreemption(),
                volumeTimeout(),
                options(loaded.gates()),
                new SchedulerLog(settings().isOn(Settings.LEADER_ELECT)),
                election(name),
                settings().isOn(RunSettings.IGNORE_UNREADABLE_PODS),
                verifiedDecisions());
    }

    /** Waits for the server, unless the limit is zero. */
    private static void await(KubeConnection connection, Duration limit) throws InterruptedException {
        if (limit.isZero()) {
            return;
        }
        try {
            new ServerWait(
                            Sleeper.REAL,
                            SteadyClock.system(),
                            problem ->
                                    LOG.warn("W135 waiting for the API server {}: {}", connection.serverUrl(), problem))
                    .until(limit, () -> ApiDiscovery.load(connection));
        } catch (ApiIoException e) {
            throw new ClusterFailure(connection.failure(e), e);
        }
    }

    /** The profiles in effect. */
    private record CurrentProfiles(long generation, PolicyReloader.Loaded loaded) {}

    private static Map<String, Long> ruleFailures(CurrentProfiles inEffect) {
        Map<String, Long> failures = new TreeMap<>();
        inEffect.loaded()
                .profiles()
                .forEach(profile -> profile.source()
                        .ruleFailures()
                        .forEach((rule, count) -> failures.merge(rule, count, Long::sum)));
        return failures;
    }

    private static JsonNode inEffect(CurrentProfiles inEffect, @Nullable PolicyCanary canary) {
        ArrayNode profiles = Lines.json(inEffect.loaded().profiles(), inEffect.generation());
        if (canary != null && profiles.path(0) instanceof ObjectNode first) {
            PolicyCanary.State state = canary.state();
            ObjectNode json = first.putObject("canary")
                    .put("active", state.isActive())
                    .put("waiting", state.waiting())
                    .put("failing", state.failing())
                    .put("rollbacks", state.rollbacks())
                    .put("reason", state.reason());
            ArrayNode rows = json.putArray("decisions");
            canary.decisions().forEach((side, counts) -> {
                ObjectNode row = rows.addObject().put("policy", side.text());
                counts.forEach((comparison, count) -> row.put(comparison.text(), count));
            });
        }
        return profiles;
    }

    /** The monitor of a canary; null for none. */
    private @Nullable PolicyCanary watch(
            ProfilePlan.Loaded loaded, CompletableFuture<Consumer<PolicyCanary.Rollback>> rollbacks) {
        return loaded.profiles().stream()
                .filter(ProfileSettings::isCanary)
                .findFirst()
                .map(profile -> new PolicyCanary(
                        profile.share(),
                        new PolicyCanary.Limits(
                                Math.toIntExact(settings().number(RunSettings.CANARY_MAX_WAITING)),
                                Math.toIntExact(settings().number(RunSettings.CANARY_MAX_FAILING))),
                        end -> rollbacks.thenAccept(handler -> handler.accept(end))))
                .orElse(null);
    }

    /** Loads the profiles; without the canary as long as its file is the one that was rolled back. */
    private static PolicyReloader.Loader canaryLoader(
            ProfilePlan plan, KubeConnection connection, AtomicReference<String> rolledBack, RunSources sources) {
        return () -> {
            ProfilePlan.Loaded all = plan.reload(connection);
            sources.loaded(all);
            PolicyReloader.Loaded loaded = all.forReloading();
            String read = plan.canaryText();
            return !read.isEmpty() && read.equals(rolledBack.get()) ? ProfilePlan.Loaded.withoutCanary(loaded) : loaded;
        };
    }

    private static void rollBack(
            PolicyCanary.Rollback end, LiveScheduler live, PolicyReloader reloader, Runnable remember) {
        LOG.warn("W137 the canary is rolled back, and the current policy decides all pods: {}", end.reason());
        reloader.change("the canary is rolled back", loaded -> {
            remember.run();
            return ProfilePlan.Loaded.withoutCanary(loaded);
        });
        end.pods()
                .forEach(pod -> live.event(
                        pod,
                        new EventText(
                                pod.spec().schedulerName(),
                                "Warning",
                                "PolicyCanaryRolledBack",
                                "the canary is rolled back, and the current policy decides this pod again: "
                                        + end.cause(),
                                0)));
    }

    private static String configz(
            ObjectNode shown, SchedulerSettings initial, CurrentProfiles inEffect, RunTables tables) {
        return Text.of(
                shown,
                initial.withProfiles(inEffect.loaded().profiles()),
                inEffect.generation(),
                PolicyMetrics.hashOf(inEffect.loaded().text()),
                tables.generations());
    }

    private PolicyReloader reloader(
            PolicyReloader.Loader loader,
            ProfilePlan.Loaded first,
            LiveScheduler live,
            PolicyMetrics metrics,
            AtomicReference<CurrentProfiles> inEffect,
            RunTables tables,
            ObjLongConsumer<PolicyReloader.Loaded> recorded) {
        return new PolicyReloader(
                loader,
                first.forReloading(),
                changed -> live.reload(changed.profiles(), generation -> recorded.accept(changed, generation)),
                new PolicyReloader.Listener() {
                    @Override
                    public void onReloaded(long generation, PolicyReloader.Loaded loaded) {
                        inEffect.set(new CurrentProfiles(generation, loaded));
                        tables.follow(generation, loaded.profiles());
                        metrics.inEffect(loaded.text());
                        logged(loaded.warnings());
                        metrics.reloaded(generation);
                    }

                    @Override
                    public void onRefused(String cause, String reason) {
                        metrics.reloadFailed();
                    }
                },
                new ThreadFactoryBuilder()
                        .setNameFormat("reload")
                        .setDaemon(true)
                        .build());
    }

    private StatusPorts serve(StatusContent content, KubeConnection connection) {
        try {
            return StatusPorts.open(serving(), plain(), content, connection, Clock.systemUTC());
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** The release to be followed when the API server is upgraded. */
    private @Nullable Release followed(ProfilePlan.Loaded loaded) {
        return policy().release().given().isPresent() ? null : loaded.gates().release();
    }

    private void announce(
            SchedulerSettings settings, FeatureGates gates, KubeConnection connection, List<String> urls) {
        boolean strict = settings.profiles().stream().anyMatch(ProfileSettings::strictV117);
        LOG.info(
                strict
                        ? "cluster release {}; policies decide by the rules of 1.17 (--strict-v1.17)"
                        : "cluster release {}",
                gates.release());
        for (ProfileSettings profile : settings.profiles()) {
            LOG.info(
                    profile.isCanary()
                            ? "canary: scheduling pods of " + settings().text(RunSettings.CANARY_SHARE)
                                    + " of the owners of {} on {} with {}"
                            : "scheduling pods of {} on {} with {}",
                    profile.schedulerName(),
                    connection.serverUrl(),
                    profile.summary());
            if (!profile.semantics().isEmpty()) {
                LOG.info("{}", profile.semantics());
            }
            profile.source()
                    .plugins()
                    .lines()
                    .forEach(line -> LOG.info("plugins of {}: {}", profile.schedulerName(), line));
        }
        urls.forEach(url -> LOG.info("serving status at {}", url));
    }

    private static void logged(List<String> warnings) {
        warnings.forEach(warning -> LOG.warn("{}", warning.replace("\n  ", "; ")));
    }

    private static LiveScheduler start(
            SchedulerSettings settings, KubeConnection connection, @Nullable RunRecorder recorder) {
        try {
            return LiveScheduler.start(
                    settings,
                    connection,
                    settings.name() + "-" + LeaderElectionConfig.hostName(),
                    Clock.systemUTC(),
                    recorder == null ? InputRecording.NONE : recorder);
        } catch (ApiIoException e) {
            connection.close();
            throw new ClusterFailure(connection.failure(e), e);
        } catch (ClusterException e) {
            connection.close();
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Waits until the process is stopped or loses the leadership. */
    private int waitFor(LiveScheduler live, StopSignal stop) throws InterruptedException {
        while (!stop.isGiven()) {
            if (live.awaitEnd(CHECK)) {
                // The handler of uncaught exceptions has reported the reason.
                return ExitCode.BUG;
            }
            String rejection = live.electionRefusal();
            if (!rejection.isEmpty()) {
                common.err().println("error: leader election: " + rejection);
                common.err().flush();
                return ExitCode.CLUSTER_TROUBLE;
            }
            String loss = live.lossOfLeadership();
            if (!loss.isEmpty()) {
                common.err().println("error: leaderelection lost: " + loss);
                common.err().flush();
                return ExitCode.LEADERSHIP_LOST;
            }
        }
        LOG.info("{} received", stop.name());
        return ExitCode.OK;
    }
}
