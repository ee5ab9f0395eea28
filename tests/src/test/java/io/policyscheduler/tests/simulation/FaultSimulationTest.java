package io.policyscheduler.tests.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.policyscheduler.tests.simulation.SeedRunner.Result;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * The scheduler in random clusters with many faults. {@code -Dseed=N} repeats one seed and prints its trace; {@code -Dseeds=N} runs
 * the first N, or those from {@code -DfirstSeed=N}, {@code -Dthreads=N} at once (2 if not given; a seed's run does not depend on
 * it). The long run:
 *
 * <pre>mvn -B verify -pl tests -am -Dtest=FaultSimulationTest -Dsurefire.failIfNoSpecifiedTests=false -Dseeds=100000</pre>
 */
class FaultSimulationTest {
    private static final int SEEDS = 1_000;
    private static final int MAX_REPORTED = 5;

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.policyscheduler");
    private @Nullable Level level;

    @BeforeEach
    void silence() {
        level = logger.getLevel();
        logger.setLevel(Long.getLong("seed") != null && Boolean.getBoolean("logs") ? Level.ALL : Level.OFF);
    }

    @AfterEach
    void restore() {
        logger.setLevel(level);
    }

    @Test
    void survivesEverySeed() throws InterruptedException {
        Long only = Long.getLong("seed");
        if (only != null) {
            Result result = run(only);
            System.out.println(String.join("\n", result.trace()));
            assertEquals(List.of(), result.violations(), "seed " + only);
            return;
        }
        int seeds = Integer.getInteger("seeds", SEEDS);
        long first = Long.getLong("firstSeed", 0);
        List<Result> failures = runAll(first, first + seeds, Integer.getInteger("threads", 2));
        if (!failures.isEmpty()) {
            StringBuilder text = new StringBuilder();
            for (Result failure : failures) {
                text.append(report(failure));
            }
            fail(failures.size() + " failed seeds at least\n" + text);
        }
    }

    /** Seeds outside of the usual ones whose clusters found faults: nominations and wake-ups that were lost. */
    @ParameterizedTest
    @ValueSource(
            longs = {
                5968, 7076, 13193, 20432, 24543, 26985, 27604, 35340, 38341, 39679, 41292, 41543, 46585, 53503, 3000842,
                3023089, 3059173, 3083978, 3099175
            })
    void survivesSeedsThatFoundFaults(long seed) {
        Result result = run(seed);
        assertEquals(List.of(), result.violations(), () -> report(result));
    }

    private static Result run(long seed) {
        try (SeedRunner runner = new SeedRunner()) {
            return runner.run(seed, true);
        }
    }

    private static String report(Result failure) {
        return "seed " + failure.seed() + " after " + failure.steps() + " steps: " + failure.violations()
                + "\n  repeat: mvn -B verify -pl tests -am -Dtest=FaultSimulationTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dseed=" + failure.seed() + "\n  "
                + String.join("\n  ", failure.trace()) + "\n";
    }

    /** The first failures by seed; the run ends soon after them. */
    private static List<Result> runAll(long from, long to, int threads) throws InterruptedException {
        AtomicLong next = new AtomicLong(from);
        List<Result> failures = Collections.synchronizedList(new ArrayList<>());
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            workers.add(pool.submit(() -> {
                try (SeedRunner runner = new SeedRunner()) {
                    for (long seed = next.getAndIncrement();
                            seed < to && failures.size() < MAX_REPORTED;
                            seed = next.getAndIncrement()) {
                        Result result = runner.run(seed, false);
                        if (!result.violations().isEmpty()) {
                            failures.add(result);
                        }
                    }
                }
            }));
        }
        for (Future<?> worker : workers) {
            try {
                worker.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
        pool.shutdown();
        failures.sort((a, b) -> Long.compare(a.seed(), b.seed()));
        return failures;
    }

    @Test
    void sameSeedSameRun() {
        try (SeedRunner runner = new SeedRunner();
                SeedRunner other = new SeedRunner()) {
            for (long seed = 0; seed < 10; seed++) {
                List<String> trace = runner.run(seed, true).trace();
                assertEquals(trace, runner.run(seed, true).trace(), "again, seed " + seed);
                assertEquals(trace, other.run(seed, true).trace(), "by another runner, seed " + seed);
            }
        }
    }
}
