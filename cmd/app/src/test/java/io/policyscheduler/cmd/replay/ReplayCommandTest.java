package io.policyscheduler.cmd.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.CommandRun;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayCommandTest {
    private static final String DUMP =
            "\"policy\":{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"HostName\"}],\"priorities\":[]},"
                    + "\"cluster\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}},"
                    + "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n2\"},\"spec\":{\"unschedulable\":true}}],"
                    + "\"pending\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"a\","
                    + "\"uid\":\"u\"}}]";
    private static final String PODS =
            "\"pods\":[{\"pod\":\"a/p\",\"feasible\":[\"n1\"],\"failures\":{\"n2\":{\"reasons\":[\"node(s) were unschedulable\"],"
                    + "\"unresolvable\":true}},\"totals\":{\"n1\":1},\"best\":[\"n1\"],\"bound\":\"n1\"}]";
    private static final String FRAMEWORK =
            "{\"plugins\":{\"filter\":[\"NodeUnschedulable\",\"NodeName\",\"TaintToleration\"]}," + PODS + "}";
    private static final String LEGACY =
            "{\"predicates\":[\"CheckNodeUnschedulable\",\"HostName\",\"PodToleratesNodeTaints\"]," + PODS + "}";
    private static final String BARE = "{\"name\":\"t/1\"," + DUMP + "}";
    private static final String RECORDED =
            "{\"name\":\"t/1\"," + DUMP + ",\"expected\":{\"legacy\":" + LEGACY + ",\"framework\":" + FRAMEWORK + "}}";

    @TempDir
    Path dir = Path.of("");

    private String file(String name, String... lines) throws IOException {
        return Files.writeString(dir.resolve(name), String.join("\n", lines) + "\n")
                .toString();
    }

    private CommandRun replay(String... args) {
        String[] line = new String[args.length + 1];
        line[0] = "replay";
        System.arraycopy(args, 0, line, 1, args.length);
        CommandRun run = CommandRun.of(line);
        String prefix = dir + "/";
        return new CommandRun(
                run.code(),
                run.out().replace(prefix, "").replaceFirst("FILE +MODE", "FILE MODE"),
                run.err().replace(prefix, ""));
    }

    @Test
    void equalOutcomes() throws IOException {
        assertEquals(new CommandRun(0, """
                        FILE MODE        SCENARIOS   EQUAL   DIFFERENT   EXCEPTED   SKIPPED
                        t.jsonl   legacy              1       1           0          0         0
                        t.jsonl   framework           1       1           0          0         0
                        2 outcomes compared, 0 different
                        """, ""), replay(file("t.jsonl", RECORDED)));
    }

    @Test
    void readsGzip() throws IOException {
        Path file = dir.resolve("t.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(RECORDED.getBytes(StandardCharsets.UTF_8));
        }

        assertEquals(new CommandRun(0, """
                        FILE MODE     SCENARIOS   EQUAL   DIFFERENT   EXCEPTED   SKIPPED
                        t.jsonl.gz   legacy           1       1           0          0         0
                        1 outcomes compared, 0 different
                        """, ""), replay("--mode", "legacy", file.toString()));
    }

    @Test
    void differencesAreShownAndExceptionsCounted() throws IOException {
        String wrong = RECORDED.replace("\"best\":[\"n1\"],\"bound\":\"n1\"", "\"best\":[\"n2\"],\"bound\":\"n2\"")
                .replace("\"totals\":{\"n1\":1}", "\"totals\":{\"n1\":2,\"n2\":2}");
        String crash = "{\"name\":\"t/2\"," + DUMP + ",\"expected\":{\"framework\":{\"crash\":\"x\"}}}";
        String file = file("t.jsonl", wrong, "", crash);

        assertEquals(new CommandRun(1, """
                        t/1 framework: 4 differences
                            pods[0].best[0]: recorded "n2", here "n1"
                            pods[0].bound: recorded "n2", here "n1"
                            pods[0].totals.n1: recorded 2, here 1
                            ... 1 more; --all shows them
                        FILE MODE        SCENARIOS   EQUAL   DIFFERENT   EXCEPTED   SKIPPED
                        t.jsonl   framework           2       0           1          1         0
                        excepted: 1: v1.17 died
                        1 outcomes compared, 1 different
                        """, ""), replay("--mode", "framework", file));
        assertEquals("""
                [
                  {
                    "file": "t.jsonl",
                    "mode": "framework",
                    "scenarios": 2,
                    "equal": 0,
                    "excepted": {
                      "v1.17 died": 1
                    },
                    "skipped": {},
                    "differences": [
                      {
                        "scenario": "t/1",
                        "lines": [
                          "pods[0].best[0]: recorded \\"n2\\", here \\"n1\\"",
                          "pods[0].bound: recorded \\"n2\\", here \\"n1\\"",
                          "pods[0].totals.n1: recorded 2, here 1",
                          "pods[0].totals.n2: recorded 2, here nothing"
                        ]
                      }
                    ]
                  }
                ]
                """, replay("--mode", "framework", "-o", "json", file).out());
        assertTrue(replay("--all", file).out().contains("    pods[0].totals.n2: recorded 2, here nothing\n"));
    }

    @Test
    void emitsOutcomesOfScenariosWithoutExpectations() throws IOException {
        String file = file("t.jsonl", BARE);
        Path out = dir.resolve("out.jsonl");

        assertEquals(
                new CommandRun(0, "", "1 outcomes written to out.jsonl\n"), replay("--emit", out.toString(), file));
        assertEquals("{\"name\":\"t/1\",\"outcome\":" + FRAMEWORK + "}\n", Files.readString(out));
        assertEquals(
                new CommandRun(0, "{\"name\":\"t/1\",\"outcome\":" + LEGACY + "}\n", ""),
                replay("--emit", "-", "--mode", "legacy", file));
    }

    @Test
    void onlyTheNamedScenario() throws IOException {
        String file = file("t.jsonl", BARE.replace("t/1", "t/0"), BARE);

        assertEquals(
                new CommandRun(0, "{\"name\":\"t/1\",\"outcome\":" + FRAMEWORK + "}\n", ""),
                replay("--emit", "-", "--only", "t/1", file));
        assertEquals(new CommandRun(3, "", "error: no scenario named t/7\n"), replay("--only", "t/7", file));
    }

    @Test
    void aBadLineIsNamed() throws IOException {
        assertEquals(
                new CommandRun(
                        3,
                        "",
                        "error: a.jsonl:3: not a scenario: no policy, policyText or provider, no config or cluster\n"),
                replay(file("a.jsonl", RECORDED, "", "{}")));
        assertEquals(
                new CommandRun(3, "", "error: b.jsonl:1: not a scenario: a JSON object is expected\n"),
                replay(file("b.jsonl", "[1]")));
        assertTrue(replay(file("c.jsonl", RECORDED, "{\"name\":")).err().startsWith("error: c.jsonl:2: not JSON: "));
        assertEquals(
                new CommandRun(3, "", "error: d.jsonl:1: featureGates: unrecognized feature gate: X\n"),
                replay(file("d.jsonl", RECORDED.replace("{\"name\"", "{\"featureGates\":{\"X\":true},\"name\""))));
        assertEquals(new CommandRun(3, "", "error: no such file: e.jsonl\n"), replay(dir + "/e.jsonl"));
        assertEquals(new CommandRun(3, "", "error: no scenario in the files\n"), replay(file("f.jsonl", "")));
    }

    private static final String RELEASE_DUMP = "\"name\":\"t/1\",\"release\":\"1.22\","
            + DUMP.substring(DUMP.indexOf("\"cluster\""))
                    .replace("{\"name\":\"n1\"}", "{\"name\":\"n1\"},\"status\":{\"allocatable\":{\"pods\":\"9\"}}");
    private static final String RELEASE_PLUGINS =
            "{\"plugins\":{\"filter\":[\"NodeUnschedulable\",\"NodeName\",\"TaintToleration\",\"NodeAffinity\","
                    + "\"NodePorts\",\"NodeResourcesFit\",\"VolumeRestrictions\",\"EBSLimits\",\"GCEPDLimits\","
                    + "\"NodeVolumeLimits\",\"AzureDiskLimits\",\"VolumeBinding\",\"VolumeZone\",\"PodTopologySpread\","
                    + "\"InterPodAffinity\"],\"score\":[\"NodeResourcesBalancedAllocation=1\",\"ImageLocality=1\","
                    + "\"InterPodAffinity=1\",\"NodeResourcesFit=1\",\"NodeAffinity=1\",\"PodTopologySpread=2\","
                    + "\"TaintToleration=1\"]},";
    private static final String RELEASE_FAILURES = "\"failures\":{\"n2\":{\"plugin\":\"NodeUnschedulable\","
            + "\"reasons\":[\"node(s) were unschedulable\"],\"unresolvable\":true}}";

    /** The recorded constant scores of plugins that have nothing to do are not differences. */
    @Test
    void decidesAsTheReleaseOfTheScenario() throws IOException {
        String recorded = "{" + RELEASE_DUMP + ",\"expected\":{\"release\":" + RELEASE_PLUGINS
                + "\"pods\":[{\"pod\":\"a/p\",\"feasible\":[\"n1\"]," + RELEASE_FAILURES
                + ",\"scores\":{\"ImageLocality\":{\"n1\":100}},\"weights\":{\"ImageLocality\":1},"
                + "\"totals\":{\"n1\":100},\"best\":[\"n1\"],\"bound\":\"n1\"}]}}}";
        String file = file("t.jsonl", recorded);

        assertEquals(new CommandRun(0, """
                        FILE MODE      SCENARIOS   EQUAL   DIFFERENT   EXCEPTED   SKIPPED
                        t.jsonl   release           1       1           0          0         0
                        1 outcomes compared, 0 different
                        """, ""), replay("--mode", "release", file));
        assertEquals(
                1,
                replay("--mode", "release", file("u.jsonl", recorded.replace("1.22", "1.24")))
                        .code());
        assertEquals(
                "error: --release: --mode release takes the release from each scenario\n",
                replay("--mode", "release", "--release", "1.22", file)
                                .err()
                                .lines()
                                .findFirst()
                                .orElse("") + "\n");
    }

    @Test
    void emitsTheFormOfTheRelease() throws IOException {
        String outcome = replay("--emit", "-", "--mode", "release", file("t.jsonl", "{" + RELEASE_DUMP + "}"))
                .out();

        assertTrue(outcome.contains("\"outcome\":" + RELEASE_PLUGINS), outcome);
        assertTrue(outcome.contains(RELEASE_FAILURES), outcome);
        assertTrue(replay(
                        "--emit",
                        "-",
                        "--mode",
                        "release",
                        file("u.jsonl", "{" + RELEASE_DUMP.replace("22", "16") + "}"))
                .err()
                .endsWith("u.jsonl:1: release 1.16 is older than 1.17\n"));
    }

    @Test
    void modernHonorsTheRelease() throws IOException {
        String recorded = "{" + RELEASE_DUMP
                + ",\"expected\":{\"modern\":{\"pods\":[{\"pod\":\"a/p\",\"feasible\":[\"n1\"],\"best\":"
                + "[\"n1\"],\"weights\":{}," + RELEASE_FAILURES + ",\"bound\":\"n1\"}]}}}";
        String weights = "pods[0].weights.TaintToleration: recorded nothing, here ";
        String file = file("t.jsonl", recorded);

        assertTrue(replay("--all", "--mode", "modern", file).out().contains(weights + 3));
        assertTrue(replay("--all", "--mode", "modern", "--release", "1.22", file)
                .out()
                .contains(weights + 1));
    }

    @Test
    void aReplayThatComparesNothingFails() throws IOException {
        assertEquals(
                new CommandRun(
                        1,
                        """
                        FILE MODE     SCENARIOS   EQUAL   DIFFERENT   EXCEPTED   SKIPPED
                        t.jsonl   modern           1       0           0          1         0
                        excepted: 1: no outcome recorded for this mode
                        0 outcomes compared, 0 different
                        """,
                        "error: no outcome compared: the recordings contain none of the compared modes;"
                                + " --mode release compares each scenario with the release that it names\n"),
                replay("--mode", "modern", file("t.jsonl", RECORDED)));
    }
}
