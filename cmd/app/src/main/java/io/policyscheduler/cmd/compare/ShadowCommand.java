package io.policyscheduler.cmd.compare;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.ClusterMirror;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.DurationConverter;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.PodSelection;
import io.policyscheduler.cmd.options.StopSignal;
import io.policyscheduler.cmd.options.UiOption;
import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions.SchedulerRelease;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.SnapshotOptions.ConnectionOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.table.WatchedTables.TableFollower;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.ShadowComparison;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Placement;
import io.policyscheduler.framework.insight.compare.ShadowComparison.RecentChanges;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shadow}: watches other schedulers place pods and reports where SCHEDULER would place them. */
@Command(
        name = "shadow",
        description =
                "Watches another scheduler and reports which pods a policy or configuration would place differently."
                        + " Binds nothing.",
        sortOptions = false,
        footer = {
            "",
            "SCHEDULER is policy:FILE, configmap:NAMESPACE/NAME, provider:NAME, config:FILE[#PROFILE], or",
            "modern. In shadow, modern is the default profile of kube-scheduler in the release of the cluster.",
            "The help of compare lists all forms.",
            "",
            "When the other scheduler binds a pod to a node, shadow schedules the same pod with SCHEDULER on",
            "the state of the cluster at that moment. The two schedulers agree if that node has the highest",
            "score with SCHEDULER. Binds can arrive in another order than a scheduler decided them in. If the",
            "schedulers disagree, shadow also tries the other orders of this bind and the four binds before",
            "and after it. shadow only watches the cluster. shadow runs until you interrupt it, or for",
            "--duration. The exit code is 1 if there was a difference.",
            "",
            "-o json prints a line for each placement, as docs/schemas/shadow.schema.json describes. --log",
            "appends the same lines to a file. --report writes a summary, as",
            "docs/schemas/shadow-report.schema.json describes. With --ui, the web page shows the cluster.",
            "Its list of decisions contains each placement, and the result of the comparison as the message."
        },
        customSynopsis = {
            "policy-scheduler shadow SCHEDULER [--duration=TIME] [--log=FILE]",
            "           [--report=FILE] [OPTION...]"
        })
public final class ShadowCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowCommand.class);
    private static final Duration CHECK = Duration.ofMillis(200);
    private static final Duration END = Duration.ofSeconds(5);

    @Parameters(index = "0", paramLabel = "SCHEDULER", description = "Scheduler to compare with.")
    private String decider = "";

    @Mixin
    private PodSelection selection = new PodSelection();

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Stop after this time, such as 10m (default: run until interrupted).")
    private @Nullable Duration duration;

    @Option(names = "--log", paramLabel = "FILE", description = "Append a JSON line for each placement to FILE.")
    private @Nullable Path log;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write a JSON summary to FILE and keep it up to date.")
    private @Nullable Path report;

    @Mixin
    private HtmlOption html = new HtmlOption();

    @Mixin
    private UiOption ui = new UiOption();

    @Mixin
    private ConnectionOptions connectionOptions = new ConnectionOptions();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private PluginOptions plugins = new PluginOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    private final Clock clock = Clock.systemUTC();
    private final Clock steady = SteadyClock.system();

    @Override
    public Integer call() throws InterruptedException {
        html.check();
        try (Progress progress = common.progress(steady)) {
            policyOptions.configMapsFrom(ConfigMapEntries.of(connectionOptions::connect));
            policyOptions.withoutMeasuredValues();
            FeatureGates given = policyOptions.gates();
            SchedulerFactory checked = SchedulerFactory.ofUnknownRelease(
                    policyOptions, releaseOptions, plugins, connectionOptions::connect);
            checked.parse(decider);
            try (StopSignal stop = new StopSignal();
                    KubeConnection connection = connectionOptions.connect()) {
                FeatureGates gates = releaseOptions.in(ApiDiscovery.release(connection), given);
                Warnings warnings = new Warnings(progress);
                ReleaseOptions.newer(gates.release()).forEach(warnings);
                SchedulerFactory here = checked.in(gates, warnings);
                boolean ofCluster = decider.equals("modern");
                Release own = SchedulerRelease.of(gates.release());
                SchedulerSpec source = (ofCluster ? here.as(own) : here).parse(decider);
                FeatureGates kept = gates.keepingPodAnnotations(source.readsPodAnnotations());
                try (ShadowReport shown = open(source);
                        OwnPage page = ui.open(JsonNodeFactory.instance::arrayNode, "", clock)) {
                    Placements placements = new Placements(source, page);
                    try (ClusterMirror mirror = new ClusterMirror(connection, kept, clock, placements);
                            TableFollower tables = TableFollower.follow(
                                    connection,
                                    source.tables(),
                                    policyOptions.givenTables(),
                                    mirror.scheduler()::post)) {
                        if (page != null) {
                            connection.listen(page.rates());
                            page.follow(mirror.scheduler());
                            progress.note("page at " + page.url());
                        }
                        waitForLists(mirror, stop, connection);
                        progress.note("watching " + connection.serverUrl() + " as Kubernetes " + gates.release()
                                + (ofCluster ? "; modern decides as kube-scheduler " + own : "")
                                + "; shadow writes nothing to the cluster");
                        follow(mirror, stop, placements, shown, progress);
                        html.write(clock, shown::page);
                        return shown.differences() == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
                    }
                }
            } catch (ClusterException | ApiIoException e) {
                throw new ClusterFailure(String.valueOf(e.getMessage()), e);
            } catch (IOException e) {
                throw new InputException("cannot write " + e.getMessage(), e);
            }
        }
    }

    private ShadowReport open(SchedulerSpec source) throws IOException {
        return new ShadowReport(
                source.name(), source.names(), common.out(), common.output().isTable(), log, report, clock);
    }

    /** Compares placements, on the thread that owns the state. */
    private final class Placements implements ClusterMirror.Assignments {
        private final SchedulerSpec source;
        private final BlockingQueue<Finding> findings = new LinkedBlockingQueue<>();
        private final @Nullable OwnPage page;
        private @Nullable ShadowComparison comparison;

        Placements(SchedulerSpec source, @Nullable OwnPage page) {
            this.source = source;
            this.page = page;
        }

        @Override
        public void placed(ClusterState state, NominatedPods nominated, PodInfo pod) {
            try {
                if (comparison == null) {
                    comparison = new ShadowComparison(source, state, nominated, RecentChanges.NONE);
                }
                report(isWanted(pod) ? comparison.place(pod, steady.instant()) : comparison.placeUncompared(pod));
            } catch (RuntimeException e) {
                LOG.atError().addKeyValue("pod", pod.key()).setCause(e).log("the placement cannot be compared");
            }
        }

        /** Reports the differences that are still open at this time. */
        void expire(Instant now) {
            if (comparison != null) {
                report(comparison.expire(now));
            }
        }

        private void report(List<Placement> results) {
            for (Placement result : results) {
                findings.add(result.finding());
                if (page != null) {
                    ShadowDecisions.publish(page, result.pod(), result.finding(), clock.instant());
                }
            }
        }
    }

    private boolean isWanted(PodInfo pod) {
        return !pod.annotations().has(PodInfo.MIRROR_ANNOTATION) && selection.wants(pod);
    }

    private static void waitForLists(ClusterMirror mirror, StopSignal stop, KubeConnection connection)
            throws InterruptedException {
        while (!mirror.isSynced()) {
            if (stop.await(CHECK)) {
                throw new ClusterFailure("interrupted before " + connection.serverUrl() + " was known");
            }
        }
    }

    private void follow(
            ClusterMirror mirror, StopSignal stop, Placements placements, ShadowReport shown, Progress progress)
            throws InterruptedException, IOException {
        String last = "";
        Instant end = duration == null ? Instant.MAX : steady.instant().plus(duration);
        while (!stop.isGiven() && steady.instant().isBefore(end)) {
            mirror.owner().execute(() -> placements.expire(steady.instant()));
            if (add(placements.findings.poll(CHECK.toMillis(), TimeUnit.MILLISECONDS), placements, shown, progress)) {
                last = "";
            }
            String status = shown.status();
            if (!status.equals(last) && progress.update(status)) {
                last = status;
            }
            if (!mirror.isSynced()) {
                throw new ClusterFailure("the cluster is no longer followed");
            }
        }
        CountDownLatch complete = new CountDownLatch(1);
        mirror.owner().execute(() -> {
            placements.expire(Instant.MAX);
            complete.countDown();
        });
        complete.await(END.toMillis(), TimeUnit.MILLISECONDS);
        add(placements.findings.poll(), placements, shown, progress);
        progress.clear();
        shown.finish();
    }

    /** Shows a finding and those that wait behind it. Returns false if there is none. */
    private static boolean add(@Nullable Finding first, Placements placements, ShadowReport shown, Progress progress)
            throws IOException {
        for (Finding finding = first; finding != null; finding = placements.findings.poll()) {
            progress.clear();
            shown.add(finding);
        }
        return first != null;
    }

    /** Shows the placements of the watched scheduler as decisions on the web page, with the result of the comparison as the message. */
    static final class ShadowDecisions {
        private ShadowDecisions() {}

        /** Adds a placement to the page. Runs on the thread that owns the state. */
        static void publish(OwnPage page, PodInfo pod, Finding finding, Instant now) {
            Decision decision = new Decision(Decision.Kind.PLACED, finding.node(), 0, message(finding), 0, 0);
            QueuedPod entry = new QueuedPod(pod, now, 0, 1, now, now, Set.of());
            page.history().onAttempt(entry);
            page.history().onDecision(pod, decision, 0);
            page.history().onBound(entry, finding.node(), 0);
            page.rates().onBound(entry, finding.node(), 0);
        }

        /** Returns {@code agrees}, or the node that the scheduler would choose and why. */
        static String message(Finding finding) {
            String best =
                    finding.best().isEmpty() ? "another node" : finding.best().get(0);
            return switch (finding.kind()) {
                case SAME -> "agrees";
                case OTHER_NODE -> "would choose " + best + ": " + finding.cause();
                case NOT_THERE -> "would choose " + best + ", because it rejects this node: " + finding.cause();
                case NOWHERE -> "would find no feasible node: " + finding.cause();
                case UNDECIDED -> "not decided: " + finding.cause();
            };
        }
    }
}
