package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.bench.Bench.BackgroundLoad;
import io.policyscheduler.cmd.bench.Bench.Path;
import io.policyscheduler.cmd.bench.BenchReport.Medians;
import io.policyscheduler.cmd.bench.BenchReport.Row;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.snapshot.BenchCluster;
import io.policyscheduler.cmd.snapshot.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Measures scheduling by cluster size, after a warm-up on the smallest size that is not counted.
 *
 * @param sizes in the order in which they are measured
 * @param bench the other settings of a run; its cluster size is ignored
 */
record ScaleBench(List<Size> sizes, Bench bench) {
    private static final int WARM_UP = 3;

    ScaleBench {
        sizes = List.copyOf(sizes);
    }

    /** The whole cluster of a run, reachable until its heap has been measured. */
    private static final class HeldCluster implements BackgroundLoad {
        private final List<Object> held;
        private long bytes;

        HeldCluster(BenchCluster cluster, DecisionHistory history) {
            held = List.of(cluster, history);
        }

        @Override
        public int events() {
            return held.size();
        }

        @Override
        public void close() {
            MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
            memory.gc();
            bytes = memory.getHeapMemoryUsage().getUsed();
        }
    }

    /**
     * Measures one row on all sizes.
     *
     * @param progress receives the size before each run, and the number of finished runs of that size
     */
    List<ScaleRow> measure(Row row, BiConsumer<Size, Integer> progress) throws IOException {
        Size smallest = sizes.stream()
                .min((one, other) -> Integer.compare(one.nodes(), other.nodes()))
                .orElseThrow();
        for (Path path : bench.paths()) {
            progress.accept(smallest, 0);
            for (int run = 0; run < WARM_UP; run++) {
                at(smallest).run(row, path, (cluster, kept) -> BackgroundLoad.NOTHING);
            }
        }
        List<ScaleRow> rows = new ArrayList<>();
        for (Size size : sizes) {
            rows.addAll(measure(row, size, rows, progress));
        }
        return rows;
    }

    private List<ScaleRow> measure(Row row, Size size, List<ScaleRow> before, BiConsumer<Size, Integer> progress)
            throws IOException {
        int paths = bench.paths().size();
        List<List<Bench.Run>> done = new ArrayList<>();
        List<Long> heaps = new ArrayList<>();
        bench.paths().forEach(path -> done.add(new ArrayList<>()));
        for (int run = 0; run < bench.runs(); run++) {
            progress.accept(size, run);
            for (int path = 0; path < paths; path++) {
                List<HeldCluster> weighed = new ArrayList<>();
                done.get(path).add(at(size).run(row, bench.paths().get(path), (cluster, kept) -> {
                    HeldCluster one = new HeldCluster(cluster, kept);
                    weighed.add(one);
                    return one;
                }));
                heaps.add(weighed.get(0).bytes);
            }
        }
        List<ScaleRow> rows = new ArrayList<>();
        for (int path = 0; path < paths; path++) {
            List<Double> rates = done.get(path).stream().map(Bench.Run::rate).toList();
            double first =
                    before.isEmpty() ? Medians.of(rates) : before.get(path).rate();
            rows.add(new ScaleRow(
                    row.decider(),
                    row.workload(),
                    size,
                    bench.paths().get(path).name(),
                    rates,
                    done.get(path).stream().map(Bench.Run::cpuMicros).toList(),
                    first / Medians.of(rates),
                    heaps.stream().mapToLong(Long::longValue).max().orElse(0)));
        }
        return rows;
    }

    private Bench at(Size size) {
        return new Bench(
                size.nodes(),
                size.pods(),
                bench.decisions(),
                bench.runs(),
                bench.percentage(),
                bench.seed(),
                bench.history(),
                bench.paths());
    }

    /** The results of {@code bench --scale}, as a table and as data. */
    record Report(List<ScaleRow> rows) {
        private static final double MEGA = 1024 * 1024;

        Report {
            rows = List.copyOf(rows);
        }

        /** Prints a row for each size and path. */
        void print(PrintWriter out) {
            boolean compared = rows.stream().map(ScaleRow::path).distinct().count() > 1;
            TextTable table = new TextTable().text("WORKLOAD").text("SCHEDULER");
            if (compared) {
                table.text("PATH");
            }
            table.number("NODES")
                    .number("PODS")
                    .number("PODS/S")
                    .number("US/POD")
                    .number("CPU US")
                    .number("COST")
                    .number("HEAP MB");
            for (ScaleRow row : rows) {
                List<Object> cells = new ArrayList<>(List.of(row.workload(), row.decider()));
                if (compared) {
                    cells.add(row.path());
                }
                cells.addAll(List.of(
                        row.size().nodes(),
                        row.size().pods(),
                        rounded(row.rate(), 0),
                        rounded(row.micros(), 0),
                        rounded(row.cpu(), 0),
                        rounded(row.against(), 2),
                        rounded(row.heapBytes() / MEGA, 0)));
                table.row(cells.toArray());
            }
            table.print(out);
        }

        private static String rounded(double value, int digits) {
            return String.format(Locale.ROOT, "%." + digits + "f", value);
        }

        /** Returns the document of {@code docs/schemas/bench-scale.schema.json}. */
        ArrayNode json() {
            ArrayNode list = JsonNodeFactory.instance.arrayNode();
            for (ScaleRow row : rows) {
                ObjectNode node = list.addObject()
                        .put("workload", row.workload().toString())
                        .put("decider", row.decider())
                        .put("path", row.path())
                        .put("nodes", row.size().nodes())
                        .put("pods", row.size().pods())
                        .put("podsPerSecond", row.rate())
                        .put("microsPerPod", row.micros())
                        .put("cpuMicrosPerPod", row.cpu())
                        .put("cost", row.against())
                        .put("heapBytes", row.heapBytes());
                row.podsPerSecond().forEach(node.putArray("runs")::add);
            }
            return list;
        }
    }

    /**
     * A size of a cluster, written {@code NODES} or {@code NODESxPODS}.
     *
     * @param pods pods on the nodes before the first decision; by default as many as nodes
     */
    record Size(int nodes, int pods) {
        /** The default of {@code --scale}. */
        static final String ALL = "1000,2000,5000,10000,20000,50000";

        private static final int MOST_NODES = 1_000_000;
        private static final int MOST_PODS = 10_000_000;
        private static final Pattern FORM = Pattern.compile("(\\d{1,8})(?:x(\\d{1,8}))?");

        /** Parses one size. */
        static final class Converter implements ITypeConverter<Size> {
            @Override
            public Size convert(String value) {
                Matcher matcher = FORM.matcher(value);
                if (!matcher.matches()) {
                    throw new TypeConversionException(
                            "'" + value + "' is not NODES or NODESxPODS, for example 20000 or 100000x1000000");
                }
                int nodes = Integer.parseInt(matcher.group(1));
                int pods = matcher.group(2) == null ? nodes : Integer.parseInt(matcher.group(2));
                if (nodes < 1 || nodes > MOST_NODES || pods > MOST_PODS) {
                    throw new TypeConversionException("'" + value + "' is not between 1 and " + MOST_NODES
                            + " nodes with at most " + MOST_PODS + " pods");
                }
                return new Size(nodes, pods);
            }
        }
    }

    /**
     * The result for one cluster size.
     *
     * @param path the implementation of the scheduling cycle
     * @param podsPerSecond of each run
     * @param cpuMicros CPU time of the process for each pod, of each run
     * @param against microseconds for a pod, compared with the first size
     * @param heapBytes heap in use after a collection, with the whole cluster in it
     */
    record ScaleRow(
            String decider,
            Workload workload,
            Size size,
            String path,
            List<Double> podsPerSecond,
            List<Double> cpuMicros,
            double against,
            long heapBytes) {
        private static final double MICROS = 1e6;

        ScaleRow {
            podsPerSecond = List.copyOf(podsPerSecond);
            cpuMicros = List.copyOf(cpuMicros);
        }

        /** Median of the runs. */
        double rate() {
            return Medians.of(podsPerSecond);
        }

        /** Microseconds per pod by wall-clock time, median of the runs. */
        double micros() {
            return MICROS / rate();
        }

        /** Microseconds of CPU time per pod, median of the runs. */
        double cpu() {
            return Medians.of(cpuMicros);
        }
    }
}
