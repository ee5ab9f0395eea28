package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.framework.insight.lab.TraceRun.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one scheduler, which are compared with those of another one run by run and block by block: both got the same arrivals. The
 * unit of the statistics is the block, such as a day, because pods of one day depend on each other.
 *
 * @param runs at least one, with different seeds
 */
public record PairedRuns(List<Result> runs) {
    /** With fewer blocks, there is no interval. */
    public static final int FEWEST_BLOCKS = 5;
    /** With fewer runs, there is no noise floor. */
    public static final int FEWEST_RUNS = 10;

    private static final List<String> TOTALS =
            List.of("pods.", "attempts.", "disruption.", "cost.total", "cost.emptyNodes");
    private static final int RESAMPLES = 2000;
    private static final double TAIL = 0.025;
    private static final double NOISE_QUANTILE = 0.95;

    public PairedRuns {
        runs = ImmutableList.copyOf(runs);
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("no runs");
        }
    }

    /**
     * A difference of one metric.
     *
     * @param mean the mean of the differences of the runs over the whole window
     * @param low lower end of the 95 % bootstrap interval over the blocks; null if there are fewer than {@link #FEWEST_BLOCKS}
     * @param high upper end
     */
    public record Difference(
            double mean, @Nullable Double low, @Nullable Double high) {}

    /** Returns the name of the scheduler. */
    public String scheduler() {
        return runs.get(0).scheduler();
    }

    /** Returns the mean of each metric over the runs; null where a run has no value. */
    public Map<String, @Nullable Double> metrics() {
        if (runs.size() == 1) {
            return runs.get(0).metrics();
        }
        Map<String, @Nullable Double> means = new LinkedHashMap<>();
        for (String name : runs.get(0).metrics().keySet()) {
            double sum = 0;
            boolean complete = true;
            for (Result run : runs) {
                Double value = run.metrics().get(name);
                complete &= value != null;
                sum += value == null ? 0 : value;
            }
            means.put(name, complete ? (Double) (sum / runs.size()) : null);
        }
        return Collections.unmodifiableMap(means);
    }

    /** Returns the number of blocks of each run. */
    public int blocks() {
        return runs.get(0).blocks().size();
    }

    /** Returns the difference of a metric to the runs of a reference; null if one of the runs has no value. */
    public @Nullable Difference difference(PairedRuns reference, String metric) {
        Double own = metrics().get(metric);
        Double other = reference.metrics().get(metric);
        if (own == null || other == null) {
            return null;
        }
        double[] blocks = blockDifferences(reference, metric);
        if (blocks.length < FEWEST_BLOCKS) {
            return new Difference(own - other, null, null);
        }
        double[] interval = interval(blocks);
        // The difference of a total is that of the whole window, so its interval is, too.
        double scale = isTotal(metric) ? blocks.length : 1;
        return new Difference(own - other, interval[0] * scale, interval[1] * scale);
    }

    /** Whether a metric grows with the length of the window, as a sum or a count does. */
    static boolean isTotal(String metric) {
        return metric.endsWith(".hours") || TOTALS.stream().anyMatch(metric::startsWith);
    }

    /** The difference of each block, as the mean over the runs; blocks in which a run has no value are left out. */
    private double[] blockDifferences(PairedRuns reference, String metric) {
        List<Double> differences = new ArrayList<>();
        for (int block = 0; block < blocks(); block++) {
            double sum = 0;
            boolean complete = true;
            for (int run = 0; run < runs.size(); run++) {
                Double own = runs.get(run).blocks().get(block).get(metric);
                Double other = reference.runs.get(run).blocks().get(block).get(metric);
                complete &= own != null && other != null;
                sum += own == null || other == null ? 0 : own - other;
            }
            if (complete) {
                differences.add(sum / runs.size());
            }
        }
        return differences.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** Returns the 95 % percentile bootstrap interval of the mean; the same values give the same interval. */
    public static double[] interval(double[] values) {
        SplittableRandom random = new SplittableRandom(values.length);
        double[] means = new double[RESAMPLES];
        for (int i = 0; i < RESAMPLES; i++) {
            double sum = 0;
            for (int j = 0; j < values.length; j++) {
                sum += values[random.nextInt(values.length)];
            }
            means[i] = sum / values.length;
        }
        Arrays.sort(means);
        return new double[] {means[(int) (TAIL * RESAMPLES)], means[(int) ((1 - TAIL) * RESAMPLES) - 1]};
    }

    /**
     * Returns the noise floor of a metric: the 95 % quantile of the absolute differences between two runs of this scheduler. A smaller
     * difference between schedulers says nothing. Null with fewer than {@link #FEWEST_RUNS} runs, or if a run has no value.
     */
    public @Nullable Double noise(String metric) {
        if (runs.size() < FEWEST_RUNS
                || runs.stream().anyMatch(run -> run.metrics().get(metric) == null)) {
            return null;
        }
        double[] values = runs.stream()
                .mapToDouble(run -> Objects.requireNonNull(run.metrics().get(metric)))
                .toArray();
        double[] differences = new double[values.length * (values.length - 1) / 2];
        int count = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = 0; j < i; j++) {
                differences[count++] = Math.abs(values[i] - values[j]);
            }
        }
        Arrays.sort(differences);
        return differences[(int) Math.ceil(NOISE_QUANTILE * count) - 1];
    }
}
