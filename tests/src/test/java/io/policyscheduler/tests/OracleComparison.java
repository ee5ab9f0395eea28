package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.replay.OutcomeComparison;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.cmd.replay.Replayer;
import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares decisions with those of the reference programs, which must be equal including reasons, scores, totals, victims, and texts. Where they
 * differ, the reference program is asked again: a result that varies between its runs is random.
 */
final class OracleComparison {
    private static final int AGAIN = 60;
    private static final int TOGETHER = 10;
    private static final int SHOWN = 3;

    private final Map<ReplayMode, RealOracle> oracles;
    private final Replayer replayer = new Replayer(ReplayRules.STRICT);

    /** @param oracles the reference program for each executor, asked in this order */
    OracleComparison(Map<ReplayMode, RealOracle> oracles) {
        this.oracles = oracles;
    }

    /**
     * Compares the decisions about snapshots that one process may get together.
     *
     * @param snapshots by seed
     */
    OracleFindings compare(Map<Long, ObjectNode> snapshots) throws IOException, InterruptedException {
        OracleFindings findings = new OracleFindings();
        List<ObjectNode> scenarios = List.copyOf(snapshots.values());
        List<ObjectNode> expected = new ArrayList<>();
        scenarios.forEach(scenario -> expected.add(scenario.deepCopy()));
        for (Map.Entry<ReplayMode, RealOracle> oracle : oracles.entrySet()) {
            List<JsonNode> outcomes = oracle.getValue().ask(scenarios);
            for (int i = 0; i < outcomes.size(); i++) {
                expected.get(i).withObject("/expected").set(oracle.getKey().key(), outcomes.get(i));
            }
        }
        int next = 0;
        for (Map.Entry<Long, ObjectNode> snapshot : snapshots.entrySet()) {
            ObjectNode scenario = expected.get(next++);
            for (ReplayMode mode : oracles.keySet()) {
                compare(snapshot.getKey(), snapshot.getValue(), scenario, mode, findings);
            }
        }
        return findings;
    }

    private void compare(long seed, ObjectNode snapshot, ObjectNode scenario, ReplayMode mode, OracleFindings findings)
            throws IOException, InterruptedException {
        JsonNode real = scenario.path("expected").path(mode.key());
        ObjectNode ours = replay(seed, scenario, mode);
        if (real.has(RealOracle.DIED)) {
            // It must still be decided, and was.
            findings.count(OracleFindings.DIED + ": "
                    + real.path(RealOracle.DIED).asText().replaceAll("^F.*?] |\\d+", ""));
            return;
        }
        findings.countPods(real);
        if (mode == ReplayMode.FRAMEWORK) {
            keepOwnWords(scenario, ours);
        }
        List<String> differences = OutcomeComparison.differences(scenario, mode, ours);
        String equal = differences.isEmpty() ? OracleFindings.EQUAL : chance(snapshot, scenario, mode, ours);
        if (equal != null) {
            findings.count(equal);
            return;
        }
        for (String difference : differences.subList(0, Math.min(SHOWN, differences.size()))) {
            findings.differs("-Dseed=" + seed + " " + mode.key() + ": " + difference);
        }
    }

    /**
     * If the policy sets alwaysCheckAllPredicates, failures are compared with those of the functions; an error that concerns no node may have the
     * text of the plugins.
     */
    private static void keepOwnWords(ObjectNode scenario, ObjectNode ours) {
        JsonNode functions =
                scenario.path("expected").path(ReplayMode.FUNCTIONS.key()).path("pods");
        JsonNode plugins =
                scenario.path("expected").path(ReplayMode.FRAMEWORK.key()).path("pods");
        for (int i = 0; i < functions.size(); i++) {
            JsonNode error = plugins.path(i).path("error");
            if (functions.get(i) instanceof ObjectNode pod
                    && !pod.has("failures")
                    && pod.has("error")
                    && error.equals(ours.path("pods").path(i).path("error"))) {
                pod.set("error", error);
            }
        }
    }

    /** Returns null if the reference program decides the same in every run, otherwise what to count. */
    private @Nullable String chance(ObjectNode snapshot, ObjectNode scenario, ReplayMode mode, ObjectNode ours)
            throws IOException, InterruptedException {
        // A process keeps its policy.
        int together = snapshot.has("policy") ? 1 : TOGETHER;
        Set<JsonNode> seen = new LinkedHashSet<>();
        seen.add(scenario.path("expected").path(mode.key()));
        for (int asked = 0; asked < AGAIN; asked += together) {
            for (JsonNode again : oracle(mode).ask(Collections.nCopies(together, snapshot))) {
                ObjectNode other = scenario.deepCopy();
                other.withObject("/expected").set(mode.key(), again);
                if (OutcomeComparison.differences(other, mode, ours.deepCopy()).isEmpty()) {
                    return OracleFindings.EQUAL_AT_TIMES;
                }
                seen.add(again);
            }
        }
        return seen.size() > 1 ? OracleFindings.VARIES : null;
    }

    private RealOracle oracle(ReplayMode mode) {
        RealOracle oracle = oracles.get(mode);
        if (oracle == null) {
            throw new IllegalStateException("nobody to ask about " + mode);
        }
        return oracle;
    }

    private ObjectNode replay(long seed, ObjectNode scenario, ReplayMode mode) throws IOException {
        try {
            return OutcomeNormalizer.of(replayer.replay(scenario, mode));
        } catch (RuntimeException e) {
            throw new AssertionError("-Dseed=" + seed + " " + mode.key() + ": " + e, e);
        }
    }
}
