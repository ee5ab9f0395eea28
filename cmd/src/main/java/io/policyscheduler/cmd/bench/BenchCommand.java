package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench}: pods decided a second. */
@Command(
        name = "bench",
        description =
                "Measures how many pods a second are decided and assumed, on a generated cluster without any API.",
        sortOptions = false,
        footer = {
            "",
            "One run a workload is thrown away, then the median of the others is shown. -o json gives",
            "[ {\"workload\": \"basic\", \"podsPerSecond\": 812.4, \"runs\": [...], \"placed\": 1000} ].",
            "",
            "With --tables, STILL are the pods a second with tables that stay as they are."
        })
public final class BenchCommand implements Callable<Integer> {
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
                "Tables of measured values, one a node, each read by a rule beside what the provider has. Each run is made twice, with",
                "tables that stay as they are and with tables that are refreshed every second; take enough decisions for some seconds",
                "(default: ${DEFAULT-VALUE})."
            })
    private int tables;

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
        AlgorithmRegistry registry = Algorithms.registry();
        policyOptions.withoutMeasuredValues();
        FeatureGates gates = releaseOptions.unknown(policyOptions.gates());
        PolicyResolver resolver = policyOptions.resolver(registry, gates);
        Bench bench = new Bench(nodes, pods, decisions, runs, percentage, seed, history);
        ProviderAdapter adapter = new ProviderAdapter(registry, Algorithms.environment());
        List<Bench.Result> results = new ArrayList<>();
        try (Progress progress = common.progress(SteadyClock.system())) {
            EffectivePolicy policy = resolver.resolveProvider(provider);
            if (tables > 0) {
                Providers.Provider known = Providers.find(provider, gates).orElseThrow();
                withTables(bench, known, resolver, adapter, results, progress);
            } else {
                for (Workload workload : workloads) {
                    results.add(bench.measure(
                            workload, cluster -> adapter.adapt(policy, cluster), run -> tell(progress, workload, run)));
                }
            }
        } catch (PolicyException | IOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
        common.output().write(() -> print(results), () -> json(results));
        return ExitCode.OK;
    }

    private void withTables(
            Bench bench,
            Providers.Provider base,
            PolicyResolver resolver,
            ProviderAdapter adapter,
            List<Bench.Result> results,
            Progress progress)
            throws PolicyException, IOException {
        try (MeasuredTables measured = new MeasuredTables(tables, nodes, Clock.systemUTC())) {
            EffectivePolicy policy = resolver.resolve(measured.policy(base));
            for (Workload workload : workloads) {
                results.add(bench.measure(
                        workload,
                        cluster -> adapter.adapt(policy, cluster),
                        () -> measured.refresh(policy),
                        run -> tell(progress, workload, run)));
            }
        }
    }

    private void tell(Progress progress, Workload workload, int run) {
        progress.update(workload + ": run " + run + " of " + runs);
    }

    private void print(List<Bench.Result> results) {
        TextTable table = new TextTable()
                .text("WORKLOAD")
                .number("PODS/S")
                .number("MIN")
                .number("MAX")
                .number("PLACED");
        if (tables > 0) {
            table.number("STILL").number("RATIO").number("REFRESHES");
        }
        for (Bench.Result result : results) {
            List<Object> row = new ArrayList<>(List.of(
                    result.workload(),
                    round(result.median()),
                    round(result.podsPerSecond().stream()
                            .mapToDouble(Double::doubleValue)
                            .min()
                            .orElse(0)),
                    round(result.podsPerSecond().stream()
                            .mapToDouble(Double::doubleValue)
                            .max()
                            .orElse(0)),
                    result.placed()));
            if (tables > 0) {
                row.add(round(result.stillMedian()));
                row.add(String.format(Locale.ROOT, "%.3f", result.median() / result.stillMedian()));
                row.add(result.refreshes());
            }
            table.row(row.toArray());
        }
        table.print(common.out());
    }

    private static String round(double rate) {
        return String.format(Locale.ROOT, "%.0f", rate);
    }

    private static ArrayNode json(List<Bench.Result> results) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (Bench.Result result : results) {
            ObjectNode node = list.addObject()
                    .put("workload", result.workload().toString())
                    .put("title", result.workload().title())
                    .put("podsPerSecond", result.median())
                    .put("placed", result.placed());
            ArrayNode all = node.putArray("runs");
            result.podsPerSecond().forEach(all::add);
            if (!result.still().isEmpty()) {
                node.put("stillPodsPerSecond", result.stillMedian());
                ArrayNode still = node.putArray("stillRuns");
                result.still().forEach(still::add);
                node.put("refreshes", result.refreshes());
            }
        }
        return list;
    }
}
