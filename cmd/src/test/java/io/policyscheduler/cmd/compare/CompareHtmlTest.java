package io.policyscheduler.cmd.compare;

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

    private static ObjectNode report(int pods, int nodes) throws IOException {
        ObjectNode report = (ObjectNode) json("{'mode':'steps','comparisons':[],'pods':[]}");
        ArrayNode list = report.withArray("pods");
        for (int p = 0; p < pods; p++) {
            ObjectNode pod = (ObjectNode) json("{'pod':'default/p" + p + "','agree':" + (p % 2 == 0)
                    + ",'results':[{'decider':'a','node':'n" + (nodes - 1) + "','best':1,'bestNodes':['x'],'details':"
                    + "{'algorithms':['A'],'weights':[1],'rejected':[],'nodes':[]}}],"
                    + "'differences':[{'decider':'b','agreement':'different','cause':'A score','text':'t',"
                    + "'causes':[{'kind':'weight'}]},{'decider':'c','agreement':'same'}]}");
            ArrayNode scored = (ArrayNode) pod.at("/results/0/details/nodes");
            for (int n = 0; n < nodes; n++) {
                scored.add(json("{'node':'n" + n + "','total':5,'scores':[5],'weighted':[5]}"));
            }
            list.add(pod);
        }
        return report;
    }

    @Test
    void podsThatDifferComeWithTheBestNodesAndTheWinners() throws IOException {
        ObjectNode data = CompareHtml.of(report(3, 30));
        assertEquals(3, data.path("podCount").asInt());
        assertEquals(0, data.path("podsLeftOut").asInt());
        assertEquals(1, data.path("pods").size());
        JsonNode pod = data.at("/pods/0");
        assertEquals("default/p1", pod.path("pod").asText());
        JsonNode nodes = pod.at("/results/0/details/nodes");
        assertEquals(16, nodes.size());
        assertEquals(json("{'node':'n0','total':5,'weighted':[5]}"), nodes.get(0));
        assertEquals("n29", nodes.get(15).path("node").asText());
        assertEquals(
                json("[{'decider':'b','agreement':'different','cause':'A score','text':'t'}]"),
                pod.path("differences"));
        assertTrue(pod.at("/results/0/bestNodes").isMissingNode());
    }

    /** A file that a browser opens at once: details are left out first, then pods, and that is told. */
    @Test
    void thePageStaysSmall() throws IOException {
        ObjectNode report = report(30_000, 15);
        ObjectNode data = CompareHtml.of(report);
        assertTrue(data.toString().length() < 2_100_000, () -> data.toString().length() + " characters");
        assertEquals(15_000, data.path("pods").size() + data.path("podsLeftOut").asInt());
        assertTrue(data.path("podsLeftOut").asInt() > 0);
        assertTrue(data.at("/pods/0/results/0/details").isObject());
        JsonNode last = data.path("pods").get(data.path("pods").size() - 1);
        assertTrue(last.at("/results/0/details").isMissingNode());
        assertEquals(30_000, report.path("pods").size());
    }
}
