package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.cmd.replay.Replayer;
import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The two executors of policies, functions and plugins, make the same decisions in random snapshots. {@code -Dsnapshots=10000} tries more of them,
 * {@code -Dseed=...} only one.
 */
class DifferentialTest {
    private static final int SNAPSHOTS = 400;

    private final AlgorithmRegistry registry = Algorithms.registry();
    private final Replayer replayer = new Replayer(ReplayRules.STRICT);
    private final OutcomeCounts counts = new OutcomeCounts();

    @Test
    void functionsAndPluginsDecideAlike() throws IOException {
        Long seed = Long.getLong("seed");
        List<String> differences = new ArrayList<>();
        if (seed != null) {
            compare(seed, differences);
        } else {
            int snapshots = Integer.getInteger("snapshots", SNAPSHOTS);
            for (long next = 1; next <= snapshots && differences.size() < 20; next++) {
                compare(next, differences);
            }
        }
        assertEquals(List.of(), differences);
        if (seed == null) {
            assertTrue(counts.isVaried(), () -> "the snapshots do not exercise enough: " + counts);
        }
    }

    @Test
    void aSeedRepeatsItsWorld() {
        assertEquals(RandomCluster.scenario(7, registry), RandomCluster.scenario(7, registry));
    }

    private void compare(long seed, List<String> differences) throws IOException {
        ObjectNode scenario = RandomCluster.scenario(seed, registry);
        JsonNode legacy;
        JsonNode framework;
        try {
            legacy = replayer.replay(scenario, ReplayMode.FUNCTIONS);
            framework = replayer.replay(scenario, ReplayMode.FRAMEWORK);
        } catch (RuntimeException e) {
            throw new AssertionError("-Dseed=" + seed + ": " + e, e);
        }
        counts.add(legacy);
        boolean checksAll =
                scenario.path("policy").path("alwaysCheckAllPredicates").asBoolean();
        ExecutorComparison comparison = new ExecutorComparison(checksAll);
        for (String difference : comparison.differences(legacy, framework)) {
            differences.add("-Dseed=" + seed + " " + difference);
        }
    }
}
