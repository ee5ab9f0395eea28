package io.policyscheduler.engine.cluster.node;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestRulesTest {
    private static final JsonFactory JSON = new JsonFactory();
    private static final long MEBI = 1024 * 1024;
    private static final String PLAIN = "'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1',"
            + " 'memory': '1Mi', 'ephemeral-storage': '5', 'example.com/gpu': '2'}}}]";

    private static PodInfo pod(String spec, String status) throws IOException {
        String text = "{'metadata': {'namespace': 'default', 'name': 'p', 'uid': 'u'}, 'spec': {" + spec
                + ", 'nodeName': 'n'}, 'status': {" + status + "}}";
        try (JsonParser parser = JSON.createParser(text.replace('\'', '"'))) {
            parser.nextToken();
            return assertInstanceOf(
                    PodInfo.class, new ObjectReader(FeatureGates.defaults(), false).read(parser, "Pod"));
        }
    }

    /** The pod's requests, its requests for scoring, and the node's free amount, in milli-CPU. */
    private static String cpu(RequestRules rules, PodInfo pod) {
        NodeInfo node = info(cluster(node("n").build(), pod), "n");
        return rules.request(pod).milliCpu() + " " + rules.scoringMilliCpu(pod) + " " + rules.milliCpu(node) + " "
                + rules.nonZeroMilliCpu(node);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'overhead': {}                         | ``  | 1000 1000 1000 1000 | 1000 1000 1000 1000",
                "'initContainers': [{'name': 'i', 'restartPolicy': 'Always', 'resources': {'requests': {'cpu': '3'}}}]"
                        + "                             | ``  | 3000 3000 3000 3000 | 4000 4000 4000 4000",
                "'initContainers': [{'name': 'i', 'restartPolicy': 'Always'}]"
                        + "                             | ``  | 1000 1000 1000 1000 | 1000 1100 1000 1100",
                "'overhead': {'cpu': '250m'}            | ``  | 1000 1000 1000 1000 | 1250 1250 1250 1250",
                "'resources': {'requests': {'cpu': '5'}} | `` | 1000 1000 1000 1000 | 5000 5000 5000 5000",
                // What the status says of a resize counts only for what is on a node.
                "'overhead': {} | 'containerStatuses': [{'name': 'c', 'resources': {'requests': {'cpu': '7'}}}]"
                        + "                                   | 1000 1000 1000 1000 | 1000 7000 7000 7000",
            })
    void countsByTheRulesOfARelease(String more, String status, String ofV117, String ofToday) throws IOException {
        PodInfo pod = pod(PLAIN + ", " + more, status);
        assertEquals(ofV117, cpu(RequestRules.V1_17, pod));
        assertEquals(ofToday, cpu(RequestRules.MODERN, pod));
    }

    @Test
    void everyResourceIsCounted() throws IOException {
        PodInfo pod =
                pod(PLAIN + ", 'overhead': {'memory': '1Mi', 'ephemeral-storage': '1', 'example.com/gpu': '1'}", "");
        NodeInfo node = info(cluster(node("n").build(), pod), "n");
        assertEquals("1048576 1048576 5 2 1048576 0", others(RequestRules.V1_17, pod, node));
        assertEquals("2097152 2097152 6 3 2097152 0", others(RequestRules.MODERN, pod, node));
        assertEquals(2 * MEBI, RequestRules.MODERN.request(pod).memory());
    }

    private static String others(RequestRules rules, PodInfo pod, NodeInfo node) {
        return rules.memory(node) + " " + rules.nonZeroMemory(node) + " " + rules.ephemeralStorage(node) + " "
                + rules.scalar(node, "example.com/gpu") + " " + rules.scoringMemory(pod) + " "
                + rules.scalar(node, "example.com/none");
    }

    @Test
    void theReleaseDecides() {
        FeatureGates gates = FeatureGates.defaults();
        assertSame(RequestRules.V1_17, RequestRules.of(gates));
        assertSame(RequestRules.V1_17, RequestRules.of(gates.at(new Release(16))));
        assertSame(RequestRules.MODERN, RequestRules.of(gates.at(new Release(18))));
        assertSame(RequestRules.MODERN, RequestRules.of(gates.at(Release.NEWEST)));
    }
}
