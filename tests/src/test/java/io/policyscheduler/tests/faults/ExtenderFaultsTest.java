package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Extenders that close connections, and their use of the API server. */
@Tag("faults")
@Timeout(120)
class ExtenderFaultsTest {
    private static final int PODS = 12;

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private static String policy(ClosingExtender extender, boolean namesOnly, String more) {
        return "{'kind':'Policy','apiVersion':'v1','extenders':[{'urlPrefix':'" + extender.url()
                + "','filterVerb':'filter','prioritizeVerb':'prioritize','weight':100,'nodeCacheCapable':" + namesOnly
                + more + "}]}";
    }

    private static String names(JsonNode names) {
        return StreamSupport.stream(names.spliterator(), false)
                .map(JsonNode::toString)
                .collect(Collectors.joining(","));
    }

    private static String answer(String verb, JsonNode body) {
        if (verb.equals("filter")) {
            return body.path("NodeNames").isArray()
                    ? "{\"NodeNames\":[" + names(body.path("NodeNames")) + "]}"
                    : "{\"Nodes\":" + body.path("Nodes") + "}";
        }
        return "[{\"Host\":\"n2\",\"Score\":10}]";
    }

    @Test
    void theScoresOfAnExtenderThatClosesAfterEachAnswerCountAndNoPodIsRead() {
        try (ClosingExtender extender = new ClosingExtender(ExtenderFaultsTest::answer)) {
            fixture.addNodes(4, "8");
            fixture.start(FaultFixture.policy(policy(extender, false, "")));
            fixture.addPods("p", PODS, "100m");
            fixture.awaitAllBound(PODS);
            for (int i = 0; i < PODS; i++) {
                assertEquals("n2", fixture.nodeOf("p" + i));
            }
            assertEquals(0, fixture.proxy().count(FaultFixture.podReads()), "pods read");
            assertEquals(
                    0,
                    fixture.proxy()
                            .count(call ->
                                    call.method().equals("GET") && call.path().startsWith("/api/v1/nodes/")),
                    "nodes read");
            fixture.assertSound();
        }
    }

    @Test
    void aQuestionIsAskedOnceMoreWhenItsConnectionBreaks() {
        AtomicInteger asked = new AtomicInteger();
        try (ClosingExtender extender =
                new ClosingExtender((verb, body) -> asked.incrementAndGet() % 2 == 1 ? "" : answer(verb, body))) {
            fixture.addNodes(3, "8");
            fixture.start(FaultFixture.policy(policy(extender, true, "")));
            fixture.addPods("p", 3, "100m");
            fixture.awaitAllBound(3);
            for (int i = 0; i < 3; i++) {
                assertEquals("n2", fixture.nodeOf("p" + i));
            }
            fixture.assertSound();
        }
    }

    @Test
    void aBindIsNeverSentTwice() {
        try (ClosingExtender extender = new ClosingExtender((verb, body) -> {
            if (!verb.equals("bind")) {
                return answer(verb, body);
            }
            // Carries out the bind, and closes the connection without a response.
            fixture.server()
                    .call(
                            "POST",
                            "/api/v1/namespaces/default/pods/"
                                    + body.path("PodName").asText() + "/binding",
                            "application/json",
                            Manifest.json("{'apiVersion':'v1','kind':'Binding','metadata':{'name':'"
                                            + body.path("PodName").asText()
                                            + "'},'target':{'apiVersion':'v1','kind':'Node','name':'"
                                            + body.path("Node").asText() + "'}}")
                                    .toString());
            return "";
        })) {
            fixture.addNodes(3, "8");
            fixture.start(FaultFixture.policy(policy(extender, true, ",'bindVerb':'bind'")));
            fixture.addPods("p", 3, "100m");
            fixture.awaitAllBound(3);
            assertEquals(3, extender.calls("bind"));
            assertTrue(extender.calls("filter") >= 3);
            fixture.assertSound();
        }
    }

    /** Kubernetes 1.17 fails such a pod again and again. */
    @Test
    void theSchedulerBindsThePodsThatAnIgnorableExtenderDoesNotBind(@TempDir Path folder) throws IOException {
        try (ClosingExtender extender = new ClosingExtender(
                (verb, body) -> verb.equals("bind") ? "{\"Error\":\"no bind today\"}" : answer(verb, body))) {
            fixture.addNodes(3, "8");
            Path policy = Files.writeString(
                    folder.resolve("policy.json"),
                    policy(extender, true, ",'bindVerb':'bind','ignorable':true")
                            .replace('\'', '"'));
            List<String> args = List.of(
                    "run",
                    "--master=" + fixture.proxy().url(),
                    "--scheduler-name=" + Manifest.SCHEDULER,
                    "--policy-config-file=" + policy,
                    "--leader-elect=false",
                    "--status-address=127.0.0.1:0");
            try (Program program = Program.start(folder, List.of(), args)) {
                fixture.addPods("p", 3, "100m");
                fixture.awaitAllBound(3);
                assertEquals(3, extender.calls("bind"));
                String name = "policy_scheduler_extender_binds_skipped_total{extender=\"" + extender.url() + "\"}";
                program.awaitMetric(name, "3.0");
                fixture.await("three events", () -> skippedBinds().size() == 3);
                assertEquals(
                        Collections.nCopies(
                                3, "extender " + extender.url() + " failed to bind, and is ignorable: no bind today"),
                        skippedBinds());
            }
            fixture.assertSound();
        }
    }

    private List<String> skippedBinds() {
        return fixture.server().list("events").stream()
                .filter(event -> event.path("reason").asText().equals("ExtenderBindSkipped"))
                .map(event ->
                        event.path("message").asText() + event.path("note").asText())
                .toList();
    }
}
