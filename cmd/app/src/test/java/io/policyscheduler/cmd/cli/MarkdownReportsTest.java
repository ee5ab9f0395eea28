package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of {@code -o markdown}. */
class MarkdownReportsTest {
    private static final String DEMO = "../../policy-files/demo/";
    private static final String DUMP = "--cluster " + DEMO + "cluster.yaml " + DEMO + "workload.yaml";
    /** The maximum length of a comment on GitHub. */
    private static final int MOST = 65_536;

    private static CommandRun run(String line) {
        String whole = line.replace("POLICY", DEMO + "policy.json")
                .replace("DUMP", DUMP)
                .replace("DEMO/", DEMO);
        return CommandRun.of((whole + " -o markdown").split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "compare POLICY modern DUMP; 29 of 41 pods get another node, 1 becomes schedulable.; | NodeLabel filter (InAZone, NotRetiring) | 23 |",
                "simulate --policy POLICY DUMP; **37 of 41 pending pods are placed, 4 are unschedulable.**; | <code>default/huge</code> | 0/13 nodes",
                "explain old-kernel --policy POLICY DUMP; **default/old-kernel is unschedulable; | add the label kernel=3.10 | 9 |",
                "explain notebook --in-order --policy POLICY DUMP; **default/notebook would be placed on node-a4; | total |  | 1000689 |",
                "audit --decider modern --threshold 1 --cluster DEMO/cluster.yaml; **6 running pods checked with modern: all run on feasible nodes; | 8.8 % |",
                "migrate POLICY --verify DEMO/cluster.yaml DEMO/workload.yaml; migrated to v1 for "
                        + Release.NEWEST_TEXT + "; | 61.7 % |",
            })
    void aReportBeginsWithItsConclusion(String line, String first, String row) {
        String out = run(line).out();
        assertTrue(out.startsWith("**"), out);
        assertTrue(out.lines().findFirst().orElseThrow().contains(first), out);
        assertTrue(out.contains(row), out);
        assertTrue(out.contains("<details><summary>"), out);
        assertEquals(out.split("<details>", -1).length, out.split("</details>", -1).length);
        assertTrue(out.length() < MOST, () -> out.length() + " characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"validate POLICY", "version", "rule check -e true"})
    void commandsWithoutAReportRefuseIt(String line) {
        CommandRun run = run(line);
        assertEquals(2, run.code());
        assertTrue(run.err().contains("-o markdown: "), run.err());
        assertTrue(
                run.err().contains(" has no report; only compare, simulate, explain, audit, and migrate have one"),
                run.err());
    }

    /** However many pods there are, and whatever their names: the length is bounded, and all markup is the program's. */
    @Test
    void manyPodsWithHostileNamesAreStillAComment(@TempDir Path folder) throws IOException {
        StringBuilder cluster = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            String name = "<b>@all|" + i + "`";
            cluster.append("---\n{apiVersion: v1, kind: Node, metadata: {name: '")
                    .append(name);
            cluster.append("'}, status: {allocatable: {cpu: '1', memory: 1Gi, pods: '9'}}}\n");
            cluster.append("---\n{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: '")
                    .append(name)
                    .append("', uid: u");
            cluster.append(i)
                    .append("}, spec: {containers: [{name: c, resources: {requests: {cpu: '")
                    .append(1 + i % 2);
            cluster.append("'}}}]}}\n");
            cluster.append("---\n{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: 'r")
                    .append(name)
                    .append("', uid: r");
            cluster.append(i).append("}, spec: {nodeName: '").append(name).append("', nodeSelector: {no: 'one'},");
            cluster.append(" containers: [{name: c}]}}\n");
        }
        Path dump = Files.writeString(folder.resolve("dump.yaml"), cluster);
        String input = " --cluster " + dump;
        for (String line : new String[] {
            "compare policy:POLICY modern" + input,
            "simulate --provider DefaultProvider" + input,
            "audit --provider DefaultProvider" + input
        }) {
            String out = run(line).out();
            assertTrue(out.length() > 1000 && out.length() < MOST, () -> line + ": " + out.length() + " characters");
            assertFalse(out.contains("<b>") || out.contains("@") || out.contains("all|") || out.contains("`"), out);
        }
    }
}
