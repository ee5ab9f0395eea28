package io.policyscheduler.framework.insight.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.framework.insight.lab.PairedRuns.Difference;
import io.policyscheduler.framework.insight.lab.RunMetrics.WaitCurve;
import io.policyscheduler.framework.insight.lab.TraceRun.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PairedRunsTest {
    private static Result run(double all, double... blocks) {
        return new Result(
                "s",
                List.of(),
                Map.of("m", all),
                WaitCurve.NONE,
                0,
                1,
                Arrays.stream(blocks).mapToObj(block -> Map.of("m", block)).toList());
    }

    private static Difference difference(PairedRuns own, PairedRuns reference) {
        Difference difference = own.difference(reference, "m");
        assertNotNull(difference);
        return difference == null ? new Difference(Double.NaN, null, null) : difference;
    }

    @Test
    void fewBlocksHaveNoInterval() {
        PairedRuns own = new PairedRuns(List.of(run(5, 1, 2, 3, 4)));
        assertEquals(new Difference(2, null, null), difference(own, new PairedRuns(List.of(run(3, 0, 0, 0, 0)))));
        assertNull(own.difference(own, "other"));
    }

    @Test
    void differencesArePairedByRunAndBlock() {
        PairedRuns reference = new PairedRuns(List.of(run(10, 1, 20, 3, 40, 5), run(20, 2, 21, 4, 41, 6)));
        PairedRuns own = new PairedRuns(List.of(run(11, 2, 21, 4, 41, 6), run(23, 3, 22, 5, 42, 7)));
        // Every block is better by one, however much the blocks differ.
        assertEquals(new Difference(2, 1.0, 1.0), difference(own, reference));
    }

    /** Each block has one pod more, so that the window has six more; a share differs as much in the window as in each block. */
    @Test
    void theIntervalOfATotalIsThatOfTheWindow() {
        for (String metric : List.of("pods.placed", "pending.cpu.hours", "attempts.all", "cost.total", "frag.cpu")) {
            boolean total = !metric.equals("frag.cpu");
            Result before = new Result(
                    "s",
                    List.of(),
                    Map.of(metric, 0.0),
                    WaitCurve.NONE,
                    0,
                    1,
                    Collections.nCopies(6, Map.of(metric, 0.0)));
            Result after = new Result(
                    "s",
                    List.of(),
                    Map.of(metric, total ? 6.0 : 1.0),
                    WaitCurve.NONE,
                    0,
                    1,
                    Collections.nCopies(6, Map.of(metric, 1.0)));
            double expected = total ? 6 : 1;
            assertEquals(
                    new Difference(expected, expected, expected),
                    new PairedRuns(List.of(after)).difference(new PairedRuns(List.of(before)), metric),
                    metric);
        }
    }

    @Test
    void anIntervalCoversTheMeanAsOftenAsItSays() {
        SplittableRandom random = new SplittableRandom(3);
        int covered = 0;
        for (int i = 0; i < 400; i++) {
            double[] values = new double[30];
            Arrays.setAll(values, j -> 7 + random.nextGaussian());
            double[] interval = PairedRuns.interval(values);
            covered += interval[0] <= 7 && 7 <= interval[1] ? 1 : 0;
            assertArrayEquals(interval, PairedRuns.interval(values));
        }
        // 95 % of 400, less a little: the bootstrap of 30 values is too narrow by about 1 %.
        assertTrue(covered >= 360 && covered <= 395, covered + " of 400");
    }

    @Test
    void theNoiseFloorNeedsTenRuns() {
        List<Result> runs = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            runs.add(run(i % 2));
        }
        assertNull(new PairedRuns(runs).noise("m"));
        runs.add(run(1));
        // 25 of 45 pairs differ by 1.
        assertEquals(1.0, new PairedRuns(runs).noise("m"));
    }
}
