package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.IntRange;
import io.policyscheduler.cmd.report.TextTable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench live}: how fast a scheduler works off a backlog on an API server. */
@Command(
        name = "live",
        description = "Measures the throughput and the resource usage of a scheduler that binds a backlog of"
                + " pods on an API server.",
        sortOptions = false,
        footer = {
            "",
            "The pods exist before the scheduler starts. The scheduler runs in a process of its own. PODS/S",
            "counts from the start to the last bind, STEADY from the first bind to the last. P50 and P99 are",
            "the seconds from the start until a pod is bound. CPU S is the CPU time of the process and RSS MB",
            "its memory, both at the last bind. (limit) is the limit of the API server: this command binds",
            "the pods with 16 threads, with one event each, without a scheduler. With several runs, each",
            "figure is the median.",
            "",
            "-o json prints the document that docs/schemas/bench-live.schema.json describes."
        },
        customSynopsis = {
            "policy-scheduler bench live [--kubeconfig=FILE] [--nodes=N] [--pods=N]",
            "           [--pending=N] [--with=NAME=COMMAND] [OPTION...]"
        })
final class BenchLiveCommand extends BenchServerCommand<ServerRun.Lived> {
    @Option(
            names = "--pending",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "5000",
            description = "Number of pending pods (default: ${DEFAULT-VALUE}).")
    private int pending;

    @Override
    Map<String, ServerRun.Lived> round(ServerRun run, List<Contender> contenders, int number, int nodes)
            throws IOException, InterruptedException {
        Map<String, ServerRun.Lived> results = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            String prefix = "bench-live-" + contender.name() + "-" + number + "-";
            results.put(contender.name(), run.live(contender, prefix, pending));
        }
        ServerRun.Lived limit = run.limit("bench-limit-" + number + "-", pending, nodes);
        results.put(limit.name(), limit);
        return results;
    }

    @Override
    TextTable table() {
        return new TextTable()
                .text("SCHEDULER")
                .number("PODS/S")
                .number("STEADY")
                .number("P50")
                .number("P99")
                .number("CPU S")
                .number("RSS MB");
    }

    @Override
    Object[] cells(List<ServerRun.Lived> runs) {
        ServerRun.Lived middle = ServerRun.middleOf(runs);
        return new Object[] {
            middle.name(),
            rounded(middle.podsPerSecond(), 0),
            rounded(middle.steady(), 0),
            rounded(middle.median(), 2),
            rounded(middle.late(), 2),
            rounded(middle.cpu(), 1),
            mega(middle.residentBytes())
        };
    }

    @Override
    void json(List<ServerRun.Lived> runs, ObjectNode node) {
        node.put("pending", pending);
        put(ServerRun.middleOf(runs), node);
        runs.forEach(run -> put(run, node.withArray("runs").addObject()));
    }

    private static void put(ServerRun.Lived run, ObjectNode node) {
        put(node, "podsPerSecond", run.podsPerSecond());
        put(node, "steadyPodsPerSecond", run.steady());
        put(node, "p50Seconds", run.median());
        put(node, "p99Seconds", run.late());
        put(node, "cpuSeconds", run.cpu());
        node.put("residentBytes", run.residentBytes());
    }
}
