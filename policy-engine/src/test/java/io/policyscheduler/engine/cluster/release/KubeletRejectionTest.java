package io.policyscheduler.engine.cluster.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeletRejectionTest {
    /** Which reasons count: all reasons of a pod that never ran, and the known reasons of pods that ran. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Failed    | OutOfexample.com/gpu |            | OutOfexample.com/gpu
            Failed    | MatchNodeSelector    |            | MatchNodeSelector
            Failed    | ProviderFailed       |            | ProviderFailed
            Failed    | ProviderFailed       | waiting    | ProviderFailed
            Failed    | ProviderFailed       | terminated | ''
            Failed    | Evicted              | terminated | Evicted
            Failed    | Terminated           | running    | Terminated
            Failed    | DeadlineExceeded     |            | ''
            Failed    | ''                   |            | ''
            Succeeded | Evicted              |            | ''
            Running   | Evicted              | running    | ''
            """)
    void theReaderKeepsTheReasonsOfRejections(String phase, String reason, String state, String kept)
            throws IOException {
        String statuses = state == null ? "" : ",'containerStatuses':[{'name':'c','state':{'" + state + "':{}}}]";
        String json = "{'kind':'Pod','metadata':{'name':'p'},'status':{'phase':'" + phase + "','reason':'" + reason
                + "'" + statuses + "}}";
        try (JsonParser parser = new JsonFactory().createParser(json.replace('\'', '"'))) {
            parser.nextToken();
            ClusterObject pod = new ObjectReader(FeatureGates.defaults(), false).read(parser, "Pod");
            assertEquals(kept, assertInstanceOf(PodInfo.class, pod).failure());
        }
    }

    @Test
    void namesTheChecksOfTheRelease() {
        assertEquals("HostName", KubeletRejection.named(Release.V1_17, "HostName", "NodeName"));
        assertEquals("NodeName", KubeletRejection.named(new Release(18), "HostName", "NodeName"));
        assertThrows(IllegalArgumentException.class, () -> KubeletRejection.named(Release.V1_17, "TaintToleration"));
    }

    /** Reasons that a release adds to those of the previous one. */
    @ParameterizedTest
    @CsvSource({
        "18, NodeAffinity NodeName NodePorts",
        "22, TaintToleration SMTAlignmentError Terminated",
        "35, PodFeatureUnsupported",
        "36, ''"
    })
    void aReleaseAddsReasons(int minor, String added) {
        List<KubeletRejection> before = KubeletRejection.of(new Release(minor - 1));
        List<String> found = KubeletRejection.of(new Release(minor)).stream()
                .filter(row -> !before.contains(row))
                .map(KubeletRejection::reason)
                .toList();
        assertEquals(added.isEmpty() ? List.of() : List.of(added.split(" ")), found);
    }
}
