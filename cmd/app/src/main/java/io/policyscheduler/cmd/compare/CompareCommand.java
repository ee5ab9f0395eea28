package io.policyscheduler.cmd.compare;

import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.WorkerThreads;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.PodSelection;
import io.policyscheduler.cmd.report.CompareHtml;
import io.policyscheduler.cmd.report.CompareJson;
import io.policyscheduler.cmd.report.CompareMarkdown;
import io.policyscheduler.cmd.report.CompareText;
import io.policyscheduler.cmd.report.CompareText.CompareConclusion;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.SnapshotOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.Comparison;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code compare}: shows every difference between several schedulers, with its cause. */
@Command(
        name = "compare",
        description = "Compares the decisions of several schedulers on the same snapshot.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler compare SCHEDULER SCHEDULER [SCHEDULER...]",
            "           (--cluster=FILE... | --live) [--replay-bound]",
            "           [--mode=steps|run] [OPTION...]"
        },
        footer = {
            "",
            "SCHEDULER is one of:",
            "  policy:FILE                a policy, run by the same plugins as in policy-scheduler run",
            "  configmap:NAMESPACE/NAME   a policy from a ConfigMap in the cluster",
            "  provider:NAME              DefaultProvider or ClusterAutoscalerProvider",
            "  modern                     the default profile of kube-scheduler " + Release.NEWEST_TEXT
                    + "; with --release,",
            "                             that of the given release; in run and shadow, that of the",
            "                             release of the cluster",
            "  config:FILE[#PROFILE]      a KubeSchedulerConfiguration; the default is its first profile",
            "  SCHEDULER@1.N              a scheduler as of release 1.N (for modern, 1.18 or later)",
            "  legacy:SCHEDULER           a policy or provider, run by a second implementation of 1.17 without",
            "                             plugins, to check the plugins",
            "  strict:SCHEDULER           a policy or provider with --strict-v1.17",
            "FILE alone is a policy or a KubeSchedulerConfiguration.",
            "",
            "The first SCHEDULER is the reference. Two schedulers agree on a pod if at least one node has the",
            "highest score with both schedulers, or if both find no node. To find the causes of a difference,",
            "the command schedules the pod again without some filters and scores. The causes are the filters and",
            "scores without which both schedulers agree.",
            "The exit code is 1 if there is a difference.",
            "",
            "-o json prints the document that docs/schemas/compare.schema.json describes. The document has",
            "details for the pods that --limit selects, and with --details for all pods. The first entry of",
            "\"summaries\" is the snapshot before any scheduler places a pod. In \"loads\", CPU is in millicores,",
            "memory in bytes, and the arrays have the order of the nodes."
        })
public final class CompareCommand implements Callable<Integer> {
    private static final double MILLIS_PER_SECOND = 1000;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SCHEDULER", arity = "2..*", description = "Schedulers to compare, the reference first.")
    private List<String> names = List.of();

    @Mixin
    private SnapshotOptions snapshotOptions = new SnapshotOptions();

    @Option(
            names = "--replay-bound",
            description = "Also schedule the running pods again, before the pending pods. Each running pod is first"
                    + " removed from its node.")
    private boolean replayBound;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "steps",
            description = "steps: for each pod, all schedulers start from the placements of the reference."
                    + " run: each scheduler starts from its own placements (default: ${DEFAULT-VALUE}).")
    private CompareReport.Mode mode = CompareReport.Mode.STEPS;

    @Option(
            names = "--details",
            description = "Print how the score formulas of the schedulers differ, and for each pod the causes in full"
                    + " sentences and the scores of the nodes.")
    private boolean details;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description =
                    "Print at most N of the pods on which the schedulers differ, but at least one pod for each cause. 0"
                            + " prints all these pods (default: ${DEFAULT-VALUE}).")
    private int limit = 100;

    @Mixin
    private PodSelection selection = new PodSelection();

    @Mixin
    private HtmlOption html = new HtmlOption();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private PluginOptions pluginOptions = new PluginOptions();

    @Mixin
    private CommonOptions common = CommonOptions.withReport();

    private final InstantSource clock;

    /** With the system clock. */
    public CompareCommand() {
        this(SteadyClock.system());
    }

    /** @param clock measures the duration */
    CompareCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        if (limit < 0) {
            throw new ParameterException(spec.commandLine(), "--limit: " + limit + " is negative; 0 shows all");
        }
        html.check();
        Instant start = clock.instant();
        CompareReport report;
        ClusterSnapshot snapshot;
        FeatureGates gates;
        boolean strict;
        List<String> warnings;
        try (Progress progress = common.progress(clock);
                WorkerThreads threads = new WorkerThreads()) {
            Warnings allWarnings = new Warnings(progress);
            warnings = allWarnings.all();
            snapshotOptions.setTables(policyOptions, List.of());
            FeatureGates given = policyOptions.gates();
            SchedulerFactory checked = SchedulerFactory.ofUnknownRelease(
                    policyOptions, releaseOptions, pluginOptions, snapshotOptions::connect);
            List<SchedulerSpec> asNewest = names.stream().map(checked::parse).toList();
            boolean notes = asNewest.stream().anyMatch(SchedulerSpec::readsPodAnnotations);
            snapshot = snapshotOptions.read(
                    releaseOptions.unknown(given).keepingPodAnnotations(notes), progress, allWarnings);
            gates = releaseOptions.in(snapshot, given);
            SchedulerFactory schedulers = checked.in(gates, allWarnings);
            strict = policyOptions.isStrictFor(names);
            List<SchedulerSpec> sources = names.stream().map(schedulers::parse).toList();
            snapshotOptions.warnAboutMissing(snapshot, sources, allWarnings);
            boolean replay = replayBound || onlyRunning(snapshot, allWarnings);
            Comparison comparison = new Comparison(
                    snapshot,
                    sources,
                    new Comparison.Settings(
                            mode, replay, details, html.isGiven() ? CompareHtml.PODS : limit, selection::wants),
                    threads.workers());
            report = comparison.run(
                    (done, all, differing) -> progress.count("pods compared, " + differing + " differ", done, all));
        }
        double seconds = Duration.between(start, clock.instant()).toMillis() / MILLIS_PER_SECOND;
        String release = gates.release().toString();
        html.write(
                clock,
                () -> new PageContent(
                        PageContent.View.COMPARE,
                        "compare: " + String.join(", ", names),
                        CompareConclusion.of(report),
                        CompareHtml.of(report, seconds, warnings)));
        common.output()
                .write(
                        () -> new CompareText(report, details, limit).print(common.out(), seconds),
                        () -> CompareJson.of(report, seconds, warnings).put("release", release),
                        () -> CompareMarkdown.of(CompareConclusion.of(report), report)
                                .toString());
        common.notes(snapshotOptions.notes());
        common.notes(releaseOptions.notes(snapshot, strict));
        return report.agrees() ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    /** In a cluster without pending pods, the running pods are compared. */
    private static boolean onlyRunning(ClusterSnapshot snapshot, Warnings warnings) {
        if (!snapshot.pending().isEmpty() || snapshot.running().isEmpty()) {
            return false;
        }
        int running = snapshot.running().size();
        warnings.accept("no pod is pending: "
                + (running == 1 ? "the running pod is" : "the " + running + " running pods are")
                + " scheduled again, as with --replay-bound");
        return true;
    }
}
