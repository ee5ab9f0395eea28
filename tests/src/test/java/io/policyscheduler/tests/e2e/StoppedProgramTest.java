package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** The exit code and the last output of a program that is stopped. */
class StoppedProgramTest {
    private final LiveCluster live = new LiveCluster();
    private final Path folder;

    StoppedProgramTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void close() {
        live.close();
    }

    private Program run(String... more) {
        List<String> command = new ArrayList<>(
                List.of("run", "--master", live.cluster().url(), "--algorithm-provider", "DefaultProvider"));
        command.addAll(List.of(more));
        return Program.start(folder, command.toArray(String[]::new));
    }

    @Test
    void withoutAnApiServerItEndsOrWaits() throws IOException {
        live.cluster().stopServing();
        try (Program program = run()) {
            assertEquals(4, program.awaitEnd(), program::output);
        }
        try (Program program = run("--wait-for-api-server=5m", "--status-address=0")) {
            program.awaitOutput(
                    "W135 waiting for the API server " + live.cluster().url());
            live.cluster().startServing();
            program.awaitOutput("serving status at ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSchedulerSaysWhatItFinishes(String signal) {
        assumeTrue(
                !isIgnored(signal),
                "skipped: this process was started with SIG" + signal + " ignored, and so is the program");
        try (Program program = run("--leader-elect")) {
            program.awaitOutput("successfully acquired lease");
            program.signal(signal);
            assertEquals(0, program.awaitEnd(), program::output);
            List<String> said = program.output()
                    .lines()
                    .map(line -> line.replaceFirst("^\\S+ ", ""))
                    .toList();
            assertTrue(said.get(0).matches("INFO cmd\\.run: policy-scheduler \\S.*, Java \\d+.*"), said::toString);
            assertEquals(
                    List.of(
                            "INFO cmd.run: SIG" + signal + " received",
                            "INFO cmd.run: stopping: waiting for running binds binding=0 waiting=0",
                            "INFO cmd.kube.election: lease kube-system/policy-scheduler released",
                            "INFO cmd.run: stopped"),
                    said.subList(said.size() - 4, said.size()),
                    program::output);
        }
    }

    /** A process inherits ignored signals: CI runners and nohup may start a build with SIGINT ignored. */
    private static boolean isIgnored(String name) {
        Signal signal = new Signal(name);
        SignalHandler before = Signal.handle(signal, SignalHandler.SIG_DFL);
        Signal.handle(signal, before);
        return before.equals(SignalHandler.SIG_IGN);
    }

    @Test
    void everyLineIsAnObjectWhenAsked() throws Exception {
        live.addNodes(1, "4");
        try (Program program = run("--logging-format=json", "--logtostderr=false")) {
            live.api().createPod(Manifest.podOf("policy-scheduler", "placed", "100m"));
            live.awaitBound("placed");
            live.api().createPod(Manifest.podOf("policy-scheduler", "waiting", "8"));
            program.awaitOutput("Insufficient cpu");
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
            List<JsonNode> events = new ArrayList<>();
            for (String line : program.output().lines().toList()) {
                events.add(new ObjectMapper().readTree(line));
            }
            assertEquals(List.of("default/placed n0 1 INFO scheduler"), entries(events, "bound"));
            assertTrue(entries(events, "not scheduled").contains("default/waiting  1 INFO scheduler"), program::output);
            assertEquals(
                    List.of("W140"),
                    events.stream()
                            .filter(event -> event.has("code"))
                            .map(event -> event.path("code").asText())
                            .toList());
            assertEquals("stopped", events.get(events.size() - 1).path("msg").asText());
        }
    }

    @Test
    void whoTakesOverDoesNotWaitForAVolumeThatNobodyMakes() {
        live.addNodes(1, "4");
        live.cluster().load(FakeVolumeController.storageClass("fast", "example.com/fake"));
        live.cluster().load(FakeVolumeController.claim("data", "fast"));
        try (Program program = run("--leader-elect")) {
            live.api().createPod(FakeVolumeController.podWithClaim("p", "data"));
            Await.until(
                    LiveCluster.PATIENCE,
                    "a node is chosen for the volume",
                    () -> live.cluster()
                            .get("persistentvolumeclaims", "default", "data")
                            .orElseThrow()
                            .at("/metadata/annotations/volume.kubernetes.io~1selected-node")
                            .asText()
                            .equals("n0"),
                    program::output);
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
            assertTrue(program.output().contains("waiting for running binds binding=1 waiting=0"), program::output);
            assertTrue(program.output().contains("lease kube-system/policy-scheduler released"), program::output);
            assertTrue(program.output().contains("binding volumes: scheduling stops"), program::output);
        }
    }

    private static List<String> entries(List<JsonNode> events, String message) {
        return events.stream()
                .filter(event -> event.path("msg").asText().equals(message))
                .map(event -> event.path("pod").asText() + " "
                        + event.path("node").asText() + " "
                        + event.path("attempt").asText() + " "
                        + event.path("level").asText() + " "
                        + event.path("component").asText())
                .toList();
    }

    @Test
    void anExtenderLeavesWithZero() {
        try (Program program = Program.start(
                folder, "extender", "--master", live.cluster().url(), "--provider", "DefaultProvider", "--port", "0")) {
            program.awaitOutput("as an extender on");
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
        }
    }
}
