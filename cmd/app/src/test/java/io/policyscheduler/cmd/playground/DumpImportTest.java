package io.policyscheduler.cmd.playground;

import static io.policyscheduler.cmd.playground.PlaygroundPort.body;
import static io.policyscheduler.cmd.playground.PlaygroundPort.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
class DumpImportTest {
    private final PlaygroundPort port = new PlaygroundPort();

    DumpImportTest() throws IOException {}

    @AfterEach
    void close() {
        port.close();
    }

    @Test
    void aDumpIsImportedAndExportedAndComesBack() throws Exception {
        String dump = """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", pods: "10"}}}
                - {apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}
                - {apiVersion: v1, kind: Event, metadata: {name: e, namespace: default}}
                - {apiVersion: example.com/v1, kind: Thing, metadata: {name: t}}
                - apiVersion: v1
                  kind: Pod
                  metadata:
                    {name: p, namespace: shop, uid: u-1, ownerReferences: [{kind: ReplicaSet, name: gone, uid: u-0}]}
                  spec: {nodeName: n1, containers: [{name: c, image: i}]}
                """;
        JsonNode result = port.act("import", dump);
        assertEquals("{\"Node\":1,\"Pod\":1}", result.path("created").toString());
        assertEquals(
                List.of(
                        "1 Event: events are not imported (default/e)",
                        "1 Namespace: the cluster already has this object (kube-system)",
                        "1 Thing: the cluster does not serve this kind (t)"),
                remarks(result.path("leftOut")));
        assertEquals(
                List.of(
                        "1 Pod: imported without ownerReferences, because the owner does not exist and the garbage collector would delete the object (shop/p)"),
                remarks(result.path("changed")));
        assertEquals(
                List.of(
                        "1 Node: an object with this name exists (n1)",
                        "1 Pod: an object with this name exists (shop/p)"),
                remarks(port.act("import", dump).path("leftOut")).stream()
                        .filter(remark -> remark.contains("with this name exists"))
                        .toList());

        String torn = port.refused("import", "kind: [a,").at("/0/message").asText();
        assertTrue(torn.startsWith("dump:1:10: invalid YAML: "), torn);
        assertEquals(
                "an item of a List is no object",
                port.refused("import", "{\"kind\": \"List\", \"items\": [1]}")
                        .at("/0/message")
                        .asText());

        String yaml = port.act("export", body()).path("yaml").asText();
        assertFalse(yaml.contains("resourceVersion") || yaml.contains("kube-system"), yaml);
        port.create(pod("late", "1"));
        port.act("delete", body("resource", "nodes", "name", "n1"));
        port.act("reset", reset(true));
        assertEquals(1, port.cluster().list("nodes").size());
        assertEquals(
                "[u-1]",
                port.cluster().list("pods").stream()
                        .map(pod -> pod.at("/metadata/uid").asText())
                        .toList()
                        .toString());
        port.act("reset", reset(false));
        assertTrue(port.cluster().list("nodes").isEmpty()
                && port.cluster().list("pods").isEmpty());
        assertTrue(port.cluster().get("namespaces", "", "shop").isEmpty());
        assertTrue(port.cluster().get("namespaces", "", "kube-system").isPresent());
        assertEquals(
                "{\"Namespace\":1,\"Node\":1,\"Pod\":1}",
                port.act("import", yaml).path("created").toString());
        assertEquals(yaml, port.act("export", body()).path("yaml").asText());
    }

    private static ObjectNode reset(boolean toImport) {
        return body().put("toImport", toImport);
    }

    private static List<String> remarks(JsonNode remarks) {
        List<String> texts = new ArrayList<>();
        for (JsonNode one : remarks) {
            texts.add(one.path("count") + " " + one.path("kind").asText() + ": "
                    + one.path("why").asText() + " (" + one.at("/examples/0").asText() + ")");
        }
        return texts;
    }
}
