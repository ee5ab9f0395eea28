package io.policyscheduler.cmd.kube.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.PodWriter.BindResult;
import io.policyscheduler.cmd.kube.write.PodWriter.BindResult.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class PodWriterTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static JsonNode json(String text) throws IOException {
        return MAPPER.readTree(text.replace('\'', '"'));
    }

    /** The message of the API server. */
    private static String refusal(int code, String message) {
        return code == 404
                ? "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"details\":{\"name\":\"web\"},\"message\":\"" + message
                        + "\"}"
                : "{\"message\":\"" + message + "\"}";
    }

    /** The server's response to the POST (0: connection closed, -1: no response) and to the GET that follows. */
    private static BindResult bind(int postCode, int getCode, @Nullable String uid, @Nullable String node) {
        FakeApiServer[] self = new FakeApiServer[1];
        try (FakeApiServer server = new FakeApiServer(request -> {
            if (request.method().equals("GET")) {
                request.answer(
                        getCode,
                        getCode == 200
                                ? "{\"metadata\":{\"uid\":\"%s\"},\"spec\":{%s}}"
                                        .formatted(uid, node == null ? "" : "\"nodeName\":\"" + node + "\"")
                                : refusal(getCode, "get " + getCode));
            } else if (postCode == 0) {
                request.exchange().close();
            } else if (postCode < 0) {
                self[0].hold();
            } else {
                request.answer(postCode, refusal(postCode, "post " + postCode));
            }
        })) {
            self[0] = server;
            try (KubeConnection connection = KubeConnection.fromUrl(server.url(), Duration.ofSeconds(1))) {
                return new PodWriter(connection, "policy/v1").bind("ns", "web", "u1", "n1");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "201,   0,   , , BOUND,              0",
        "200,   0,   , , BOUND,              0",
        "404,   0,   , , GONE,               404",
        "403,   0,   , , REFUSED,            403",
        "429,   0,   , , REFUSED,            429",
        "409, 200, u1, n1, ALREADY_BOUND_HERE, 0",
        "409, 200, u1, n2, CONFLICT,         409",
        "409, 200, u1, , REFUSED,            409",
        "409, 200, u2, n1, GONE,             409",
        "409, 404,   , , GONE,               404",
        "500, 200, u1, n1, ALREADY_BOUND_HERE, 0",
        "500, 200, u1, , UNKNOWN,            500",
        "500, 503,   , , UNKNOWN,            500",
        "0,   200, u1, n1, ALREADY_BOUND_HERE, 0",
        "0,   200, u1, n2, CONFLICT,         0",
        "0,   200, u1, , UNKNOWN,            0",
        "0,   404,   , , GONE,               404",
        "0,   500,   , , UNKNOWN,            0",
        "-1,  200, u1, n1, ALREADY_BOUND_HERE, 0",
        "-1,  200, u1, , UNKNOWN,            0",
    })
    void tellsWhatBecameOfABind(
            int postCode, int getCode, @Nullable String uid, @Nullable String node, Outcome outcome, int code) {
        BindResult result = bind(postCode, getCode, uid, node);
        assertEquals(outcome, result.outcome(), result.text());
        assertEquals(code, result.code());
        assertEquals(outcome == Outcome.BOUND || outcome == Outcome.ALREADY_BOUND_HERE, result.success());
        assertEquals(result.success(), result.text().isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "404 page not found",
                "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"details\":{\"name\":\"other\"}}",
                "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":\"the server could not find the requested resource\"}",
            })
    void a404ThatDoesNotNameThePodSaysNothingAboutIt(String body) {
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(404, body));
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            PodWriter writer = new PodWriter(connection, "policy/v1");
            assertEquals(Outcome.UNKNOWN, writer.bind("ns", "web", "u1", "n1").outcome());
            assertThrows(ApiIoException.class, () -> writer.unboundVersion("ns", "web", "u1"));
        }
    }

    @Test
    void failureTextIsTheServersMessage() {
        assertEquals(new BindResult(Outcome.CONFLICT, 409, "post 409"), bind(409, 200, "u1", "n2"));
        assertTrue(bind(500, 503, "", "").text().startsWith("post 500 (then, reading the pod: HTTP 503: get 503"));
    }

    /** The responses to reading and writing the pod, and the result; null for an error. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "200 | {'metadata':{'uid':'u1','resourceVersion':'7'}}"
                        + " | 200 | true | {'lastProbeTime':'2024-02-03T04:05:07Z','status':'Unknown','reason':'SchedulerStarts',"
                        + "'message':'the scheduler checks that its cache contains all pods','lastTransitionTime':'2024-02-03T04:05:07Z',",
                "200 | {'metadata':{'uid':'u1','resourceVersion':'7'},'status':{'conditions':[{'type':'Ready'},{'type':'PodScheduled'}]}}"
                        + " | 200 | true | {'lastProbeTime':'2024-02-03T04:05:07Z',",
                "200 | {'metadata':{'uid':'u1','resourceVersion':'7'},'status':{'conditions':[{'type':'PodScheduled'}]}}"
                        + " | 409 | false | {'lastProbeTime':'2024-02-03T04:05:07Z',",
                "200 | {'metadata':{'uid':'u1','resourceVersion':'7'},'status':{'conditions':[{'type':'PodScheduled'}]}}"
                        + " | 404 | false | {'lastProbeTime':'2024-02-03T04:05:07Z',",
                "200 | {'metadata':{'uid':'u1','resourceVersion':'7'},'status':{'conditions':[{'type':'PodScheduled'}]}}"
                        + " | 403 | | {'lastProbeTime':'2024-02-03T04:05:07Z',",
                "200 | {'metadata':{'uid':'u2','resourceVersion':'7'}} | 200 | false |",
                "200 | {'metadata':{'uid':'u1','resourceVersion':'7'},'spec':{'nodeName':'n'}} | 200 | false |",
                "200 | {'metadata':{'uid':'u1','resourceVersion':'7','deletionTimestamp':'x'}} | 200 | false |",
                "404 | {'kind':'Status','reason':'NotFound','details':{'name':'web'}} | 200 | false |",
                "500 | {} | 200 | |",
                "200 | [ | 200 | |"
            })
    void touchesAPodThatWaits(
            int readCode, String pod, int writeCode, @Nullable Boolean touched, @Nullable String condition)
            throws IOException {
        try (FakeApiServer server = new FakeApiServer(request -> {
                    boolean read = request.method().equals("GET");
                    request.answer(read ? readCode : writeCode, read ? pod.replace('\'', '"') : "{}");
                });
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            PodWriter writer = new PodWriter(
                    connection, "policy/v1", InstantSource.fixed(Instant.parse("2024-02-03T04:05:07.5Z")));
            if (touched == null) {
                assertThrows(ApiIoException.class, () -> writer.touch("ns", "web", "u1"));
            } else {
                assertEquals(touched, writer.touch("ns", "web", "u1"));
            }
            List<JsonNode> written = new ArrayList<>();
            for (FakeApiServer.Request request : server.requests) {
                if (request.method().equals("PATCH")) {
                    assertEquals("/api/v1/namespaces/ns/pods/web/status", request.path());
                    written.add(MAPPER.readTree(request.body()));
                }
            }
            assertEquals(
                    condition == null
                            ? List.of()
                            : List.of(json("{'metadata':{'uid':'u1','resourceVersion':'7'},'status':{'conditions':["
                                    + condition + "'type':'PodScheduled'}]}}")),
                    written);
        }
    }

    @Test
    void writesWhatTheServerExpects() throws IOException {
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(201, "{}"));
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            Instant now = Instant.parse("2024-02-03T04:05:07.5Z");
            PodWriter writer = new PodWriter(connection, "policy/v1beta1", InstantSource.fixed(now));
            writer.bind("ns", "web", "u1", "n1");
            PodWriter.Condition condition = new PodWriter.Condition(
                    "False", "Unschedulable", "0/1 \"nodes\"", Instant.parse("2024-02-03T04:05:06.789Z"));
            writer.patchScheduling("ns", "web", "u1", "7", condition, null, 3);
            writer.patchDisruptionTarget("ns", "web", "u1", "PreemptionByScheduler", "preempting", 0);
            writer.patchDisruptionTarget("ns", "web", "u1", "PreemptionByScheduler", "preempting", 4);
            writer.patchScheduling("ns", "web", "u1", "7", null, "", 3);
            writer.patchScheduling("ns", "web", "u1", "7", condition, "n1", 0);
            writer.patchNominatedNode("ns", "web", "u1", "8", "n1");
            writer.patchNominatedNode("ns", "web", "u1", "9", null);
            writer.deletePod("ns", "web", "u1");
            writer.evict("ns", "web", "u1");
            String pod = "/api/v1/namespaces/ns/pods/web";
            String disruption = "{'type':'DisruptionTarget','status':'True','reason':'PreemptionByScheduler',"
                    + "'message':'preempting','lastTransitionTime':'2024-02-03T04:05:07Z'}";
            String[][] expected = {
                {
                    "POST " + pod + "/binding application/json",
                    "{'apiVersion':'v1','kind':'Binding','metadata':{'namespace':'ns','name':'web','uid':'u1'},'target':{'kind':'Node','name':'n1'}}"
                },
                {
                    "PATCH " + pod + "/status application/strategic-merge-patch+json",
                    "{'metadata':{'uid':'u1','resourceVersion':'7'},'status':{'conditions':[{'observedGeneration':3,'type':'PodScheduled','status':'False','reason':'Unschedulable','message':'0/1 \\'nodes\\'','lastTransitionTime':'2024-02-03T04:05:06Z'}]}}"
                },
                {
                    "PATCH " + pod + "/status application/strategic-merge-patch+json",
                    "{'metadata':{'uid':'u1'},'status':{'conditions':[" + disruption + "]}}"
                },
                {
                    "PATCH " + pod + "/status application/strategic-merge-patch+json",
                    "{'metadata':{'uid':'u1'},'status':{'conditions':["
                            + disruption.replace("{'type'", "{'observedGeneration':4,'type'") + "]}}"
                },
                {
                    "PATCH " + pod + "/status application/strategic-merge-patch+json",
                    "{'metadata':{'uid':'u1','resourceVersion':'7'},'status':{'nominatedNodeName':null}}"
                },
                {
                    "PATCH " + pod + "/status application/strategic-merge-patch+json",
                    "{'metadata':{'uid':'u1','resourceVersion':'7'},'status':{'nominatedNodeName':'n1','conditions':[{'type':'PodScheduled','status':'False','reason':'Unschedulable','message':'0/1 \\'nodes\\'','lastTransitionTime':'2024-02-03T04:05:06Z'}]}}"
                },
                {
                    "PATCH " + pod + "/status application/strategic-merge-patch+json",
                    "{'metadata':{'uid':'u1','resourceVersion':'8'},'status':{'nominatedNodeName':'n1'}}"
                },
                {
                    "PATCH " + pod + "/status application/strategic-merge-patch+json",
                    "{'metadata':{'uid':'u1','resourceVersion':'9'},'status':{'nominatedNodeName':null}}"
                },
                {
                    "DELETE " + pod + " application/json",
                    "{'apiVersion':'v1','kind':'DeleteOptions','preconditions':{'uid':'u1'}}"
                },
                {
                    "POST " + pod + "/eviction application/json",
                    "{'apiVersion':'policy/v1beta1','kind':'Eviction','metadata':{'namespace':'ns','name':'web'},'deleteOptions':{'apiVersion':'v1','kind':'DeleteOptions','preconditions':{'uid':'u1'}}}"
                },
            };
            assertEquals(expected.length, server.requests.size());
            for (int i = 0; i < expected.length; i++) {
                FakeApiServer.Request request = server.requests.get(i);
                assertEquals(
                        expected[i][0], request.method() + " " + request.path() + " " + request.header("Content-Type"));
                assertEquals(json(expected[i][1]), MAPPER.readTree(request.body()));
            }
        }
    }
}
