package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Garbage collection: which dependents are deleted with an object, and which stay. */
class OwnershipTest {
    private static final String SETS = "/apis/apps/v1/namespaces/default/replicasets";

    private Playground playground;

    @BeforeEach
    void start() throws Exception {
        playground = new Playground("a");
    }

    @AfterEach
    void close() {
        playground.close();
    }

    private void replicaSet(String path) {
        playground.create(
                path,
                "{'metadata':{'name':'web'},'spec':{'replicas':2,'selector':{'matchLabels':{'app':'web'}},"
                        + "'template':{'metadata':{'labels':{'app':'web'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}");
    }

    @ParameterizedTest
    @CsvSource({"Background, 0", "Foreground, 0", "Orphan, 2"})
    void dependentsGoOrStayAsTheDeletionSays(String propagation, int left) {
        replicaSet(SETS);
        assertEquals(2, playground.names("pods").size());
        playground.delete(SETS + "/web", "{'propagationPolicy':'" + propagation + "'}");
        playground.pass(Duration.ofSeconds(2));
        assertEquals(List.of(), playground.names("replicasets"));
        assertEquals(left, playground.names("pods").size());
        assertEquals(left, playground.count("pods", "/metadata/ownerReferences", ""));
    }

    @Test
    void anOwnerInTheForegroundWaitsForItsDependents() {
        replicaSet(SETS);
        playground.send("DELETE", SETS + "/web", "{'propagationPolicy':'Foreground'}");
        playground.settle();
        assertEquals(List.of("web"), playground.names("replicasets"));
        assertEquals(2, playground.names("pods").size(), "they have a second to end");
        playground.pass(Duration.ofSeconds(2));
        assertEquals(List.of(), playground.names("replicasets"));
    }

    @Test
    void orphansAreAdoptedByASelectorThatTakesThem() {
        replicaSet(SETS);
        List<String> before = playground.names("pods");
        playground.delete(SETS + "/web", "{'propagationPolicy':'Orphan'}");
        replicaSet(SETS);
        assertEquals(before, playground.names("pods"));
    }

    @Test
    void aNamespaceIsEmptiedBeforeItGoes() {
        playground.create("/api/v1/namespaces", "{'metadata':{'name':'team'}}");
        replicaSet("/apis/apps/v1/namespaces/team/replicasets");
        playground.send("DELETE", "/api/v1/namespaces/team", "");
        playground.settle();
        assertEquals("Terminating", playground.at("namespaces", "team", "/status/phase"));
        Response refused =
                playground.send("POST", "/api/v1/namespaces/team/configmaps", "{'metadata':{'name':'late'}}");
        assertEquals(403, refused.code());
        assertTrue(refused.body().path("message").asText().endsWith("because it is being terminated"));
        playground.pass(Duration.ofSeconds(3));
        assertEquals(List.of(), playground.names("pods"));
        assertEquals("", playground.at("namespaces", "team", "/metadata/name"));
    }

    @ParameterizedTest
    @CsvSource({
        "minAvailable, 1, 1",
        "minAvailable, '50%', 1",
        "maxUnavailable, 1, 1",
        "maxUnavailable, '100%', 2",
        "minAvailable, 2, 0"
    })
    void budgetsCountWhatTheyAllow(String field, String value, int allowed) {
        replicaSet(SETS);
        String amount = value.endsWith("%") ? "'" + value + "'" : value;
        playground.create(
                "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                "{'metadata':{'name':'web'},'spec':{'" + field + "':" + amount
                        + ",'selector':{'matchLabels':{'app':'web'}}}}");
        assertEquals(
                Integer.toString(allowed), playground.at("poddisruptionbudgets", "web", "/status/disruptionsAllowed"));
        String pod = playground.names("pods").get(0);
        Response eviction = playground.send(
                "POST", "/api/v1/namespaces/default/pods/" + pod + "/eviction", "{'metadata':{'name':'" + pod + "'}}");
        assertEquals(allowed > 0 ? 201 : 429, eviction.code());
        playground.pass(Duration.ofSeconds(2));
        assertEquals(
                Integer.toString(allowed), playground.at("poddisruptionbudgets", "web", "/status/disruptionsAllowed"));
    }
}
