package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Common mistakes with files, and their messages. */
class OfflineSlipsTest {
    private static final String NODES = """
            {"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}
            {"kind":"Node","apiVersion":"v1","metadata":{"name":"n2"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}
            """;
    private static final String POLICY = """
            {"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"}],"priorities":[]}
            """;
    private static final String CONFIGURATION = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - {schedulerName: a}
            - schedulerName: b
              plugins: {score: {enabled: [{name: %s}]}}
            """;

    @TempDir
    Path dir = Path.of("");

    @BeforeEach
    void files() throws IOException {
        write("policy.json", POLICY);
        write("empty.json", "");
        write("blank.json", " \n\n");
        write("null.json", "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":null}");
        write("none.json", "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[]}");
        write("secrets.yaml", "kind: Secret\napiVersion: v1\nmetadata: {name: s}");
        write("nodes.json", NODES);
        write("twice.json", NODES + NODES);
        write("running.json", NODES + """
                {"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"a","uid":"u"},"spec":{"nodeName":"n1"}}
                """);
        write("config.yaml", CONFIGURATION.formatted("NodeResourcesFit"));
        write("unknown.yaml", CONFIGURATION.formatted("NodeResourceFit"));
        write("wrong.yaml", CONFIGURATION.formatted("x").replace("profiles", "profile"));
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(dir.resolve(name), text);
    }

    private CommandRun run(String line) {
        String[] args = line.split(" ");
        for (int i = 0; i < args.length; i++) {
            args[i] = args[i].replace("DIR", dir.toString());
        }
        CommandRun run = CommandRun.of(args);
        String prefix = dir + "/";
        return new CommandRun(
                run.code(), run.out().replace(prefix, ""), run.err().replace(prefix, ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "simulate --policy DIR/policy.json --cluster DIR/empty.json | empty.json",
                "simulate --policy DIR/policy.json --cluster DIR/blank.json | blank.json",
                "simulate --policy DIR/policy.json --cluster DIR/null.json | null.json",
                "simulate --policy DIR/policy.json --cluster DIR/none.json | none.json",
                "simulate --policy DIR/policy.json --cluster DIR/nodes.json DIR/empty.json | empty.json",
                "simulate --policy DIR/policy.json --cluster DIR/null.json DIR/none.json | null.json, none.json",
                "simulate --policy DIR/policy.json --cluster DIR/nodes.json --pods DIR/empty.json | empty.json",
                "compare policy:DIR/policy.json modern --cluster DIR/null.json | null.json",
                "audit --policy DIR/policy.json --cluster DIR/secrets.yaml | secrets.yaml",
                "explain a/p --policy DIR/policy.json --cluster DIR/none.json | none.json",
                "migrate DIR/policy.json --verify DIR/empty.json | empty.json",
                "rule eval -e true --cluster DIR/none.json --pod a/p | none.json",
            })
    void whatAFailedCommandLeavesIsRefused(String line, String files) {
        CommandRun run = run(line);

        assertEquals(3, run.code());
        assertEquals(
                "error: " + files
                        + ": no objects that scheduling reads; the command that wrote the file may have failed;"
                        + " to use it anyway, pass --allow-empty",
                run.err().lines().reduce((first, last) -> last).orElse(""));
    }

    @ParameterizedTest
    @CsvSource({"empty.json", "null.json", "none.json", "secrets.yaml"})
    void anEmptyClusterIsTakenWhenItIsMeant(String file) {
        CommandRun run = run("simulate --allow-empty --policy DIR/policy.json --cluster DIR/" + file);

        assertEquals(0, run.code(), run.err());
    }

    @Test
    void skippedObjectsAreCountedInANote() {
        CommandRun run = run("simulate --release 1.17 --policy DIR/policy.json --cluster DIR/twice.json");

        assertEquals(0, run.code());
        assertEquals(
                "note: 2 objects were skipped; --strict rejects such dumps",
                run.err().lines().reduce((first, last) -> last).orElse(""));
    }

    @Test
    void aReleaseThatIsNotKnown() {
        String command = " --policy DIR/policy.json --cluster DIR/nodes.json --allow-empty";
        CommandRun older = run("simulate --release 1.5" + command);
        assertEquals(2, older.code());
        assertTrue(
                older.err()
                        .startsWith(
                                "error: --release: 1.5 is older than 1.17, the oldest supported release; use 1.17, or omit the option to use the release of the cluster\n"),
                older.err());
        CommandRun newer = run("simulate --release 1.99" + command);
        assertTrue(
                newer.err()
                        .endsWith(
                                "note: W303 Kubernetes 1.99 is newer than the newest supported release; decisions follow "
                                        + Release.NEWEST_TEXT + "\n"),
                newer.err());
    }

    @Test
    void skippedObjectsCanBeRefused() {
        CommandRun run = run("simulate --strict --policy DIR/policy.json --cluster DIR/twice.json");

        assertEquals(3, run.code());
        assertTrue(run.err().endsWith("error: 2 objects were skipped, which --strict does not allow\n"), run.err());
    }

    @Test
    void aHealthyClusterIsDecidedAgain() {
        CommandRun run = run("compare policy:DIR/policy.json modern --cluster DIR/running.json");

        assertTrue(
                run.err().contains("no pod is pending: the running pod is scheduled again, as with --replay-bound\n"),
                run.err());
        assertTrue(run.out().startsWith("policy.json and modern: the decisions agree for the pod.\n"), run.out());
    }

    @Test
    void aSimulationOfAHealthyClusterSaysWhatCanBeAsked() {
        CommandRun run = run("simulate --policy DIR/policy.json --cluster DIR/running.json");

        assertEquals(0, run.code());
        assertTrue(run.err().contains("no pod is pending, 1 are running: use --fit, --drain, or --scale"), run.err());
    }

    @ParameterizedTest
    @CsvSource({"policy.json, policy", "config.yaml, config"})
    void theBareNameOfAFileIsUnderstood(String file, String kind) {
        CommandRun bare = run("compare -o json DIR/" + file + " modern --cluster DIR/running.json");
        CommandRun spelled = run("compare -o json " + kind + ":DIR/" + file + " modern --cluster DIR/running.json");

        assertEquals(spelled.code(), bare.code(), bare.err());
        assertEquals(
                spelled.out().replace(kind + ":", "").replaceAll("\"seconds\": .*", ""),
                bare.out().replaceAll("\"seconds\": .*", ""));
    }

    @ParameterizedTest
    @CsvSource({"simulate --policy DIR/policy.json", "compare policy:DIR/policy.json modern"})
    void aPageIntoAMissingFolderIsRefusedBeforeTheWork(String command) {
        CommandRun run = run(command + " --cluster DIR/nodes.json --html DIR/no/page.html");

        assertEquals(new CommandRun(3, "", "error: --html no/page.html: no such folder: no\n"), run);
    }

    @Test
    void configurationsAreValidated() {
        assertEquals(
                new CommandRun(
                        0,
                        "config.yaml: accepted: kubescheduler.config.k8s.io/v1, 2 profiles (a, b), 0 extenders, 0"
                                + " warnings\n",
                        ""),
                run("validate DIR/config.yaml"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"wrong.yaml | 1 | wrong.yaml:3:1: ", "unknown.yaml | 1 | unknown.yaml"})
    void whatIsWrongWithAConfigurationIsTold(String file, int code, String start) {
        CommandRun run = run("validate DIR/" + file);

        assertEquals(code, run.code());
        assertTrue((run.out() + run.err()).startsWith(start), run.out() + run.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 0 | '% agree'",
                "' --fail-under 1%' | 0 | '% agree, at least 1 % are required'",
                "' --fail-under 0.99' | 1 | '% agree, which is less than the 99 % of --fail-under'",
            })
    void theVerdictOfAMigrationComesFirstAndCanFail(String flags, int code, String end) {
        String demo = "../../policy-files/demo/";
        CommandRun run = run("migrate " + demo + "policy.json --verify " + demo + "cluster.yaml " + demo
                + "workload.yaml" + " --config-file DIR/migrated.yaml" + flags);
        String verdict = run.err()
                .lines()
                .filter(line -> !line.contains("no uid"))
                .findFirst()
                .orElse("");

        assertEquals(code, run.code(), run.err());
        assertTrue(verdict.matches("verified: decisions differ for \\d+ of \\d+ pods; [0-9.]+ " + end), verdict);
    }

    private static final String TABLE_POLICY = """
            kind: Policy
            apiVersion: v1
            tables:
              price: {%s}
            predicates:
            - {name: PodFitsResources}
            - {name: Cheap, argument: {rule: {expression: "(tables.price[node.name] or 9) < 1"}}}
            """;

    @Test
    void valuesOfATableThatIsNotThereAreTold() throws IOException {
        write("prices.yaml", TABLE_POLICY.formatted("values: {n1: 0.5}"));
        write("price.csv", "node,price\nn2,0.5\n");
        CommandRun run =
                run("simulate --policy DIR/prices.yaml --cluster DIR/running.json --table prise=DIR/price.csv");

        assertEquals(0, run.code());
        assertTrue(
                run.err()
                        .contains("prices.yaml: warning W026: --table prise: the policy has no table of this name; the"
                                + " values are ignored (did you mean \"price\"?)\n"),
                run.err());
    }

    /** The values of the table in the dump decide whether n1 is feasible. */
    @ParameterizedTest
    @CsvSource({"0.5, 0", "2, 1"})
    void anAuditReadsTablesFromTheDump(String price, int code) throws IOException {
        write("prices.yaml", TABLE_POLICY.formatted("configMap: {namespace: a, name: prices, key: p.yaml}"));
        write("prices.json", """
                {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"prices","namespace":"a"},
                 "data":{"p.yaml":"n1: %s"}}
                """.formatted(price).replace("\n", " "));
        CommandRun run = run("audit --policy DIR/prices.yaml --cluster DIR/running.json DIR/prices.json");

        assertEquals(code, run.code(), run.err());
    }

    @Test
    void aShareToFailUnderNeedsADump() {
        CommandRun run = run("migrate DIR/policy.json --fail-under 90%");

        assertEquals(2, run.code());
        assertTrue(run.err().startsWith("error: --fail-under is for --verify\n"), run.err());
    }

    /** Fails like {@code /dev/full}. */
    private static final class Full extends Writer {
        private final String reason;

        Full(String reason) {
            this.reason = reason;
        }

        @Override
        public void write(char[] text, int offset, int length) throws IOException {
            throw new IOException(reason);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @CsvSource({
        "No space left on device, 3, error: cannot write the output: No space left on device; the output is incomplete",
        "Broken pipe, 0, ",
    })
    void outputThatCannotBeWrittenIsTold(String reason, int code, String expected) {
        StringWriter err = new StringWriter();

        assertEquals(code, Main.run(new String[] {"--version"}, new Full(reason), err));
        assertEquals(expected == null ? "" : expected + "\n", err.toString());
    }
}
