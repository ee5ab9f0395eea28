package io.policyscheduler.cmd.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.replay.Replayer.RecordedCluster;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordedClusterTest {
    private static final String NODES =
            "{'kind': 'Node', 'metadata': {'name': 'n1'}}," + "{'kind': 'Node', 'metadata': {'name': 'n2'}}";

    private static RecordedCluster recorded(String cluster, String pending) throws IOException {
        String text = "{'cluster': [" + cluster + "], 'pending': [" + pending + "]}";
        return new RecordedCluster(new ObjectMapper().readTree(text.replace('\'', '"')), FeatureGates.defaults());
    }

    private static String pod(String name, String uid, String more) {
        return "{'kind': 'Pod', 'metadata': {'name': '" + name + "', 'namespace': 'default', 'uid': '" + uid + "'}, "
                + more + "}";
    }

    private static Map<String, Integer> podsByNode(RecordedCluster recorded) {
        Map<String, Integer> pods = new TreeMap<>();
        recorded.cluster.startCycle();
        for (NodeInfo node : recorded.cluster.nodes()) {
            pods.put(node.name(), node.podCount());
        }
        return pods;
    }

    private static List<String> names(List<PodInfo> pods) {
        return pods.stream().map(PodInfo::name).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "u | 'spec': {'nodeName': 'n1'}                                     | 1",
                "u | 'spec': {'nodeName': 'n1'}, 'status': {'phase': 'Running'}     | 1",
                "u | 'spec': {'nodeName': 'n1'}, 'status': {'phase': 'Succeeded'}   | 0",
                "u | 'spec': {'nodeName': 'n1'}, 'status': {'phase': 'Failed'}      | 0",
                "u | 'spec': {}                                                     | 0",
                "  | 'spec': {'nodeName': 'n1'}                                     | 0",
            })
    void podsThatCountOnANode(String uid, String more, int counted) throws IOException {
        RecordedCluster recorded = recorded(NODES + "," + pod("p", uid == null ? "" : uid, more), "");
        assertEquals(Map.of("n1", counted, "n2", 0), podsByNode(recorded));
        assertEquals(List.of(), recorded.pending);
    }

    @Test
    void onlyPodsArePendingInTheirOrder() throws IOException {
        RecordedCluster recorded = recorded(
                NODES,
                pod("b", "1", "'spec': {}") + ", {'kind': 'Node', 'metadata': {'name': 'n3'}},"
                        + pod("a", "2", "'spec': {}"));
        assertEquals(List.of("b", "a"), names(recorded.pending));
        assertEquals(Map.of("n1", 0, "n2", 0), podsByNode(recorded));
        assertEquals(Map.of(), recorded.nominated);
    }

    @Test
    void nominationsHoldUntilThePodIsPlacedOrLosesThem() throws IOException {
        String nominated = "'spec': {}, 'status': {'nominatedNodeName': 'n1'}";
        RecordedCluster recorded = recorded(
                NODES, pod("a", "1", nominated) + "," + pod("b", "2", nominated) + "," + pod("c", "3", "'spec': {}"));
        assertEquals(List.of("a", "b"), names(recorded.nominatedOn("n1")));
        assertEquals(List.of(), recorded.nominatedOn("n2"));
        recorded.place(recorded.pending.get(0), "n2");
        assertEquals(List.of("b"), names(recorded.nominatedOn("n1")));
        assertEquals(Map.of("n1", 0, "n2", 1), podsByNode(recorded));
        recorded.dropNomination(recorded.pending.get(1));
        recorded.dropNomination(recorded.pending.get(2));
        assertEquals(List.of(), recorded.nominatedOn("n1"));
    }

    @Test
    void anEmptyScenarioIsAnEmptyWorld() throws IOException {
        RecordedCluster recorded = new RecordedCluster(new ObjectMapper().createObjectNode(), FeatureGates.defaults());
        assertEquals(Map.of(), podsByNode(recorded));
        assertEquals(List.of(), recorded.pending);
    }

    @Test
    void anObjectThatCannotBeReadIsRefused() {
        assertThrows(
                IOException.class,
                () -> recorded(
                        pod("p", "u", "'spec': {'containers': [{'resources': {'requests': {'cpu': 'much'}}}]}"), ""));
    }
}
