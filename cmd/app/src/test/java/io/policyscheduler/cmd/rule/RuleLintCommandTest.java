package io.policyscheduler.cmd.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleLintCommandTest {
    private static final String POLICY = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: Few
              argument:
                rule:
                  when: pod.hasLabel('app')
                  params: {limit: 3}
                  expression: node.podCount >= 0
            rules:
            - name: Spare
              expression: node.podCount < pod.cpu
              reason: full
            """;

    @TempDir
    private Path dir = Path.of("");

    private CommandRun rule(String... args) {
        List<String> all = new ArrayList<>(List.of("rule"));
        all.addAll(List.of(args));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        return new CommandRun(
                run.code(), run.out().replace(dir + "/", ""), run.err().replace(dir + "/", ""));
    }

    private String policy() throws IOException {
        return Files.writeString(dir.resolve("p.yaml"), POLICY).toString();
    }

    @Test
    void tellsPlaceReasonAndWayOut() throws IOException {
        assertEquals(new CommandRun(0, """
                p.yaml:12:15: rule Spare: L009: unused shared rule; use it: {"use": "Spare"}, or remove it
                p.yaml:9:19: rule Few: 1:1: L002: node.podCount >= 0 is always true; remove it or correct it
                    node.podCount >= 0
                    ^
                p.yaml:9:19: rule Few: L007: unused parameter params.limit; remove it
                p.yaml:9:19: rule Few: L013: no reason: the event contains "node(s) didn't satisfy rule Few"; set 'reason' to what is missing
                4 findings: 3 warnings, 1 advice
                """, ""), rule("lint", policy()));
    }

    @ParameterizedTest
    @CsvSource({
        "pod.cpu > 1, , 0",
        "pod.cpu >= 0, , 0",
        "pod.cpu > 1, --strict, 0",
        "pod.cpu >= 0, --strict, 1",
        "!!pod.terminating, --strict, 0",
        "pod.cpu >, , 1",
        "pod.cpu >, --strict, 1",
    })
    void exitCodes(String expression, String option, int code) {
        CommandRun run = option == null ? rule("lint", "-e", expression) : rule("lint", option, "-e", expression);
        assertEquals(code, run.code(), run.out() + run.err());
    }

    @Test
    void jsonHasTheFindings() throws IOException {
        JsonNode json = new ObjectMapper()
                .readTree(rule("lint", "-e", "pod.cpu >= 0", "-o", "json").out());
        assertEquals(
                "[{\"code\":\"L002\",\"class\":\"warning\",\"rule\":\"\",\"file\":\"expression\",\"line\":0,\"column\":0,"
                        + "\"field\":\"expression\",\"message\":\"pod.cpu >= 0 is always true\",\"suggestion\":"
                        + "\"remove it or correct it\",\"excerpt\":\"pod.cpu >= 0\\n^\"}]",
                json.path("findings").toString());
    }

    @Test
    void explainsRulesOfAFile() throws IOException {
        assertEquals(new CommandRun(0, """
                predicate Spare
                The rule accepts a node for a pod when the number of pods on the node is less than the CPU that
                  the pod requests.
                The rule reads:
                - the pod, without its name
                - the pods on the node
                A rejected pod is requeued when:
                - the pod is updated
                - a pod on a node is updated or deleted
                - about a minute has passed
                Preemption can help: it evaluates the rule without pods of lower priority.
                The cost for one node is very low: about 5 field accesses.
                """, ""), rule("explain", policy(), "Spare"));
        assertEquals(
                new CommandRun(3, "", "error: p.yaml: no rule \"Fev\"; there are Spare, Few (did you mean \"Few\"?)\n"),
                rule("explain", policy(), "Fev"));
    }

    @Test
    void jsonHasTheWords() throws IOException {
        JsonNode json = new ObjectMapper()
                .readTree(rule("explain", "-e", "node.podCount", "-o", "json").out());
        assertEquals(
                "{\"name\":\"\",\"for\":\"priority\",\"says\":[{\"depth\":0,\"text\":\"The value for a node is the number of"
                        + " pods on the node.\"},{\"depth\":0,\"text\":\"The score is this value, rounded and limited to"
                        + " 0..100.\"}],\"reads\":[\"the pods on the node\"],\"retries\":[],\"preemption\":\"\",\"missing\":[],"
                        + "\"cost\":[\"The cost for one node is very low: about 2 field accesses.\"]}",
                json.at("/rules/0").toString());
    }
}
