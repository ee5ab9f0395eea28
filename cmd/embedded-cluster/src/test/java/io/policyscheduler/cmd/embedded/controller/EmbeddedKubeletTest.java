package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmbeddedKubeletTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String POD = "/api/v1/namespaces/default/pods/p";

    private static ObjectNode json(String text) throws IOException {
        return (ObjectNode) MAPPER.readTree(text.replace('\'', '"'));
    }

    /** Another client writes the status between the kubelet's read of a pod and its start. */
    @ParameterizedTest
    @CsvSource({"Failed, Failed", "Succeeded, Succeeded", "Pending, Running"})
    void aPodThatHasFinishedIsNotStarted(String meanwhile, String afterwards) throws IOException {
        List<Runnable> looks = new ArrayList<>();
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .serving(false)
                .kubeletPeriod(Duration.ZERO)
                .nodeAdmission((pod, node, podsOnNode) -> {
                    looks.forEach(Runnable::run);
                    return null;
                })
                .start()) {
            looks.add(() -> cluster.call(
                    "PATCH",
                    POD + "/status",
                    "application/merge-patch+json",
                    ("{\"status\":{\"phase\":\"" + meanwhile + "\"}}").getBytes(StandardCharsets.UTF_8)));
            cluster.load(json("{'apiVersion':'v1','kind':'Node','metadata':{'name':'n'},'status':{'allocatable':"
                    + "{'cpu':'4','memory':'8Gi','pods':'10'}}}"));
            cluster.load(json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'default'},"
                    + "'spec':{'nodeName':'n','containers':[{'name':'c','image':'i'}]}}"));
            cluster.kubelet().tick();
            cluster.kubelet().tick();
            assertEquals(
                    afterwards,
                    cluster.get("pods", "default", "p")
                            .orElseThrow()
                            .path("status")
                            .path("phase")
                            .asText());
        }
    }
}
