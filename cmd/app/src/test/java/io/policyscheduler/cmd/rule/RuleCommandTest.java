package io.policyscheduler.cmd.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.compiler.Operations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleCommandTest {
    private static final String CLUSTER = """
            apiVersion: v1
            kind: List
            items:
            - {kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
            - kind: Node
              metadata: {name: n2, labels: {disk: ssd}}
              status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}
            - kind: Pod
              metadata: {name: old, namespace: a, uid: u1, labels: {net: underlay}}
              spec: {nodeName: n1, containers: [{name: c}]}
            - kind: Pod
              metadata: {name: new, namespace: default, uid: u2}
              spec: {containers: [{name: c, resources: {requests: {cpu: "3"}}}]}
            """;

    @TempDir
    private Path dir = Path.of("");

    private String file(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text).toString();
    }

    private CommandRun rule(String... args) {
        List<String> all = new ArrayList<>(List.of("rule"));
        all.addAll(List.of(args));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        String prefix = dir + "/";
        return new CommandRun(
                run.code(), run.out().replace(prefix, ""), run.err().replace(prefix, ""));
    }

    private static JsonNode json(CommandRun run) throws IOException {
        return new ObjectMapper().readTree(run.out());
    }

    @Test
    void checksAnExpression() {
        assertEquals(new CommandRun(0, """
                        RULE   FOR         TYPE   SCOPE   READS           COST   PLACE
                        -      predicate   bool   NODE    POD,NODE_PODS      7   expression
                        """, ""), rule("check", "-e", "node.freeCpu >= pod.cpu + 1"));
        assertEquals(
                new CommandRun(0, """
                        RULE   FOR        TYPE     SCOPE     READS               COST   PLACE
                        -      priority   number   CLUSTER   NODE_PODS,CLUSTER      5   expression
                        """, ""),
                rule("check", "--expression=node.podCount / cluster.nodeCount", "--priority"));
    }

    @Test
    void tellsWhatTheCostGrowsWith() throws IOException {
        String[] check = {"check", "-e", "node.pods.any(p, p.name.contains(node.annotation('a'))) || node.podCount < 5"
        };
        List<String> lines = rule(check).out().lines().toList();
        assertEquals(
                List.of("the cost grows with the elements of node.pods", "the cost grows with the length of p.name"),
                lines.subList(2, lines.size()));
        String policy = file("p.yaml", """
                kind: Policy
                apiVersion: v1
                rules:
                - {name: Unused, expression: node.podCount, onError: zero}
                predicates:
                - {name: Few, argument: {rule: {expression: "node.pods.all(p, p.cpu < 1)", onError: ignore}}}
                priorities:
                - {name: Free, weight: 1, argument: {rule: {expression: node.freeCpu}}}
                """);
        List<String> rules = new ArrayList<>();
        json(rule("check", policy, "-o", "json"))
                .path("rules")
                .forEach(rule -> rules.add(rule.path("name").asText() + " "
                        + rule.path("onError").asText() + " " + rule.path("growsWith")));
        assertEquals(List.of("Unused zero []", "Few ignore [\"elements of node.pods\"]", "Free zero []"), rules);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "predicates | reject | ",
                "predicates | ignore | ",
                "predicates | zero | R026: onError 'zero'; for a predicate there are reject and ignore",
                "priorities | zero | ",
                "priorities | reject | R026: onError 'reject'; for a priority there are zero and ignore",
                "priorities | Ignore | R026: onError 'Ignore'; for a priority there are zero and ignore",
            })
    void whatAFailureMayMean(String list, String onError, @Nullable String problem) throws IOException {
        boolean isPredicate = list.equals("predicates");
        String policy = file(
                "p.json",
                "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"" + list + "\": [{\"name\": \"R\", "
                        + (isPredicate ? "" : "\"weight\": 1, ")
                        + "\"argument\": {\"rule\": {\"expression\": \"" + (isPredicate ? "true" : "1")
                        + "\", \"onError\": \"" + onError + "\"}}}]}");
        CommandRun run = rule("check", policy);
        assertEquals(problem == null ? 0 : 1, run.code(), run.out());
        assertTrue(problem == null || run.out().contains(problem), run.out());
    }

    @Test
    void tellsWhatAnEvaluationWasCharged() throws IOException {
        String cluster = file("c.yaml", CLUSTER);
        List<String> works = new ArrayList<>();
        json(rule(
                        "eval",
                        "-e",
                        "node.pods.count(p, p.priority > 0)",
                        "--cluster",
                        cluster,
                        "--pod",
                        "new",
                        "-o",
                        "json"))
                .path("nodes")
                .forEach(node -> works.add(
                        node.path("node").asText() + " " + node.path("work").asLong()));
        assertEquals(List.of("n1 5", "n2 0"), works);
    }

    @Test
    void tellsThePlaceInARefusedExpression() {
        assertEquals(new CommandRun(1, """
                        expression:1:6: R013: a node has no member 'podsWithLable'; did you mean "podsWithLabel"?
                            node.podsWithLable('net') < 10
                                 ^
                        """, ""), rule("check", "-e", "node.podsWithLable('net') < 10"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "node.podCount | --predicate | R017: the expression is a number; it must be a bool; compare it with a value",
                "true | --priority | R017: the expression is a bool; it must be a number; use condition ? 100 : 0",
                "node.name | --param=x=1 | R017: the expression is a string; it must be a number; use condition ? 100 : 0",
                "params.n < 1 | --param=m=1 | R025: unknown parameter 'n'; there are m",
            })
    void refuses(String expression, String option, String text) {
        CommandRun run = rule("check", "-e", expression, option);

        assertEquals(1, run.code());
        assertTrue(run.out().lines().findFirst().orElse("").endsWith(": " + text), run.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "params.x < 2 | x=1.5",
                "params.x | x=true",
                "pod.namespace in params.x | x=[\"a\", \"b\"]",
                "node.podCount in params.x | x=[1, 2]",
                "params.x == 'a=b' | x=a=b",
                "params.x == '10m' | x=10m",
                "params.x == '' | x=",
                "params.x == '10' | x=\"10\"",
            })
    void parametersHaveTypes(String expression, String param) {
        assertEquals(
                0,
                rule("check", "-e", expression, "--param", param).code(),
                () -> rule("check", "-e", expression, "--param", param).out());
    }

    @Test
    void checksAllRulesOfAPolicy() throws IOException {
        String policy = file("p.yaml", """
                kind: Policy
                apiVersion: v1
                rules:
                - {name: Shared, expression: node.podCount < params.most, params: {most: 5}}
                - {name: Unused, expression: node.podCount}
                predicates:
                - {name: GeneralPredicates}
                - {name: Few, argument: {rule: {use: Shared, when: pod.priority > 0}}}
                priorities:
                - {name: Free, weight: 1, argument: {rule: {expression: node.freeCpu, normalize: max}}}
                """);
        assertEquals(new CommandRun(0, """
                        RULE     FOR         TYPE     SCOPE   READS           COST   PLACE
                        Unused   priority    number   NODE    NODE_PODS          2   p.yaml:5:30
                        Few      predicate   bool     NODE    POD,NODE_PODS      4   p.yaml:8:32
                        Free     priority    number   NODE    NODE_PODS          2   p.yaml:10:57
                        """, ""), rule("check", policy));
    }

    @Test
    void checksAllRulesOfALibrary() throws IOException {
        String library = file("l.yaml", """
                rules:
                - {name: Good, expression: node.podCount < 5}
                - {name: Bad, expression: node.podCount, reason: too many}
                - {name: Worse, expression: node.podCont, normalize: max}
                - {name: Good, expression: "true"}
                """);
        CommandRun run = rule("check", library, "-o", "json");

        assertEquals(1, run.code());
        List<String> names = new ArrayList<>();
        json(run).path("rules").forEach(rule -> names.add(rule.path("name").asText()));
        assertEquals(List.of("Good", "Good"), names);
        List<String> problems = new ArrayList<>();
        json(run)
                .path("problems")
                .forEach(problem -> problems.add(problem.path("line").asInt() + " "
                        + problem.path("message").asText()));
        assertEquals(
                List.of(
                        "3 rule Bad: 1:1: R017: the expression is a number; it must be a bool; compare it with a value",
                        "4 rule Worse: 1:6: R013: a node has no member 'podCont'; did you mean \"podCount\"?",
                        "5 R027: the second rule named Good; rename one of them"),
                problems);
    }

    @Test
    void filesThatAreNeither() throws IOException {
        assertEquals(new CommandRun(0, "no rules\n", ""), rule("check", file("empty.json", "{}")));
        assertEquals(
                new CommandRun(1, "u.json:1:2: found unknown field: rule (did you mean \"rules\"?)\n", ""),
                rule("check", file("u.json", "{\"rule\":[]}")));
        assertEquals(
                new CommandRun(3, "", "error: no such file: none\n"),
                rule("check", dir.resolve("none").toString()));
        CommandRun both = rule("check", "-e", "true", "x");
        assertEquals(new CommandRun(2, "", """
                        error: give either FILE or -e EXPR
                        see policy-scheduler rule check --help
                        """), both);
        assertEquals(both, rule("check"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--rule-executor=direct", "--rule-executor=mvel", "--rule-executor=MVEL"})
    void eitherExecutorEvaluates(String executor) throws IOException {
        assertEquals(
                new CommandRun(0, """
                        NODE   VALUE
                        n1     true
                        n2     false
                        """, ""),
                rule(
                        "eval",
                        "-e",
                        "node.freeCpu >= pod.cpu",
                        "--cluster",
                        file("c.yaml", CLUSTER),
                        "--pod",
                        "new",
                        executor));
    }

    @Test
    void evaluatesAtAMoment() throws IOException {
        String cluster = file("c.yaml", CLUSTER);
        assertEquals(
                new CommandRun(0, """
                        NODE   VALUE
                        n1        45
                        """, ""),
                rule(
                        "eval",
                        "-e",
                        "now.hour + now.minute",
                        "--cluster",
                        cluster,
                        "--pod=new",
                        "--node=n1",
                        "--now=2026-03-01T22:23:59Z"));
        assertEquals(
                new CommandRun(2, "", """
                        error: --now: 'noon' is no time; write it like 2026-03-01T22:30:00Z
                        see policy-scheduler rule eval --help
                        """),
                rule("eval", "-e", "now.hour", "--cluster", cluster, "--pod=new", "--now=noon"));
    }

    @Test
    void evaluatesForEachNode() throws IOException {
        String cluster = file("c.yaml", CLUSTER);
        assertEquals(
                new CommandRun(0, """
                        NODE   VALUE
                        n1     true
                        n2     false
                        """, ""),
                rule("eval", "-e", "node.freeCpu >= pod.cpu", "--cluster", cluster, "--pod", "new"));
        assertEquals(
                new CommandRun(0, """
                        NODE   VALUE
                        n1       2.5
                        """, ""),
                rule("eval", "-e", "node.freeCpu * 5 / 8", "--cluster", cluster, "--pod=default/new", "--node=n1"));
        assertEquals(
                new CommandRun(0, """
                        NODE                      VALUE
                        n1     failed: division by zero
                        n2     failed: division by zero
                        """, ""),
                rule("eval", "-e", "1 / (node.podCount * 0)", "--cluster", cluster, "--pod=new"));
    }

    @Test
    void aPodThatRunsIsTakenOffItsNode() throws IOException {
        String cluster = file("c.yaml", CLUSTER);
        String expression = "node.podsWithLabel('net')";
        assertEquals(new CommandRun(0, """
                        NODE   VALUE
                        n1         1
                        n2         0
                        """, ""), rule("eval", "-e", expression, "--cluster", cluster, "--pod", "new"));
        assertEquals(
                new CommandRun(0, """
                        NODE   VALUE
                        n1         0
                        n2         0
                        """, ""), rule("eval", "-e", expression, "--cluster", cluster, "--pod", "a/old"));
    }

    @Test
    void tracesEveryPart() throws IOException {
        String cluster = file("c.yaml", CLUSTER);
        String expression = "node.hasLabel('disk') && node.freeCpu > params.cpu + 1";
        assertEquals(
                new CommandRun(0, """
                        NODE   VALUE
                        n1     false
                        n2     true

                        n1                                                       VALUE
                        node.hasLabel('disk') && node.freeCpu > params.cpu + 1   false
                          node.hasLabel('disk')                                  false
                          node.freeCpu > params.cpu + 1                          not evaluated

                        n2                                                       VALUE
                        node.hasLabel('disk') && node.freeCpu > params.cpu + 1   true
                          node.hasLabel('disk')                                  true
                          node.freeCpu > params.cpu + 1                          true
                            node.freeCpu                                         2
                            params.cpu + 1                                       1.5
                              params.cpu                                         0.5
                        """, ""),
                rule("eval", "-e", expression, "--param=cpu=0.5", "--cluster", cluster, "--pod", "new", "--tree"));
        assertEquals(
                new CommandRun(0, """
                        pod: default/new
                        expression: node.podCount
                        type: number
                        scope: NODE
                        budget: 200000
                        nodes:
                          - node: n1
                            value: 1.0
                            failure: null
                            work: 0
                            tree:
                              text: node.podCount
                              line: 1
                              column: 1
                              evaluations: 1
                              value: 1.0
                              failure: null
                              "true": 0
                              "false": 0
                              parts: []
                        """, ""),
                rule(
                        "eval",
                        "-e",
                        "node.podCount",
                        "--cluster",
                        cluster,
                        "--pod=new",
                        "--node=n1",
                        "--tree",
                        "-o=yaml"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "true | nw | n1 | no pod default/nw that is pending or running (did you mean default/new?)",
                "true | b/x | n1 | no pod b/x that is pending or running",
                "true | new | n9 | no node n9 (did you mean n1?)",
            })
    void whatIsNotInTheDump(String expression, String pod, String node, String error) throws IOException {
        assertEquals(
                new CommandRun(3, "", "error: " + error + "\n"),
                rule("eval", "-e", expression, "--cluster", file("c.yaml", CLUSTER), "--pod", pod, "--node", node));
    }

    @ParameterizedTest
    @ValueSource(strings = {"eval --cluster x --pod y", "bench"})
    void refusedExpressionsAreBadInput(String command) {
        List<String> args = new ArrayList<>(List.of(command.split(" ")));
        args.addAll(List.of("-e", "pod.cpu >"));
        assertEquals(new CommandRun(3, "", """
                        error: expression:1:10: R006: expected a value, found the end
                        error:     pod.cpu >
                        error:              ^
                        """), rule(args.toArray(String[]::new)));
    }

    @Test
    void docsHaveEveryMemberAndOperation() throws IOException {
        CommandRun run = rule("docs", "-o", "json");
        assertEquals(0, run.code());
        Map<String, Integer> members = new TreeMap<>();
        json(run)
                .path("members")
                .forEach(member -> members.merge(member.path("of").asText(), 1, Integer::sum));
        Map<String, Integer> expected = new TreeMap<>();
        Members.types()
                .forEach(type -> expected.put(type.label(), Members.of(type).size()));
        assertEquals(expected, members);
        assertEquals(Operations.all().size(), json(run).path("operations").size());
        String table = rule("docs").out();
        Members.types()
                .forEach(type ->
                        Members.of(type).forEach(member -> assertTrue(table.contains(member.example()), table)));
        Operations.all().forEach(operation -> assertTrue(table.contains(operation.usage()), table));
    }

    @ParameterizedTest
    @ValueSource(strings = {"node.podsWithLabel('app') < params.n", "100 * node.freeCpu / params.n"})
    void benchMeasuresAllWaysToRunARule(String expression) throws IOException {
        CommandRun run = rule(
                "bench",
                "-e",
                expression,
                "--param",
                "n=9",
                "--nodes",
                "5",
                "--pods",
                "10",
                "--rounds",
                "1",
                "-o",
                "json");

        assertEquals(0, run.code(), run.err());
        List<String> ways = new ArrayList<>();
        json(run).path("results").forEach(result -> {
            ways.add(result.path("how").asText());
            assertTrue(result.path("nanosPerNode").asDouble() > 0, run.out());
        });
        assertEquals(List.of("scheduler", "direct", "mvel"), ways);
    }
}
