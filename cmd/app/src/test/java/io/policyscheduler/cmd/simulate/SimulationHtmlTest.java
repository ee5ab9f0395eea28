package io.policyscheduler.cmd.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.simulate.SimulationReport.SimulationHtml;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SimulationHtmlTest {
    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    private static ObjectNode report() throws IOException {
        return (ObjectNode) json("{'pods':[],'utilisation':{'nodes':[]}}");
    }

    private static void assertShows(String expected, JsonNode data) {
        assertEquals(expected.replace('\'', '"'), data.toString());
    }

    private static JsonNode detailed(int nodes) throws IOException {
        ObjectNode pod = (ObjectNode)
                json("{'pod':'a/b','node':'n0','score':0,'feasible':3,'message':null,'scores':{'A':{},'B':{}},"
                        + "'weights':{'A':1,'B':3},'totals':{},'failures':{'x1':{'reasons':['full','old'],'plugin':'F'},"
                        + "'x2':{'reasons':['full','old'],'plugin':'F'},'x3':{'reasons':['gone'],'plugin':null}}}");
        for (int i = 0; i < nodes; i++) {
            ((ObjectNode) pod.at("/scores/A")).put("n" + i, i);
            ((ObjectNode) pod.at("/scores/B")).put("n" + i, 10);
            ((ObjectNode) pod.path("totals")).put("n" + i, i + 30);
        }
        return pod;
    }

    @Test
    void podsWithoutAPlaceComeFirst() throws IOException {
        ObjectNode report = report();
        ArrayNode pods = report.withArray("pods");
        pods.add(json("{'pod':'a','node':'n1'}")).add(json("{'pod':'b','node':null}"));
        JsonNode data = SimulationHtml.of(report);
        assertEquals("b", data.at("/pods/0/pod").asText());
        assertEquals("a", data.at("/pods/1/pod").asText());
        assertEquals(0, data.path("podsLeftOut").asInt(-1));
        assertFalse(data.at("/pods/0").has("details"));
    }

    @Test
    void detailsAreTheBestNodesTheChosenOneAndReasonsByNumber() throws IOException {
        ObjectNode report = report();
        report.withArray("pods").add(detailed(30));
        JsonNode pod = SimulationHtml.of(report).at("/pods/0");
        JsonNode details = pod.path("details");
        assertShows("['A','B']", details.path("algorithms"));
        assertShows("[1,3]", details.path("weights"));
        assertEquals(11, details.path("nodes").size());
        assertShows("['n29',59,29,30]", details.at("/nodes/0"));
        assertShows("['n0',30,0,30]", details.at("/nodes/10"));
        assertShows("[['F','full, old',2,['x1','x2']],['','gone',1,['x3']]]", details.path("rejected"));
        assertFalse(pod.has("scores") || pod.has("totals") || pod.has("failures"));
    }

    @Test
    void nodesAreShort() throws IOException {
        ObjectNode report = report();
        String use = "{'cpu':{'requested':1,'allocatable':4},'memory':{'requested':2,'allocatable':5},"
                + "'pods':{'requested':3,'allocatable':6}}";
        report.withObject("/utilisation")
                .withArray("nodes")
                .add(json("{'node':'old','before':" + use + ",'after':null}"))
                .add(json("{'node':'new','before':null,'after':" + use + "}"));
        assertEquals(
                json("[['old',[4,5,6],[1,2,3],null],['new',[4,5,6],null,[1,2,3]]]"),
                SimulationHtml.of(report).at("/utilisation/nodes"));
    }

    /** Scores are omitted before pods, and the page says so. */
    @Test
    void thePageStaysSmall() throws IOException {
        ObjectNode report = report();
        JsonNode pod = detailed(20);
        for (int i = 0; i < 20_000; i++) {
            report.withArray("pods").add(pod);
        }
        JsonNode data = SimulationHtml.of(report);
        assertTrue(data.toString().length() < 1_400_000, () -> data.toString().length() + " characters");
        assertEquals(20_000, data.path("pods").size() + data.path("podsLeftOut").asInt());
        assertTrue(data.path("podsLeftOut").asInt() > 0);
        assertTrue(data.at("/pods/0").has("details"));
        assertFalse(data.path("pods").get(data.path("pods").size() - 1).has("details"));
    }

    @Test
    void onlySmallClustersAreLookedAtTwice() {
        assertTrue(SimulationHtml.isCheap(100, 1000));
        assertFalse(SimulationHtml.isCheap(100_000, 100_000));
    }
}
