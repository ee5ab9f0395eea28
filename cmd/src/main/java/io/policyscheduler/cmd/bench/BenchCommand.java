package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.ClusterTroubleException;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.IntRange;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.cmd.workload.Workload;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench}: pods decided a second. */
@Command(
        name = "bench",
        description =
                "Measures how many pods a second are decided and assumed, on a generated cluster without any API.",
        sortOptions = false,
        footer = {
            "",
            "One run a workload is thrown away, then the median of the others is shown. -o json gives",
            "[ {\"workload\": \"basic\", \"podsPerSecond\": 812.4, \"runs\": [...], \"placed\": 1000} ]. With --viewed or",
            "--tables the last column is the median of what a run with the page open, or with tables that are refreshed, decides in",
            "comparison with the one before it; -o json adds viewedRatio, viewedRuns and frames, or refreshedRatio, refreshedRuns and",
            "refreshes."
        })
public final class BenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--workload",
            paramLabel = "NAME",
            split = ",",
            description = "${COMPLETION-CANDIDATES}; all when not given.")
    private List<Workload> workloads = List.of(Workload.values());

    @Option(
            names = "--nodes",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "5000",
            description = "Nodes (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            defaultValue = "5000",
            description = "Pods on them at the start (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--decisions",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "1000",
            description = "Pods decided in each run (default: ${DEFAULT-VALUE}).")
    private int decisions;

    @Option(
            names = "--runs",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "5",
            description = "Measured runs (default: ${DEFAULT-VALUE}).")
    private int runs;

    @Option(
            names = "--percentage-of-nodes-to-score",
            paramLabel = "N",
            converter = IntRange.Percent.class,
            defaultValue = "100",
            description = "100 looks at all nodes, 0 adapts as v1.17 does (default: ${DEFAULT-VALUE}).")
    private int percentage;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the cluster (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--decision-history",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            defaultValue = "0",
            description = "Decisions to remember, as run does (default: ${DEFAULT-VALUE}).")
    private int history;

    @Option(
            names = "--tables",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            defaultValue = "0",
            description = {
                "Tables of measured values, one a node, each read by a rule beside what the provider has. Let each run be followed by",
                "one in which they are refreshed every second, and tell the ratio; take enough decisions for some seconds (default:",
                "${DEFAULT-VALUE})."
            })
    private int tables;

    @Option(
            names = "--viewed",
            description =
                    "Let each run be followed by one in which somebody has the live page open, and tell the ratio.")
    private boolean viewed;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            defaultValue = "DefaultProvider",
            description = "Algorithm provider (default: ${DEFAULT-VALUE}).")
    private String provider = "DefaultProvider";

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        if (viewed && tables > 0) {
            throw new ParameterException(spec.commandLine(), "give only one of --tables, --viewed");
        }
        AlgorithmRegistry registry = Algorithms.registry();
        policyOptions.withoutMeasuredValues();
        FeatureGates gates = releaseOptions.unknown(policyOptions.gates());
        PolicyResolver resolver = policyOptions.resolver(registry, gates);
        ProviderAdapter adapter = new ProviderAdapter(registry, Algorithms.environment());
        List<Bench.Result> results;
        try {
            EffectivePolicy policy = resolver.resolveProvider(provider);
            if (tables > 0) {
                Providers.Provider known = Providers.find(provider, gates).orElseThrow();
                try (MeasuredTables measured = new MeasuredTables(tables, nodes, Clock.systemUTC())) {
                    EffectivePolicy reading = resolver.resolve(measured.policy(known));
                    results = measure(adapter, reading, (world, kept) -> measured.refresh(reading));
                }
            } else {
                results = measure(adapter, policy, viewed ? BenchPage::new : null);
            }
        } catch (PolicyException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new ClusterTroubleException("nothing can be served here: " + e.getMessage(), e);
        }
        common.output().write(() -> print(results), () -> json(results));
        return ExitCode.OK;
    }

    private List<Bench.Result> measure(ProviderAdapter adapter, EffectivePolicy policy, Beside.@Nullable Begin beside)
            throws IOException {
        Bench bench = new Bench(nodes, pods, decisions, runs, percentage, seed, history);
        List<Bench.Result> results = new ArrayList<>();
        try (Progress progress = common.progress(SteadyClock.system())) {
            for (Workload workload : workloads) {
                results.add(bench.measure(
                        workload,
                        cluster -> adapter.adapt(policy, cluster),
                        beside,
                        run -> progress.count("runs of " + workload, run, runs)));
            }
        }
        return results;
    }

    private void print(List<Bench.Result> results) {
        TextTable table = new TextTable()
                .text("WORKLOAD")
                .number("PODS/S")
                .number("MIN")
                .number("MAX")
                .number("PLACED");
        if (tables > 0) {
            table.number("REFRESHES").number("REFRESHED");
        } else if (viewed) {
            table.number("FRAMES").number("VIEWED");
        }
        for (Bench.Result result : results) {
            List<Object> row = new ArrayList<>(List.of(
                    result.workload(),
                    round(result.median()),
                    round(Collections.min(result.podsPerSecond())),
                    round(Collections.max(result.podsPerSecond())),
                    result.placed()));
            if (!result.beside().isEmpty()) {
                row.add(result.events());
                row.add(String.format(Locale.ROOT, "%.3f", result.ratio()));
            }
            table.row(row.toArray());
        }
        table.print(common.out());
    }

    private static String round(double rate) {
        return String.format(Locale.ROOT, "%.0f", rate);
    }

    private ArrayNode json(List<Bench.Result> results) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (Bench.Result result : results) {
            ObjectNode node = list.addObject()
                    .put("workload", result.workload().toString())
                    .put("title", result.workload().title())
                    .put("podsPerSecond", result.median())
                    .put("placed", result.placed());
            ArrayNode all = node.putArray("runs");
            result.podsPerSecond().forEach(all::add);
            if (!result.beside().isEmpty()) {
                String word = viewed ? "viewed" : "refreshed";
                node.put(word + "Ratio", result.ratio()).put(viewed ? "frames" : "refreshes", result.events());
                result.beside().forEach(node.putArray(word + "Runs")::add);
            }
        }
        return list;
    }
}
