package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class CompareHtmlTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonNode json(String text) throws IOException {
        return JSON.readTree(text.replace('\'', '"'));
    }

    /** Every second pod moves with b; with c, none does. */
    private static ObjectNode report(int pods, int nodes) throws IOException {
        ObjectNode report =
                (ObjectNode) json("{'mode':'steps','comparisons':[{'decider':'b'},{'decider':'c'}],'pods':[]}");
        ArrayNode list = report.withArray("pods");
        ArrayNode sheet = list.arrayNode();
        for (int n = 0; n < nodes; n++) {
            sheet.add(json("{'node':'n" + n + "','total':5,'scores':[5],'weighted':[5]}"));
        }
        for (int p = 0; p < pods; p++) {
            boolean same = p % 2 == 0;
            String result = "{'decider':'x','node':'n" + (nodes - 1) + "','best':1,'bestNodes':['x'],'feasible':3,"
                    + "'message':null,'details':{'algorithms':['A'],'weights':[1],'rejected':[{'algorithm':'F',"
                    + "'reason':'full','nodes':2,'examples':['n1']}],'nodes':[]}}";
            ObjectNode pod = (ObjectNode) json("{'pod':'default/p" + p + "','ranOn':null,'agree':" + same
                    + ",'results':[" + result + "," + result.replace("n" + (nodes - 1), same ? "n" + (nodes - 1) : "n0")
                    + "," + result + "],'differences':[{'decider':'b','agreement':'" + (same ? "same" : "different")
                    + "','cause':" + (same ? "null" : "'A score'") + ",'text':'pod " + p + " because of A',"
                    + "'causes':[{'leaveOutOfReference':{'filters':[],'scores':['A']},"
                    + "'leaveOutOfDecider':{'filters':['F'],'scores':[]}}]},"
                    + "{'decider':'c','agreement':'same','cause':null,'text':'','causes':[]}]}");
            for (JsonNode one : pod.path("results")) {
                ((ObjectNode) one.path("details")).set("nodes", sheet);
            }
            list.add(pod);
        }
        return report;
    }

    private static String text(JsonNode data, JsonNode index) {
        return data.path("texts").path(index.asInt()).asText();
    }

    @Test
    void allPodsAreThereAndThoseThatDifferComeFirst() throws IOException {
        ObjectNode report = report(3, 30);
        ObjectNode data = CompareHtml.of(report);
        assertEquals(3, data.path("podCount").asInt());
        assertEquals(0, data.path("podsLeftOut").asInt());
        assertEquals("default/p1", data.at("/pods/0/pod").asText());
        assertEquals("default/p0", data.at("/pods/1/pod").asText());
        assertEquals("default/p2", data.at("/pods/2/pod").asText());
        JsonNode pod = data.at("/pods/0");
        assertEquals("n29", text(data, pod.at("/results/0/0")));
        assertEquals("n0", text(data, pod.at("/results/1/0")));
        assertEquals(
                json("[1,3,-1]").toString(),
                "[" + pod.at("/results/0/1") + "," + pod.at("/results/0/2") + "," + pod.at("/results/0/3") + "]");
        assertEquals("different", text(data, pod.at("/differences/0/0")));
        assertEquals("A score", text(data, pod.at("/differences/0/1")));
        assertEquals(-1, pod.at("/differences/1/1").asInt());
        assertEquals(3, report.path("pods").size());
    }

    @Test
    void podsUnfoldToTheBestNodesTheWinnersAndWhatDecides() throws IOException {
        ObjectNode data = CompareHtml.of(report(2, 30));
        JsonNode details = data.at("/pods/0/details");
        JsonNode nodes = details.at("/sheets/0/nodes");
        assertEquals(11, nodes.size());
        assertEquals("n0", text(data, nodes.at("/0/0")));
        assertEquals(5, nodes.at("/0/2").asInt());
        assertEquals("n29", text(data, nodes.at("/10/0")));
        JsonNode why = details.at("/why/0");
        assertEquals("pod 1 because of A", text(data, why.path("text")));
        assertEquals("A", text(data, why.at("/reference/0")));
        assertEquals("F", text(data, why.at("/other/0")));
        JsonNode rejected = details.at("/sheets/0/rejected/0");
        assertEquals("full", text(data, rejected.path(1)));
        assertEquals("n1", text(data, rejected.at("/3/0")));
    }

    @Test
    void flowsCountAllPods() throws IOException {
        ObjectNode data = CompareHtml.of(report(5, 3));
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
    void thePageStaysSmall() throws IOException {
        ObjectNode report = report(30_000, 15);
        ObjectNode data = CompareHtml.of(report);
        assertTrue(data.toString().length() < 1_800_000, () -> data.toString().length() + " characters");
        assertEquals(30_000, data.path("pods").size() + data.path("podsLeftOut").asInt());
        assertTrue(data.path("podsLeftOut").asInt() > 0);
        assertTrue(data.at("/pods/0/details/sheets").isArray());
        JsonNode last = data.path("pods").get(data.path("pods").size() - 1);
        assertTrue(last.path("details").isMissingNode());
        assertEquals(30_000, report.path("pods").size());
    }
}
