package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.PodSelection;
import io.policyscheduler.cmd.options.TieBreakOption;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.sources.DeciderChoice;
import io.policyscheduler.cmd.sources.Deciders;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.RuleExecutionOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.sources.WorldOptions;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.DetailedDecider;
import io.policyscheduler.framework.insight.compare.decider.ProfileDeciders;
import io.policyscheduler.framework.insight.whatif.FitCount;
import io.policyscheduler.framework.insight.whatif.PodOutcome;
import io.policyscheduler.framework.insight.whatif.Simulation;
import io.policyscheduler.framework.insight.whatif.Utilisation;
import io.policyscheduler.framework.insight.whatif.WhatIf;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code simulate}: decides the pending pods of a dump, offline. */
@Command(
        name = "simulate",
        description = "Decides the pending pods of a cluster, offline: where each one goes, why not, and what if the"
                + " cluster were another one.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler simulate (--policy=FILE | --provider=NAME | --profile=modern[:CONFIG] |",
            "                                 --decider=SPEC) (--cluster=FILE... | --live) [--pods=FILE...]",
            "                                 [--add-nodes=N:like=NODE] [--remove-node=NODE] [--drain=NODE]",
            "                                 [--scale=WORKLOAD=N] [--fit=POD | --podspec=FILE] [OPTION...]"
        },
        footer = {
            "",
            "A dump is what policy-scheduler dump writes, or what this prints without the kinds that a",
            "server before 1.34 does not know; JSON Lines, several YAML documents and gzip are read too:",
            "  kubectl get nodes,pods,services,rc,rs,sts,pvc,pv,sc,csinodes,csidrivers,csistoragecapacities,\\",
            "volumeattachments,pdb,ns,resourceclaims,\\",
            "resourceslices,deviceclasses,limits,pc,runtimeclasses,\\",
            "resourceclaimtemplates \\",
            "-A -o json > dump.json",
            "Manifests are decided as an API server would store them.",
            "Pending are the pods without a node that are neither finished nor being deleted. The highest",
            "priority comes first, then the order of appearance; a pod that fits takes its place before the",
            "next is decided. Preemption is not carried out; extenders are called if wished. A SCORE of - means",
            "that only one node fits, so that nothing is scored. The exit code is 1 when a pod has no place.",
            "",
            "What if: first nodes are added, then removed and drained, then workloads scaled, then all pending",
            "pods are decided, and last copies of a pod placed until none fits (--fit). New nodes have the",
            "labels, taints and resources of the other one under their own name. Drained pods keep their names;",
            "pods without a controller, static ones and those of DaemonSets stay. Scaling up copies the newest",
            "pod; a StatefulSet's copies get claims of their own without a volume; scaling down takes pending",
            "pods first, then the newest. Budgets are not looked at.",
            "",
            "-o json gives (scores, weights, totals and failures with --details only):",
            "  {\"pods\": [ {\"pod\": \"default/web-1\", \"node\": \"n1\", \"score\": 713, \"feasible\": 3,",
            "      \"message\": null, \"scores\": {\"NodeAffinity\": {\"n1\": 0}}, \"weights\": {\"NodeAffinity\": 1},",
            "      \"totals\": {\"n1\": 713}, \"failures\": {\"n2\": {\"reasons\": [\"Insufficient cpu\"],",
            "      \"unresolvable\": false, \"plugin\": \"NodeResourcesFit\"}}} ],",
            "   \"placed\": 1, \"unschedulable\": 0, \"seconds\": 0.4, \"release\": \"1.34\", \"warnings\": [],",
            "   \"changes\": [\"drained node n1: 3 pods to be placed again\"],",
            "   \"utilisation\": {\"before\": USE, \"after\": USE, \"nodes\": [{\"node\": \"n1\", \"before\": USE,",
            "      \"after\": USE}]}, \"fit\": {\"pod\": \"default/web-1\", \"count\": 7,",
            "      \"message\": \"0/3 nodes are available: ...\", \"nodes\": {\"n2\": 7}}}",
            "USE is {\"cpu\": {\"requested\": 500, \"allocatable\": 4000}, \"memory\": {...}, \"pods\": {...}}, in",
            "milli-CPU, bytes and a count; null where the node is not there. after does not count the copies of",
            "--fit, which is null when not asked for. With --verify-rules there is",
            "  \"rules\": {\"executor\": \"direct\", \"verified\": {\"MyRule\": {\"evaluations\": 12, \"differences\": 0}}}"
        })
public final class SimulateCommand implements Callable<Integer> {
    /** How the algorithms are run. */
    enum Mode {
        FRAMEWORK,
        LEGACY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec
    private CommandSpec spec;

    @ArgGroup(multiplicity = "1")
    private DeciderChoice choice = new DeciderChoice();

    @Mixin
    private WorldOptions worldOptions = new WorldOptions();

    @Option(
            names = "--pods",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Files with more pods; those with a node are running already.")
    private List<Path> podFiles = List.of();

    @Mixin
    private PodSelection selection = new PodSelection();

    @Option(
            names = "--tie-break",
            paramLabel = "HOW",
            defaultValue = "round-robin",
            description = "Among equally good nodes: round-robin, random or first (default: ${DEFAULT-VALUE}).")
    private TieBreakOption tieBreak = TieBreakOption.ROUND_ROBIN;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of --tie-break random; another each time by default.")
    private @Nullable Long seed;

    @Option(
            names = "--percentage-of-nodes-to-score",
            paramLabel = "N",
            description = "Stop looking after this share of feasible nodes; 0 adapts to the size of the cluster as"
                    + " kube-scheduler does (default: what a configuration says, else 100).")
    private @Nullable Integer percentage;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "framework",
            description = "framework runs the algorithms as plugins, legacy as functions on all nodes (default:"
                    + " ${DEFAULT-VALUE}).")
    private Mode mode = Mode.FRAMEWORK;

    @Option(
            names = "--call-extenders",
            description = "Call the policy's extenders about the dump's nodes; for --mode framework.")
    private boolean callExtenders;

    @Option(names = "--details", description = "Tell about every node: its scores, or the reasons against it.")
    private boolean details;

    @Mixin
    private WhatIfOptions whatIf = new WhatIfOptions();

    @Mixin
    private PluginOptions pluginOptions = new PluginOptions();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private RuleExecutionOptions ruleOptions = new RuleExecutionOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private HtmlOption html = new HtmlOption();

    @Mixin
    private CommonOptions common = CommonOptions.withReport();

    private final InstantSource clock;

    /** What is said of the cluster's release: to programs, and to people. */
    private record Told(FeatureGates gates, String text) {}

    /** With the clock of the machine. */
    public SimulateCommand() {
        this(SteadyClock.system());
    }

    /** @param clock measures how long it takes */
    SimulateCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        if (percentage != null && (percentage < 0 || percentage > ProfileDeciders.ALL_NODES)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--percentage-of-nodes-to-score: " + percentage + " is not in the valid range [0-100]");
        }
        if (callExtenders && mode == Mode.LEGACY) {
            throw new ParameterException(spec.commandLine(), "--call-extenders is for --mode framework");
        }
        if (callExtenders && worldOptions.isLive()) {
            throw new ParameterException(spec.commandLine(), "--call-extenders is for a dump");
        }
        html.check();
        List<WhatIf> changes = whatIf.changes();
        Instant start = clock.instant();
        RuleExecution execution = ruleOptions.execution();
        policyOptions.runRules(execution);
        worldOptions.giveTables(policyOptions, podFiles);
        EffectivePolicy checked = choice.policy(
                policyOptions.resolver(Algorithms.registry(), releaseOptions.unknown(policyOptions.gates())));
        if (checked == null && (callExtenders || mode == Mode.LEGACY)) {
            throw new ParameterException(
                    spec.commandLine(), "--mode and --call-extenders go with --policy or --provider");
        }
        try (Progress progress = common.progress(clock);
                DumpExtenders extenders = checked != null && callExtenders ? extenders(checked) : null) {
            Warnings warnings = new Warnings(progress);
            FeatureGates gates = policyOptions.gates().keepingPodAnnotations(readsPodAnnotations(checked));
            World before = worldOptions.read(releaseOptions.unknown(gates), podFiles, progress, warnings);
            DeciderSource source = source(
                    releaseOptions.in(before, gates),
                    extenders == null ? Extenders.NONE : extenders.extenders(),
                    warnings);
            worldOptions.tellMissing(before, List.of(source), warnings);
            WhatIf.Changed changed = WhatIfOptions.apply(before, changes);
            Told told = new Told(
                    releaseOptions.in(before, gates), releaseOptions.told(before) + worldOptions.skippedTold());
            return simulate(source, before, changed, told, new VerifiedRules(execution), warnings, progress, start);
        }
    }

    /** @param policy null where the choice is a text */
    private boolean readsPodAnnotations(@Nullable EffectivePolicy policy) {
        return policy != null
                ? policy.rules().readsPodAnnotations()
                : new Deciders(
                                policyOptions,
                                releaseOptions.unknown(policyOptions.gates()),
                                pluginOptions,
                                worldOptions::connect,
                                Warnings.UNHEARD)
                        .as(releaseOptions)
                        .parse(choice.text())
                        .readsPodAnnotations();
    }

    private DeciderSource source(FeatureGates gates, Extenders extenders, Warnings warnings) {
        Deciders deciders =
                new Deciders(policyOptions, gates, pluginOptions, worldOptions::connect, warnings).as(releaseOptions);
        EffectivePolicy policy = choice.policy(policyOptions.resolver(Algorithms.registry(), gates));
        if (policy == null) {
            return deciders.onPercentageOfNodes(percentage).parse(choice.text());
        }
        policy.warnings().forEach(warning -> warnings.accept(warning.line(policy.source())));
        if (!policy.extenders().isEmpty() && !callExtenders) {
            warnings.accept(policy.source() + ": the extenders are not called");
        }
        return mode == Mode.LEGACY
                ? deciders.ofFunctions(policy)
                : deciders.ofPolicy(policy, percentage == null ? ProfileDeciders.ALL_NODES : percentage, extenders);
    }

    private DumpExtenders extenders(EffectivePolicy policy) {
        List<Path> files = new ArrayList<>(worldOptions.files());
        files.addAll(podFiles);
        files.forEach(InputFiles::requireFile);
        return new DumpExtenders(policy, files);
    }

    private int simulate(
            DeciderSource source,
            World before,
            WhatIf.Changed changed,
            Told told,
            VerifiedRules rules,
            Warnings warnings,
            Progress progress,
            Instant start) {
        World world = changed.world();
        ClusterState cluster = world.state();
        List<PodInfo> pending =
                world.pending().stream().filter(selection::wants).toList();
        if (pending.isEmpty() && !world.pending().isEmpty()) {
            warnings.accept(selection.noneOf(world.pending(), "pending"));
        } else if (pending.isEmpty() && changed.notes().isEmpty() && !whatIf.countsCopies()) {
            warnings.accept(
                    "no pod is pending, " + world.running().size() + " run: --fit, --drain and --scale ask what if,"
                            + " audit looks at where they run, and compare decides them again");
        }
        DetailedDecider decider = source.create(cluster, tieBreak());
        // What is called or counted is asked once for each pod.
        boolean sheets = details
                || (html.isGiven()
                        && !callExtenders
                        && !rules.execution().checks()
                        && SimulationHtml.isCheap(pending.size(), world.nodes().size()));
        List<PodOutcome> outcomes = new Simulation(cluster, decider, source.volumes(), sheets)
                .run(pending, done -> progress.count("pods decided", done, pending.size()));
        Utilisation after = Utilisation.of(cluster);
        FitCount fit = null;
        WhatIfOptions.Copied copied = whatIf.copied(world, told.gates(), () -> worldOptions.creationObjects(warnings));
        if (copied != null) {
            World whole = world.with(new World(List.of(), copied.more(), List.of(), List.of()));
            fit = FitCount.place(copied.pod(), whole, cluster, decider, source.volumes(), whatIf.fitLimit());
        }
        SimulationExtras extras = new SimulationExtras(changed.notes(), Utilisation.of(before.state()), after, fit);
        SimulationReport full =
                new SimulationReport(outcomes, warnings.all(), Duration.between(start, clock.instant()), extras);
        SimulationReport report = details ? full : full.withoutDetails();
        progress.clear();
        Supplier<ObjectNode> json = () -> {
            ObjectNode node =
                    report.json().put("release", told.gates().release().toString());
            rules.addTo(node);
            return node;
        };
        html.write(clock, () -> SimulationHtml.page(full));
        common.output()
                .write(
                        () -> {
                            report.print(common.out());
                            rules.print(common.out());
                            common.out().println(told.text());
                        },
                        json,
                        () -> SimulationMarkdown.of(report.conclusion(), report.json())
                                .toString());
        return report.unschedulable() == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private TieBreak tieBreak() {
        return tieBreak.create(seed == null ? new SplittableRandom().nextLong() : seed);
    }
}
