package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Lists;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.options.ClusterTroubleException;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.threads.SteadyClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/**
 * Measures schedulers, each in a process of its own, on an API server.
 *
 * @param <R> what one run comes to
 */
abstract class BenchServerCommand<R> implements Callable<Integer> {
    private static final double MEGA = 1024 * 1024;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    /** What is measured of all contenders in turn, once. */
    abstract Map<String, R> round(ServerRun run, List<Contender> contenders, int number, int nodes)
            throws IOException, InterruptedException;

    abstract TextTable table();

    abstract Object[] cells(List<R> runs);

    abstract void json(List<R> runs, ObjectNode node);

    @Override
    public Integer call() throws InterruptedException {
        List<Contender> contenders = options.contenders();
        Map<String, List<R>> results = new LinkedHashMap<>();
        try (ServerOptions.Server server = options.server();
                ServerLoad load = new ServerLoad(server.connection());
                Progress progress = common.progress(SteadyClock.system())) {
            progress.note("server: " + server.told());
            load.nodes(options.nodes(), done -> progress.count("nodes", done, options.nodes()));
            load.bound(
                    options.pods(),
                    options.nodes(),
                    options.pad(),
                    options.schedulerName(),
                    done -> progress.count("pods on them", done, options.pods()));
            ServerRun run = new ServerRun(
                    server.connection(), load, server.kubeconfig(), options.schedulerName(), options.limit());
            for (int number = 0; number < options.runs(); number++) {
                progress.count("runs", number, options.runs());
                // There and back: what a server does at every second large list, such as collecting its garbage, meets
                // all of them.
                List<Contender> turn = number % 2 == 0 ? contenders : Lists.reverse(contenders);
                round(run, turn, number, options.nodes())
                        .forEach((name, result) -> results.computeIfAbsent(name, key -> new ArrayList<>())
                                .add(result));
            }
        } catch (IOException e) {
            throw new ClusterTroubleException(ApiIoException.describe(e), e);
        }
        common.output().write(() -> print(results), () -> json(results));
        return ExitCode.OK;
    }

    private void print(Map<String, List<R>> results) {
        TextTable table = table();
        results.values().forEach(runs -> table.row(cells(runs)));
        table.print(common.out());
    }

    private ArrayNode json(Map<String, List<R>> results) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        results.forEach((name, runs) -> {
            ObjectNode node = list.addObject()
                    .put("scheduler", name)
                    .put("nodes", options.nodes())
                    .put("pods", options.pods());
            json(runs, node);
        });
        return list;
    }

    /** For a cell; a dash where it is not known. */
    static String rounded(double value, int digits) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    /** Megabytes for a cell; a dash where they are not known. */
    static String mega(long bytes) {
        return bytes == 0 ? "-" : rounded(bytes / MEGA, 0);
    }

    /** A number, or null where it is not known. */
    static void put(ObjectNode node, String name, double value) {
        if (Double.isNaN(value)) {
            node.putNull(name);
        } else {
            node.put(name, value);
        }
    }
}
