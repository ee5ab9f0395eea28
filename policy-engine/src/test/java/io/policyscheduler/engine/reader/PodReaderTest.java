package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonParser;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.object.PodSpec.PodVolume;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PodReaderTest {
    private static final String RICH = """
        {'metadata': {'generation': 4,
           'name': 'web-1', 'namespace': 'shop', 'uid': 'u-1', 'resourceVersion': '42', 'generateName': 'web-',
           'labels': {'app': 'web', 'tier': null}, 'annotations': {'note': 'x'},
           'creationTimestamp': '2019-12-01T00:00:00Z', 'deletionTimestamp': '2020-01-01T00:00:00Z',
           'ownerReferences': [
             {'kind': 'Job', 'name': 'j', 'uid': 'j-uid'},
             {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'rs', 'uid': 'rs-uid', 'controller': true},
             {'kind': 'StatefulSet', 'name': 'ss', 'uid': 'ss-uid', 'controller': true}],
           'managedFields': [{'manager': 'm', 'fieldsV1': {'f:x': {}}}]},
         'spec': {
           'nodeName': 'n1', 'schedulerName': 'mine', 'priority': -7, 'preemptionPolicy': 'Never',
           'serviceAccountName': 'robot', 'nodeSelector': {'disk': 'ssd'},
           'affinity': {'podAffinity': {}},
           'tolerations': [{'key': 'k', 'operator': 'Equal', 'value': 'v', 'effect': 'NoSchedule', 'tolerationSeconds': 3},
             {'operator': 'Exists'}],
           'topologySpreadConstraints': [
             {'maxSkew': 2, 'topologyKey': 'zone', 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {}},
             {'maxSkew': 1, 'topologyKey': 'host', 'whenUnsatisfiable': 'ScheduleAnyway'}],
           'volumes': [
             {'name': 'a', 'persistentVolumeClaim': {'claimName': 'data', 'readOnly': true}},
             {'name': 'b', 'emptyDir': {}},
             {'name': 'c', 'csi': {'driver': 'd'}},
             {'name': 'd', 'azureFile': {'shareName': 's'}},
             {'name': 'e', 'gcePersistentDisk': {'pdName': 'pd'}}],
           'containers': [
             {'name': 'main', 'image': 'nginx', 'command': ['a', ['b']],
              'ports': [{'containerPort': 80, 'hostPort': 8080}, {'containerPort': 81},
                {'hostPort': 53, 'protocol': 'UDP', 'hostIP': '1.2.3.4'}, {'hostPort': 0}, {'hostPort': -1}],
              'resources': {'requests': {'cpu': '1500m', 'memory': '1Gi', 'ephemeral-storage': '1k', 'a.com/gpu': 2,
                  'storage': 1},
                'limits': {'cpu': 2, 'memory': '2Gi'}}},
             {'name': 'side', 'image': 'proxy:1', 'resources': {'limits': {'b.com/x': '1'}}}],
           'initContainers': [
             {'name': 'init', 'image': 'busybox', 'ports': [{'hostPort': 9}],
              'resources': {'requests': {'cpu': '100m', 'memory': '3Gi', 'c.com/y': 1, 'd.com/z': 0},
                'limits': {'cpu': 3}}}],
           'overhead': {'cpu': '250m'},
           'schedulingGates': [{'name': 'wait'}, {'name': 'more'}],
           'unknown': [{'deep': [1, 2, {'x': null}]}]},
         'status': {
           'phase': 'Running', 'startTime': '2020-06-01T10:00:00Z', 'nominatedNodeName': 'n2',
           'conditions': [{'type': 'Ready', 'status': 'True'},
             {'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable', 'message': 'no room',
              'lastTransitionTime': '2020-06-01T10:00:01+02:00', 'lastProbeTime': null}],
           'podIPs': [{'ip': '10.0.0.1'}]},
         'other': {'a': [1]}}
        """;

    /** Current releases always count the overhead, and a resource that is asked for with 0. */
    private static final CurrentRequests CURRENT = CurrentRequests.of(
            ResourceVector.of(1750, 3L << 30, 1000, 0, Map.of("a.com/gpu", 2L, "c.com/y", 1L, "d.com/z", 0L)),
            1850,
            3L << 30);

    private static PodInfo pod(String text) throws IOException {
        return Reading.read(PodInfo.class, "Pod", text);
    }

    @Test
    void everyFieldThatSchedulingReads() throws IOException {
        PodResources resources = new PodResources(
                ResourceVector.of(1500, 3L << 30, 1000, 0, Map.of("a.com/gpu", 2L, "c.com/y", 1L)),
                1600,
                3L << 30,
                1600,
                3L << 30,
                3000,
                2L << 30,
                CURRENT,
                List.of("a.com/gpu", "b.com/x", "c.com/y", "cpu", "d.com/z", "memory", "storage"));
        PodSpec spec = new PodSpec(
                "mine",
                -7,
                "Never",
                Labels.of("disk", "ssd"),
                new Affinity(null, List.of(), new Affinity.PodTerms(List.of(), List.of()), null),
                List.of(new Toleration("k", "Equal", "v", "NoSchedule"), new Toleration("", "Exists", "", "")),
                List.of(
                        new TopologySpreadConstraint(2, "zone", "DoNotSchedule", LabelSelector.EVERYTHING),
                        new TopologySpreadConstraint(1, "host", "ScheduleAnyway", null)),
                List.of(
                        new Volume(Volume.Kind.CLAIM, "data", "", true, List.of()),
                        new Volume(Volume.Kind.GCE_PD, "pd", "", false, List.of())),
                List.of(
                        new Container(
                                "main",
                                "nginx",
                                false,
                                false,
                                List.of(new HostPort("0.0.0.0", "TCP", 8080), new HostPort("1.2.3.4", "UDP", 53)),
                                List.of(
                                        new ContainerPort("", 80, 8080, "TCP"),
                                        new ContainerPort("", 81, 0, "TCP"),
                                        new ContainerPort("", 0, 53, "UDP"),
                                        new ContainerPort("", 0, 0, "TCP"),
                                        new ContainerPort("", 0, 0, "TCP")),
                                Map.of(
                                        "a.com/gpu",
                                        2L,
                                        "cpu",
                                        2L,
                                        "ephemeral-storage",
                                        1000L,
                                        "memory",
                                        1L << 30,
                                        "storage",
                                        1L)),
                        new Container("side", "proxy:1", false, List.of()),
                        new Container(
                                "init",
                                "busybox",
                                true,
                                false,
                                List.of(new HostPort("0.0.0.0", "TCP", 9)),
                                List.of(new ContainerPort("", 0, 9, "TCP")),
                                Map.of("c.com/y", 1L, "cpu", 1L, "d.com/z", 0L, "memory", 3L << 30))),
                resources,
                List.of("wait", "more"),
                List.of(),
                List.of(
                        new PodVolume("a", "persistentVolumeClaim", "data"),
                        new PodVolume("b", "emptyDir", ""),
                        new PodVolume("c", "csi", ""),
                        new PodVolume("d", "azureFile", ""),
                        new PodVolume("e", "gcePersistentDisk", "")),
                "robot",
                "Burstable",
                List.of(),
                List.of(),
                false);
        assertEquals(
                new PodInfo(
                        "shop",
                        "web-1",
                        "u-1",
                        "42",
                        Labels.of("app", "web", "tier", ""),
                        Labels.EMPTY,
                        new OwnerReference("apps/v1", "ReplicaSet", "rs", "rs-uid"),
                        true,
                        "n1",
                        spec,
                        "Running",
                        "",
                        Instant.parse("2020-06-01T10:00:00Z").toEpochMilli(),
                        "n2",
                        new PodInfo.ScheduledCondition(
                                "False",
                                "Unschedulable",
                                "no room",
                                Instant.parse("2020-06-01T08:00:01Z").toEpochMilli()),
                        false,
                        Instant.parse("2019-12-01T00:00:00Z").toEpochMilli(),
                        List.of(),
                        4),
                pod(RICH));
    }

    @Test
    void absentFieldsAndNullsAreTheSame() throws IOException {
        PodInfo empty = new PodInfo(
                "",
                "",
                "",
                "",
                Labels.EMPTY,
                Labels.EMPTY,
                null,
                false,
                "",
                new PodSpec(
                        "",
                        null,
                        "",
                        Labels.EMPTY,
                        Affinity.NONE,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        new PodResources(ResourceVector.ZERO, 0, 0, 0, 0, 0, 0, List.of()),
                        List.of(),
                        List.of(),
                        List.of(),
                        "",
                        "BestEffort",
                        List.of(),
                        List.of(),
                        false),
                "",
                "",
                PodInfo.NO_TIME,
                "",
                null,
                false,
                PodInfo.NO_TIME,
                List.of(),
                0);
        for (String text : List.of(
                "{}",
                "{'metadata': null, 'spec': null, 'status': null}",
                "{'metadata': {}, 'spec': {}, 'status': {}}",
                "{'metadata': {'name': null, 'labels': null, 'ownerReferences': null, 'deletionTimestamp': null,"
                        + "'creationTimestamp': null},"
                        + "'spec': {'nodeName': null, 'priority': null, 'nodeSelector': null, 'affinity': null,"
                        + "'tolerations': null, 'volumes': null, 'containers': null, 'overhead': null},"
                        + "'status': {'phase': null, 'startTime': null, 'conditions': [null, {'type': 'Ready'}]}}")) {
            assertEquals(empty, pod(text), text);
        }
    }

    @Test
    void annotationsAreKeptOnRequest() throws IOException {
        try (JsonParser parser = Reading.parser(RICH)) {
            ObjectReader keeping = new ObjectReader(FeatureGates.defaults().keepingPodAnnotations(true), false);
            PodInfo pod = (PodInfo) keeping.read(parser, "Pod");
            assertEquals(Labels.of("note", "x"), pod == null ? null : pod.annotations());
        }
    }

    @Test
    void whatTellsOfAMirrorPodIsAlwaysKept() throws IOException {
        String text = "{'metadata': {'name': 'p', 'annotations': {'note': 'x', 'kubernetes.io/config.mirror': 'h'}}}";
        PodInfo pod = Reading.read(PodInfo.class, "Pod", text);
        assertEquals(Labels.of(PodInfo.MIRROR_ANNOTATION, "h"), pod.annotations());
    }

    /** The node's sums for scoring: requests and the non-zero defaults of one pod. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // containers | init containers | cpu | memory
                "{} | {} | 100 | 209715200",
                "{'cpu': 0, 'memory': 0} | {'cpu': 0, 'memory': 0} | 0 | 0",
                "{'cpu': null} | {'cpu': 0, 'memory': 0} | 0 | 209715200",
                "{'cpu': '50m', 'memory': 1} | {} | 100 | 209715200",
                "{'cpu': '50m', 'memory': 1} | {'cpu': '0.4m', 'memory': '1.5'} | 50 | 2",
                "{'cpu': '0.4m', 'memory': '300Mi'} | {'cpu': 1} | 1000 | 314572800",
            })
    void nonZeroRequests(String requests, String initRequests, long cpu, long memory) throws IOException {
        PodResources resources = pod("{'spec': {'containers': [{'resources': {'requests': " + requests
                        + "}}], 'initContainers': [{'resources': {'requests': " + initRequests + "}}]}}")
                .resources();
        assertEquals(
                List.of(cpu, memory, cpu, memory),
                List.of(
                        resources.nonZeroMilliCpu(),
                        resources.nonZeroMemory(),
                        resources.scoringMilliCpu(),
                        resources.scoringMemory()));
    }

    @Test
    void amountsAreRoundedContainerByContainer() throws IOException {
        String container = "{'resources': {'requests': {'cpu': '0.4m', 'memory': '100m'}}}";
        assertEquals(
                ResourceVector.of(2, 2, 0, 0, Map.of()),
                pod("{'spec': {'containers': [" + container + "," + container + "]}}")
                        .resources()
                        .request());
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                arguments("{'metadata': 7}", "Pod: metadata: expected an object, found 7"),
                arguments("{'metadata': {'name': 7}}", "Pod: metadata.name: expected a string, found 7"),
                arguments(
                        "{'metadata': {'name': 'p', 'labels': {'a': 1}}}",
                        "Pod p: metadata.labels.a: expected a string, found 1"),
                arguments(
                        "{'metadata': {'name': 'p', 'namespace': 'd'}, 'spec': {'containers': {}}}",
                        "Pod d/p: spec.containers: expected a list, found an object"),
                arguments(
                        "{'spec': {'containers': [{}, 'x']}}",
                        "Pod: spec.containers[1]: expected an object, found \"x\""),
                arguments(
                        "{'spec': {'containers': [{'ports': [{'hostPort': '80'}]}]}}",
                        "Pod: spec.containers[0].ports[0].hostPort: expected an integer, found \"80\""),
                arguments(
                        "{'spec': {'containers': [{'resources': {'requests': {'cpu': '1 core'}}}]}}",
                        "Pod: spec.containers[0].resources.requests.cpu: \"1 core\" is not a quantity"),
                arguments(
                        "{'spec': {'containers': [{'resources': {'requests': {'memory': true}}}]}}",
                        "Pod: spec.containers[0].resources.requests.memory: expected a quantity, found true"),
                arguments("{'spec': {'priority': 1.5}}", "Pod: spec.priority: expected an integer, found 1.5"),
                arguments(
                        "{'spec': {'priority': 2147483648}}",
                        "Pod: spec.priority: expected a 32-bit integer, found 2147483648"),
                arguments(
                        "{'spec': {'priority': 9223372036854775808}}",
                        "Pod: spec.priority: expected a 64-bit integer, found 9223372036854775808"),
                arguments(
                        "{'spec': {'tolerations': [{'key': []}]}}",
                        "Pod: spec.tolerations[0].key: expected a string, found a list"),
                arguments(
                        "{'status': {'startTime': 'yesterday'}}",
                        "Pod: status.startTime: expected a time, found \"yesterday\""),
                arguments(
                        "{'metadata': {'ownerReferences': [{'controller': 'true'}]}}",
                        "Pod: metadata.ownerReferences[0].controller: expected true or false, found \"true\""),
                arguments(
                        "{'spec': {'nodeSelector': '" + "x".repeat(61) + "'}}",
                        "Pod: spec.nodeSelector: expected an object, found \"" + "x".repeat(60) + "...\""));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void wrongTypesAreNamedWithTheirPlace(String text, String reason) {
        assertEquals(reason, Reading.refusal("Pod", text));
    }
}
