package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares decisions with random providers, policies, and feature gates with those of both executors of kube-scheduler 1.17.17. {@link OracleRun}
 * describes the properties that select snapshots.
 */
@Tag("real")
class RealOldOracleTest {
    private static final int BATCH = 32;
    /** The real scheduler names only one of several missing resources, in map order. */
    private static final int VARYING_PERCENT = 2;
    /** What a thousand snapshots must contain; otherwise they test too little. */
    private static final Set<String> SAID = Set.of(
            "Insufficient cpu",
            "node(s) didn't have free ports for the requested pod ports",
            "node(s) didn't match node selector",
            "node(s) didn't match pod affinity/anti-affinity",
            "node(s) didn't match pod topology spread constraints",
            "node(s) exceed max volume count",
            "node(s) had no available volume zone",
            "node(s) had no available disk",
            "node(s) had taints that the pod didn't tolerate",
            "node(s) had volume node affinity conflict",
            "node(s) were unschedulable",
            "placed",
            "preempts");

    private final AlgorithmRegistry registry = Algorithms.registry();

    @Test
    void everythingIsDecidedAsV117Does() throws Exception {
        Path program = RealPrograms.oracle("oracle", "1.17");
        Map<ReplayMode, RealOracle> oracles = new LinkedHashMap<>();
        for (ReplayMode mode : new ReplayMode[] {ReplayMode.FUNCTIONS, ReplayMode.FRAMEWORK}) {
            oracles.put(mode, new RealOracle(program, "-mode", mode.key()));
        }
        OracleComparison comparison = new OracleComparison(oracles);
        OracleFindings findings = OracleRun.run("v1.17", BATCH, seeds -> compare(comparison, seeds));
        assertEquals("", findings.text(), findings::toString);
        findings.assertEnough(VARYING_PERCENT, SAID);
    }

    /** A process keeps its policy and feature gates, so each combination gets a process of its own. */
    private OracleFindings compare(OracleComparison comparison, long[] seeds) throws IOException, InterruptedException {
        OracleFindings findings = new OracleFindings();
        Map<Object, Map<Long, ObjectNode>> together = new LinkedHashMap<>();
        for (long seed : seeds) {
            ObjectNode snapshot = RandomCluster.forV117(seed, registry);
            Object process = snapshot.has("policy") ? seed : snapshot.path("featureGates");
            together.computeIfAbsent(process, p -> new LinkedHashMap<>()).put(seed, snapshot);
        }
        for (Map<Long, ObjectNode> snapshots : together.values()) {
            findings.add(comparison.compare(snapshots));
        }
        return findings;
    }
}
