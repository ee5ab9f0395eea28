package io.policyscheduler.cmd.report;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.Mode;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison.Result;
import io.policyscheduler.framework.insight.compare.CompareReport.ScoreSheet;
import io.policyscheduler.framework.insight.compare.Comparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CompareHtmlTest {
    private static final String POLICY = """
        {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}%s],
         "priorities": [{"name": "MostRequestedPriority", "weight": 1}]}\
        """;
    /** Rejects the node that is best without it. */
    private static final String RULE =
            ", {\"name\": \"NotFull\", \"argument\": {\"labelsPresence\": {\"labels\": [\"full\"], \"presence\":"
                    + " false}}}";

    private static ObjectNode data(CompareReport report) {
        return CompareHtml.of(report, 0, List.of());
    }

    /** A pod that fits on one node only, and a pod that the rule of the second scheduler moves. */
    private static CompareReport compared() {
        SchedulerFactory schedulers = SchedulerFactory.ofTexts(
                Map.of("a", POLICY.formatted(""), "b", POLICY.formatted(RULE)), FeatureGates.defaults(), warning -> {});
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(
                        node("n0").cpu("32").memory("32Gi").pods(10).build(),
                        node("n1")
                                .cpu("4")
                                .memory("4Gi")
                                .pods(10)
                                .label("full", "yes")
                                .build()),
                List.of(),
                List.of(),
                List.of(
                        pod("p0").requests("6", "6Gi").build(),
                        pod("p1").requests("1", "1Gi").build()));
        return new Comparison(
                        snapshot,
                        Stream.of("policy:a", "policy:b", "policy:a")
                                .map(schedulers::parse)
                                .toList(),
                        new Comparison.Settings(Mode.STEPS, false, false, 1))
                .run((done, all, differing) -> {});
    }

    /** Every second pod moves with the second scheduler; with the third, none does. */
    private static CompareReport report(int count, int nodes) {
        CompareReport two = compared();
        List<ScoreSheet.Row> rows = new ArrayList<>();
        for (int n = 0; n < nodes; n++) {
            rows.add(new ScoreSheet.Row("n" + n, 5, ImmutableLongArray.of(5)));
        }
        ScoreSheet sheet =
                new ScoreSheet(Map.of("A", 1L), rows, List.of(new ScoreSheet.Rejection("F", "full", 2, List.of("n1"))));
        Result best = new Result("n" + (nodes - 1), List.of("x"), 1, 3, "", sheet);
        Result moved = new Result("n0", List.of("x"), 1, 3, "", sheet);
        List<PodComparison> pods = new ArrayList<>();
        for (int p = 0; p < count; p++) {
            PodComparison original = two.pods().get(p % 2);
            pods.add(new PodComparison(
                    "default/p" + p,
                    "",
                    List.of(best, original.agrees() ? best : moved, best),
                    original.differences()));
        }
        return new CompareReport(
                two.mode(), false, 0, two.schedulers(), two.pairs(), pods, two.summaries(), two.loads());
    }

    private static String text(JsonNode data, JsonNode index) {
        return data.path("texts").path(index.asInt()).asText();
    }

    @Test
    void allPodsAreThereAndThoseThatDifferComeFirst() {
        ObjectNode data = data(report(3, 30));
        assertEquals(3, data.path("podCount").asInt());
        assertEquals(0, data.path("podsLeftOut").asInt());
        assertEquals("default/p1", data.at("/pods/0/pod").asText());
        assertEquals("default/p0", data.at("/pods/1/pod").asText());
        assertEquals("default/p2", data.at("/pods/2/pod").asText());
        JsonNode pod = data.at("/pods/0");
        assertEquals("n29", text(data, pod.at("/results/0/0")));
        assertEquals("n0", text(data, pod.at("/results/1/0")));
        assertEquals(
                "[1,3,-1]",
                "[" + pod.at("/results/0/1") + "," + pod.at("/results/0/2") + "," + pod.at("/results/0/3") + "]");
        assertEquals("different", text(data, pod.at("/differences/0/0")));
        assertEquals("NotFull", text(data, pod.at("/differences/0/1")));
        assertEquals(-1, pod.at("/differences/1/1").asInt());
    }

    @Test
    void podsUnfoldToTheBestNodesTheWinnersAndWhatDecides() {
        ObjectNode data = data(report(2, 30));
        JsonNode details = data.at("/pods/0/details");
        JsonNode nodes = details.at("/sheets/0/nodes");
        assertEquals(11, nodes.size());
        assertEquals("n0", text(data, nodes.at("/0/0")));
        assertEquals(5, nodes.at("/0/2").asInt());
        assertEquals("n29", text(data, nodes.at("/10/0")));
        JsonNode why = details.at("/why/0");
        assertEquals(
                "NotFull of b rejects n1 (node(s) didn't have the requested labels), a has no such filter. Without it,"
                        + " both choose n1.",
                text(data, why.path("text")));
        assertEquals("[]", why.path("reference").toString());
        assertEquals("NotFull", text(data, why.at("/other/0")));
        JsonNode rejected = details.at("/sheets/0/rejected/0");
        assertEquals("full", text(data, rejected.path(1)));
        assertEquals("n1", text(data, rejected.at("/3/0")));
    }

    @Test
    void flowsCountAllPods() {
        ObjectNode data = data(report(5, 3));
        JsonNode flows = data.path("flows");
        assertEquals(2, flows.size());
        assertEquals(2, flows.path(0).size());
        assertEquals("n2", text(data, flows.at("/0/0/0")));
        assertEquals("n0", text(data, flows.at("/0/0/1")));
        assertEquals(2, flows.at("/0/0/2").asInt());
        assertEquals(3, flows.at("/0/1/2").asInt());
        assertEquals(1, flows.path(1).size());
        assertEquals(5, flows.at("/1/0/2").asInt());
    }

    /** The size of the file is limited: scores are omitted first, then pods, and the page says so. */
    @Test
    void thePageStaysSmall() {
        ObjectNode data = data(report(30_000, 15));
        assertTrue(data.toString().length() < 1_800_000, () -> data.toString().length() + " characters");
        assertEquals(30_000, data.path("pods").size() + data.path("podsLeftOut").asInt());
        assertTrue(data.path("podsLeftOut").asInt() > 0);
        assertTrue(data.at("/pods/0/details/sheets").isArray());
        JsonNode last = data.path("pods").get(data.path("pods").size() - 1);
        assertTrue(last.path("details").isMissingNode());
    }
}
