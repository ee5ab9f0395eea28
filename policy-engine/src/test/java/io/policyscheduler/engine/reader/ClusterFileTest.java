package io.policyscheduler.engine.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
                text + ": expected a Kubernetes object, found VALUE_STRING",
                assertThrows(IOException.class, () -> file.read(text, sink)).getMessage());
        String message = String.valueOf(
                assertThrows(IOException.class, () -> file.read(broken, sink)).getMessage());
        assertTrue(message.startsWith(broken + ":2:"), message);
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

    /** Of nothing but blanks, so that no part of it is ever wrong. */
    @Test
    void whatUnpacksWithoutEndIsGivenUp(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("bomb.json.gz");
        byte[] blanks = " ".repeat(1 << 20).getBytes(UTF_8);
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < 20; i++) {
                out.write(blanks);
            }
        }
        IOException error = assertThrows(
                IOException.class,
                () -> new ClusterFile(new ObjectReader(FeatureGates.defaults(), false)).read(file, sink));
        assertEquals(
                file + ": unpacks to more than 16 MiB, as no dump of a cluster of its size does", error.getMessage());
    }

    @Test
    void limitsOfTheParserAreToldInOneLine(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("deep.json");
        Files.writeString(
                file,
                "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"x\":" + "[".repeat(2000) + "]".repeat(2000) + "}}");
        IOException error = assertThrows(
                IOException.class,
                () -> new ClusterFile(new ObjectReader(FeatureGates.defaults(), false)).read(file, sink));
        assertEquals(file + ": Document nesting depth (1001) exceeds the maximum allowed (1000)", error.getMessage());
        assertEquals(List.of(), objects);
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
