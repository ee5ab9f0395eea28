package io.policyscheduler.cmd.validate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValidateCommandTest {
    private static final String SMALL = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: GeneralPredicates
            - name: PodFitsResources
            - name: Rack
              argument: {labelsPresence: {labels: [rack], presence: true}}
            priorities:
            - {name: LeastRequestedPriority, weight: 2}
            - {name: NodeAffinityPriority, weight: 10}
            extenders:
            - urlPrefix: http://localhost/x
              filterVerb: filter
              managedResources: [{name: a.com/b, ignoredByScheduler: true}]
            """;

    @TempDir
    Path dir = Path.of("");

    private String file(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text).toString();
    }

    private CommandRun here(CommandRun run) {
        String prefix = dir + "/";
        return new CommandRun(
                run.code(), run.out().replace(prefix, ""), run.err().replace(prefix, ""));
    }

    /** Plugins for the volumes of one provider exist in v1 until 1.30. */
    @Test
    void aConfigurationIsReadAsByTheRelease() throws IOException {
        String text = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}}}]
                """;
        String config = file("config.yaml", text);
        for (String release : List.of("1.25", "1.30")) {
            CommandRun run = CommandRun.of("validate", "--release", release, config);
            assertEquals(0, run.code(), run.out() + run.err());
        }
        for (String release : List.of("1.31", "1.36", "1.99")) {
            CommandRun run = CommandRun.of("validate", "--release", release, config);
            assertEquals(1, run.code(), run.out() + run.err());
            assertTrue(
                    (run.out() + run.err()).contains("\"EBSLimits\": was invalid in version \"v1\""),
                    run.out() + run.err());
        }
    }

    @Test
    void showsTheEffectiveSet() throws IOException {
        CommandRun run = here(CommandRun.of("validate", "--release", "1.17", file("p.yaml", SMALL)));

        assertEquals("""
                p.yaml: accepted: 3 predicates and 2 added mandatory predicates, 2 priorities, 1 extender, 1 warning

                PREDICATE                PLUGINS
                CheckNodeUnschedulable   NodeUnschedulable
                GeneralPredicates        NodeResourcesFit, NodeName, NodePorts, NodeAffinity
                PodFitsResources         NodeResourcesFit
                PodToleratesNodeTaints   TaintToleration
                CheckNodeLabelPresence   NodeLabel

                PRIORITY                 WEIGHT   PLUGIN
                LeastRequestedPriority        2   NodeResourcesLeastAllocated
                NodeAffinityPriority         10   NodeAffinity

                EXTENDER             VERBS    WEIGHT   IGNORABLE   RESOURCES
                http://localhost/x   filter        0   no          a.com/b

                p.yaml:5:3: warning W004: GeneralPredicates contains PodFitsResources; v1.17 exits if both are listed,\
                 this scheduler merges them
                  remove PodFitsResources
                """, run.out());
        assertEquals("", run.err());
        assertEquals(0, run.code());
    }

    /** For users of files from 1.18 or later. */
    @Test
    void explainsTheSemanticsOfLaterReleases() throws IOException {
        String spread = file(
                "p.json",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"HostName\"}],"
                        + "\"priorities\":[{\"name\":\"SelectorSpreadPriority\",\"weight\":3}]}");
        assertEquals(
                "note: p.json: run evaluates this policy as kube-scheduler 1.17 does, and applies newer fields as the table shows."
                        + " For the decisions of 1.18 to 1.22, use run --policy-release=1.N. In 1.22, the policy has these filters: NodeUnschedulable, NodeName,"
                        + " TaintToleration. It has these scores and weights: PodTopologySpread=3.\n",
                here(CommandRun.of("validate", "--explain", spread)).err());
        String ratio = file(
                "r.json",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"priorities\":"
                        + "[{\"name\":\"RequestedToCapacityRatioPriority\",\"weight\":3}]}");
        assertTrue(here(CommandRun.of("validate", "--explain", ratio))
                .err()
                .contains("run --policy-release=1.N. 1.22 rejects the file (priority type not found for"
                        + " \"RequestedToCapacityRatioPriority\")\n"));
    }

    @Test
    void explainsWhereEachAlgorithmComesFrom() throws IOException {
        CommandRun run = here(CommandRun.of(
                "validate",
                "--explain",
                "--release",
                "1.17",
                "--feature-gates",
                "EvenPodsSpread=true",
                file("p.json", "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"priorities\":[]}")));

        assertEquals("""
                p.json: accepted: 12 predicates, 0 priorities, 0 extenders, 1 warning

                PREDICATE                 PLUGINS                                               SCOPE     ORIGIN
                CheckNodeUnschedulable    NodeUnschedulable                                     node      DefaultProvider
                GeneralPredicates         NodeResourcesFit, NodeName, NodePorts, NodeAffinity   node      DefaultProvider
                """, run.out().lines().limit(5).map(line -> line + "\n").reduce("", String::concat));
        assertTrue(run.out().contains("feature gate EvenPodsSpread\n"), run.out());
        assertTrue(run.out().contains("""

                                SETTING                          VALUE
                                hardPodAffinitySymmetricWeight   1
                                alwaysCheckAllPredicates         false
                                strict v1.17                     false
                                release of the cluster           1.17
                                feature gates                    EvenPodsSpread=true
                                """), run.out());
    }

    @Test
    void refusedPoliciesGiveALineForEachProblem() throws IOException {
        String misspelt = file("bad.json", """
                {"kind":"Policy","apiVersion":"v1",
                 "predicates":[{"name":"PodFitsResource"},
                               {"name":"HostNam"}]}
                """);

        assertEquals(new CommandRun(1, """
                        bad.json:2:16: Invalid configuration: Predicate type not found for PodFitsResource (did you mean\
                         "PodFitsResources"?)
                        bad.json:3:16: Invalid configuration: Predicate type not found for HostNam (did you mean\
                         "HostName"?)
                        """, ""), here(CommandRun.of("validate", misspelt)));
    }

    @Test
    void goesOnAfterAFileThatIsRefusedOrMissing() throws IOException {
        String refused =
                file("bad.json", "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"X\"}]}");
        String empty = file("empty.json", "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"}");
        CommandRun run =
                here(CommandRun.of("validate", "--release=1.17", refused, dir + "/none.json", dir.toString(), empty));

        assertEquals("error: no such file: none.json\nerror: " + dir + " is a directory\n", run.err());
        assertEquals(3, run.code());
        assertTrue(run.out().startsWith("""
                                bad.json:1:50: Invalid configuration: Predicate type not found for X
                                empty.json: accepted: 11 predicates, 8 priorities, 0 extenders, 0 warnings
                                """), run.out());
    }

    @Test
    void yamlSaysTheSameAsTheTable() throws IOException {
        String refused =
                file("bad.json", "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"HostNam\"}]}");

        assertEquals(
                new CommandRun(3, """
                          - file: bad.json
                            accepted: false
                            v117Message: "Invalid configuration: Predicate type not found for HostNam"
                            problems:
                              - code: P006
                                message: "Invalid configuration: Predicate type not found for HostNam"
                                file: bad.json
                                line: 1
                                column: 50
                                value: HostNam
                                suggestion: HostName
                          - file: none.json
                            error: "no such file: none.json"
                        """, "error: no such file: none.json\n"),
                here(CommandRun.of("validate", "-o", "yaml", refused, dir + "/none.json")));
    }

    @Test
    void jsonHoldsTheWholeReport() throws IOException {
        String policy = file("p.json", """
                {"kind":"Policy","apiVersion":"v1","predicates":[],
                 "priorities":[{"name":"NodeAffinityPriority","weight":3}]}
                """);

        assertEquals(
                """
                [
                  {
                    "file": "p.json",
                    "accepted": true,
                    "v117Message": null,
                    "predicates": [
                      {
                        "name": "CheckNodeUnschedulable",
                        "plugins": [
                          "NodeUnschedulable"
                        ],
                        "scope": "node",
                        "origin": "mandatory"
                      },
                      {
                        "name": "PodToleratesNodeTaints",
                        "plugins": [
                          "TaintToleration"
                        ],
                        "scope": "node",
                        "origin": "mandatory"
                      },
                      {
                        "name": "EvenPodsSpread",
                        "plugins": [
                          "PodTopologySpread"
                        ],
                        "scope": "cluster",
                        "origin": "mandatory since 1.18 (beta): topologySpreadConstraints"
                      }
                    ],
                    "priorities": [
                      {
                        "name": "NodeAffinityPriority",
                        "weight": 3,
                        "plugin": "NodeAffinity",
                        "scope": "node",
                        "origin": "line 2"
                      }
                    ],
                    "pluginConfig": {},
                    "extenders": [],
                    "hardPodAffinitySymmetricWeight": 1,
                    "alwaysCheckAllPredicates": false,
                    "release": "1.18",
                    "newerFields": [
                      {
                        "name": "topologySpreadConstraints",
                        "path": "spec.topologySpreadConstraints",
                        "effect": "honored by the mandatory EvenPodsSpread since 1.18 (beta)"
                      },
                      {
                        "name": "overhead",
                        "path": "spec.overhead",
                        "effect": "ignored (--ignore-newer-fields)"
                      }
                    ],
                    "warnings": [
                      {
                        "code": "W008",
                        "message": "WARNING",
                        "line": 0,
                        "column": 0
                      },
                      {
                        "code": "W030",
                        "message": "the field overhead (spec.overhead) is ignored; clusters honor it since 1.18 (beta)",
                        "line": 0,
                        "column": 0
                      }
                    ]
                  }
                ]
                """,
                here(CommandRun.of(
                                "validate", "-o", "json", "--release=1.18", "--ignore-newer-fields=overhead", policy))
                        .out()
                        .replaceAll("(\"code\": \"W008\",\\s*\"message\": )\"[^\"]*\"", "$1\"WARNING\""));
    }

    @Test
    void onANewClusterWhatPodsCanSayThereIsLookedAt() throws IOException {
        CommandRun run = here(CommandRun.of("validate", "--explain", file("p.yaml", SMALL)));

        assertTrue(run.out().contains("mandatory since 1.19: topologySpreadConstraints\n"), run.out());
        assertTrue(run.out().contains("mandatory since 1.34: resourceClaims\n"), run.out());
        assertTrue(
                run.out().contains("\nDynamicResources         DynamicResources (rejects pods with claims) "),
                run.out());
        assertTrue(
                run.out()
                        .contains(
                                "resourceClaims              pods with claims are rejected since 1.34; list DynamicResources to allocate claims\n"),
                run.out());
        assertTrue(
                run.out().contains("\nrelease of the cluster                " + Release.NEWEST_TEXT + "\n"), run.out());
        List<String> fields = run.out()
                .lines()
                .dropWhile(line -> !line.startsWith("NEWER FIELD"))
                .skip(1)
                .takeWhile(line -> !line.isEmpty())
                .map(line -> line.replaceAll(" .*", ""))
                .toList();
        assertEquals(NewerField.keys(), fields);
    }

    @Test
    void aNewerFieldThatDoesNotExistIsAUsageError() throws IOException {
        CommandRun run = CommandRun.of("validate", "--ignore-newer-fields", "sidecar", file("p.yaml", SMALL));

        assertEquals(2, run.code());
        assertTrue(run.err().startsWith("error: --ignore-newer-fields: \"sidecar\" is not one of"), run.err());
        assertTrue(run.err().contains("(did you mean \"sidecars\"?)\n"), run.err());
    }

    @Test
    void whatV117DiesOnIsAcceptedAndTold() throws IOException {
        String conflict = file("p.json", """
                {"kind":"Policy","apiVersion":"v1","predicates":[
                 {"name":"A","argument":{"labelsPresence":{"labels":["x"],"presence":true}}},
                 {"name":"B","argument":{"labelsPresence":{"labels":["x"],"presence":false}}}]}
                """);

        for (String mode : List.of("--explain", "--strict-v1.17")) {
            CommandRun run = CommandRun.of("validate", mode, "-o", "json", conflict);
            assertEquals(0, run.code());
            assertTrue(
                    run.out()
                            .contains(
                                    "\"v117Message\": \"error initializing the scheduling framework: error initializing"
                                            + " plugin \\\"NodeLabel\\\": detecting at least one label"),
                    run.out());
            assertTrue(run.out().contains("\"code\": \"W017\""), run.out());
        }
    }

    @Test
    void takesFilesOfOtherReleasesUnlessStrict() throws IOException {
        String old = file("old.yaml", """
                predicates:
                - name: GeneralPredicates
                - name: CheckNodeMemoryPressure
                priorities: []
                """);

        CommandRun taken = here(CommandRun.of("validate", "--explain", old));
        assertEquals(0, taken.code());
        assertTrue(taken.out().contains("line 3 (CheckNodeMemoryPressure)"), taken.out());
        assertTrue(taken.out().contains("""
                                old.yaml:1:1: warning W022: without kind and apiVersion, the file is read as kind: Policy, apiVersion: v1; v1.17 requires apiVersion
                                old.yaml:3:3: warning W021: CheckNodeMemoryPressure (1.3 to 1.16) is part of PodToleratesNodeTaints, which every policy runs: since 1.12, the condition is a taint that pods of every QoS class must tolerate
                                """), taken.out());
        CommandRun json = here(CommandRun.of("validate", "-o", "json", old));
        assertTrue(json.out().contains("\"v117Message\": \"invalid policy: strict decoder error for"), json.out());
        CommandRun refused = here(CommandRun.of("validate", "--strict-v1.17", old));
        assertEquals(1, refused.code());
        assertTrue(refused.out().startsWith("old.yaml:1:1: found unknown field: predicates"), refused.out());
    }

    /** Rows of the list of plugins, one for each kind of origin. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "policy | filter NodeResourcesFit PodFitsResources (line 1)",
                "policy | score NodeResourcesLeastAllocated 2 LeastRequestedPriority (line 1)",
                "policy | filter TaintToleration PodToleratesNodeTaints (mandatory)",
                "policy | bind DefaultBinder default",
                "v1alpha1 | score NodeResourcesLeastAllocated 2 LeastRequestedPriority (line 1)",
                "v1alpha1 | score ImageLocality 3 line 4",
                "v1alpha1 | preFilter NodeName line 4 (filter)",
                "v1 | score NodeResourcesFit 5 line 5",
                "v1 | filter NodeName line 6 (multiPoint)",
                "v1 | filter NodePorts default of " + Release.NEWEST_TEXT,
                "v1beta2 | filter NodePorts default of v1beta2",
                "--provider=DefaultProvider | score NodePreferAvoidPods 10000 NodePreferAvoidPodsPriority (DefaultProvider)",
                "--profile=modern@1.22 | score TaintToleration 1 default of v1beta2",
                "--profile=modern | queueSort PrioritySort default of " + Release.NEWEST_TEXT,
            })
    void listsPlugins(String input, String row) throws IOException {
        String policy = file(
                "policy.json",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"PodFitsResources\"}],"
                        + "\"priorities\":[{\"name\":\"LeastRequestedPriority\",\"weight\":2}]}");
        String argument = switch (input) {
            case "policy" -> policy;
            case "v1alpha1" ->
                file(
                        "old.yaml",
                        "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n"
                                + "algorithmSource: {policy: {file: {path: " + policy + "}}}\n"
                                + "plugins: {score: {enabled: [{name: ImageLocality, weight: 3}]}, filter:"
                                + " {enabled: [{name: NodeName}]}}\n");
            case "v1", "v1beta2" ->
                file(
                        "new.yaml",
                        "apiVersion: kubescheduler.config.k8s.io/" + input
                                + "\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n"
                                + "    score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit,"
                                + " weight: 5}]}\n"
                                + (input.equals("v1") ? "    multiPoint: {enabled: [{name: NodeName}]}\n" : ""));
            default -> input;
        };
        CommandRun run = CommandRun.of("validate", "--explain", argument);
        assertEquals(0, run.code(), run.err());
        assertTrue(
                run.out()
                        .lines()
                        .map(line -> line.strip().replaceAll("\\s+", " "))
                        .anyMatch(row::equals),
                run.out());
        JsonNode first = new ObjectMapper()
                .readTree(CommandRun.of("validate", "--explain", argument, "-o", "json")
                        .out())
                .path(0);
        List<String> rows = new ArrayList<>();
        first.path("plugins")
                .forEach(plugin -> rows.add(plugin.path("point").asText() + " "
                        + plugin.path("plugin").asText() + " "
                        + (plugin.path("weight").asInt() == 0
                                ? ""
                                : plugin.path("weight").asInt() + " ")
                        + plugin.path("origin").asText()));
        assertTrue(rows.contains(row), rows.toString());
        assertTrue(first.path("accepted").asBoolean());
    }

    @Test
    void needsAFileOrAProvider() {
        CommandRun run = CommandRun.of("validate");
        assertEquals(2, run.code());
        assertTrue(run.err().startsWith("error: FILE, --provider, or --profile is required"), run.err());
        CommandRun unknown = CommandRun.of("validate", "--provider", "DefaultProvidr");
        assertEquals(1, unknown.code());
        assertTrue(unknown.out().contains("did you mean \"DefaultProvider\"?"), unknown.out());
    }

    /** The message has the score of the file, unlike that of v1.17, which multiplies it by 10 first. */
    @ParameterizedTest
    @CsvSource({"1000, 10000", "11, 110"})
    void aScoreOutOfRangeIsThatOfTheFile(int score, int v117) throws IOException {
        String policy = file(
                "p.json",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"priorities\":[{\"name\":\"R\",\"weight\":1,\"argument\":{"
                        + "\"requestedToCapacityRatioArguments\":{\"shape\":[{\"utilization\":0,\"score\":0},"
                        + "{\"utilization\":100,\"score\":" + score + "}]}}}]}");
        String prefix = "invalid RequestedToCapacityRatioPriority arguments: ";
        JsonNode first = new ObjectMapper()
                .readTree(CommandRun.of("validate", policy, "-o", "json").out())
                .path(0);
        assertEquals(
                List.of(
                        prefix + "Score[1]==" + score + " is not in the valid range [0-10]",
                        prefix + "score valuses not be greater than 100. Score[1]==" + v117),
                List.of(
                        first.at("/problems/0/message").asText(),
                        first.path("v117Message").asText()));
    }

    /** A file that was pasted without indentation gives one message, whatever its keys are. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apiVersion: kubescheduler.config.k8s.io/v1;kind: KubeSchedulerConfiguration;leaderElection:;"
                        + "leaderElect: false;profiles:;- schedulerName: my;plugins:;score:;enabled:;"
                        + "- name: NodeResourcesFit;weight: 5",
                "apiVersion: kubescheduler.config.k8s.io/v1;kind: KubeSchedulerConfiguration;profiles:;- schedulerName: my;"
                        + "pluginConfig:;- name: NodeResourcesFit;args:;scoringStrategy:;type: MostAllocated",
                "kind: Policy;apiVersion: v1;priorities:;- name: LeastRequestedPriority;weight: 1",
                "kind: Policy;apiVersion: v1;priorities:;- name: A;weight: 1;argument:;labelPreference:;label: x;"
                        + "presence: true;- name: B;weight: 2",
            })
    void aFileWithoutIndentation(String text) throws IOException {
        String name = file("flat.yaml", text.replace(";", "\n") + "\n");
        CommandRun run = CommandRun.of("validate", name);
        assertEquals(1, run.code());
        assertTrue(run.out().contains("the file has no indentation"), run.out());
        assertEquals(1, run.out().lines().filter(line -> line.startsWith(name)).count(), run.out());
    }

    /** Equal warnings of several places are one, in text and in JSON. */
    @Test
    void equalWarningsAreOne() throws IOException {
        String extender = "{\"urlPrefix\":\"http://%s\",\"filterVerb\":\"f\",\"enableHttps\":true}";
        String policy = file(
                "p.json",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"extenders\":[\n" + extender.formatted("a") + ",\n"
                        + extender.formatted("b") + ",\n" + extender.formatted("c") + "]}");
        List<String> lines = CommandRun.of("validate", policy)
                .out()
                .lines()
                .filter(line -> line.contains("warning W031"))
                .toList();
        assertEquals(1, lines.size(), lines.toString());
        assertTrue(lines.get(0).startsWith(policy + ":2:"), lines.get(0));
        assertTrue(lines.get(0).endsWith("(also on line 3, 4)"), lines.get(0));
        JsonNode warnings = new ObjectMapper()
                .readTree(CommandRun.of("validate", policy, "-o", "json").out())
                .at("/0/warnings");
        assertEquals(
                1,
                warnings.findValuesAsText("code").stream()
                        .filter("W031"::equals)
                        .count());
    }
}
