package io.policyscheduler.engine.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterFileTest {
    private static final String POD =
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\",\"labels\":{\"a\":\"b\"}}}";
    private static final String NODE = "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}";

    private final List<ClusterObject> objects = new ArrayList<>();
    private final List<String> malformed = new ArrayList<>();
    private final ClusterFile.Sink sink = new ClusterFile.Sink() {
        @Override
        public void object(ClusterObject object) {
            objects.add(object);
        }

        @Override
        public void malformed(String reason) {
            malformed.add(reason);
        }
    };

    private List<String> read(String text) throws IOException {
        new ClusterFile(new ObjectReader(FeatureGates.defaults(), false))
                .read(new ByteArrayInputStream(text.getBytes(UTF_8)), sink);
        return objects.stream()
                .map(o -> o.getClass().getSimpleName() + " " + o.key())
                .toList();
    }

    @Test
    void everyFormOfTheSameTwoObjects() throws IOException {
        List<String> both = List.of("PodInfo d/p", "Node n");
        String[] forms = {
            "{\"apiVersion\":\"v1\",\"items\":[" + POD + "," + NODE + "],\"kind\":\"List\"}",
            "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{},\"items\":[" + POD + "," + NODE + "]}",
            POD + "\n" + NODE + "\n",
            "[" + POD + "," + NODE + "]",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: d\n---\nkind: Node\nmetadata: {name: 'n'}\n",
            "---\napiVersion: v1\nitems:\n- kind: Pod\n  metadata: {name: p, namespace: d}\n- metadata: {name: 'n'}\n  kind: Node\nkind: List\n",
            "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"},\"kind\":\"Pod\"}{\"spec\":null,\"metadata\":{\"name\":\"n\"},\"kind\":\"Node\"}",
            "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: d}}\n---\n{kind: Node, metadata: {name: 'n'}}\n",
            "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: d}}\n---\nkind: Node\nmetadata:\n  name: 'n'\n",
            "# comment\n{kind: Pod, metadata: {name: p, namespace: d}} # comment\n---\n" + NODE,
            POD + "\n---\n" + NODE + "\n---\n",
            POD + "\n---\nkind: Node\nmetadata:\n  name: 'n'\n",
            "[{kind: Pod, metadata: {name: p, namespace: d}},\n" + NODE + "]",
            "{\"kind\": Pod, \"metadata\": {'name': p, namespace: d}}\n---\n" + NODE,
            "{kind: Pod, metadata: {name: p, namespace: d},\n spec: {containers: [{name: c, image: '"
                    + "x".repeat(100_000) + "'}]}}\n---\n" + NODE,
        };
        for (String form : forms) {
            objects.clear();
            assertEquals(both, read(form), form);
        }
        assertEquals(List.of(), malformed);
    }

    @Test
    void typedListsNameTheKindOfTheirItems() throws IOException {
        assertEquals(
                List.of("PodInfo d/p"),
                read("{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"}}]}"));
    }

    @Test
    void unknownKindsArePassedOver() throws IOException {
        assertEquals(
                List.of("Node n"),
                read("{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\"},\"data\":{\"a\":\"b\"}}" + NODE));
    }

    @Test
    void malformedObjectsAreNamedAndLeftOut() throws IOException {
        assertEquals(
                List.of("Node n"),
                read(
                        "{\"items\":[{\"kind\":\"Pod\",\"metadata\":{\"name\":\"bad\",\"namespace\":\"d\"},\"spec\":{\"containers\":["
                                + "{\"resources\":{\"requests\":{\"cpu\":\"lots\"}},\"x\":[{}]}],\"z\":{\"a\":[1]}}},"
                                + "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"worse\"},\"spec\":7},5," + NODE
                                + "],\"kind\":\"List\"}"));
        assertEquals(
                List.of(
                        "Pod d/bad: items[0].spec.containers[0].resources.requests.cpu: \"lots\" is not a quantity",
                        "Pod worse: items[1].spec: expected an object, found 7",
                        "list item that is no object"),
                malformed);
    }

    @Test
    void aLateKindDoesNotHideWhereTheErrorIs() throws IOException {
        String bad = "{\"metadata\":{\"name\":\"bad\"},\"spec\":{\"volumes\":7},\"kind\":\"Pod\"}";
        assertEquals(List.of("Node n"), read("{\"items\":[" + NODE + "," + bad + "],\"kind\":\"List\"}"));
        assertEquals(List.of("Pod bad: items[1].spec.volumes: expected a list, found 7"), malformed);
        malformed.clear();
        read(bad);
        assertEquals(List.of("Pod bad: spec.volumes: expected a list, found 7"), malformed);
    }

    @Test
    void whatIsNoKubernetesFileIsRefusedInOneLine(@TempDir Path dir) throws IOException {
        Path text = Files.writeString(dir.resolve("a.txt"), "hello");
        Path broken = Files.writeString(dir.resolve("b.json"), "{\"kind\":\"Pod\",\n \"metadata\": }");
        Path noKind = Files.writeString(dir.resolve("c.json"), "{\"a\":1}");
        ClusterFile file = new ClusterFile(new ObjectReader(FeatureGates.defaults(), false));
        assertEquals(
                text + ": expected a Kubernetes object, found a text",
                assertThrows(IOException.class, () -> file.read(text, sink)).getMessage());
        String message = String.valueOf(
                assertThrows(IOException.class, () -> file.read(broken, sink)).getMessage());
        assertEquals(
                broken + ":2:14: Unexpected character ('}'): expected a value (remove the comma before it)", message);
        assertEquals(
                noKind + ": a document without kind and without items",
                assertThrows(IOException.class, () -> file.read(noKind, sink)).getMessage());
        Map<String, String> wrong = Map.of(
                POD + "\n" + NODE.replace("}}", "},}"),
                "2:",
                "{\"kind\": \u201cPod\u201d}",
                "1:",
                "{kind: Pod, metadata: {name: p}\n---\nkind: Node\n",
                "");
        for (Map.Entry<String, String> row : wrong.entrySet()) {
            Path each = Files.writeString(dir.resolve("wrong.json"), row.getKey());
            String problem = String.valueOf(
                    assertThrows(IOException.class, () -> file.read(each, sink)).getMessage());
            assertTrue(problem.startsWith(each + ":" + row.getValue()), problem);
        }
        Path missing = dir.resolve("none");
        assertEquals(
                "no such file: " + missing,
                assertThrows(IOException.class, () -> file.read(missing, sink)).getMessage());
    }

    /** Contains only objects of another kind, so that no part of it is ever invalid. */
    @Test
    void whatUnpacksWithoutEndIsGivenUp(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("bomb.json.gz");
        byte[] blanks =
                ("{\"kind\":\"" + "X".repeat(1000) + "\"}\n").repeat(1000).getBytes(UTF_8);
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < 20; i++) {
                out.write(blanks);
            }
        }
        IOException error = assertThrows(
                IOException.class,
                () -> new ClusterFile(new ObjectReader(FeatureGates.defaults(), false)).read(file, sink));
        assertEquals(
                file + ": unpacks to more than 250 times its size, as no dump of a cluster does", error.getMessage());
    }

    private static String deep(int levels) {
        return "[".repeat(levels) + "]".repeat(levels);
    }

    @Test
    void anObjectThatIsNestedTooDeepDoesNotAffectOthers() throws IOException {
        String[] deepObjects = {
            "{'kind':'Pod','metadata':{'name':'p','x':%s}}",
            "{'kind':'Pod','metadata':{'name':'p'},'spec':{'unknown':{'a':%s}}}",
            "{'metadata':{'name':'p','x':%s},'kind':'Pod'}",
            "%s",
        };
        for (String object : deepObjects) {
            for (int levels : List.of(1500, 5000)) {
                String deep = String.format(object.replace('\'', '"'), deep(levels));
                String[] files = {"{'items':[%s,%s]}".replace('\'', '"'), "[%s,%s]", "%s%n%s", "---%n- %s%n- %s%n"};
                for (String file : files) {
                    boolean isArrayOfDocument = object.equals("%s") && file.startsWith("%s");
                    if (!isArrayOfDocument) {
                        objects.clear();
                        malformed.clear();
                        String text = String.format(file, deep, NODE);
                        assertEquals(List.of("Node n"), read(text), () -> object + " in " + file);
                        assertEquals(1, malformed.size(), () -> object + " in " + file + ": " + malformed);
                    }
                }
            }
        }
        malformed.clear();
        read("{\"items\":[" + NODE + ",{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"x\":" + deep(1500)
                + "}],\"kind\":\"List\"}");
        assertEquals(List.of("items[1]: Pod p: more than 1000 levels of nesting"), malformed);
    }

    /** Devices and files of the wrong kind end with one line before they fill the memory. */
    @Test
    void inputsWithoutAnEnd() {
        Map<String, String> errors = Map.of(
                "a: 1\n",
                "more than 8 MiB without an object, or in one object; this is not a dump of a cluster",
                "\n",
                "more than 8 MiB without an object, or in one object; this is not a dump of a cluster",
                "- 1\n",
                "more than 500000 objects cannot be read; this is not a dump of a cluster",
                "7",
                "a YAML value of more than 2 MiB",
                "\0",
                "invalid YAML: control characters are not allowed");
        errors.forEach((text, error) -> {
            ClusterFile file = new ClusterFile(new ObjectReader(FeatureGates.defaults(), false));
            IOException refused =
                    assertThrows(IOException.class, () -> file.read(new EndlessStream(text.getBytes(UTF_8)), sink));
            String message = refused instanceof JsonProcessingException parsing
                    ? parsing.getOriginalMessage()
                    : refused.getMessage();
            assertEquals(error, message, text);
        });
    }

    private static final class EndlessStream extends InputStream {
        private final byte[] text;
        private int next;

        EndlessStream(byte[] text) {
            this.text = text;
        }

        @Override
        public int read() {
            int at = next;
            next = (next + 1) % text.length;
            return text[at];
        }
    }

    @Test
    void gzipIsUnpackedByContent(@TempDir Path dir) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(NODE.getBytes(UTF_8));
        }
        Path packed = Files.write(dir.resolve("dump"), bytes.toByteArray());
        new ClusterFile(new ObjectReader(FeatureGates.defaults(), false)).read(packed, sink);
        assertEquals(1, objects.size());
    }

    @Test
    void resourcesOfAPod() throws IOException {
        read("""
                kind: Pod
                metadata: {name: p, namespace: d, uid: u}
                spec:
                  containers:
                  - resources: {requests: {cpu: "2", memory: 1G, example.com/x: 0, foo: 3}, limits: {cpu: 3}}
                    image: nginx
                    ports: [{hostPort: 80, containerPort: 80}, {containerPort: 90}]
                  - resources: {requests: {cpu: 1, memory: 1G}}
                  initContainers:
                  - resources: {requests: {cpu: "2", memory: 1G}}
                  - resources: {requests: {cpu: "2", memory: 3G, example.com/y: 0}}
                  overhead: {cpu: 500m, memory: 1}
                """);
        PodInfo pod = (PodInfo) objects.get(0);
        assertEquals(
                ResourceVector.of(3000, 3_000_000_000L, 0, 0, Map.of("example.com/x", 0L)),
                pod.resources().request());
        assertEquals(
                List.of("cpu", "example.com/x", "example.com/y", "foo", "memory"),
                pod.resources().named());
        assertEquals(3000, pod.resources().limitMilliCpu());
    }

    @Test
    void overheadCountsOnlyWithItsGate() throws IOException {
        String text =
                "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"overhead\":{\"cpu\":\"1\",\"memory\":\"1Gi\"},"
                        + "\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}]}}";
        new ClusterFile(new ObjectReader(FeatureGates.parse("PodOverhead=true"), false))
                .read(new ByteArrayInputStream(text.getBytes(UTF_8)), sink);
        PodInfo pod = (PodInfo) objects.get(0);
        assertEquals(
                ResourceVector.of(2000, 2L << 30, 0, 0, Map.of()),
                pod.resources().request());
        assertEquals(2000, pod.resources().nonZeroMilliCpu());
        assertEquals(1001, pod.resources().scoringMilliCpu());
    }

    @Test
    void equalSpecsAndLabelsBecomeOneObject() throws IOException {
        read(POD + POD);
        assertSame(((PodInfo) objects.get(0)).spec(), ((PodInfo) objects.get(1)).spec());
        assertSame(((PodInfo) objects.get(0)).labels(), ((PodInfo) objects.get(1)).labels());
    }

    @Test
    void nodeFacts() throws IOException {
        read("""
                kind: Node
                metadata: {name: n1, labels: {topology.kubernetes.io/zone: z, failure-domain.beta.kubernetes.io/zone: ""}}
                spec: {unschedulable: true, taints: [{key: k, effect: NoSchedule}]}
                status:
                  capacity: {cpu: 9}
                  allocatable: {cpu: 1500m, memory: 1Ki, pods: "5", storage: 1}
                  images: [{names: [a, b], sizeBytes: 7}]
                  conditions: [{type: Ready, status: "True"}]
                """);
        Node node = (Node) objects.get(0);
        assertEquals(ResourceVector.of(1500, 1024, 0, 5, Map.of()), node.allocatable());
        assertEquals("", node.zoneKey());
        assertEquals(List.of(new Node.Image(List.of("a", "b"), 7)), node.images());
        assertEquals(Labels.of("Ready", "True"), node.conditions());
        assertTrue(node.unschedulable());
    }
}
