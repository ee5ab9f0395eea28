package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.cmd.replay.Replayer;
import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the feasible nodes of the default policy with those of kube-scheduler 1.34.1 in random snapshots, for both executors. {@link OracleRun}
 * describes the properties that select snapshots.
 */
@Tag("real")
class RealPoliciesOracleTest {
    /** Plugins of the real scheduler that must reject something in a thousand snapshots; otherwise they test too little. */
    static final Set<String> PLUGINS = Set.of(
            "InterPodAffinity",
            "NodeAffinity",
            "NodeName",
            "NodePorts",
            "NodeResourcesFit",
            "NodeUnschedulable",
            "NodeVolumeLimits",
            "PodTopologySpread",
            "TaintToleration",
            "VolumeBinding",
            "VolumeRestrictions",
            "VolumeZone",
            "gated",
            "placed");

    private static final int BATCH = 50;
    private static final List<ReplayMode> EXECUTORS = List.of(ReplayMode.FUNCTIONS, ReplayMode.FRAMEWORK);

    private final Replayer replayer = new Replayer(ReplayRules.inClusterOf(Release.parse("1.34"), "DefaultProvider"));

    @Test
    void podsGoWhereTheRealSchedulerLetsThem() throws Exception {
        RealOracle oracle = new RealOracle(RealPrograms.oracle("oracle", "1.34"), "world");
        OracleFindings findings = OracleRun.run(
                "policies", BATCH, seeds -> compare(oracle, OracleRun.snapshots(seeds, NewerCluster::scenario)));
        assertEquals("", findings.text(), findings::toString);
        findings.assertEnough(0, PLUGINS);
    }

    private OracleFindings compare(RealOracle oracle, Map<Long, ObjectNode> snapshots)
            throws IOException, InterruptedException {
        OracleFindings findings = new OracleFindings();
        List<JsonNode> real = oracle.ask(List.copyOf(snapshots.values()));
        int next = 0;
        for (Map.Entry<Long, ObjectNode> snapshot : snapshots.entrySet()) {
            String name = "-Dseed=" + snapshot.getKey() + " ";
            ObjectNode scenario = snapshot.getValue();
            JsonNode outcome = real.get(next++);
            assertEquals(scenario.path("pending").size(), outcome.path("pods").size(), () -> name + outcome);
            scenario.putObject("expected").set(ReplayMode.MODERN.key(), outcome);
            findings.count(OracleFindings.EQUAL);
            findings.countPods(outcome);
            for (ReplayMode mode : EXECUTORS) {
                for (String difference : Feasibility.differences(outcome, replay(scenario, mode, name))) {
                    findings.differs(name + mode.key() + ": " + difference);
                }
            }
        }
        return findings;
    }

    private JsonNode replay(JsonNode scenario, ReplayMode mode, String name) throws IOException {
        try {
            return replayer.replay(scenario, mode);
        } catch (RuntimeException e) {
            throw new AssertionError(name + mode.key() + ": " + e, e);
        }
    }
}
