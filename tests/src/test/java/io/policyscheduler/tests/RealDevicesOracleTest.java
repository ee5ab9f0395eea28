package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.replay.ReplayMode;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares decisions about random snapshots with devices and claims with those of kube-scheduler 1.34.1; all texts, scores, and allocations must be
 * equal. {@link OracleRun} describes the properties that select snapshots.
 */
@Tag("real")
class RealDevicesOracleTest {
    private static final int BATCH = 20;
    /** The order of pools and slices is random there, so that many decisions vary between runs. */
    private static final int VARYING_PERCENT = 40;

    @Test
    void devicesGoWhereTheRealSchedulerGivesThem() throws Exception {
        Path program = RealPrograms.oracle("oracle-dra", "1.34");
        OracleComparison comparison = new OracleComparison(Map.of(ReplayMode.MODERN, new RealOracle(program, "1")));
        OracleFindings findings = OracleRun.run(
                "devices", BATCH, seeds -> comparison.compare(OracleRun.snapshots(seeds, DeviceCluster::scenario)));
        assertEquals("", findings.text(), findings::toString);
        findings.assertEnough(VARYING_PERCENT, Set.of("DynamicResources", "NodeResourcesFit", "gated", "placed"));
    }
}
