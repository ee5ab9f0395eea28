package io.policyscheduler.cmd.compare;

import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.PodSelection;
import io.policyscheduler.cmd.report.CompareConclusion;
import io.policyscheduler.cmd.report.CompareJson;
import io.policyscheduler.cmd.report.CompareText;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.html.CompareHtml;
import io.policyscheduler.cmd.report.html.PageContent;
import io.policyscheduler.cmd.report.markdown.CompareMarkdown;
import io.policyscheduler.cmd.sources.Deciders;
import io.policyscheduler.cmd.sources.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.sources.WorldOptions;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.cmd.threads.WorkerThreads;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.Comparison;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
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

/** {@code compare}: shows every difference between ways of deciding, with its cause. */
@Command(
        name = "compare",
        description = "Shows which pods would go elsewhere after a switch, and why: decides the pods of one cluster in"
                + " several ways.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler compare DECIDER DECIDER [DECIDER...] (--cluster=FILE... | --live)",
            "                                [--replay-bound] [--mode=steps|run] [OPTION...]"
        },
        footer = {
            "",
            "A DECIDER is one of:",
            "  policy:FILE                a policy run as plugins, as the command run does (also framework:FILE)",
            "  configmap:NAMESPACE/NAME   the same from a ConfigMap of the cluster",
            "  provider:NAME              DefaultProvider or ClusterAutoscalerProvider of v1.17",
            "  legacy:...                 one of these three, its predicates and priorities run as functions on all",
            "                             nodes; legacy:FILE is legacy:policy:FILE",
            "  strict:...                 the same exactly as v1.17, also where it ignored what the file says",
            "  modern                     the default profile of kube-scheduler 1.34",
            "  config:FILE[#PROFILE]      a profile of a KubeSchedulerConfiguration, the first unless named (also",
            "                             modern:FILE)",
            "The first one is the reference; each other one is compared with it. Two agree about a pod when a",
            "node is best for both, whichever of several best nodes chance would take. A cause is what both",
            "agree without; this has been tried for each pod. The exit code is 1 when something differs.",
            "",
            "-o json gives (details for pods told one by one: see --limit and --details):",
            "  {\"mode\", \"replayBound\", \"skipped\", \"agree\", \"seconds\", \"release\", \"warnings\",",
            "   \"deciders\": [{\"name\", \"kind\", \"filters\": [], \"scores\": {NAME: WEIGHT}}],",
            "   \"comparisons\": [{\"reference\", \"decider\", \"pods\", \"agreementRate\", \"withoutCause\",",
            "      \"counts\": {\"same\", \"tie\", \"different\", \"only-reference\", \"only-other\", \"neither\",",
            "      \"error\"}, \"noLongerFit\": [POD], \"otherReasons\": [POD],",
            "      \"causes\": [{\"cause\", \"pods\", \"examples\", \"text\", \"note\"}]}],",
            "   \"pods\": [{\"pod\", \"ranOn\", \"agree\",",
            "      \"results\": [{\"decider\", \"node\", \"best\", \"bestNodes\", \"feasible\", \"message\", \"details\":",
            "         {\"algorithms\", \"weights\", \"nodes\": [{\"node\", \"total\", \"scores\", \"weighted\"}],",
            "          \"rejected\": [{\"algorithm\", \"reason\", \"nodes\", \"examples\"}]}}],",
            "      \"differences\": [{\"decider\", \"agreement\", \"otherReasons\", \"cause\", \"text\", \"agreeOn\",",
            "         \"causes\": [{\"kind\", \"cause\", \"text\", \"note\", \"node\", \"reasons\",",
            "         \"leaveOutOfReference\": {\"filters\", \"scores\"}, \"leaveOutOfDecider\",",
            "         \"scores\": [{\"ofReference\", \"algorithm\", \"weight\",",
            "         \"onReferenceNode\", \"onOtherNode\"}], \"otherWeight\"}]}]}],",
            "   \"summaries\": [{\"name\", \"placed\", \"unplaced\", \"nodes\": {\"cpu\": {\"mean\", \"deviation\",",
            "      \"min\", \"max\"}, \"memory\", \"pods\"}, \"zones\", \"zoneLoads\", \"emptied\"}],",
            "   \"loads\": {\"nodes\": [NAME], \"zones\", \"allocatable\": {\"cpu\": [], \"memory\": [], \"pods\": []},",
            "      \"before\", \"after\": [{\"decider\", \"cpu\", \"memory\", \"pods\"}]}}",
            "The first of the summaries is the cluster before. CPU of loads is in thousandths of a core, memory",
            "in bytes; shares of allocatable run from 0 to 1. The arrays of loads have the order of its nodes,",
            "those of details the order of its algorithms. otherReasons: neither finds a node, for reasons",
            "that are not the same."
        })
public final class CompareCommand implements Callable<Integer> {
    private static final double MILLIS_PER_SECOND = 1000;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DECIDER", arity = "2..*", description = "Ways of deciding, the reference first.")
    private List<String> names = List.of();

    @Mixin
    private WorldOptions worldOptions = new WorldOptions();

    @Option(
            names = "--replay-bound",
            description = "Decide running pods again too, before the pending ones: each as if it had just been taken"
                    + " away from its node.")
    private boolean replayBound;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "steps",
            description =
                    "steps: all see the same state, and each pod goes where the reference puts it (running pods stay)."
                            + " run: each one goes on with its own placements (default: ${DEFAULT-VALUE}).")
    private CompareReport.Mode mode = CompareReport.Mode.STEPS;

    @Option(names = "--details", description = "Tell about every pod what each decider thinks of the nodes.")
    private boolean details;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "Tell at most so many differing pods one by one, and the first one of each cause; 0 tells all"
                    + " (default: ${DEFAULT-VALUE}).")
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

    /** With the clock of the machine. */
    public CompareCommand() {
        this(SteadyClock.system());
    }

    /** @param clock measures how long it takes */
    CompareCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        if (limit < 0) {
            throw new ParameterException(spec.commandLine(), "--limit: " + limit + " is negative; 0 tells all");
        }
        html.check();
        Instant start = clock.instant();
        CompareReport report;
        World world;
        FeatureGates gates;
        List<String> warnings;
        try (Progress progress = common.progress(clock);
                WorkerThreads threads = new WorkerThreads()) {
            Warnings told = new Warnings(progress);
            warnings = told.all();
            worldOptions.giveTables(policyOptions, List.of());
            FeatureGates given = policyOptions.gates();
            Deciders checked = new Deciders(
                            policyOptions,
                            releaseOptions.unknown(given),
                            pluginOptions,
                            worldOptions::connect,
                            Warnings.UNHEARD)
                    .as(releaseOptions);
            List<DeciderSource> asNewest = names.stream().map(checked::parse).toList();
            boolean notes = asNewest.stream().anyMatch(DeciderSource::readsPodAnnotations);
            world = worldOptions.read(releaseOptions.unknown(given).keepingPodAnnotations(notes), progress, told);
            gates = releaseOptions.in(world, given);
            Deciders deciders = checked.in(gates, told);
            List<DeciderSource> sources = names.stream().map(deciders::parse).toList();
            worldOptions.tellMissing(world, sources, told);
            boolean replay = replayBound || onlyRunning(world, told);
            Comparison comparison = new Comparison(
                    world,
                    sources,
                    new Comparison.Settings(
                            mode, replay, details, html.isGiven() ? CompareHtml.PODS : limit, selection::wants),
                    threads.workers());
            report = comparison.run(
                    (done, all, differing) -> progress.count("pods compared, " + differing + " differ", done, all));
        }
        double seconds = Duration.between(start, clock.instant()).toMillis() / MILLIS_PER_SECOND;
        String release = gates.release().toString();
        String releaseTold = releaseOptions.told(world) + worldOptions.skippedTold();
        html.write(
                clock,
                () -> new PageContent(
                        PageContent.View.COMPARE,
                        "compare: " + String.join(", ", names),
                        CompareConclusion.of(report),
                        CompareHtml.of(CompareJson.of(report, seconds, warnings))));
        common.output()
                .write(
                        () -> {
                            new CompareText(report, details, limit).print(common.out(), seconds);
                            common.out().println(releaseTold);
                        },
                        () -> CompareJson.of(report, seconds, warnings).put("release", release),
                        () -> CompareMarkdown.of(
                                        CompareConclusion.of(report), CompareJson.of(report, seconds, warnings))
                                .toString());
        return report.agrees() ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    /** Whoever compares a healthy cluster, in which no pod waits, asks about those that run. */
    private static boolean onlyRunning(World world, Warnings warnings) {
        if (!world.pending().isEmpty() || world.running().isEmpty()) {
            return false;
        }
        int running = world.running().size();
        warnings.accept("no pod is pending: "
                + (running == 1 ? "the pod that runs is" : "the " + running + " pods that run are")
                + " decided again, as with --replay-bound");
        return true;
    }
}
