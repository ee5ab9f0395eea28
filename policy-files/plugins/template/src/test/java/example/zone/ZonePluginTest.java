package example.zone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.scheduling.SchedulingEngine;
import io.policyscheduler.scheduling.SchedulingEngine.Placement;
import io.policyscheduler.scheduling.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedules a pod with the plugin, which the scheduler finds on the class path. */
class ZonePluginTest {
    private static final String CLUSTER = """
            {kind: Node, apiVersion: v1, metadata: {name: a, labels: {topology.kubernetes.io/zone: eu-1}},
             status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}
            ---
            {kind: Node, apiVersion: v1, metadata: {name: b, labels: {topology.kubernetes.io/zone: eu-2}},
             status: {allocatable: {cpu: 8, memory: 16Gi, pods: 10}}}
            ---
            {kind: Node, apiVersion: v1, metadata: {name: c}, status: {allocatable: {cpu: 8, memory: 16Gi, pods: 10}}}
            ---
            {kind: Pod, apiVersion: v1, metadata: {name: web, namespace: default},
             spec: {containers: [{name: web, image: nginx, resources: {requests: {cpu: 1}}}]}}
            """;

    @Test
    void podRunsInThePreferredZone(@TempDir Path folder) throws IOException {
        Snapshot snapshot = Snapshot.read(Files.writeString(folder.resolve("cluster.yaml"), CLUSTER));
        Placement web = SchedulingEngine.of("config:config.yaml").schedule(snapshot, "default/web");
        assertEquals(Optional.of("a"), web.node());
        assertEquals(Map.of("c", List.of("node(s) had no zone")), web.rejections());
    }
}
