package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.DurationConverter;
import io.policyscheduler.cmd.options.IntRange;
import io.policyscheduler.cmd.report.TextTable;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench sync}: how long a scheduler takes until it works, and what it occupies then. */
@Command(
        name = "sync",
        description = "Measures the startup time and the memory of a scheduler on an API server.",
        sortOptions = false,
        footer = {
            "",
            "One pod is pending when the scheduler starts, in a process of its own. SYNCED is the time until",
            "/readyz succeeds, and FIRST BIND the time until the pod is bound, both in seconds from the",
            "start. CPU S is the CPU time at that moment. The memory columns show the resident set size",
            "(RSS): after --rest, after binding --pending more pods, and the maximum. With several runs, each",
            "figure is the median.",
            "",
            "-o json prints the document that docs/schemas/bench-sync.schema.json describes."
        },
        customSynopsis = {
            "policy-scheduler bench sync [--kubeconfig=FILE] [--nodes=N] [--pods=N]",
            "           [--pending=N] [--with=NAME=COMMAND] [OPTION...]"
        })
final class BenchSyncCommand extends BenchServerCommand<ServerRun.Synced> {
    @Option(
            names = "--rest",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10s",
            description = "Idle time before the memory is measured (default: ${DEFAULT-VALUE}).")
    private Duration rest = Duration.ofSeconds(10);

    @Option(
            names = "--pending",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            defaultValue = "1000",
            description = "Number of pods to bind after that (default: ${DEFAULT-VALUE}).")
    private int pending;

    @Override
    Map<String, ServerRun.Synced> round(ServerRun run, List<Contender> contenders, int number, int nodes)
            throws IOException, InterruptedException {
        Map<String, ServerRun.Synced> results = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            String prefix = "bench-sync-" + contender.name() + "-" + number + "-";
            results.put(contender.name(), run.sync(contender, prefix, rest, pending));
        }
        return results;
    }

    @Override
    TextTable table() {
        return new TextTable()
                .text("SCHEDULER")
                .number("SYNCED")
                .number("FIRST BIND")
                .number("CPU S")
                .number("REST MB")
                .number("LOAD MB")
                .number("PEAK MB");
    }

    @Override
    Object[] cells(List<ServerRun.Synced> runs) {
        ServerRun.Synced middle = ServerRun.middle(runs);
        return new Object[] {
            middle.name(),
            rounded(middle.synced(), 2),
            rounded(middle.firstBind(), 2),
            rounded(middle.cpu(), 1),
            mega(middle.restBytes()),
            mega(middle.loadBytes()),
            mega(middle.peakBytes())
        };
    }

    @Override
    void json(List<ServerRun.Synced> runs, ObjectNode node) {
        put(ServerRun.middle(runs), node);
        runs.forEach(run -> put(run, node.withArray("runs").addObject()));
    }

    private static void put(ServerRun.Synced run, ObjectNode node) {
        put(node, "syncedSeconds", run.synced());
        put(node, "firstBindSeconds", run.firstBind());
        put(node, "cpuSeconds", run.cpu());
        node.put("restBytes", run.restBytes()).put("loadBytes", run.loadBytes()).put("peakBytes", run.peakBytes());
    }
}
