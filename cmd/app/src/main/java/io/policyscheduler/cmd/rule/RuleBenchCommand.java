package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.snapshot.BenchCluster;
import io.policyscheduler.cmd.snapshot.Workload;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RulePriority;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rule bench}. */
@Command(
        name = "bench",
        description = "Measures the time to evaluate a rule on one node of a generated cluster.",
        sortOptions = false,
        footer = {
            "",
            "\"scheduler\" is the rule as a predicate or priority, as the scheduler calls it. \"direct\" and",
            "\"mvel\" are the evaluators alone. run uses direct. The figures are CPU time of the best round.",
            "The nodes have 32 cores, the zones zone-0 to zone-2, and on average PODS/NODES pods with the",
            "labels kind, app, and service in the namespace bench.",
            "",
            "-o json prints {\"type\": \"bool\", \"cost\": 107, \"nodes\": 500, \"pods\": 5000,",
            "  \"results\": [ {\"how\": \"direct\", \"nanosPerNode\": 61.2} ]}"
        },
        customSynopsis = "policy-scheduler rule bench -e EXPR [--param=NAME=VALUE] [OPTION...]")
final class RuleBenchCommand implements Callable<Integer> {
    private static final long ROUND_NANOS = 20_000_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ExpressionOptions expression = new ExpressionOptions();

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "500",
            description = "Number of nodes (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Number of pods on the nodes (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "20",
            description = "Number of measured rounds of 20 ms each (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the generated cluster (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        if (nodes < 1 || pods < 0 || rounds < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--nodes and --rounds must be at least 1, --pods at least 0");
        }
        RuleProgram program = expression.compileOrFail();
        List<RuleBench.Result> results;
        try (Progress progress = common.progress(SteadyClock.system())) {
            results = new RuleBench(nodes, pods, rounds, ROUND_NANOS, seed)
                    .measure(
                            program,
                            expression.params(),
                            RuleTables.none(),
                            round -> progress.count("rounds", round, rounds));
        }
        common.output().write(() -> print(results), () -> json(program, results));
        return ExitCode.OK;
    }

    private void print(List<RuleBench.Result> results) {
        TextTable table = new TextTable().text("HOW").number("NS/NODE");
        results.forEach(result -> table.row(result.how(), String.format(Locale.ROOT, "%.1f", result.nanosPerNode())));
        table.print(common.out());
    }

    private ObjectNode json(RuleProgram program, List<RuleBench.Result> results) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("type", program.type().label())
                .put("cost", program.cost())
                .put("nodes", nodes)
                .put("pods", pods);
        ArrayNode list = json.putArray("results");
        results.forEach(result -> list.addObject().put("how", result.how()).put("nanosPerNode", result.nanosPerNode()));
        return json;
    }

    /**
     * Measures the cost of a rule per node: within the scheduler, and in each executor alone.
     *
     * @param nodes nodes of the cluster
     * @param pods pods on them, of all workloads in turn
     * @param rounds measured rounds, the best of which counts
     * @param roundNanos minimum CPU time of a round
     * @param seed of the random cluster
     */
    record RuleBench(int nodes, int pods, int rounds, long roundNanos, long seed) {
        /**
         * The measurements of one executor.
         *
         * @param how {@code scheduler}, {@code direct} or {@code mvel}
         * @param nanosPerNode CPU time
         */
        public record Result(String how, double nanosPerNode) {}

        /** One evaluation; its result is used, so that the JIT compiler cannot remove it. */
        private interface Probe {
            double ask(NodeInfo node);
        }

        private record Contender(String how, Probe probe) {}

        /**
         * Measures a rule.
         *
         * @param params values of {@code params}
         * @param tables tables that it may read
         * @param progress receives the number of finished rounds
         */
        public List<Result> measure(
                RuleProgram program, Map<String, Object> params, RuleTables tables, IntConsumer progress) {
            BenchCluster benchCluster = new BenchCluster(Workload.MIXED, nodes, pods, 1, seed);
            PodInfo pod = benchCluster.pending.get(0);
            List<Contender> contenders = List.of(
                    new Contender("scheduler", asked(program, params, tables, pod, benchCluster.cluster)),
                    new Contender("direct", alone(program, pod, benchCluster.cluster, RuleProgram.Executor.DIRECT)),
                    new Contender("mvel", alone(program, pod, benchCluster.cluster, RuleProgram.Executor.MVEL)));
            double[] best = new double[contenders.size()];
            Arrays.fill(best, Double.MAX_VALUE);
            for (int round = 1; round <= rounds; round++) {
                for (int i = 0; i < best.length; i++) {
                    best[i] = Math.min(best[i], round(contenders.get(i).probe(), benchCluster.cluster.nodes()));
                }
                progress.accept(round);
            }
            List<Result> results = new ArrayList<>();
            for (int i = 0; i < best.length; i++) {
                results.add(new Result(contenders.get(i).how(), best[i]));
            }
            return results;
        }

        private static Probe asked(
                RuleProgram program, Map<String, Object> params, RuleTables tables, PodInfo pod, ClusterState cluster) {
            RuleDefinition definition = new RuleDefinition(
                    "bench",
                    "",
                    program.expression(),
                    null,
                    params,
                    null,
                    null,
                    null,
                    null,
                    new RuleDefinition.Place("", 0, 0));
            RuleCompiler compiler = RuleCompiler.reading(tables);
            RuleFailures failures = new RuleFailures(Clock.systemUTC());
            PodContext context = PodContext.of(pod, cluster);
            try {
                if (program.type() == RuleType.BOOL) {
                    PodFilter filter = RulePredicate.compile(definition, compiler, failures)
                            .start(context);
                    return node -> filter.check(node).fits() ? 1 : 0;
                }
                PodScorer scorer =
                        RulePriority.compile(definition, compiler, failures).start(context, cluster.nodes());
                return node -> scorer.score(node);
            } catch (RuleException e) {
                throw new IllegalArgumentException("not the program's parameters: " + params, e);
            }
        }

        private static Probe alone(
                RuleProgram program, PodInfo pod, ClusterState cluster, RuleProgram.Executor executor) {
            RuleProgram.Run run = program.start(pod, cluster, executor);
            boolean isBool = program.type() == RuleType.BOOL;
            return node -> {
                try {
                    return isBool ? (run.bool(node) ? 1 : 0) : run.number(node);
                } catch (RuleFailure e) {
                    return 0;
                }
            };
        }

        /** CPU time, so that other programs on the machine have little effect. */
        private double round(Probe probe, List<NodeInfo> all) {
            ThreadMXBean clock = ManagementFactory.getThreadMXBean();
            long asked = 0;
            double sum = 0;
            long start = clock.getCurrentThreadCpuTime();
            long now = start;
            do {
                for (int i = 0; i < all.size(); i++) {
                    sum += probe.ask(all.get(i));
                }
                asked += all.size();
                now = clock.getCurrentThreadCpuTime();
            } while (now - start < roundNanos);
            if (Double.isNaN(sum)) {
                throw new IllegalStateException("a rule gave no number");
            }
            return (now - start) / (double) asked;
        }
    }
}
