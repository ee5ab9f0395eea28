package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReaderTest {
    @Test
    void everyFieldThatSchedulingReads() throws IOException {
        String text = """
            {'metadata': {'name': 'n1', 'uid': 'u', 'resourceVersion': '9',
               'labels': {'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r'},
               'annotations': {'scheduler.alpha.kubernetes.io/preferAvoidPods': '{}'}},
             'spec': {'podCIDR': '10.0.0.0/24', 'unschedulable': true,
               'taints': [{'key': 'k', 'value': 'v', 'effect': 'NoSchedule', 'timeAdded': '2020-01-01T00:00:00Z'},
                 {'key': 'l', 'effect': 'NoExecute'}]},
             'status': {
               'capacity': {'cpu': '64'},
               'allocatable': {'cpu': '3920m', 'memory': ' 8Gi ', 'ephemeral-storage': 1e3, 'pods': 110, 'a.com/gpu': '0',
                 'hugepages-2Mi': null, 'attachable-volumes-aws-ebs': '25', 'storage': '1', 'requests.cpu': 1},
               'images': [{'names': ['a:1', 'a@sha256:1'], 'sizeBytes': 5000000000}, {'names': null}, {'names': ['b']}],
               'conditions': [{'type': 'Ready', 'status': 'True', 'reason': 'r'}, {'type': 'DiskPressure', 'status': 'False'}],
               'nodeInfo': {'kubeletVersion': 'v1.17.17'}}}
            """;
        assertEquals(
                new Node(
                        "n1",
                        "u",
                        "9",
                        Labels.of("topology.kubernetes.io/zone", "z", "topology.kubernetes.io/region", "r"),
                        Labels.of("scheduler.alpha.kubernetes.io/preferAvoidPods", "{}"),
                        true,
                        List.of(new Taint("k", "v", "NoSchedule"), new Taint("l", "", "NoExecute")),
                        ResourceVector.of(
                                3920,
                                8L << 30,
                                1000,
                                110,
                                Map.of("a.com/gpu", 0L, "hugepages-2Mi", 0L, "attachable-volumes-aws-ebs", 25L)),
                        List.of(
                                new Node.Image(List.of("a:1", "a@sha256:1"), 5_000_000_000L),
                                new Node.Image(List.of(), 0),
                                new Node.Image(List.of("b"), 0)),
                        Labels.of("DiskPressure", "False", "Ready", "True"),
                        "r:\0:z",
                        "v1.17.17",
                        PodInfo.NO_TIME,
                        Map.of(),
                        Set.of()),
                Reading.read(Node.class, "Node", text));
    }

    /** Capacity stands in for allocatable at the API server, not here. */
    @Test
    void absentFieldsAndNullsAreTheSame() throws IOException {
        Node empty = new Node(
                "n",
                "",
                "",
                Labels.EMPTY,
                Labels.EMPTY,
                false,
                List.of(),
                ResourceVector.ZERO,
                List.of(),
                Labels.EMPTY,
                "",
                "",
                PodInfo.NO_TIME,
                Map.of(),
                Set.of());
        for (String text : List.of(
                "{'metadata': {'name': 'n'}}",
                "{'metadata': {'name': 'n', 'annotations': null}, 'spec': null, 'status': {'allocatable': null}}",
                "{'metadata': {'name': 'n'}, 'spec': {'taints': null, 'unschedulable': null},"
                        + "'status': {'capacity': {'cpu': 1}, 'images': null, 'conditions': []}}")) {
            assertEquals(empty, Reading.read(Node.class, "Node", text), text);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'spec': {'unschedulable': 'yes'}} | spec.unschedulable: expected true or false, found \"yes\"",
                "{'spec': {'taints': [7]}} | spec.taints[0]: expected an object, found 7",
                "{'status': {'allocatable': []}} | status.allocatable: expected an object, found a list",
                "{'status': {'allocatable': {'pods': ''}}} | status.allocatable.pods: \"\" is not a quantity",
                "{'status': {'allocatable': {'a.com/gpu': 'x'}}} | status.allocatable.a.com/gpu: \"x\" is not a"
                        + " quantity",
                "{'status': {'images': [{'sizeBytes': 1.5}]}} | status.images[0].sizeBytes: expected an integer, found"
                        + " 1.5",
                "{'status': {'images': [{'names': [1]}]}} | status.images[0].names[0]: expected a string, found 1",
                "{'status': {'conditions': 'none'}} | status.conditions: expected a list, found \"none\"",
            })
    void wrongTypesAreNamedWithTheirPlace(String text, String reason) {
        assertEquals("Node: " + reason, Reading.refusal("Node", text));
    }
}
