package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Suppliers;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.extender.client.ExtenderClients;
import io.policyscheduler.cmd.extender.client.HttpExtender.HttpExtenders;
import io.policyscheduler.cmd.extender.client.RawObjects.FileRawObjects;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.TieBreakOption;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.PodSelection;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.simulate.SimulationReport.SimulationExtras;
import io.policyscheduler.cmd.simulate.SimulationReport.SimulationHtml;
import io.policyscheduler.cmd.simulate.SimulationReport.SimulationMarkdown;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PodNames;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.PolicyOptions.RuleExecutionOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.SchedulerFactory.SchedulerChoice;
import io.policyscheduler.cmd.sources.SnapshotOptions;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleExecution.Verified;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.whatif.Simulation;
import io.policyscheduler.framework.insight.whatif.Simulation.FitCount;
import io.policyscheduler.framework.insight.whatif.Simulation.PodOutcome;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization;
import io.policyscheduler.framework.insight.whatif.WhatIf;
import io.policyscheduler.framework.insight.whatif.WhatIf.DrainNode;
import io.policyscheduler.framework.insight.whatif.WhatIf.Parser;
import io.policyscheduler.framework.insight.whatif.WhatIf.RemoveNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code simulate}: schedules the pending pods of a dump, offline. */
@Command(
        name = "simulate",
        description = "Simulates scheduling of the pending pods in a snapshot.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler simulate (--policy=FILE | --scheduler=SCHEDULER)",
            "           (--cluster=FILE... | --live) [--pods=FILE...]",
            "           [--add-nodes=N:like=NODE] [--remove-node=NODE] [--drain=NODE]",
            "           [--scale=WORKLOAD=N] [--fit=POD | --podspec=FILE] [OPTION...]"
        },
        footer = {
            "",
            "simulate schedules all pending pods, whatever their spec.schedulerName is. --scheduler-name",
            "selects the pods of one scheduler name.",
            "",
            "A snapshot is a file that \"policy-scheduler dump\" writes, or the output of this kubectl command:",
            "  kubectl get nodes,pods,services,rc,rs,sts,pvc,pv,sc,csinodes,csidrivers,\\",
            "csistoragecapacities,volumeattachments,pdb,ns,resourceclaims,resourceslices,\\",
            "deviceclasses,limits,pc,runtimeclasses,resourceclaimtemplates \\",
            "-A -o json > dump.json",
            "Omit the kinds that the server does not serve, such as resourceclaims before 1.34. Objects get the",
            "defaults that an API server sets.",
            "",
            "Pods are scheduled by priority, then in the order of the files. A placed pod uses its node's",
            "resources before the next pod is scheduled. Preemption is not simulated. Extenders are called",
            "only with --call-extenders. The score \"-\" means that only one node is feasible. The exit code is",
            "1 if a pod is unschedulable.",
            "",
            "What-if changes apply in this order: add nodes, remove and drain nodes, scale workloads,",
            "schedule the pending pods, and then place copies of a pod until no node is feasible (--fit). New",
            "nodes copy labels, taints, and resources. Draining ignores disruption budgets and leaves pods",
            "without a controller, static pods, and DaemonSet pods in place. Scaling up copies the newest pod",
            "of the workload. Scaling down removes pending pods first, then the newest.",
            "",
            "-o json prints the document that docs/schemas/simulate.schema.json describes. Scores, weights,",
            "totals, and failures require --details. CPU is in millicores, memory in bytes. The utilization",
            "\"after\" excludes the copies of --fit."
        })
public final class SimulateCommand implements Callable<Integer> {
    /** The implementation of the algorithms. */
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
    private SchedulerChoice choice = new SchedulerChoice();

    @Mixin
    private SnapshotOptions snapshotOptions = new SnapshotOptions();

    @Option(
            names = "--pods",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Files with additional pods. A pod with spec.nodeName counts as running.")
    private List<Path> podFiles = List.of();

    @Mixin
    private PodSelection selection = new PodSelection();

    @Option(
            names = "--tie-break",
            paramLabel = "HOW",
            defaultValue = "round-robin",
            description = "How to select among nodes with the highest score: round-robin, random, or first"
                    + " (default: ${DEFAULT-VALUE}).")
    private TieBreakOption tieBreak = TieBreakOption.ROUND_ROBIN;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of --tie-break random (default: a new seed each time).")
    private @Nullable Long seed;

    @Option(
            names = "--percentage-of-nodes-to-score",
            paramLabel = "N",
            description = "Stop the search after this percentage of the nodes is feasible. 0 adapts to the cluster"
                    + " size, as in kube-scheduler (default: the value of the configuration, else 100).")
    private @Nullable Integer percentage;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "framework",
            description =
                    "framework: evaluate the algorithms as plugins. legacy: evaluate all nodes with an independent"
                            + " implementation of 1.17 without plugins (default: ${DEFAULT-VALUE}).")
    private Mode mode = Mode.FRAMEWORK;

    @Option(
            names = "--call-extenders",
            description = "Call the extenders of the policy or configuration. Requires --mode framework.")
    private boolean callExtenders;

    @Option(
            names = "--details",
            description = "Print the scores of each feasible node, and why each other node is rejected.")
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

    /** The release of the cluster, as JSON and as a note. */
    private record ReleaseNotes(FeatureGates gates, List<String> notes) {}

    /** With the system clock. */
    public SimulateCommand() {
        this(SteadyClock.system());
    }

    /** @param clock measures the duration */
    SimulateCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        if (percentage != null && (percentage < 0 || percentage > ProfileSchedulers.ALL_NODES)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--percentage-of-nodes-to-score: " + percentage + " is not in the valid range [0-100]");
        }
        if (callExtenders && mode == Mode.LEGACY) {
            throw new ParameterException(spec.commandLine(), "--call-extenders is for --mode framework");
        }
        if (callExtenders && snapshotOptions.isLive()) {
            throw new ParameterException(spec.commandLine(), "--call-extenders is for a dump");
        }
        html.check();
        List<WhatIf> changes = whatIf.changes();
        Instant start = clock.instant();
        RuleExecution execution = ruleOptions.execution();
        policyOptions.runRules(execution);
        snapshotOptions.setTables(policyOptions, podFiles);
        // Resolved again below for the release of the dump. The first time, only the annotations that its rules read
        // matter.
        EffectivePolicy checked = choice.policy(
                policyOptions.resolver(Algorithms.registry(), releaseOptions.unknown(policyOptions.gates())));
        if (checked == null && mode == Mode.LEGACY) {
            throw new ParameterException(spec.commandLine(), "--mode goes with --policy or --provider");
        }
        try (Progress progress = common.progress(clock);
                DumpExtenders extenders = callExtenders ? extenders() : null) {
            Warnings warnings = new Warnings(progress);
            FeatureGates gates = policyOptions.gates().keepingPodAnnotations(readsPodAnnotations(checked));
            ClusterSnapshot before = snapshotOptions.read(releaseOptions.unknown(gates), podFiles, progress, warnings);
            SchedulerSpec source = source(releaseOptions.in(before, gates), extenders, warnings);
            snapshotOptions.warnAboutMissing(before, List.of(source), warnings);
            WhatIf.Changed changed = WhatIfOptions.apply(before, changes);
            ReleaseNotes releaseNotes = new ReleaseNotes(releaseOptions.in(before, gates), notes(before));
            return simulate(
                    source, before, changed, releaseNotes, new VerifiedRules(execution), warnings, progress, start);
        }
    }

    /** @param policy null if the scheduler is given as a text */
    private boolean readsPodAnnotations(@Nullable EffectivePolicy policy) {
        return policy != null
                ? policy.rules().readsPodAnnotations()
                : SchedulerFactory.ofUnknownRelease(
                                policyOptions, releaseOptions, pluginOptions, snapshotOptions::connect)
                        .parse(choice.text())
                        .readsPodAnnotations();
    }

    private SchedulerSpec source(FeatureGates gates, @Nullable DumpExtenders extenders, Warnings warnings) {
        SchedulerFactory calling = new SchedulerFactory(
                        policyOptions, gates, pluginOptions, snapshotOptions::connect, warnings)
                .as(releaseOptions);
        SchedulerFactory schedulers = extenders == null ? calling : calling.calling(extenders);
        EffectivePolicy policy = choice.policy(policyOptions.resolver(Algorithms.registry(), gates));
        if (policy == null) {
            return schedulers.onPercentageOfNodes(percentage).parse(choice.text());
        }
        policy.warnings().forEach(warning -> warnings.accept(warning.line(policy.source())));
        return mode == Mode.LEGACY
                ? schedulers.ofFunctions(policy)
                : schedulers.ofPolicy(policy, percentage == null ? ProfileSchedulers.ALL_NODES : percentage);
    }

    private DumpExtenders extenders() {
        List<Path> files = new ArrayList<>(snapshotOptions.files());
        files.addAll(podFiles);
        files.forEach(InputFiles::requireFile);
        return new DumpExtenders(files);
    }

    private int simulate(
            SchedulerSpec source,
            ClusterSnapshot before,
            WhatIf.Changed changed,
            ReleaseNotes releaseNotes,
            VerifiedRules rules,
            Warnings warnings,
            Progress progress,
            Instant start) {
        ClusterSnapshot snapshot = changed.snapshot();
        ClusterState cluster = snapshot.state();
        List<PodInfo> pending =
                snapshot.pending().stream().filter(selection::wants).toList();
        if (pending.isEmpty() && !snapshot.pending().isEmpty()) {
            warnings.accept(selection.noneOf(snapshot.pending(), "pending"));
        } else if (pending.isEmpty() && changed.notes().isEmpty() && !whatIf.countsCopies()) {
            warnings.accept(
                    "no pod is pending, " + snapshot.running().size() + " are running: use --fit, --drain, or --scale,"
                            + " the command audit, or compare --replay-bound");
        }
        SnapshotScheduler decider = source.create(cluster, tieBreak());
        // Calls and counters are read once for each pod.
        boolean sheets = details
                || (html.isGiven()
                        && !callExtenders
                        && !rules.execution().checks()
                        && SimulationHtml.isCheap(
                                pending.size(), snapshot.nodes().size()));
        List<PodOutcome> outcomes = new Simulation(cluster, decider, source.volumes(), sheets)
                .run(pending, done -> progress.count("pods scheduled", done, pending.size()));
        Utilization after = Utilization.of(cluster);
        FitCount fit = null;
        WhatIfOptions.PodTemplate copied =
                whatIf.copied(snapshot, releaseNotes.gates(), () -> snapshotOptions.creationObjects(warnings));
        if (copied != null) {
            ClusterSnapshot whole = snapshot.with(new ClusterSnapshot(List.of(), copied.more(), List.of(), List.of()));
            fit = FitCount.place(copied.pod(), whole, cluster, decider, source.volumes(), whatIf.fitLimit());
        }
        SimulationExtras extras = new SimulationExtras(changed.notes(), Utilization.of(before.state()), after, fit);
        SimulationReport full = new SimulationReport(
                outcomes, warnings.all(), Duration.between(start, clock.instant()), extras, source.names());
        SimulationReport report = details ? full : full.withoutDetails();
        progress.clear();
        Supplier<ObjectNode> json = () -> {
            ObjectNode node =
                    report.json().put("release", releaseNotes.gates().release().toString());
            rules.addTo(node);
            return node;
        };
        html.write(clock, () -> SimulationHtml.page(full));
        common.output()
                .write(
                        () -> {
                            report.print(common.out());
                            rules.print(common.out());
                        },
                        json,
                        () -> SimulationMarkdown.of(report.answer(), report.namedJson())
                                .toString());
        common.notes(releaseNotes.notes());
        return report.unschedulable() == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private List<String> notes(ClusterSnapshot snapshot) {
        boolean strict = policyOptions.isStrictFor(List.of(choice.text()));
        return Stream.concat(snapshotOptions.notes().stream(), releaseOptions.notes(snapshot, strict).stream())
                .toList();
    }

    private TieBreak tieBreak() {
        return tieBreak.create(seed == null ? new SplittableRandom().nextLong() : seed);
    }

    /** The extenders of policies and configurations, called with the objects of the dump. */
    static final class DumpExtenders implements SchedulerFactory.ExtenderSource, AutoCloseable {
        private final ExecutorService calls = Executors.newCachedThreadPool(new ThreadFactoryBuilder()
                .setNameFormat("extender-%d")
                .setDaemon(true)
                .build());
        private final Supplier<FileRawObjects> objects;

        /** @param files the files of the dump, read again as complete objects when the first extender is created */
        DumpExtenders(List<Path> files) {
            List<Path> read = List.copyOf(files);
            objects = Suppliers.memoize(() -> {
                FileRawObjects all = new FileRawObjects();
                read.forEach(file -> ManifestFiles.read(file).forEach(all::add));
                return all;
            });
        }

        @Override
        public Extenders of(String file, List<ExtenderConfig> configs, boolean strictV117) {
            try {
                return HttpExtenders.of(configs, strictV117, objects.get(), ExtenderClients::client, calls, name -> {});
            } catch (IOException e) {
                throw new InputException(file + ": " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            calls.shutdownNow();
        }
    }

    /** Prints the result of rule verification; nothing if it is off. */
    record VerifiedRules(RuleExecution execution) {
        /** Prints one line. */
        public void print(PrintWriter out) {
            if (!execution.checks()) {
                return;
            }
            Map<String, Verified> rules = execution.verified();
            long evaluations =
                    rules.values().stream().mapToLong(Verified::evaluations).sum();
            long differences =
                    rules.values().stream().mapToLong(Verified::differences).sum();
            String which = rules.entrySet().stream()
                    .filter(rule -> rule.getValue().differences() > 0)
                    .map(rule -> rule.getKey() + " " + rule.getValue().differences())
                    .collect(Collectors.joining(", "));
            out.println("rules run by " + execution.executor() + ": " + evaluations + " evaluations verified, "
                    + differences + " differences" + (which.isEmpty() ? "" : " (" + which + ")"));
        }

        /** Adds {@code rules} to the JSON report. */
        public void addTo(ObjectNode json) {
            if (!execution.checks()) {
                return;
            }
            ObjectNode rules = json.putObject("rules");
            rules.put("executor", execution.executor().toString());
            ObjectNode all = rules.putObject("verified");
            execution
                    .verified()
                    .forEach((rule, verified) -> all.putObject(rule)
                            .put("evaluations", verified.evaluations())
                            .put("differences", verified.differences()));
        }
    }

    /** Picocli mixin: changes of the cluster before pods are scheduled. */
    static final class WhatIfOptions {
        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @Option(
                names = "--add-nodes",
                paramLabel = "N:like=NODE",
                description = "Add N nodes like NODE, with its DaemonSet pods. Repeatable, as are the next three"
                        + " options.")
        private List<String> added = List.of();

        @Option(names = "--remove-node", paramLabel = "NODE", description = "Remove a node and its pods.")
        private List<String> removed = List.of();

        @Option(
                names = "--drain",
                paramLabel = "NODE",
                description = "Cordon a node and reschedule its pods that have a controller.")
        private List<String> drained = List.of();

        @Option(
                names = "--scale",
                paramLabel = "WORKLOAD=N",
                description = "Set the number of replicas. WORKLOAD is [NAMESPACE/]deploy|rs|sts|rc/NAME.")
        private List<String> scaled = List.of();

        @Option(
                names = "--fit",
                paramLabel = "POD",
                description =
                        "After the pending pods, place copies of this pod until no node is feasible, and report the number"
                                + " of copies.")
        private @Nullable String fit;

        @Option(
                names = "--podspec",
                paramLabel = "FILE",
                description = "Like --fit, with the pod in FILE (JSON or YAML). The pod need not be in the snapshot.")
        private @Nullable Path podSpec;

        @Option(
                names = "--fit-limit",
                paramLabel = "N",
                defaultValue = "10000",
                description = "Maximum number of copies (default: ${DEFAULT-VALUE}).")
        private int fitLimit = 10_000;

        /** Whether copies of a pod are counted. */
        boolean countsCopies() {
            return fit != null || podSpec != null;
        }

        /**
         * A pod of which copies are counted.
         *
         * @param more additional objects that are not in the cluster: its own claims
         */
        record PodTemplate(PodInfo pod, List<ClusterObject> more) {}

        /**
         * The pod to count copies of; null for none.
         *
         * @param gates feature gates to read a file with
         * @param creation returns the objects of the cluster that affect new pods
         * @throws InputException if there is no such pod
         */
        @Nullable
        PodTemplate copied(ClusterSnapshot snapshot, FeatureGates gates, Supplier<Objects> creation) {
            if (fit != null) {
                return new PodTemplate(new PodNames(snapshot).pod(fit), List.of());
            }
            return podSpec == null ? null : ofFile(podSpec, gates, creation.get());
        }

        private static PodTemplate ofFile(Path file, FeatureGates gates, Objects creation) {
            List<String> problems = new ArrayList<>();
            Dump dump = new Dump(gates, creation, problems::add, objects -> {});
            InputFiles.requireFile(file);
            try {
                dump.read(file);
            } catch (IOException e) {
                throw InputFiles.unreadable(file, e);
            }
            ClusterSnapshot read = dump.snapshot();
            List<PodInfo> pods = Stream.concat(read.pending().stream(), read.running().stream())
                    .toList();
            // All pods of one workload are equal.
            if (pods.isEmpty() || dump.objects() != 1) {
                throw new InputException("--podspec " + file + ": expected one Pod or workload, found "
                        + dump.objects() + (dump.objects() == 1 ? " object with " : " objects with ") + pods.size()
                        + (pods.size() == 1 ? " pod" : " pods")
                        + (problems.isEmpty() ? "" : " (" + problems.get(0) + ")"));
            }
            return new PodTemplate(pods.get(0).withNodeName(""), read.objects());
        }

        int fitLimit() {
            return fitLimit;
        }

        /** The changes in order: nodes added, removed, and drained, workloads scaled. */
        List<WhatIf> changes() {
            if (fitLimit < 1) {
                throw new ParameterException(spec.commandLine(), "--fit-limit: " + fitLimit + " is not above 0");
            }
            if (fit != null && podSpec != null) {
                throw new ParameterException(spec.commandLine(), "use only one of --fit, --podspec");
            }
            List<WhatIf> changes = new ArrayList<>();
            added.forEach(text -> changes.add(parsed("--add-nodes", text, Parser::addNodes)));
            removed.forEach(node -> changes.add(new RemoveNode(node)));
            drained.forEach(node -> changes.add(new DrainNode(node)));
            scaled.forEach(text -> changes.add(parsed("--scale", text, Parser::scale)));
            return changes;
        }

        private WhatIf parsed(String option, String text, Function<String, WhatIf> parser) {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
            }
        }

        /**
         * Applies changes in order.
         *
         * @throws InputException if a change names an object that does not exist
         */
        static WhatIf.Changed apply(ClusterSnapshot snapshot, List<WhatIf> changes) {
            List<String> notes = new ArrayList<>();
            ClusterSnapshot changed = snapshot;
            for (WhatIf change : changes) {
                String problem = change.problem(changed);
                if (problem != null) {
                    throw new InputException(problem);
                }
                WhatIf.Changed step = change.apply(changed);
                changed = step.snapshot();
                notes.addAll(step.notes());
            }
            return new WhatIf.Changed(changed, notes);
        }
    }
}
