package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that read annotations of pods, in a program that stores annotations only if a rule needs them. */
class PodAnnotationsTest {
    private static final String READING = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: PodFitsResources
            - name: Wanted
              argument: {rule: {expression: "pod.annotations['example.com/node'] == node.name"}}
            priorities: []
            """;
    private static final String PLAIN = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: PodFitsResources
            priorities: []
            """;

    private final LiveCluster live = new LiveCluster();
    private final Path folder;
    private final Path policy;

    PodAnnotationsTest(@TempDir Path folder) {
        this.folder = folder;
        this.policy = folder.resolve("policy.yaml");
    }

    @BeforeEach
    void cluster() {
        for (String name : new String[] {"n1", "n2", "n3"}) {
            ObjectNode node = Manifest.node(name, "64");
            node.withObject("/status/allocatable").put("pods", "1000");
            live.cluster().load(node);
        }
    }

    @AfterEach
    void close() {
        live.close();
    }

    private Program start(String text) throws IOException {
        Files.writeString(policy, text);
        return Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--scheduler-name",
                Manifest.SCHEDULER,
                "--policy-config-file",
                policy.toString(),
                "--status-address",
                "0");
    }

    private String place(String name, String node) {
        ObjectNode pod = Manifest.podOf(Manifest.SCHEDULER, name, "100m");
        pod.withObject("/metadata/annotations").put("example.com/node", node);
        live.api().createPod(pod);
        live.awaitBound(name);
        return live.nodeOf(name);
    }

    @Test
    void aRulePlacesByAnnotation() throws IOException {
        try (Program program = start(READING)) {
            assertEquals("n2", place("a", "n2"));
            assertEquals("n3", place("b", "n3"));
            assertEquals("n1", place("c", "n1"));
        }
    }

    @Test
    void aReloadThatBeginsToReadThemIsRefused() throws IOException {
        try (Program program = start(PLAIN)) {
            place("a", "n1");
            Files.writeString(policy, READING);
            program.awaitOutput("reads pod annotations, which are not in memory because no rule read them at startup;"
                    + " restart the scheduler to use the policy");
            place("b", "nowhere");
        }
    }
}
