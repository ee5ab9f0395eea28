package io.policyscheduler.cmd.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** Tables in {@code rule test}, {@code rule eval}, {@code validate} and {@code simulate}. */
class RuleTestTablesTest {
    private static final String POLICY = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: Licensed
              argument: {rule: {expression: 'tables.free[node.name] or false', reason: no licence}}
            priorities:
            - name: Cheap
              weight: 1
              argument: {rule: {expression: '100 - tables.price[node.name]'}}
            tables:
              free: {configMap: {namespace: lic, name: free, key: free.yaml}, type: bool}
              price: {file: prices.csv, default: 100}
            """;

    @TempDir
    private Path dir = Path.of("");

    private String file(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text).toString();
    }

    private CommandRun run(String... args) {
        CommandRun run = CommandRun.of(args);
        return new CommandRun(
                run.code(), run.out().replace(dir + "/", ""), run.err().replace(dir + "/", ""));
    }

    private String policy() throws IOException {
        file("prices.csv", "node,price\nnode-1,40\n");
        return file("policy.yaml", POLICY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "rule: Licensed, fits: true",
                "rule: Licensed, tables: {free: {node-1: false}}, fits: false, reason: no licence",
                "rule: Licensed, tables: {free: {}}, fits: false",
                "rule: Cheap, score: 60",
                "rule: Cheap, tables: {price: {node-1: 10}}, score: 90",
                "rule: Cheap, tables: {price: {}}, score: 0",
                "expression: tables.host.size() == 1, tables: {host: {a: {watts: 1}}}, fits: true",
            })
    void cases(String members) throws IOException {
        policy();
        String text = "policy: policy.yaml\ncases:\n- {name: it, " + members + "}\n";
        CommandRun run =
                run("rule", "test", file("c.yaml", text), "--table", "free=" + file("free.yaml", "node-1: true"));
        assertEquals("", run.err());
        assertTrue(run.out().contains("1 case") && run.code() == 0, run::out);
    }

    @Test
    void aCaseWithWrongValues() throws IOException {
        policy();
        CommandRun run = run(
                "rule",
                "test",
                file(
                        "c.yaml",
                        "policy: policy.yaml\ncases:\n- {name: it, rule: Cheap, tables: {price: {node-1: x}}, score: 1}\n"),
                "--table",
                "free=" + file("free.yaml", "node-1: true"));
        assertTrue(run.err().contains("c.yaml:3:") && run.err().contains("\"x\" of \"node-1\" is no number"), run::err);
    }

    @Test
    void valuesOfATableThatIsNotThere() throws IOException {
        policy();
        CommandRun run = run(
                "rule",
                "test",
                file("c.yaml", "policy: policy.yaml\ncases:\n- {name: it, rule: Cheap, score: 60}\n"),
                "--table",
                "fee=" + file("free.yaml", "node-1: true"),
                "--table",
                "free=" + file("free.yaml", "node-1: true"));
        assertEquals(
                "warning: W026 --table fee: objects of the cases has no table of this name; the values are ignored"
                        + " (did you mean \"free\"?)\n",
                run.err());
        assertEquals(0, run.code());
    }

    @Test
    void aConfigMapNeedsACluster() throws IOException {
        String policy = policy();
        CommandRun refused = run("validate", policy);
        assertTrue(
                refused.out()
                        .concat(refused.err())
                        .contains(
                                "policy.yaml:11:3: R030: table free: configmap lic/free[free.yaml] cannot be read: there is"
                                        + " no cluster to read it from; or give its values: --table free=FILE"),
                refused::toString);
        assertEquals(
                0,
                run("validate", policy, "--table", "free=" + file("free.yaml", "a: true"))
                        .code());
    }

    @Test
    void aDumpMayHaveIt() throws IOException {
        String policy = policy();
        List<String> args = new ArrayList<>(List.of("simulate", "--policy", policy, "--cluster"));
        args.add(file("dump.yaml", """
                apiVersion: v1
                kind: Node
                metadata: {name: n1}
                status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: n2}
                status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: default}
                spec: {containers: [{name: c, image: i}]}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: free, namespace: lic}
                data: {free.yaml: 'n2: true'}
                """));
        CommandRun simulated = run(args.toArray(String[]::new));
        assertTrue(simulated.out().contains("n2") && simulated.code() == 0, simulated::toString);
        CommandRun evaluated = run(
                "rule",
                "eval",
                "-e",
                "tables.price[node.name] or 7",
                "--table",
                "price=" + file("p.csv", "node,price\nn1,3"),
                "--cluster",
                dir.resolve("dump.yaml").toString(),
                "--pod",
                "web");
        assertTrue(evaluated.out().contains("3") && evaluated.out().contains("7"), evaluated::toString);
    }
}
