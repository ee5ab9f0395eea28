package io.policyscheduler.cmd.simulate;

import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.WorkerThreads;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.IntRange;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.PodSelection;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.simulate.AuditReport.AuditHtml;
import io.policyscheduler.cmd.simulate.AuditReport.AuditMarkdown;
import io.policyscheduler.cmd.simulate.AuditReport.AuditMetrics;
import io.policyscheduler.cmd.simulate.Evictor.EvictionOutcome;
import io.policyscheduler.cmd.simulate.Evictor.Rate;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.SchedulerFactory.SchedulerChoice;
import io.policyscheduler.cmd.sources.SnapshotOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.whatif.Audit;
import io.policyscheduler.framework.insight.whatif.Audit.Finding;
import io.policyscheduler.framework.insight.whatif.EvictionPlan;
import io.policyscheduler.framework.insight.whatif.EvictionPlan.Limits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code audit}: finds running pods that their nodes would reject now. */
@Command(
        name = "audit",
        description =
                "Finds running pods that a policy or configuration would not place on their current nodes. Optionally"
                        + " evicts them.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler audit (--policy=FILE | --scheduler=SCHEDULER)",
            "           (--cluster=FILE... | --live) [--threshold=N]",
            "           [--evict [--dry-run=false] [--rate=N/min]] [OPTION...]"
        },
        footer = {
            "",
            "audit schedules each running pod again while all other pods stay on their nodes. A pod is in",
            "violation if a filter rejects its node. A pod is better on another node if the score of that node",
            "is higher by more than --threshold, a percentage of the highest possible total score (without",
            "NodePreferAvoidPods). audit evaluates DaemonSet pods and static pods only on their own nodes. The",
            "exit code is 1 if a pod is in violation.",
            "",
            "--evict plans to evict the pods in violation that have a controller, except DaemonSet",
            "pods and static pods. audit plans one pod after the other, and simulates which other node its",
            "replacement gets. A pod whose replacement gets none is not in the plan. Only --evict --dry-run=false",
            "evicts the pods. Evictions use the eviction API, which honors disruption budgets. A pod that a disruption",
            "budget protects is retried after the other evictions. The --max-evictions options and",
            "--priority-threshold correspond to those of the descheduler. -n and -l restrict the pods.",
            "",
            "-o json prints the document that docs/schemas/audit.schema.json describes. Each eviction has the",
            "result planned, evicted, gone (the pod no longer exists), budget (a disruption budget protects the",
            "pod), failed (the API server did not evict the pod), or spared (not in the plan; see \"message\")."
        })
public final class AuditCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @ArgGroup(multiplicity = "1")
    private SchedulerChoice choice = new SchedulerChoice();

    @Mixin
    private SnapshotOptions snapshotOptions = new SnapshotOptions();

    @Option(
            names = "--threshold",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "Report a pod if another node scores higher by more than N percent of the highest possible total"
                            + " score (default: ${DEFAULT-VALUE}).")
    private double threshold = 20;

    @Mixin
    private PodSelection selection = new PodSelection();

    @Option(
            names = "--evict",
            description =
                    "Plan the eviction of pods whose node a filter rejects. Only with --dry-run=false, evict them."
                            + " Requires --live.")
    private boolean evict;

    @Option(
            names = "--evict-better",
            description = "With --evict: also plan the eviction of pods that are better on another node.")
    private boolean evictBetter;

    @Option(
            names = "--dry-run",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "true",
            paramLabel = "true|false",
            description = "With --evict: print the plan and evict no pod (default: ${DEFAULT-VALUE}).")
    private boolean dryRun = true;

    @Option(
            names = "--rate",
            paramLabel = "N/min",
            defaultValue = "10/min",
            description = "Maximum rate of evictions: N/s, N/min, or N/h (default: ${DEFAULT-VALUE}).")
    private String rate = "10/min";

    @Option(
            names = "--attempts",
            paramLabel = "N",
            defaultValue = "3",
            description = "Maximum number of attempts for a pod that a disruption budget protects (default:"
                    + " ${DEFAULT-VALUE}).")
    private int attempts = 3;

    @Option(
            names = "--keep-namespace",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "kube-system",
            description = "Evict no pods from these namespaces (default: ${DEFAULT-VALUE}).")
    private Set<String> keptNamespaces = Set.of("kube-system");

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(
            names = "--metrics",
            paramLabel = "FILE",
            description = "Also write the result to FILE in Prometheus format, for the textfile collector.")
    private @Nullable Path metrics;

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private PluginOptions pluginOptions = new PluginOptions();

    @Mixin
    private HtmlOption html = new HtmlOption();

    @Mixin
    private CommonOptions common = CommonOptions.withReport();

    private final InstantSource clock = SteadyClock.system();
    private final Sleeper sleeper;

    /** With the system clock. */
    public AuditCommand() {
        this(Sleeper.REAL);
    }

    /** @param sleeper waits between evictions */
    AuditCommand(Sleeper sleeper) {
        this.sleeper = sleeper;
    }

    @Override
    public Integer call() throws InterruptedException {
        Rate pace = check();
        html.check();
        if (metrics != null) {
            InputFiles.requireFolder("--metrics", metrics);
        }
        try (Progress progress = common.progress(clock);
                WorkerThreads threads = new WorkerThreads()) {
            Warnings warnings = new Warnings(progress);
            snapshotOptions.setTables(policyOptions, List.of());
            FeatureGates given = policyOptions.gates();
            SchedulerFactory checked = SchedulerFactory.ofUnknownRelease(
                    policyOptions, releaseOptions, pluginOptions, snapshotOptions::connect);
            boolean notes = checked.parse(choice.text()).readsPodAnnotations();
            ClusterSnapshot snapshot = snapshotOptions.read(
                    releaseOptions.unknown(given).keepingPodAnnotations(notes), progress, warnings);
            SchedulerSpec source =
                    checked.in(releaseOptions.in(snapshot, given), warnings).parse(choice.text());
            snapshotOptions.warnAboutMissing(snapshot, List.of(source), warnings);
            List<PodInfo> pods =
                    snapshot.running().stream().filter(selection::wants).toList();
            if (pods.isEmpty() && !snapshot.running().isEmpty()) {
                warnings.accept(selection.noneOf(snapshot.running(), "running"));
            }
            List<Finding> findings = new Audit(source, threshold, threads.workers())
                    .run(snapshot, pods, done -> progress.count("pods checked", done, pods.size()));
            EvictionPlan plan = evict
                    ? EvictionPlan.of(source, snapshot, findings, keptNamespaces, evictBetter, limits.limits())
                    : null;
            List<EvictionOutcome> outcomes = plan == null || dryRun ? null : evict(plan, pace, progress);
            progress.clear();
            AuditReport report = new AuditReport(
                    source.name(), source.names(), pods.size(), findings, plan, outcomes, warnings.all());
            writeMetrics(report);
            FeatureGates gates = releaseOptions.in(snapshot, given);
            html.write(clock, () -> AuditHtml.page(report));
            common.output()
                    .write(
                            () -> report.print(common.out()),
                            () -> report.json().put("release", gates.release().toString()),
                            () -> AuditMarkdown.of(report).toString());
            common.notes(snapshotOptions.notes());
            common.notes(releaseOptions.notes(snapshot, policyOptions.isStrictFor(List.of(choice.text()))));
            return report.violations() == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
        }
    }

    private void writeMetrics(AuditReport report) {
        if (metrics == null) {
            return;
        }
        try {
            new AuditMetrics(report).write(metrics);
        } catch (IOException e) {
            throw InputFiles.unwritable("--metrics", metrics, e);
        }
    }

    private Rate check() {
        String problem = null;
        if (evict && !dryRun && !snapshotOptions.isLive()) {
            problem = "--dry-run=false is for a running cluster (--live); without it, --evict only lists what it would"
                    + " evict";
        } else if (!evict && (!dryRun || evictBetter)) {
            problem = (dryRun ? "--evict-better" : "--dry-run=false") + " goes with --evict";
        } else if (!evict && limits.areGiven()) {
            problem = "--max-evictions and --priority-threshold go with --evict";
        } else if (!(threshold >= 0)) {
            problem = "--threshold: " + threshold + " is below 0";
        } else if (attempts < 1) {
            problem = "--attempts: " + attempts + " is not above 0";
        }
        if (problem != null) {
            throw new ParameterException(spec.commandLine(), problem);
        }
        try {
            return Rate.parse(rate);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--rate: " + e.getMessage(), e);
        }
    }

    private @Nullable List<EvictionOutcome> evict(EvictionPlan plan, Rate pace, Progress progress)
            throws InterruptedException {
        if (plan.evictions().isEmpty()) {
            return List.of();
        }
        try (KubeConnection connection = snapshotOptions.connect()) {
            PodWriter writer =
                    new PodWriter(connection, ApiDiscovery.load(connection).evictionVersion());
            return new Evictor(writer, pace, attempts, sleeper)
                    .run(
                            plan.evictions(),
                            outcome -> progress.update(outcome.eviction().pod().key() + ": "
                                    + outcome.kind().name().toLowerCase(Locale.ROOT)));
        } catch (ApiIoException e) {
            throw new ClusterFailure("cannot evict: " + e.getMessage(), e);
        }
    }

    /** Picocli mixin: the limits of evictions. */
    static final class LimitOptions {
        @Option(
                names = "--max-evictions",
                paramLabel = "N",
                converter = IntRange.NotNegative.class,
                description = "Maximum number of evictions (default: no limit).")
        private @Nullable Integer total;

        @Option(
                names = "--max-evictions-per-node",
                paramLabel = "N",
                converter = IntRange.NotNegative.class,
                description = "Maximum number of evictions per node (default: no limit).")
        private @Nullable Integer perNode;

        @Option(
                names = "--max-evictions-per-namespace",
                paramLabel = "N",
                converter = IntRange.NotNegative.class,
                description = "Maximum number of evictions per namespace (default: no limit).")
        private @Nullable Integer perNamespace;

        @Option(
                names = "--priority-threshold",
                paramLabel = "N",
                defaultValue = "2000000000",
                description = "Evict no pods with this priority or a higher one (default: ${DEFAULT-VALUE}, the value"
                        + " of system-cluster-critical).")
        private int priorityThreshold = Limits.NONE.priorityThreshold();

        /** The given options; without a limit if absent. */
        Limits limits() {
            return new Limits(orNone(perNode), orNone(perNamespace), orNone(total), priorityThreshold);
        }

        private static int orNone(@Nullable Integer limit) {
            return limit == null ? Integer.MAX_VALUE : limit;
        }

        /** Whether an option is given that applies only to evictions. */
        boolean areGiven() {
            return total != null
                    || perNode != null
                    || perNamespace != null
                    || priorityThreshold != Limits.NONE.priorityThreshold();
        }
    }
}
