package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of {@code --html} of each command for the demo: their texts and their data. */
class HtmlPagesTest {
    private static final String DEMO = "../../policy-files/demo/";
    private static final Pattern SENTENCE = Pattern.compile("(?m)^<p>(.*)</p>$");
    private static final Pattern DATA = Pattern.compile("id=\"data\">(.*?)</script>");

    /** A page as it was written. */
    private record Page(String text, CommandRun run) {
        List<String> conclusion() {
            return SENTENCE.matcher(text.substring(0, text.indexOf("<dl")))
                    .results()
                    .map(found -> found.group(1))
                    .toList();
        }

        JsonNode data() throws IOException {
            String json = DATA.matcher(text)
                    .results()
                    .map(found -> found.group(1))
                    .findFirst()
                    .orElseThrow();
            return new ObjectMapper().readTree(json);
        }
    }

    private final Path file;

    HtmlPagesTest(@TempDir Path folder) {
        file = folder.resolve("page.html");
    }

    private Page page(String line) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(line.split(" ")));
        arguments.addAll(List.of("--html", file.toString()));
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertTrue(run.code() <= 1, run::err);
        return new Page(Files.readString(file), run);
    }

    private static String cluster() {
        return "--cluster " + DEMO + "cluster.yaml " + DEMO + "workload.yaml";
    }

    private static int sum(JsonNode rows, int column) {
        int sum = 0;
        for (JsonNode row : rows) {
            sum += row.path(column).asInt();
        }
        return sum;
    }

    @Test
    void compareSaysHowManyGoElsewhereAndWhy() throws IOException {
        Page page = page("compare policy:" + DEMO + "policy.json provider:DefaultProvider modern " + cluster());
        assertEquals(6, page.conclusion().size());
        assertEquals(
                List.of(
                        "policy.json and DefaultProvider: 30 of 41 pods get another node, 1 becomes schedulable.",
                        "Main cause (30 pods): NodeLabel filter (InAZone, NotRetiring) rejects node-d1.",
                        "7 get the same node, 3 are unschedulable with both."),
                page.conclusion().subList(0, 3));
        assertEquals(41, page.data().path("pods").size());
        assertTrue(page.text().contains("<li><code>" + DEMO + "policy.json</code>"));
        assertTrue(page.text().contains("compare policy:" + DEMO + "policy.json provider:DefaultProvider modern"));
    }

    @Test
    void compareSaysWhatBecomesUnschedulable() throws IOException {
        Page page = page("compare provider:DefaultProvider policy:" + DEMO + "policy.json --mode run " + cluster());
        assertTrue(
                page.conclusion()
                        .get(0)
                        .matches(
                                "DefaultProvider and policy.json: \\d+ of 41 pods get another node, .*\\d+ becomes? unschedulable.*\\."),
                page::toString);
        assertTrue(page.data().path("flows").path(0).size() > 5);
    }

    @Test
    void compareSaysWhenAllAgree() throws IOException {
        Page page = page("compare policy:" + DEMO + "policy.json policy:" + DEMO + "policy.json " + cluster());
        assertEquals(
                List.of(
                        "policy.json and policy.json: the decisions agree for all 41 pods.",
                        "37 get the same node, 4 are unschedulable with both."),
                page.conclusion());
    }

    /** The page contains more than the output on stdout, which stays the same. */
    @Test
    void simulateHasScoresOnThePageOnly() throws IOException {
        String line = "simulate --policy " + DEMO + "policy.json " + cluster() + " -o json";
        Page page = page(line);
        assertTrue(page.conclusion().get(0).equals("37 of 41 pending pods are placed, 4 are unschedulable."));
        JsonNode first = page.data().at("/pods/0");
        assertEquals("default/db-3", first.path("pod").asText());
        assertEquals(13, sum(first.at("/details/rejected"), 2));
        JsonNode last = page.data().path("pods").get(40);
        int winner = 0;
        while (!last.at("/details/nodes/" + winner + "/0")
                .asText()
                .equals(last.path("node").asText())) {
            winner++;
        }
        assertEquals(last.path("score"), last.at("/details/nodes/" + winner + "/1"));
        long total = 0;
        for (int i = 2; i < last.at("/details/nodes/" + winner).size(); i++) {
            total += last.at("/details/nodes/" + winner + "/" + i).asLong();
        }
        assertEquals(last.path("score").asLong(), total);
        assertEquals(
                CommandRun.of(line.split(" ")).out().replaceAll("\"seconds\": [0-9.]+", ""),
                page.run().out().replaceAll("\"seconds\": [0-9.]+", ""));
        assertEquals(13, page.data().at("/utilisation/nodes").size());
        assertEquals(4, page.data().at("/utilisation/nodes/0").size());
    }

    @Test
    void explainSaysWhereAPodGoesOrWhatItNeeds() throws IOException {
        String line = " --in-order --policy " + DEMO + "policy.json " + cluster();
        assertEquals(
                List.of(
                        "default/notebook would be placed on node-a4 with policy.json: 9 of 13 nodes are feasible.",
                        "node-a4 beats node-a3 by 13: LeastRequestedPriority +12, BalancedResourceAllocation +1."),
                page("explain notebook" + line).conclusion());
        Page page = page("explain old-kernel" + line);
        assertTrue(page.conclusion()
                .get(0)
                .equals("default/old-kernel is unschedulable with policy.json: 0 of 13 nodes are feasible."));
        assertEquals(
                "Smallest change: add the label kernel=3.10. This makes 9 nodes feasible.",
                page.conclusion().get(1));
        assertEquals(0, page.data().path("rankingCount").asInt(-1));
    }

    @Test
    void auditSaysHowManyAreNotAllowedWhereTheyAre() throws IOException {
        Page page = page("audit --decider modern --threshold 1 --cluster " + DEMO + "cluster.yaml");
        assertEquals(
                List.of("6 running pods checked with modern: all run on feasible nodes, 3 would score higher on another"
                        + " node."),
                page.conclusion());
        assertEquals(3, page.data().path("findings").size());
        assertEquals(0, page.data().path("findingsLeftOut").asInt(-1));
    }

    @Test
    void migrateSaysWhatIsLostAndWhetherPodsGoWhereTheyWent() throws IOException {
        Page page = page("migrate " + DEMO + "policy.json --verify " + DEMO + "cluster.yaml " + DEMO + "workload.yaml");
        assertEquals(5, page.conclusion().size());
        assertTrue(page.conclusion().get(0).endsWith("5 differ, 1 is lost (NodePreferAvoidPodsPriority)."));
        assertTrue(page.conclusion().get(1).contains(": 18 of 47 pods get another node"));
        assertTrue(page.conclusion().get(4).startsWith("The dump is verified: decisions differ for 18 of 47 pods"));
        assertEquals(47, page.data().at("/verification/pods").size());
        assertEquals("LOST", page.data().at("/algorithms/0/result").asText());
        assertEquals("shared weight", page.data().at("/others/0/subject").asText());
        assertFalse(page("migrate " + DEMO + "policy.json").data().has("verification"));
    }
}
