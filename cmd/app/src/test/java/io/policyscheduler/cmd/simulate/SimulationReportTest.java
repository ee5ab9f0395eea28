package io.policyscheduler.cmd.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.simulate.SimulationReport.SimulationExtras;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.whatif.Simulation.FitCount;
import io.policyscheduler.framework.insight.whatif.Simulation.PodOutcome;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization.Part;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization.Use;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SimulationReportTest {
    private static final PodOutcome CHOSEN =
            new PodOutcome("d/chosen", new Decision(Decision.Kind.PLACED, "n1", 70, "", 2, 3), null);
    private static final PodOutcome ONLY =
            new PodOutcome("d/only", new Decision(Decision.Kind.PLACED, "n2", 0, "", 1, 3), null);
    private static final PodOutcome NOWHERE =
            new PodOutcome("d/big", new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, "no room", 0, 3), null);
    private static final Utilization EMPTY = new Utilization(new TreeMap<>());
    private static final Utilization ONE_NODE = new Utilization(new TreeMap<>(
            Map.of("n1", new Use(new Part(500, 2000), new Part(1 << 30, 4L << 30), new Part(1, 10)))));

    private static SimulationReport report(SimulationExtras extras, PodOutcome... outcomes) {
        return new SimulationReport(List.of(outcomes), List.of("w"), Duration.ofMillis(1234), extras, PolicyNames.NONE);
    }

    private static SimulationExtras extras(List<String> changes, @Nullable FitCount fit) {
        return new SimulationExtras(changes, EMPTY, ONE_NODE, fit);
    }

    private static String text(SimulationReport report) {
        StringWriter out = new StringWriter();
        report.print(new PrintWriter(out, true));
        return out.toString();
    }

    @Test
    void placedPodsThenTheOthers() {
        SimulationReport report = report(extras(List.of(), null), NOWHERE, CHOSEN, ONLY);
        assertEquals(1, report.unschedulable());
        assertEquals("""
                2 of 3 pending pods are placed, 1 is unschedulable.
                Most common reason: no room (1 pod).

                REASON    PODS   WHAT TO DO
                no room      1   see explain POD
                (explain POD shows the smallest change that makes a pod schedulable)

                UNSCHEDULABLE POD   MAIN REASON   NODES WITH REASON
                d/big               no room                       -

                POD        NODE   SCORE   FEASIBLE NODES
                d/chosen   n1        70                2
                d/only     n2         -                1

                3 pods simulated, 1.2 s
                """, text(report));
    }

    @Test
    void nothingToPlace() {
        assertEquals("There are no pending pods.\n\n0 pods simulated, 1.2 s\n", text(report(extras(List.of(), null))));
    }

    @Test
    void changesAndWhatFitsComeWithTheUse() {
        FitCount fit = new FitCount("d/p", 1, new TreeMap<>(Map.of("n1", 1)), "full");
        assertEquals("""
                1 node like n1 added

                There are no pending pods.

                1 more pod like d/p fits. The next one fails with: full
                NODE   MORE
                n1        1

                REQUESTED   BEFORE          AFTER
                nodes       0               1
                cpu         0 of 0 (0.0%)   0.5 of 2 (25.0%)
                memory      0 of 0 (0.0%)   1Gi of 4Gi (25.0%)
                pods        0 of 0 (0.0%)   1 of 10 (10.0%)

                0 pods simulated, 1.2 s
                """, text(report(extras(List.of("1 node like n1 added"), fit))));
    }

    @Test
    void forPrograms() throws IOException {
        ObjectNode json = report(extras(List.of(), null), CHOSEN, ONLY, NOWHERE).json();
        assertEquals(new ObjectMapper().readTree("""
                {"pods": [
                  {"pod": "d/chosen", "node": "n1", "score": 70, "feasible": 2, "message": null},
                  {"pod": "d/only", "node": "n2", "score": null, "feasible": 1, "message": null},
                  {"pod": "d/big", "node": null, "score": null, "feasible": 0, "message": "no room"}],
                 "placed": 2, "unschedulable": 1, "seconds": 1.234, "warnings": ["w"], "changes": [],
                 "utilisation": {
                  "before": {"cpu": {"requested": 0, "allocatable": 0}, "memory": {"requested": 0, "allocatable": 0},
                             "pods": {"requested": 0, "allocatable": 0}},
                  "after": {"cpu": {"requested": 500, "allocatable": 2000},
                            "memory": {"requested": 1073741824, "allocatable": 4294967296},
                            "pods": {"requested": 1, "allocatable": 10}},
                  "nodes": [{"node": "n1", "before": null,
                    "after": {"cpu": {"requested": 500, "allocatable": 2000},
                              "memory": {"requested": 1073741824, "allocatable": 4294967296},
                              "pods": {"requested": 1, "allocatable": 10}}}]},
                 "fit": null}
                """), new ObjectMapper().readTree(json.toString()));
    }
}
