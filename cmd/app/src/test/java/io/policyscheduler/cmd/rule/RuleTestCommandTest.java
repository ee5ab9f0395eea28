package io.policyscheduler.cmd.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.rule.RuleCase.CaseOutcome;
import io.policyscheduler.cmd.rule.RuleCase.CasePart;
import io.policyscheduler.cmd.rule.RuleTestCommand.CaseReport.CaseResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

class RuleTestCommandTest {
    private static final String POLICY = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: Few
              argument: {rule: {params: {limit: 2}, expression: node.podCount < params.limit, reason: full}}
            priorities:
            - name: Free
              weight: 1
              argument: {rule: {expression: node.podCount, normalize: reverse}}
            """;

    @TempDir
    private Path dir = Path.of("");

    private CommandRun test(String... args) {
        List<String> all = new ArrayList<>(List.of("rule", "test"));
        all.addAll(List.of(args));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        return new CommandRun(
                run.code(), run.out().replace(dir + "/", ""), run.err().replace(dir + "/", ""));
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text).toString();
    }

    /** One case, its members in YAML's flow style, beside a policy with the predicate Few and the priority Free. */
    private CommandRun one(String members) throws IOException {
        file("policy.yaml", POLICY);
        return test(file("c.yaml", "policy: policy.yaml\ncases:\n- {name: it, " + members + "}\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "rule: Few, pods: [{}], fits: true",
                "rule: Few, pods: [{count: 2}], fits: false, reason: full",
                "rule: Few, params: {limit: 3}, pods: [{count: 2}], fits: true",
                "rule: Few, nodes: [{}, {name: m}], pods: [{count: 2, nodeName: m}], fits: {node-1: true, m: false}",
                "rule: Free, nodes: [{}, {}], pods: [{count: 3}], score: {node-1: 0, node-2: 100}",
                "expression: pod.cpu == 2 && node.allocatable('cpu') == 8, pod: {requests: {cpu: 2}}, fits: true",
                "expression: node.maxPods == 5 && node.freeCpu == 8, nodes: [{allocatable: {pods: 5}}], fits: true",
                "expression: node.hasLabel('a'), nodes: [{metadata: {labels: {a: b}}}], fits: true",
                "expression: 'false', when: pod.priority > 5, pod: {spec: {priority: 5}}, fits: true",
                "expression: 'false', fits: false, reason: node(s) didn't satisfy rule expression",
                "expression: pod.labels.x == 'v', pod: {labels: {x: v}, namespace: z}, fits: true",
                "expression: now.hour == 22, now: 2026-03-01T22:30:00Z, fits: true",
                "expression: pod.ageMinutes == 30, now: '2026-03-01T22:30:00Z',"
                        + " pod: {creationTimestamp: '2026-03-01T22:00:00Z'}, fits: true",
                "expression: pod.serviceAccountName == 'a', pod: {serviceAccountName: a}, fits: true",
                "expression: \"pod.claims.all(c, c.storageClassName == 'fast')\","
                        + " pod: {volumes: [{persistentVolumeClaim: {claimName: data}}]}, objects: [{kind: PersistentVolumeClaim,"
                        + " metadata: {name: data}, spec: {storageClassName: fast}}], fits: true",
                "expression: 1 / node.podCount > 0, fits: false, error: division by zero",
                "expression: 1 / node.podCount, score: 0, error: division by zero",
            })
    void passes(String members) throws IOException {
        assertEquals(new CommandRun(0, "1 case, 1 passed\n", ""), one(members));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "rule: Few, pods: [{}], fits: false | node-1 fits: expected false, got true",
                "rule: Few, pods: [{count: 2}], reason: fool | node-1 reason: expected fool, got full",
                "rule: Few, reason: full | node-1 reason: expected full, got none",
                "rule: Free, nodes: [{}, {}], pods: [{}], score: 100 | node-1 score: expected 100, got 0",
                "expression: 1 / node.podCount, score: 0 | node-1 error: expected none, got division by zero",
                "expression: 1 + node.podCount, error: too much work | node-1 error: expected too much work, got none",
                "rule: Few, nodes: [{}, {name: m}], fits: false"
                        + " | node-1 fits: expected false, got true; m fits: expected false, got true",
            })
    void fails(String members, String difference) throws IOException {
        assertEquals(
                new CommandRun(1, "c.yaml:3:3: it: " + difference + "\n1 case, 0 passed, 1 failed\n", ""),
                one(members));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "rule: Few | 3:3: the case expects nothing; set fits",
                "rule: Fev, fits: true | 3:20: no rule \"Fev\"; there are Few, Free (did you mean \"Few\"?)",
                "fits: true | 3:3: no rule; set \"rule\": Few, Free",
                "rule: Few, score: 1 | 3:32: the rule is a predicate; expect fits, not score",
                "rule: Free, fits: true | 3:32: the rule is a priority; expect a score, not fits",
                "rule: Few, fits: 1 | 3:31: fits is 1, expected true or false",
                "rule: Free, score: 101 | 3:33: score is 101, expected a number from 0 to 100 without fraction",
                "rule: Few, fits: {node-2: true}"
                        + " | 3:32: no node \"node-2\" in this case; there are node-1 (did you mean \"node-1\"?)",
                "rule: Few, fits: true, reason: x | 3:45: the case expects a reason, but no node with fits: false; remove the reason",
                "rule: Few, fits: true, nodes: [] | 3:44: \"nodes\" is empty; remove it to use one default node",
                "rule: Few, fits: true, nodes: [{allocatable: 5}]"
                        + " | 3:45: Node: status.allocatable: expected an object, found 5",
                "rule: Few, fits: true, pods: [{nodeName: m}] | 3:44: no node \"m\" in this case",
                "rule: Few, fits: true, pods: [{count: -1}] | 3:44: count is -1, expected a number from 0 to 10000",
                "expression: now.hour == 22, fits: true"
                        + " | 3:3: the rule reads the time; set it: \"now\": \"2026-03-01T22:30:00Z\"",
                "rule: Few, now: noon, fits: true"
                        + " | 3:30: now is \"noon\"; write a time such as \"2026-03-01T22:30:00Z\"",
                "rule: Few, objects: [{}], fits: true"
                        + " | 3:35: the object has no kind; set one, such as PersistentVolumeClaim",
                "rule: Few, objects: [{kind: Node}], fits: true"
                        + " | 3:35: objects of kind Node are not supported here; put nodes into \"nodes\" and pods into"
                        + " \"pods\"; rules read no other kinds",
                "rule: Few, fits: true, params: {limt: 3} | 3:45: R"
                        + "025: rule Few has no parameter 'limt'; it has: limit",
                "expression: node.podCout < 5, fits: true"
                        + " | 3:26: 1:6: R013: a node has no member 'podCout'; did you mean \"podCount\"?",
                "rule: Few, fits: true, fits: false | 3:37: the key \"fits\" appears twice; remove one",
            })
    void refuses(String members, String problem) throws IOException {
        assertEquals(new CommandRun(3, "", "error: c.yaml:" + problem + "\n"), one(members));
    }

    @Test
    void refusesFilesTogether() throws IOException {
        String none = file("none.yaml", "cases: []\n");
        String torn = file("torn.json", "{\"cases\": [");
        String gone = file("gone.yaml", "policy: gone.json\ncases: []\n");
        CommandRun run = test(none, torn, gone);
        assertEquals(3, run.code());
        List<String> lines = run.err().lines().toList();
        assertEquals(3, lines.size(), run.err());
        assertEquals("error: none.yaml:1:8: the file has no cases; list them under \"cases\"", lines.get(0));
        assertTrue(lines.get(1).startsWith("error: torn.json:1:"), lines.get(1));
        assertEquals("error: no such file: gone.json", lines.get(2));
        assertEquals(2, test().code());
    }

    @Test
    void writesJsonAndJUnit() throws IOException, ParserConfigurationException, SAXException {
        String file = file("c.json", """
                {"cases": [
                  {"name": "a <b>", "expression": "node.podCount < 1", "fits": false},
                  {"name": "c", "expression": "node.podCount < 1", "fits": true}]}
                """);
        Path xml = dir.resolve("junit.xml");
        CommandRun run = test(file, "-o", "json", "--junit", xml.toString());
        assertEquals(1, run.code());
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertEquals(1, json.path("failed").asInt());
        assertEquals(2, json.path("results").size());
        assertEquals(
                "{\"node\":\"node-1\",\"part\":\"fits\",\"expected\":\"false\",\"actual\":\"true\"}",
                json.at("/results/0/differences/0").toString());
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(xml.toFile())
                .getDocumentElement();
        assertEquals("1", root.getAttribute("failures"));
        Element first = (Element) root.getElementsByTagName("testcase").item(0);
        assertEquals("a <b>", first.getAttribute("name"));
        assertEquals(1, root.getElementsByTagName("failure").getLength());
        assertEquals(3, test(file, "--junit", dir.toString()).code());
    }

    @Test
    void executorsThatDifferFail() throws IOException {
        String file = file("c.yaml", "cases:\n- {name: a, expression: 'true', fits: true}\n");
        RuleCase about = CaseFile.read(Path.of(file), Map.of()).cases().get(0);
        CaseResult result = CaseResult.compare(
                about,
                List.of(new CaseOutcome("node-1", Map.of(CasePart.FITS, "true"))),
                List.of(new CaseOutcome("node-1", Map.of(CasePart.FITS, "false", CasePart.REASON, "no"))));
        assertEquals("node-1 mvel: expected fits true, got fits false, reason no", result.text());
    }

    private String coverable() throws IOException {
        file("policy.yaml", """
                kind: Policy
                apiVersion: v1
                predicates:
                - name: Few
                  argument:
                    rule:
                      when: pod.priority > 5
                      expression: node.podCount < 2 || !(pod.cpu > 1)
                - {name: Any, argument: {rule: {expression: "node.pods.any(p, p.cpu > 1)"}}}
                """);
        return file("c.yaml", """
                policy: policy.yaml
                rule: Few
                cases:
                - {name: a, pod: {priority: 6}, fits: true}
                - {name: b, pod: {priority: 6}, pods: [{count: 2}], fits: true}
                """);
    }

    @Test
    void tellsWhichBranchesAreTaken() throws IOException {
        assertEquals(new CommandRun(0, """
                RULE   BRANCHES   TAKEN   COVERAGE   PLACE
                Any           4       0       0.0%   policy.yaml:9:45
                Few           6       4      66.7%   policy.yaml:8:19
                all          10       4      40.0%
                policy.yaml:9:45: rule Any: expression 1:1: never true: node.pods.any(p, p.cpu > 1)
                policy.yaml:9:45: rule Any: expression 1:1: never false: node.pods.any(p, p.cpu > 1)
                policy.yaml:9:45: rule Any: expression 1:18: never true: p.cpu > 1
                policy.yaml:9:45: rule Any: expression 1:18: never false: p.cpu > 1
                policy.yaml:8:19: rule Few: when 1:1: never false: pod.priority > 5
                policy.yaml:8:19: rule Few: expression 1:24: never true: pod.cpu > 1
                2 cases, 2 passed
                """, ""), test("--coverage", coverable()));
    }

    @ParameterizedTest
    @CsvSource({"40%, 0", "40, 0", "40.1%, 1", "100%, 1", "101%, 2", "x, 2"})
    void tooFewBranchesFail(String least, int code) throws IOException {
        assertEquals(code, test("--coverage-min", least, coverable()).code());
    }

    @Test
    void coverageIsInTheReports() throws Exception {
        Path junit = dir.resolve("junit.xml");
        CommandRun run = test("--coverage", "-o", "json", "--junit", junit.toString(), coverable());
        JsonNode coverage = new ObjectMapper().readTree(run.out()).path("coverage");
        assertEquals(10, coverage.path("branches").asInt());
        assertEquals(40.0, coverage.path("percent").asDouble());
        assertEquals(
                "{\"field\":\"when\",\"line\":1,\"column\":1,\"way\":false,\"text\":\"pod.priority > 5\"}",
                coverage.at("/rules/1/open/0").toString());
        String xml = Files.readString(junit);
        assertTrue(xml.contains("<property name=\"taken\" value=\"4\""), xml);
        assertTrue(xml.contains("never true: pod.cpu &gt; 1"), xml);
    }
}
