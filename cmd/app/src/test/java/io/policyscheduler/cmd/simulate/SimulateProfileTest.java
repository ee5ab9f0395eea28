package io.policyscheduler.cmd.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.Main;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Simulations with modern profiles. */
class SimulateProfileTest {
    private static final int NODES = 220;

    private static JsonNode json(String... args) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("-o", "json"));
        int code = Main.run(all.toArray(String[]::new), out, err);
        if (code > 1) {
            throw new AssertionError(err.toString());
        }
        return new ObjectMapper().readTree(out.toString());
    }

    private static Path dump(Path folder, int nodes, String pod) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < nodes; i++) {
            text.append("---\n{kind: Node, metadata: {name: n").append(i);
            text.append("}, status: {capacity: {cpu: 4, memory: 8Gi, pods: 10}}}\n");
        }
        text.append("---\n").append(pod).append('\n');
        return Files.writeString(folder.resolve("world.yaml"), text);
    }

    @ParameterizedTest
    @CsvSource({"modern, '', 220", "modern, 60, 132", "config, '', 110", "config, 60, 132", "modern, 0, 107"})
    void aShareOfTheNodesIsEnough(String decider, String flag, int feasible, @TempDir Path folder) throws IOException {
        Path dump = dump(folder, NODES, "{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: x}]}}");
        Path config = Files.writeString(
                folder.resolve("config.yaml"),
                "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                        + "percentageOfNodesToScore: 10\nprofiles: [{schedulerName: a, percentageOfNodesToScore: 50}]\n");
        List<String> args = new ArrayList<>(List.of(
                "simulate",
                "--profile",
                decider.equals("modern") ? decider : "config:" + config,
                "--cluster",
                dump.toString()));
        if (!flag.isEmpty()) {
            args.addAll(List.of("--percentage-of-nodes-to-score", flag));
        }
        JsonNode pod = json(args.toArray(String[]::new)).path("pods").path(0);
        assertEquals(feasible, pod.path("feasible").asInt());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "modern | cpu: 9 | Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available:"
                        + " 1 Preemption is not helpful for scheduling.",
                "modern | cpu: 3 | Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available:"
                        + " 1 No preemption victims found for incoming pod.",
                "provider:DefaultProvider | cpu: 9 | Insufficient cpu."
            })
    void aMessageTellsOfPreemptionAsTheReleaseDoes(String decider, String request, String message, @TempDir Path folder)
            throws IOException {
        Path dump = dump(
                folder,
                1,
                "{kind: Pod, metadata: {name: r}, spec: {nodeName: n0, containers: [{name: c, image: x, resources:"
                        + " {requests: {cpu: 2}}}]}}\n---\n{kind: Pod, metadata: {name: p}, spec: {containers: [{name:"
                        + " c, image: x, resources: {requests: {" + request + "}}}]}}");
        String expected = "0/1 nodes are available: 1 " + message;
        String file = dump.toString();
        assertEquals(
                expected,
                json("simulate", "--decider", decider, "--cluster", file)
                        .path("pods")
                        .path(0)
                        .path("message")
                        .asText());
        JsonNode compared = json("compare", decider, decider, "--cluster", file, "--details")
                .path("pods")
                .path(0)
                .path("results")
                .path(1);
        assertEquals(expected, compared.path("message").asText());
        assertEquals(
                expected,
                json("explain", "p", "--decider", decider, "--cluster", file)
                        .path("message")
                        .asText());
    }

    @Test
    void aPodThatGetsRoomIsToldNoMore(@TempDir Path folder) throws IOException {
        Path dump = dump(
                folder,
                1,
                "{kind: Pod, metadata: {name: r}, spec: {nodeName: n0, priority: -1, containers: [{name: c, image: x,"
                        + " resources: {requests: {cpu: 2}}}]}}\n---\n{kind: Pod, metadata: {name: p}, spec: {containers:"
                        + " [{name: c, image: x, resources: {requests: {cpu: 3}}}]}}");
        assertEquals(
                "0/1 nodes are available: 1 Insufficient cpu.",
                json("simulate", "--profile", "modern", "--cluster", dump.toString())
                        .path("pods")
                        .path(0)
                        .path("message")
                        .asText());
    }
}
