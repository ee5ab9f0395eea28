package io.policyscheduler.cmd.playground;

import static io.policyscheduler.cmd.playground.PlaygroundPort.body;
import static io.policyscheduler.cmd.playground.PlaygroundPort.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ObjectEditorTest {
    private final PlaygroundPort port = new PlaygroundPort();

    ObjectEditorTest() throws IOException {}

    @AfterEach
    void close() {
        port.close();
    }

    @Test
    void objectsAreShownChangedAndDeleted() throws Exception {
        port.create(node("n1", "1") + "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}");
        JsonNode state = port.act("state", body("resource", "nodes"));
        assertEquals("n1", state.at("/table/rows/0/name").asText());
        assertEquals("Name", state.at("/table/columns/0/name").asText());
        String yaml = port.act("object", body("resource", "nodes", "name", "n1"))
                .path("yaml")
                .asText();
        port.act("replace", body("text", yaml.replace("cpu: \"1\"", "cpu: \"6\"")));
        assertEquals(
                "6",
                port.cluster()
                        .get("nodes", "", "n1")
                        .orElseThrow()
                        .at("/status/allocatable/cpu")
                        .asText());
        // Another client has written it since.
        JsonNode conflict = port.refused("replace", body("text", yaml));
        assertTrue(conflict.at("/0/message").asText().contains("has been modified"), conflict::toString);
        port.act("delete", body("resource", "configmaps", "namespace", "default", "name", "c"));
        assertTrue(port.cluster().get("configmaps", "default", "c").isEmpty());
        assertTrue(port.refused("object", body("resource", "configmaps", "namespace", "default", "name", "c"))
                .at("/0/message")
                .asText()
                .contains("not found"));
    }

    @Test
    void ofManyObjectsTheFirstAreShownOrThoseWithAName() throws Exception {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < ObjectEditor.MOST_ROWS + 5; i++) {
            many.append(node("n" + i, "1"));
        }
        port.create(many.toString());
        JsonNode table = port.act("state", body("resource", "nodes")).path("table");
        assertEquals(ObjectEditor.MOST_ROWS, table.path("rows").size());
        assertEquals(5, table.path("more").asInt());
        table = port.act("state", body("resource", "nodes", "part", "n20")).path("table");
        assertEquals(6, table.path("rows").size());
        assertEquals(0, table.path("more").asInt());
        table = port.act("state", body("resource", "nodes", "part", "n")).path("table");
        assertEquals(5, table.path("more").asInt());
    }

    @Test
    void theServersErrorsComeWithTheirLines() throws Exception {
        JsonNode errors = port.refused("create", body("text", """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: Web_1
                spec:
                  containers:
                  - image: nginx
                """));
        assertEquals(4, errors.at("/0/line").asInt(), errors::toString);
        assertTrue(errors.at("/0/message").asText().startsWith("metadata.name: Invalid value"), errors::toString);
        errors = port.refused("create", body("text", "apiVersion: v1\nkind: Podd\nmetadata: {name: x}\n"));
        assertEquals(
                "{\"message\":\"the cluster does not serve kind \\\"Podd\\\" of apiVersion \\\"v1\\\"\",\"line\":2}",
                errors.get(0).toString());
    }

    @Test
    void fieldsAreKnownAndUnknownOnesAreTold() throws Exception {
        ObjectNode asked = body("apiVersion", "apps/v1", "kind", "Deployment");
        asked.putArray("path").add("spec").add("template").add("spec").add("containers");
        JsonNode fields = port.act("fields", asked);
        assertEquals("[]Container", fields.path("type").asText());
        List<String> some = new ArrayList<>();
        for (JsonNode field : fields.path("fields")) {
            if (List.of("name", "ports", "resources")
                    .contains(field.path("name").asText())) {
                some.add(field.path("name").asText() + " " + field.path("type").asText() + " " + field.path("more"));
            }
        }
        assertEquals(
                List.of("name string false", "ports []ContainerPort true", "resources ResourceRequirements true"),
                some);
        asked.putArray("path").add("spec").add("replica");
        assertEquals(
                "no schema for Deployment.spec.replica",
                port.refused("fields", asked).at("/0/message").asText());

        JsonNode created = port.act("create", body("text", """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, labels: {any: thing}}
                spec:
                  containers:
                  - name: c
                    image: i
                    resources:
                      request: {cpu: 1}
                """));
        assertEquals(
                "[{\"message\":\"unknown field \\\"spec.containers.resources.request\\\" (did you mean"
                        + " \\\"requests\\\"?)\",\"line\":9}]",
                created.path("warnings").toString());
    }
}
