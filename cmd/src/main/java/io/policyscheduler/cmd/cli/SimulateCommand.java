package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.simulate.Dump;
import io.policyscheduler.cmd.simulate.Simulation;
import io.policyscheduler.cmd.simulate.SimulationReport;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.legacy.LegacyAssembly;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.compare.DetailedDecider;
import io.policyscheduler.framework.compare.LegacyDecider;
import io.policyscheduler.framework.compare.World;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.framework.scheduler.cycle.SchedulingCycle;
import io.policyscheduler.framework.scheduler.cycle.TieBreak;
import io.policyscheduler.predicates.VolumeBinder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
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
        description = "Decides the pending pods of a dump, offline: where each one goes, and why not.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler simulate (--policy=FILE | --provider=NAME) --cluster=FILE...",
            "                                 [--pods=FILE...] [OPTION...]"
        },
        footer = {
            "",
            "A dump is what this prints; JSON Lines, several YAML documents and gzip are read too:",
            "  kubectl get nodes,pods,services,rc,rs,sts,pvc,pv,sc,csinodes,pdb,ns -A -o json > dump.json",
            "Pending are the pods without a node that are neither finished nor being deleted. The highest",
            "priority comes first, then the order of appearance; a pod that fits takes its place before the",
            "next is decided. Preemption is not carried out; extenders are called if wished. A SCORE of - means",
            "that only one node fits, so that nothing is scored. The exit code is 1 when a pod has no place.",
            "",
            "-o json gives (scores, weights, totals and failures with --details only):",
            "  {\"pods\": [ {\"pod\": \"default/web-1\", \"node\": \"n1\", \"score\": 713, \"feasible\": 3,",
            "      \"message\": null, \"scores\": {\"NodeAffinity\": {\"n1\": 0}}, \"weights\": {\"NodeAffinity\": 1},",
            "      \"totals\": {\"n1\": 713}, \"failures\": {\"n2\": {\"reasons\": [\"Insufficient cpu\"],",
            "      \"unresolvable\": false, \"plugin\": \"NodeResourcesFit\"}}} ],",
            "   \"placed\": 1, \"unschedulable\": 0, \"seconds\": 0.4, \"warnings\": []}"
        })
final class SimulateCommand implements Callable<Integer> {
    private static final String ALL = "all";
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

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
    private PolicySource source = new PolicySource();

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            required = true,
            arity = "1..*",
            description = "Files with nodes, pods and the other objects of the cluster.")
    private List<Path> clusterFiles = List.of();

    @Option(
            names = "--pods",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Files with more pods; those with a node are running already.")
    private List<Path> podFiles = List.of();

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            defaultValue = ALL,
            description = "Decide only pods of this scheduler (default: ${DEFAULT-VALUE}).")
    private String schedulerName = ALL;

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
            defaultValue = "100",
            description =
                    "Stop looking after this share of feasible nodes; 0 adapts to the size of the cluster as v1.17"
                            + " does (default: ${DEFAULT-VALUE}).")
    private int percentage = 100;

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
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    private final InstantSource clock;

    SimulateCommand() {
        this(Clock.systemUTC());
    }

    /** @param clock measures how long it takes */
    SimulateCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        if (percentage < 0 || percentage > 100) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--percentage-of-nodes-to-score: " + percentage + " is not in the valid range [0-100]");
        }
        if (callExtenders && mode == Mode.LEGACY) {
            throw new ParameterException(spec.commandLine(), "--call-extenders is for --mode framework");
        }
        Instant start = clock.instant();
        AlgorithmRegistry registry = Algorithms.registry();
        EffectivePolicy policy = source.resolve(policyOptions.resolver(registry));
        clusterFiles.forEach(InputFiles::requireFile);
        podFiles.forEach(InputFiles::requireFile);
        List<String> warnings = new ArrayList<>();
        try (Progress progress = common.progress(clock)) {
            policy.warnings().forEach(warning -> warn(warning.line(policy.source()), warnings, progress));
            if (!policy.extenders().isEmpty() && !callExtenders) {
                warn(policy.source() + ": the extenders are not called", warnings, progress);
            }
            Dump dump = read(warnings, progress);
            return simulate(policy, registry, dump, warnings, progress, start);
        }
    }

    private int simulate(
            EffectivePolicy policy,
            AlgorithmRegistry registry,
            Dump dump,
            List<String> warnings,
            Progress progress,
            Instant start) {
        try (DumpExtenders called = callExtenders ? new DumpExtenders(policy, files()) : null) {
            Extenders extenders = called == null ? Extenders.NONE : called.extenders();
            World world = dump.world();
            ClusterState cluster = world.state();
            List<PodInfo> pending =
                    world.pending().stream().filter(this::isWanted).toList();
            Simulation simulation = new Simulation(
                    cluster,
                    decider(policy, registry, cluster, extenders),
                    new VolumeBinder(policy.gates(), policy.predicates().containsKey("CheckVolumeBinding")),
                    details);
            SimulationReport report = new SimulationReport(
                    simulation.run(pending, done -> progress.update(done + " of " + pending.size() + " pods decided")),
                    warnings,
                    Duration.between(start, clock.instant()));
            progress.clear();
            common.output().write(() -> report.print(common.out()), report::json);
            return report.unschedulable() == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
        }
    }

    private static void warn(String warning, List<String> warnings, Progress progress) {
        warnings.add(warning);
        progress.note(warning.contains(": warning ") ? warning : "warning: " + warning);
    }

    private Dump read(List<String> warnings, Progress progress) {
        Dump dump = new Dump(
                policyOptions.gates(),
                warning -> warn(warning, warnings, progress),
                objects -> progress.update("reading: " + objects + " objects"));
        for (Path file : files()) {
            try {
                dump.read(file);
            } catch (IOException e) {
                throw InputFiles.unreadable(file, e);
            }
        }
        dump.finish();
        return dump;
    }

    private List<Path> files() {
        List<Path> files = new ArrayList<>(clusterFiles);
        files.addAll(podFiles);
        return files;
    }

    private boolean isWanted(PodInfo pod) {
        String name = pod.spec().schedulerName();
        return schedulerName.equals(ALL) || schedulerName.equals(name.isEmpty() ? DEFAULT_SCHEDULER : name);
    }

    private DetailedDecider decider(
            EffectivePolicy policy, AlgorithmRegistry registry, ClusterState cluster, Extenders extenders) {
        if (mode == Mode.LEGACY) {
            return new LegacyDecider(
                    LegacyAssembly.assemble(policy, registry, Algorithms.environment()), cluster, tieBreak());
        }
        return DetailedDecider.of(new SchedulingCycle(
                new ProviderAdapter(registry, Algorithms.environment()).adapt(policy, cluster),
                cluster,
                percentage,
                tieBreak(),
                extenders));
    }

    private TieBreak tieBreak() {
        return tieBreak.create(seed == null ? new SplittableRandom().nextLong() : seed);
    }
}
