package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.replay.ReplayMode;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares decisions of the modern profile about random snapshots with those of kube-scheduler 1.34.1; all reasons, scores, totals, victims, and
 * texts must be equal. {@link OracleRun} describes the properties that select snapshots.
 */
@Tag("real")
class RealModernOracleTest {
    private static final int BATCH = 25;
    private static final int VARYING_PERCENT = 1;

    @Test
    void everythingIsDecidedAs134Does() throws Exception {
        Path program = RealPrograms.oracle("oracle", "1.34");
        OracleComparison comparison = new OracleComparison(Map.of(ReplayMode.MODERN, new RealOracle(program, "world")));
        OracleFindings findings = OracleRun.run(
                "modern", BATCH, seeds -> comparison.compare(OracleRun.snapshots(seeds, NewerCluster::scenario)));
        assertEquals("", findings.text(), findings::toString);
        findings.assertEnough(VARYING_PERCENT, RealPoliciesOracleTest.PLUGINS);
    }
}
