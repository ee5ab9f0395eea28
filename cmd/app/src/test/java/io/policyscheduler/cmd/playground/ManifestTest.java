package io.policyscheduler.cmd.playground;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManifestTest {
    private static final String TWO = """
        # the first
        kind: Pod
        metadata: {name: a}
        spec:
          containers:
          - name: x
          - name: y
            resources:
              requests:
                cpu: 1
        ---
        kind: List
        items:
        - kind: Node
          metadata:
            labels: {a: "no", b: 1.5}
        """;

    @Test
    void documentsAndListsAreTakenApart() {
        List<Manifest> all = Manifest.parse(TWO);
        assertEquals(2, all.size());
        assertEquals("a", all.get(0).object().at("/metadata/name").asText());
        assertEquals(
                "{\"a\":\"no\",\"b\":1.5}",
                all.get(1).object().at("/metadata/labels").toString());
    }

    @Test
    void jsonIsReadTooAndKeepsLargeNumbers() {
        Manifest pod = Manifest.parse(
                        "{\"kind\": \"Pod\",\n \"spec\": {\"a\": 9007199254740993, \"b\": true, \"c\": null}}")
                .get(0);
        assertEquals(
                "{\"a\":9007199254740993,\"b\":true,\"c\":null}",
                pod.object().get("spec").toString());
        assertEquals(2, pod.line("spec.a"));
    }

    @Test
    void yamlMayBeginWithABrace() {
        List<Manifest> all = Manifest.parse("{kind: Pod}\n---\n{kind: Node,\n x: y}\n");
        assertEquals("Node", all.get(1).object().path("kind").asText());
        assertEquals(4, all.get(1).line("x"));
    }

    @Test
    void aFieldHasItsLineAndAMissingOneThatOfWhatIsAroundIt() {
        List<Manifest> all = Manifest.parse(TWO);
        assertEquals(7, all.get(0).line("spec.containers[1].name"));
        assertEquals(10, all.get(0).line("spec.containers[1].resources.requests[cpu]"));
        assertEquals(7, all.get(0).line("spec.containers[1].image"));
        assertEquals(5, all.get(0).line("spec.containers[7].image"));
        assertEquals(15, all.get(1).line("metadata.name"));
        assertEquals(14, all.get(1).line("spec"));
    }

    @Test
    void whatIsNotWellFormedIsRefusedWithItsLine() {
        PlaygroundException refusal =
                assertThrows(PlaygroundException.class, () -> Manifest.parse("kind: Pod\n---\nkind: Pod\n  x: 1\n"));
        assertEquals(
                "{\"errors\":[{\"message\":\"yaml: mapping values are not allowed in this context\",\"line\":4}]}",
                refusal.json().toString());
        assertEquals(
                "the text has no object",
                assertThrows(PlaygroundException.class, () -> Manifest.parse("\n# a\n---\n"))
                        .getMessage());
        assertEquals(
                "expected a Kubernetes object, found string",
                assertThrows(PlaygroundException.class, () -> Manifest.parse("word"))
                        .getMessage());
    }
}
