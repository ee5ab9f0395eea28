package io.policyscheduler.framework.scheduler.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Random runs against an API server that loses, repeats, and delays events; {@code -Dseeds=N} runs N. */
class SchedulerSimulationTest {
    private static final int SEEDS = Integer.getInteger("seeds", 100);
    private static final int STEPS = 2_000;

    @Test
    void noPodIsLostOrBoundTwice() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Simulation simulation = new Simulation(seed);
            for (int step = 0; step < STEPS; step++) {
                simulation.step();
                assertEquals(List.of(), simulation.violations(), "seed " + seed + ", step " + step);
            }
            simulation.settle();
            assertEquals(List.of(), simulation.violations(), "seed " + seed + ", at the end");
            assertEquals(List.of(), simulation.unboundPods(), "seed " + seed + ", unbound at the end");
        }
    }

    @Test
    void sameSeedSameRun() {
        for (long seed : new long[] {1, 42, 4711}) {
            assertEquals(history(seed), history(seed), "seed " + seed);
        }
    }

    private static List<String> history(long seed) {
        Simulation simulation = new Simulation(seed);
        for (int step = 0; step < STEPS; step++) {
            simulation.step();
        }
        return simulation.history();
    }
}
