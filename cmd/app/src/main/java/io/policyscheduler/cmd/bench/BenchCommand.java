package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.bench.Bench.BackgroundLoad;
import io.policyscheduler.cmd.bench.Bench.Path;
import io.policyscheduler.cmd.bench.Bench.Result;
import io.policyscheduler.cmd.bench.BenchReport.CompanionKind;
import io.policyscheduler.cmd.bench.BenchReport.JvmOptions;
import io.policyscheduler.cmd.bench.BenchReport.Row;
import io.policyscheduler.cmd.bench.BenchServerCommand.Live;
import io.policyscheduler.cmd.bench.BenchServerCommand.Sync;
import io.policyscheduler.cmd.bench.MeasuredTables.LoggedRuns;
import io.policyscheduler.cmd.bench.MeasuredTables.OpenPage;
import io.policyscheduler.cmd.bench.ScaleBench.Report;
import io.policyscheduler.cmd.bench.ScaleBench.ScaleRow;
import io.policyscheduler.cmd.bench.ScaleBench.Size;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.LiveScheduler.JitCompilers;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.IntRange;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.snapshot.Workload;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench}: measures decisions per second. */
@Command(
        name = "bench",
        description = "Measures scheduling throughput on a generated cluster, without an API server.",
        sortOptions = false,
        subcommands = {Sync.class, Live.class},
        footer = {
            "",
            "bench uses the JVM options of run, and prints them. From 2,000 nodes on, both commands also enable",
            "the optimizing compiler of the JVM (C2). POLICY_SCHEDULER_JAVA_OPTS sets other options, such as",
            "-XX:TieredStopAtLevel=1 for only the fast compiler (C1).",
            "",
            "The first run of each row is a warm-up. The table shows the median of the other runs. PODS/S is",
            "the number of pods that are scheduled and assumed per second. CPU US is the CPU time of the process",
            "per pod in microseconds. KEPT PODS/S is with the result cache, as in run. PLAIN PODS/S is without the",
            "cache. GAIN is the median ratio of KEPT to PLAIN.",
            "",
            "By default, bench measures --provider on all workloads, and modern",
            "on some of them. In the workload preemption, all nodes are full, and each pod evicts two others.",
            "",
            "With --viewed, --logged, or --tables, bench repeats each run with an open web page, a decision log, or",
            "refreshed tables. The last column is the throughput of the repeated run divided by that of the run",
            "before it.",
            "",
            "With --scale, each row is a cluster size. The workload is basic unless --workload is set. COST",
            "is the time per pod divided by that of the first size. HEAP MB is the heap in use after a garbage",
            "collection. Large sizes need more heap, such as POLICY_SCHEDULER_JAVA_OPTS=-Xmx6g for --scale",
            "100000x1000000.",
            "",
            "-o json prints the document that docs/schemas/bench.schema.json describes, with --scale",
            "docs/schemas/bench-scale.schema.json."
        },
        customSynopsis = {
            "policy-scheduler bench [--workload=NAME[,NAME...]] [--scheduler=SCHEDULER]",
            "           [--nodes=N] [--pods=N] [--runs=N] [--scale[=NODES[xPODS]]]",
            "           [OPTION...] [COMMAND]"
        })
public final class BenchCommand implements Callable<Integer> {
    private static final String PROVIDER = "--provider";
    private static final String SCHEDULER = "--scheduler";
    private static final String MODERN = "modern";
    /** Plugins of current releases that are measured by default. */
    private static final List<Workload> OF_MODERN = List.of(Workload.BASIC, Workload.MIXED, Workload.PREEMPTION);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--workload",
            paramLabel = "NAME",
            split = ",",
            description = "Workloads to measure: ${COMPLETION-CANDIDATES} (default: all; with --scale: basic).")
    private List<Workload> workloads = List.of();

    @Option(
            names = "--nodes",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "5000",
            description = "Number of nodes (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            defaultValue = "5000",
            description = "Number of pods on the nodes at the start (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--decisions",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "1000",
            description = "Number of scheduling attempts in each run (default: ${DEFAULT-VALUE}).")
    private int decisions;

    @Option(
            names = "--runs",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "5",
            description = "Number of measured runs (default: ${DEFAULT-VALUE}).")
    private int runs;

    @Option(
            names = "--percentage-of-nodes-to-score",
            paramLabel = "N",
            converter = IntRange.Percent.class,
            defaultValue = "100",
            description = "Percentage of nodes to score. 0 adapts to the cluster size, as in v1.17 (default:"
                    + " ${DEFAULT-VALUE}).")
    private int percentage;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the generated cluster (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--decision-history",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            defaultValue = "0",
            description = "Number of decisions to keep, as in run (default: ${DEFAULT-VALUE}).")
    private int history;

    @Option(
            names = "--tables",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            defaultValue = "0",
            description = "Add N tables of measured values to the policy, and a rule for each that reads it. After"
                    + " each run, repeat it and refresh the tables every second. Set --decisions so that a run takes some"
                    + " seconds (default: ${DEFAULT-VALUE}).")
    private int tables;

    @Option(names = "--viewed", description = "After each run, repeat it with an open web page.")
    private boolean viewed;

    @Option(
            names = "--logged",
            description = "After each run, repeat it with a decision log, as run --decision-log writes it. Set"
                    + " --decision-history to 1000, so that both runs keep decisions and only the log differs.")
    private boolean logged;

    @Option(
            names = "--scale",
            paramLabel = "NODES[xPODS]",
            arity = "0..1",
            split = ",",
            fallbackValue = Size.ALL,
            converter = Size.Converter.class,
            description = "Measure clusters of these sizes, such as 5000 or 100000x1000000. Without xPODS, there are as"
                    + " many pods as nodes (default: " + Size.ALL + ").")
    private List<Size> sizes = List.of();

    @Option(
            names = PROVIDER,
            paramLabel = "NAME",
            defaultValue = "DefaultProvider",
            description = "Algorithm provider (default: ${DEFAULT-VALUE}).")
    private String provider = "DefaultProvider";

    @Option(
            names = SCHEDULER,
            paramLabel = "SCHEDULER",
            description = "Scheduler to measure instead of the provider: policy:FILE, provider:NAME,"
                    + " config:FILE[#PROFILE], or modern.")
    private @Nullable String scheduler;

    @Option(names = "--decider", hidden = true, paramLabel = "SCHEDULER", description = "Older name of --scheduler.")
    private void setDecider(String spec) {
        scheduler = spec;
    }

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        check();
        AlgorithmRegistry registry = Algorithms.registry();
        policyOptions.withoutMeasuredValues();
        FeatureGates gates = releaseOptions.unknown(policyOptions.gates());
        PolicyResolver resolver = policyOptions.resolver(registry, gates);
        try {
            if (tables > 0) {
                withTables(registry, resolver, gates);
            } else if (sizes.isEmpty()) {
                CompanionKind kind = viewed ? CompanionKind.PAGE : logged ? CompanionKind.LOG : CompanionKind.NOTHING;
                BackgroundLoad.Begin beside = viewed ? OpenPage::new : logged ? new LoggedRuns() : null;
                write(new BenchReport(measure(rows(registry, resolver, gates), beside), kind));
            } else {
                Report report = new Report(scale(rows(registry, resolver, gates)));
                common.output().write(() -> report.print(common.out()), report::json);
            }
        } catch (PolicyException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new ClusterFailure("nothing can be served here: " + e.getMessage(), e);
        }
        common.err().println(JvmOptions.note());
        releaseOptions.newer().forEach(note -> common.err().println("warning: " + note));
        common.err().flush();
        return ExitCode.OK;
    }

    private void check() {
        List<String> beside = new ArrayList<>();
        if (logged) {
            beside.add("--logged");
        }
        if (tables > 0) {
            beside.add("--tables");
        }
        if (viewed) {
            beside.add("--viewed");
        }
        if (beside.size() > 1) {
            throw usage("use only one of " + String.join(", ", beside));
        }
        if (!sizes.isEmpty() && !beside.isEmpty()) {
            throw usage("--scale cannot be combined with " + beside.get(0));
        }
        if (scheduler != null && (isGiven(PROVIDER) || tables > 0)) {
            throw usage("use only one of " + SCHEDULER + ", " + (tables > 0 ? "--tables" : PROVIDER));
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    private List<Row> rows(AlgorithmRegistry registry, PolicyResolver resolver, FeatureGates gates)
            throws PolicyException {
        List<Row> rows = new ArrayList<>();
        if (scheduler != null) {
            add(rows, scheduler, profiles(scheduler, gates), selectedWorkloads());
            return rows;
        }
        EffectivePolicy policy = resolver.resolveProvider(provider);
        ProviderAdapter adapter = new ProviderAdapter(registry, Algorithms.environment());
        add(rows, provider, cluster -> adapter.adapt(policy, cluster), selectedWorkloads());
        if (workloads.isEmpty() && sizes.isEmpty() && !viewed && !logged && !isGiven(PROVIDER)) {
            add(rows, MODERN, profiles(MODERN, gates), OF_MODERN);
        }
        return rows;
    }

    private Function<ClusterState, Profile> profiles(String text, FeatureGates gates) {
        return new SchedulerFactory(
                        policyOptions,
                        gates,
                        new PluginOptions(),
                        warning -> common.err().println("warning: " + warning))
                .profiles(text);
    }

    private List<Workload> selectedWorkloads() {
        if (!workloads.isEmpty()) {
            return workloads;
        }
        return sizes.isEmpty() ? List.of(Workload.values()) : List.of(Workload.BASIC);
    }

    private static void add(
            List<Row> rows, String name, Function<ClusterState, Profile> profiles, List<Workload> workloads) {
        workloads.forEach(workload -> rows.add(new Row(name, workload, profiles)));
    }

    private void withTables(AlgorithmRegistry registry, PolicyResolver resolver, FeatureGates gates)
            throws PolicyException, IOException {
        // Rejects an unknown provider with the list of known names.
        resolver.resolveProvider(provider);
        Providers.Provider known = Providers.find(provider, gates).orElseThrow();
        ProviderAdapter adapter = new ProviderAdapter(registry, Algorithms.environment());
        try (MeasuredTables measured = new MeasuredTables(tables, nodes, Clock.systemUTC())) {
            EffectivePolicy reading = resolver.resolve(measured.policy(known));
            List<Row> rows = new ArrayList<>();
            add(rows, provider, cluster -> adapter.adapt(reading, cluster), selectedWorkloads());
            write(new BenchReport(measure(rows, (cluster, kept) -> measured.refresh(reading)), CompanionKind.TABLES));
        }
    }

    private Bench bench(List<Path> paths) {
        JitCompilers.select(sizes.stream().mapToInt(Size::nodes).max().orElse(nodes));
        return new Bench(nodes, pods, decisions, runs, percentage, seed, history, paths);
    }

    /** A background load is measured only with the path that {@code run} uses. */
    private List<Result> measure(List<Row> rows, BackgroundLoad.@Nullable Begin beside) throws IOException {
        Bench bench = bench(beside == null ? Path.ALL : List.of(Path.usual()));
        List<Result> results = new ArrayList<>();
        try (Progress progress = common.progress(SteadyClock.system())) {
            for (Row row : rows) {
                results.add(bench.measure(
                        row,
                        beside,
                        run -> progress.count("runs of " + row.workload() + " by " + row.decider(), run, runs)));
            }
        }
        return results;
    }

    private List<ScaleRow> scale(List<Row> rows) throws IOException {
        ScaleBench bench = new ScaleBench(sizes, bench(Path.ALL));
        List<ScaleRow> results = new ArrayList<>();
        try (Progress progress = common.progress(SteadyClock.system())) {
            for (Row row : rows) {
                results.addAll(bench.measure(
                        row,
                        (size, run) -> progress.count(
                                "runs of " + row.workload() + " on " + size.nodes() + " nodes", run, runs)));
            }
        }
        return results;
    }

    private void write(BenchReport report) {
        common.output().write(() -> report.print(common.out()), report::json);
    }
}
