package io.policyscheduler.scheduling;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.scheduling.SchedulingEngine.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedules a pod by a policy. The README of this module shows this test. */
class ScheduleExampleTest {
    private static final String POLICY = """
            {"kind": "Policy", "apiVersion": "v1",
             "predicates": [{"name": "PodFitsResources"}],
             "priorities": [{"name": "LeastRequestedPriority", "weight": 1}]}""";
    private static final String CLUSTER = """
            {kind: Node, apiVersion: v1, metadata: {name: small}, status: {allocatable: {cpu: 1, memory: 1Gi, pods: 10}}}
            ---
            {kind: Node, apiVersion: v1, metadata: {name: large}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}}
            ---
            {kind: Pod, apiVersion: v1, metadata: {name: web, namespace: default},
             spec: {containers: [{name: web, image: nginx, resources: {requests: {cpu: 2}}}]}}
            """;

    @Test
    void podGoesToTheNodeWithRoom(@TempDir Path folder) throws IOException {
        Path policy = Files.writeString(folder.resolve("policy.json"), POLICY);
        Snapshot snapshot = Snapshot.read(Files.writeString(folder.resolve("cluster.yaml"), CLUSTER));
        Placement web = SchedulingEngine.of("policy:" + policy).schedule(snapshot, "default/web");
        assertEquals(Optional.of("large"), web.node());
        assertEquals(Map.of("small", List.of("Insufficient cpu")), web.rejections());
    }
}
