package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fields that are read for rules only. */
class PodFactsTest {
    private static PodInfo pod(String spec) throws IOException {
        return Reading.read(PodInfo.class, "Pod", "{'spec': {" + spec + "}}");
    }

    private static String container(String resources) {
        return "{'name': 'c', 'resources': {" + resources + "}}";
    }

    /** As {@code kubectl get pod -o jsonpath={.status.qosClass}} prints it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\" | BestEffort",
                "'requests': {'cpu': 0}, 'limits': {'example.com/gpu': 1} | BestEffort",
                "'requests': {'cpu': 1} | Burstable",
                "'limits': {'cpu': 1} | Burstable",
                "'limits': {'cpu': 1, 'memory': '1Gi'} | Guaranteed",
                "'requests': {'cpu': '1000m', 'memory': '1Gi'}, 'limits': {'cpu': 1, 'memory': '1024Mi'} | Guaranteed",
                "'requests': {'cpu': '500m'}, 'limits': {'cpu': 1, 'memory': '1Gi'} | Burstable",
                "'requests': {'cpu': 1, 'memory': '1Gi'} | Burstable",
            })
    void qosClass(String resources, String expected) throws IOException {
        assertEquals(
                expected,
                pod("'containers': [" + container(resources) + "]").spec().qosClass());
    }

    @Test
    void everyContainerCountsForTheQosClass() throws IOException {
        String full = container("'limits': {'cpu': 1, 'memory': '1Gi'}");
        String empty = container("");
        assertEquals(
                "Guaranteed",
                pod("'containers': [" + full + "], 'initContainers': [" + full + "]")
                        .spec()
                        .qosClass());
        assertEquals(
                "Burstable",
                pod("'containers': [" + full + "], 'initContainers': [" + empty + "]")
                        .spec()
                        .qosClass());
        assertEquals(
                "Guaranteed",
                pod("'resources': {'limits': {'cpu': 1, 'memory': '1Gi'}}, 'containers': [" + empty + "]")
                        .spec()
                        .qosClass());
    }

    /** Otherwise no two pods would share a spec. */
    @Test
    void theVolumeThatTheServerAddsHasOneName() throws IOException {
        String with = "{'name': '%s', 'projected': {'sources': []}}";
        PodInfo one = pod("'volumes': [" + with.formatted("kube-api-access-abcde") + "]");
        PodInfo other = pod("'volumes': [" + with.formatted("kube-api-access-xyz12") + "]");
        assertEquals(one.spec(), other.spec());
        assertSame("kube-api-access", one.spec().podVolumes().get(0).name());
        assertEquals(
                "kube-api-access-mine",
                pod("'volumes': [" + with.formatted("kube-api-access-mine") + "]")
                        .spec()
                        .podVolumes()
                        .get(0)
                        .name());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'2026-03-01T22:30:00Z' | 1772404200000",
                "null | -9223372036854775808",
                "'' | -9223372036854775808",
                "'yesterday' | -9223372036854775808",
                "7 | -9223372036854775808",
                "{} | -9223372036854775808",
            })
    void created(String written, long expected) throws IOException {
        String metadata = "{'metadata': {'creationTimestamp': " + written + ", 'name': 'n'}}";
        assertEquals(expected, Reading.read(PodInfo.class, "Pod", metadata).createdMillis());
        assertEquals(expected, Reading.read(Node.class, "Node", metadata).createdMillis());
    }

    @Test
    void conditionsOfNodesKeepTheirTime() throws IOException {
        Node node = Reading.read(
                Node.class,
                "Node",
                "{'status': {'conditions': ["
                        + "{'type': 'Ready', 'status': 'True', 'lastTransitionTime': '1970-01-01T00:00:01Z'},"
                        + "{'type': 'DiskPressure', 'status': 'False', 'lastTransitionTime': null}]}}");
        assertEquals(Map.of("Ready", 1000L), node.conditionsSince());
        assertEquals("False", node.conditions().get("DiskPressure"));
    }
}
