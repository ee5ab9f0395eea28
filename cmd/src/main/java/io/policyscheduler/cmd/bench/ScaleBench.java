package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.workload.BenchWorld;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Measures how deciding grows with the cluster. What comes first, on the smallest of the sizes, does not count.
 *
 * @param sizes in the order in which they are measured
 * @param bench all else that is to be known of a run; its size plays no part
 */
record ScaleBench(List<ScaleSize> sizes, Bench bench) {
    private static final int WARM_UP = 3;

    ScaleBench {
        sizes = List.copyOf(sizes);
    }

    /** The whole cluster of a run, held until its heap has been measured. */
    private static final class Weighed implements Beside {
        private final List<Object> held;
        private long bytes;

        Weighed(BenchWorld world, DecisionHistory history) {
            held = List.of(world, history);
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
     * @param progress is told the size before each run, and how many runs are done on it
     */
    List<ScaleRow> measure(BenchRow row, BiConsumer<ScaleSize, Integer> progress) throws IOException {
        ScaleSize smallest = sizes.stream()
                .min((one, other) -> Integer.compare(one.nodes(), other.nodes()))
                .orElseThrow();
        for (DecidingPath path : bench.paths()) {
            progress.accept(smallest, 0);
            for (int run = 0; run < WARM_UP; run++) {
                at(smallest).run(row, path, (world, kept) -> Beside.NOTHING);
            }
        }
        List<ScaleRow> rows = new ArrayList<>();
        for (ScaleSize size : sizes) {
            rows.addAll(measure(row, size, rows, progress));
        }
        return rows;
    }

    private List<ScaleRow> measure(
            BenchRow row, ScaleSize size, List<ScaleRow> before, BiConsumer<ScaleSize, Integer> progress)
            throws IOException {
        int paths = bench.paths().size();
        List<List<Bench.Run>> done = new ArrayList<>();
        List<Long> heaps = new ArrayList<>();
        bench.paths().forEach(path -> done.add(new ArrayList<>()));
        for (int run = 0; run < bench.runs(); run++) {
            progress.accept(size, run);
            for (int path = 0; path < paths; path++) {
                List<Weighed> weighed = new ArrayList<>();
                done.get(path).add(at(size).run(row, bench.paths().get(path), (world, kept) -> {
                    Weighed one = new Weighed(world, kept);
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

    private Bench at(ScaleSize size) {
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
}
