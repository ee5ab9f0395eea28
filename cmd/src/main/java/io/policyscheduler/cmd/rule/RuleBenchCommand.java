package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.data.RuleTables;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
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
}
