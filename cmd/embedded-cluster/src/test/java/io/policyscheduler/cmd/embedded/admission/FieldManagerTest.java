package io.policyscheduler.cmd.embedded.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Server-side apply through the whole request path. */
class FieldManagerTest {
    private static final String PATH = "/api/v1/namespaces/default/configmaps/c";
    private static final String SET = "/apis/apps/v1/namespaces/default/replicasets/p";

    private EmbeddedControlPlane cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = EmbeddedControlPlane.builder()
                .serving(false)
                .kubeletPeriod(Duration.ZERO)
                .controllers(true)
                .start();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private Response send(String path, String type, String query, String body) {
        return cluster.call("PATCH", path + query, type, body.getBytes(StandardCharsets.UTF_8));
    }

    private Response apply(String manager, String data, String more) {
        return send(
                PATH,
                "application/apply-patch+yaml",
                "?fieldManager=" + manager + more,
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: " + data);
    }

    private static String data(Response response) {
        return response.body().path("data").toString();
    }

    @Test
    void whatIsNoLongerAppliedGoesUnlessAnotherOwnsIt() {
        assertEquals(201, apply("me", "{a: '1', b: '2', c: '3'}", "").code());
        assertEquals(200, apply("you", "{b: '2'}", "").code());
        assertEquals("{\"a\":\"1\",\"b\":\"2\"}", data(apply("me", "{a: '1'}", "")));
        assertEquals("{\"a\":\"1\"}", data(apply("you", "{}", "")));
    }

    @ParameterizedTest
    @CsvSource({"'', 409, 1", "&force=true, 200, 2"})
    void anotherValueForWhatOthersOwnIsAConflict(String force, int code, String value) {
        apply("me", "{a: '1'}", "");
        Response answer = apply("you", "{a: '2'}", force);
        assertEquals(code, answer.code());
        if (code == 409) {
            assertEquals(
                    "Apply failed with 1 conflict: conflict with \"me\": .data.a",
                    answer.body().path("message").asText());
        }
        assertEquals(
                value,
                cluster.get("configmaps", "default", "c")
                        .orElseThrow()
                        .at("/data/a")
                        .asText());
    }

    @Test
    void whoChangesAFieldOwnsIt() {
        apply("me", "{a: '1', b: '1'}", "");
        send(PATH, "application/merge-patch+json", "?fieldManager=editor", "{\"data\":{\"a\":\"2\"}}");
        Response refused = apply("me", "{a: '1', b: '1'}", "");
        assertEquals(409, refused.code());
        assertEquals(".data.a", refused.body().at("/details/causes/0/field").asText());
        assertEquals("{\"a\":\"2\",\"b\":\"1\"}", data(apply("me", "{a: '2', b: '1'}", "")));
    }

    @Test
    void listsWithKeysAreMergedItemByItem() {
        String set = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: p}\n"
                + "spec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n"
                + "    spec:\n      containers:\n";
        String mine = "      - {name: a, image: 'i:1', env: [{name: X, value: '1'}]}\n";
        assertEquals(
                201,
                send(SET, "application/apply-patch+yaml", "?fieldManager=me", set + mine)
                        .code());
        Response both = send(
                SET,
                "application/apply-patch+yaml",
                "?fieldManager=you",
                set + "      - {name: a, env: [{name: Z, value: '2'}]}\n");
        JsonNode container = both.body().at("/spec/template/spec/containers/0");
        assertEquals(2, container.path("env").size(), both.body()::toString);
        assertEquals("i:1", container.path("image").asText());
        JsonNode managed = both.body().at("/metadata/managedFields/1/fieldsV1/f:spec/f:template/f:spec/f:containers");
        assertTrue(managed.path("k:{\"name\":\"a\"}").has("."), managed::toString);
    }

    @Test
    void anApplyNeedsAName() {
        Response refused = send(
                PATH, "application/apply-patch+yaml", "", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
        assertEquals(422, refused.code());
        assertFalse(cluster.get("configmaps", "default", "c").isPresent());
    }
}
