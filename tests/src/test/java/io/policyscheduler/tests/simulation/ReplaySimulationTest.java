package io.policyscheduler.tests.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.policyscheduler.cmd.history.RunReplay;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Recordings of schedulers in random clusters with many faults lead to the same decisions: lost responses, late and stale watches, crashes,
 * reloads, volumes, and preemption. {@code -DreplaySeeds=N} runs more seeds. Seeds with extenders or resource claims are left out,
 * because recordings do not contain their results.
 */
class ReplaySimulationTest {
    private static final int SEEDS = Integer.getInteger("replaySeeds", 15);

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.policyscheduler");
    private @Nullable Level level;

    @BeforeEach
    void silence() {
        level = logger.getLevel();
        logger.setLevel(Level.OFF);
    }

    @AfterEach
    void restore() {
        logger.setLevel(level);
    }

    @Test
    void makesTheSameDecisionsAgain(@TempDir Path folder) throws IOException {
        List<String> failures = new ArrayList<>();
        long decisions = 0;
        int seeds = 0;
        try (SeedRunner runner = new SeedRunner()) {
            for (long seed = 0; seeds < SEEDS; seed++) {
                Scenario scenario = SeedRunner.scenario(seed);
                if (scenario.extender() || scenario.devices()) {
                    continue;
                }
                seeds++;
                Recordings recordings = new Recordings(folder.resolve("seed-" + seed));
                try (recordings) {
                    runner.run(seed, false, recordings);
                }
                for (RunReplay.Result result : recordings.replay(runner, scenario)) {
                    decisions += result.decisions();
                    if (result.different() > 0 || !result.notes().isEmpty()) {
                        failures.add("seed " + seed + ": " + result);
                    }
                }
            }
        }
        assertEquals(List.of(), failures);
        assertTrue(decisions > seeds, decisions + " decisions");
    }
}
