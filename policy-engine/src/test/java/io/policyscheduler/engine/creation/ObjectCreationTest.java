package io.policyscheduler.engine.creation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ObjectCreationTest {
    private static final String CONTAINER = "containers: [{name: c, resources: ";
    private static final String AUTOMATIC =
            "{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300},"
                    + " {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}";
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private static JsonNode yaml(String text) {
        try {
            return YAML.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectNode object(String text) {
        return yaml(text).deepCopy();
    }

    private static ObjectCreation creation(int minor, boolean refuses, String... objects) {
        List<ObjectNode> all =
                Stream.of(objects).map(ObjectCreationTest::object).toList();
        Objects known = kind -> all.stream()
                .filter(one -> one.path("kind").asText().equals(kind.objectKind()))
                .toList();
        Rules rules = Rules.of(FeatureGates.defaults().at(new Release(minor)));
        return new ObjectCreation(rules, known, refuses ? null : (kind, name) -> {});
    }

    private static ObjectNode pod(String spec) {
        return object("{metadata: {name: p, namespace: prod, labels: {app: web}}, spec: {" + spec + "}}");
    }

    /**
     * Returns a value of a created pod.
     *
     * @param spec of the pod as written
     * @param pointer where to look in the spec
     * @param expected YAML; empty for nothing
     * @param others objects of the cluster
     */
    private record Row(String what, int minor, String spec, String pointer, String expected, String... others) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static final String LIMITS = "{kind: LimitRange, metadata: {name: a, namespace: prod}, spec: {limits: [";
    private static final String GVISOR =
            "{kind: RuntimeClass, metadata: {name: gvisor}, overhead: {podFixed: {cpu: 250m}},"
                    + " scheduling: {nodeSelector: {sandbox: 'yes'}, tolerations: [{key: sandbox, operator: Exists}]}}";

    static Stream<Row> rows() {
        return Stream.of(
                new Row(
                        "requests from limits, each for itself",
                        34,
                        CONTAINER + "{limits: {cpu: '2', a.com/gpu: 1}, requests: {cpu: '1'}}}]",
                        "/containers/0/resources/requests",
                        "{cpu: '1', a.com/gpu: 1}"),
                new Row(
                        "ports of the host's network",
                        34,
                        "hostNetwork: true, containers: [{name: c, ports: [{containerPort: 80}, {containerPort: 8, hostPort: 9}]}]",
                        "/containers/0/ports",
                        "[{containerPort: 80, protocol: TCP, hostPort: 80}, {containerPort: 8, hostPort: 9, protocol: TCP}]"),
                new Row(
                        "the pod's own requests come from its containers, then from its limits",
                        34,
                        "resources: {limits: {cpu: '2', memory: 1Gi}}, " + CONTAINER + "{requests: {cpu: 250m}}}]",
                        "/resources/requests",
                        "{cpu: 250m, memory: 1Gi}"),
                new Row(
                        "sidecars count beside what runs, other init containers instead of it",
                        34,
                        "resources: {limits: {cpu: '9'}}, initContainers: [{restartPolicy: Always, resources: {requests:"
                                + " {cpu: '1'}}}, {resources: {requests: {cpu: '4'}}}], " + CONTAINER
                                + "{requests: {cpu: '2'}}}]",
                        "/resources/requests",
                        "{cpu: '5'}"),
                new Row(
                        "huge pages of containers limit the pod",
                        34,
                        "resources: {requests: {cpu: '2'}}, " + CONTAINER + "{limits: {hugepages-2Mi: '4'}}}]",
                        "/resources",
                        "{requests: {cpu: '2', hugepages-2Mi: '4'}, limits: {hugepages-2Mi: '4'}}"),
                new Row(
                        "a release without resources of pods leaves them as they are",
                        33,
                        "resources: {limits: {cpu: '2'}}",
                        "/resources",
                        "{limits: {cpu: '2'}}"),
                new Row(
                        "limits and requests of the LimitRange",
                        34,
                        CONTAINER + "{requests: {memory: 1Gi}}}]",
                        "/containers/0/resources",
                        "{requests: {memory: 1Gi, cpu: 100m}, limits: {cpu: '1', memory: 2Gi}}",
                        LIMITS + "{type: Container, default: {cpu: '1', memory: 2Gi}, defaultRequest: {cpu: 100m}}]}}"),
                new Row(
                        "a LimitRange with a greatest amount alone",
                        34,
                        CONTAINER + "{}}]",
                        "/containers/0/resources",
                        "{requests: {cpu: '2'}, limits: {cpu: '2'}}",
                        LIMITS + "{type: Container, max: {cpu: '2'}}]}}"),
                new Row(
                        "a limit of one's own is requested before the LimitRange is asked",
                        34,
                        CONTAINER + "{limits: {cpu: '3'}}}]",
                        "/containers/0/resources",
                        "{requests: {cpu: '3'}, limits: {cpu: '3'}}",
                        LIMITS + "{type: Container, defaultRequest: {cpu: 100m}}]}}"),
                new Row(
                        "LimitRanges of other namespaces, and for other things",
                        34,
                        CONTAINER + "{}}]",
                        "/containers/0/resources",
                        "{}",
                        LIMITS.replace("prod", "other") + "{type: Container, max: {cpu: '2'}}]}}",
                        LIMITS + "{type: Pod, max: {cpu: '2'}}]}}"),
                new Row(
                        "of several LimitRanges the first one by name",
                        34,
                        CONTAINER + "{}}]",
                        "/containers/0/resources/requests",
                        "{cpu: '2', memory: 1Gi}",
                        LIMITS.replace("name: a", "name: b") + "{type: Container, min: {cpu: '9', memory: 1Gi}}]}}",
                        LIMITS + "{type: Container, min: {cpu: '2'}}]}}"),
                new Row("no class, no priority", 34, "containers: []", "/priority", "0"),
                new Row(
                        "the default class with the lowest value",
                        34,
                        "containers: []",
                        "/priorityClassName",
                        "low",
                        "{kind: PriorityClass, metadata: {name: high}, value: 9, globalDefault: true}",
                        "{kind: PriorityClass, metadata: {name: low}, value: 3, globalDefault: true}"),
                new Row(
                        "priority of the class",
                        34,
                        "priorityClassName: high",
                        "/priority",
                        "9",
                        "{kind: PriorityClass, metadata: {name: high}, value: 9}"),
                new Row(
                        "a class that every cluster has",
                        34,
                        "priorityClassName: system-node-critical",
                        "/priority",
                        "2000001000"),
                new Row(
                        "who preempts, of the class",
                        34,
                        "priorityClassName: high",
                        "/preemptionPolicy",
                        "Never",
                        "{kind: PriorityClass, metadata: {name: high}, value: 9, preemptionPolicy: Never}"),
                new Row("1.17 does not keep who preempts", 17, "containers: []", "/preemptionPolicy", ""),
                new Row(
                        "trouble of nodes is endured for a while",
                        34,
                        "containers: []",
                        "/tolerations",
                        "[" + AUTOMATIC + "]"),
                new Row(
                        "a toleration without key stands for both",
                        34,
                        "tolerations: [{operator: Exists}]",
                        "/tolerations",
                        "[{operator: Exists}]"),
                new Row("overhead of the class", 34, "runtimeClassName: gvisor", "/overhead", "{cpu: 250m}", GVISOR),
                new Row("1.17 does not keep overhead", 17, "runtimeClassName: gvisor", "/overhead", "", GVISOR),
                new Row(
                        "nodes of the class, in 1.17 too",
                        17,
                        "runtimeClassName: gvisor, nodeSelector: {a: b}",
                        "/nodeSelector",
                        "{a: b, sandbox: 'yes'}",
                        GVISOR),
                new Row(
                        "tolerations of the class come last, without those that are covered",
                        34,
                        "runtimeClassName: gvisor, tolerations: [{key: sandbox, value: x}, {key: own}]",
                        "/tolerations",
                        "[{key: own}, " + AUTOMATIC + ", {key: sandbox, operator: Exists}]",
                        GVISOR),
                new Row(
                        "label keys of affinity",
                        34,
                        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {},"
                                + " matchLabelKeys: [app, absent]}]}}",
                        "/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector",
                        "{matchExpressions: [{key: app, operator: In, values: [web]}]}"),
                new Row(
                        "label keys of affinity before 1.31",
                        30,
                        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {},"
                                + " matchLabelKeys: [app]}]}}",
                        "/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector",
                        "{}"),
                new Row(
                        "label keys of spreading",
                        34,
                        "topologySpreadConstraints: [{labelSelector: {}, matchLabelKeys: [app]}]",
                        "/topologySpreadConstraints/0/labelSelector",
                        "{matchExpressions: [{key: app, operator: In, values: [web]}]}"),
                new Row(
                        "label keys of spreading before 1.34",
                        33,
                        "topologySpreadConstraints: [{labelSelector: {}, matchLabelKeys: [app]}]",
                        "/topologySpreadConstraints/0/labelSelector",
                        "{}"),
                new Row(
                        "the pool of a volume",
                        34,
                        "volumes: [{name: v, rbd: {image: i}}]",
                        "/volumes/0/rbd/pool",
                        "rbd"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aPodGetsWhatNobodyWrote(Row row) {
        ObjectNode pod = pod(row.spec());
        creation(row.minor(), true, row.others()).complete("Pod", pod);
        JsonNode found = pod.path("spec").at(row.pointer());
        assertEquals(yaml(row.expected()), yaml(found.isMissingNode() ? "" : found.toString()));
        ObjectNode again = pod.deepCopy();
        creation(row.minor(), true, row.others()).complete("Pod", again);
        assertEquals(pod, again, "what has been created once does not change");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "priorityClassName: high | no PriorityClass with name high was found",
                "priority: 7 | the integer value of priority (7) must not be provided in pod spec; priority admission"
                        + " controller computed 0 from the given PriorityClass name",
                "preemptionPolicy: Never | the string value of PreemptionPolicy (Never) must not be provided in pod spec;"
                        + " priority admission controller computed PreemptLowerPriority from the given PriorityClass name",
                "runtimeClassName: kata | pod rejected: RuntimeClass \"kata\" not found",
                "securityContext: x | json: cannot unmarshal string into field securityContext"
            })
    void whatAServerRefuses(String spec, String message) {
        ObjectNode pod = pod(spec);
        ObjectCreation creation = creation(34, true);
        RejectedException refused = assertThrows(RejectedException.class, () -> creation.complete("Pod", pod));
        assertEquals(message, refused.text());
    }

    @Test
    void claimsAreMadeOfTemplatesAndNamedInTheStatus() {
        String template =
                "{kind: ResourceClaimTemplate, metadata: {name: t, namespace: prod}, spec: {metadata: {labels: {a: b}},"
                        + " spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}";
        String spec = "{resourceClaims: [{name: e, resourceClaimTemplateName: t}, {name: f, resourceClaimName: c},"
                + " {name: g, resourceClaimTemplateName: gone}]}";
        ObjectNode pod = object("{metadata: {name: p, namespace: prod, uid: u}, spec: " + spec + "}");
        List<ObjectNode> made = creation(34, false, template).createResourceClaims(pod);
        assertEquals(1, made.size());
        String name = made.get(0).path("metadata").path("name").asText();
        assertTrue(name.matches("p-e-[b-z2-9]{5}"), name);
        assertEquals(
                object("{resourceClaimStatuses: [{name: e, resourceClaimName: " + name + "}]}"), pod.path("status"));
        assertEquals(
                object(
                        "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {generateName: p-e-, namespace:"
                                + " prod, labels: {a: b}, annotations: {resource.kubernetes.io/pod-claim-name: e},"
                                + " ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true,"
                                + " blockOwnerDeletion: true}], name: " + name + ", uid: prod/" + name
                                + "}, spec: {devices:"
                                + " {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}}"),
                made.get(0));
        assertEquals(List.of(), creation(34, false, template).createResourceClaims(pod));
        assertEquals(List.of(), creation(33, false, template).createResourceClaims(object(pod.toString())));
    }

    @Test
    void longNamesOfPodAndEntryAreCutInProportion() {
        ObjectNode pod = object("{metadata: {name: " + "p".repeat(76) + ", namespace: prod, uid: u}}");
        assertEquals(
                "p".repeat(42) + "-" + "e".repeat(13) + "-",
                ObjectCreation.claimOfTemplate(pod, "e".repeat(25), object("{}"))
                        .path("metadata")
                        .path("generateName")
                        .asText());
    }

    @Test
    void aPodOfAFileCountsWithoutItsClassesAndTellsOfThem() {
        List<String> missing = new ArrayList<>();
        ObjectCreation creation = new ObjectCreation(
                Rules.of(FeatureGates.defaults().at(Release.NEWEST)),
                Objects.NONE,
                (kind, name) -> missing.add(kind + " " + name));
        ObjectNode pod = pod("priorityClassName: high, runtimeClassName: kata");
        creation.complete("Pod", pod);
        assertEquals(0, pod.at("/spec/priority").asInt(-1));
        ObjectNode ranked = pod("priorityClassName: high, priority: 50");
        creation.complete("Pod", ranked);
        assertEquals(50, ranked.at("/spec/priority").asInt());
        assertEquals(List.of("PRIORITY_CLASS high", "RUNTIME_CLASS kata"), missing);
    }

    private static final String FAST =
            "{kind: StorageClass, metadata: {name: fast, creationTimestamp: '2026-01-02T00:00:00Z',"
                    + " annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}}";
    private static final String SLOW =
            "{kind: StorageClass, metadata: {name: slow, creationTimestamp: '2026-01-01T00:00:00Z',"
                    + " annotations: {storageclass.beta.kubernetes.io/is-default-class: 'true'}}}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | fast",
                "{spec: {storageClassName: ''}} | ``",
                "{spec: {storageClassName: other}} | other",
                "{metadata: {annotations: {volume.beta.kubernetes.io/storage-class: old}}} | `(none)`"
            })
    void aClaimWithoutClassGetsTheNewestDefault(String text, String expected) {
        ObjectNode claim = object(text);
        creation(34, true, SLOW, FAST).complete("PersistentVolumeClaim", claim);
        JsonNode name = claim.at("/spec/storageClassName");
        assertEquals(expected, name.isMissingNode() ? "(none)" : name.asText());
        assertEquals("Filesystem", claim.at("/spec/volumeMode").asText());
    }

    @Test
    void twoDefaultClassesAreOneTooManyBefore126() {
        RejectedException refused = assertThrows(
                RejectedException.class,
                () -> creation(25, true, SLOW, FAST).complete("PersistentVolumeClaim", object("{}")));
        assertEquals("Internal error occurred: 2 default StorageClasses were found", refused.text());
    }

    @Test
    void anEphemeralVolumeHasAClaimOfItsPod() {
        ObjectNode pod = object("{metadata: {name: p, namespace: prod, uid: u}, spec: {volumes: [{name: v, ephemeral:"
                + " {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce]}}}}]}}");
        assertEquals(
                List.of(yaml(
                        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p-v, namespace: prod, labels:"
                                + " {a: b}, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true,"
                                + " blockOwnerDeletion: true}]}, spec: {accessModes: [ReadWriteOnce], volumeMode: Filesystem,"
                                + " storageClassName: fast}, status: {phase: Pending}}")),
                creation(34, true, FAST).generatedClaims(pod));
        assertEquals(List.of(), creation(20, true, FAST).generatedClaims(pod));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Node | {status: {capacity: {cpu: 1}}} | {status: {capacity: {cpu: 1}, allocatable: {cpu: 1}}}",
                "Node | {status: {capacity: {cpu: 1}, allocatable: {}}} | {status: {capacity: {cpu: 1}, allocatable: {}}}",
                "Namespace | {metadata: {name: a}} | {metadata: {name: a, labels: {kubernetes.io/metadata.name: a}}}",
                "StorageClass | {} | {reclaimPolicy: Delete, volumeBindingMode: Immediate}",
                "PersistentVolume | {spec: {claimRef: {name: c}}} | {spec: {claimRef: {name: c},"
                        + " persistentVolumeReclaimPolicy: Retain, volumeMode: Filesystem}, status: {phase: Bound}}",
                "ReplicationController | {spec: {template: {metadata: {labels: {a: b}}}}} |"
                        + " {metadata: {labels: {a: b}},"
                        + " spec: {template: {metadata: {labels: {a: b}}}, selector: {a: b}}}",
                "LimitRange | {spec: {limits: [{type: Container, min: {cpu: 1}}]}} | {spec: {limits: [{type: Container,"
                        + " min: {cpu: 1}, defaultRequest: {cpu: 1}}]}}",
                "PriorityClass | {value: 1} | {value: 1, preemptionPolicy: PreemptLowerPriority}",
                "Service | {spec: {}} | {spec: {}}"
            })
    void otherObjects(String kind, String written, String stored) {
        ObjectNode object = object(written);
        creation(34, true).complete(kind, object);
        assertEquals(yaml(stored), object);
    }
}
