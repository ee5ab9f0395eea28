package io.policyscheduler.scheduling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.scheduling.SchedulingEngine.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulingEngineTest {
    private final Path folder;
    private final Path cluster;

    SchedulingEngineTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
        this.cluster = Files.writeString(
                folder.resolve("cluster.yaml"),
                node("n1", "v1.22.3") + node("n2", "v1.22.3") + pod("a", 3, 0) + pod("b", 3, 10) + pod("c", 3, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"provider:DefaultProvider", "legacy:provider:DefaultProvider", "modern", "modern@1.22"})
    void podsAreScheduledByPriorityAndUseResources(String scheduler) throws IOException {
        Snapshot snapshot = Snapshot.read(cluster);
        List<Placement> placements = SchedulingEngine.of(scheduler).schedule(snapshot);
        assertEquals(
                List.of("default/b", "default/a", "default/c"),
                placements.stream().map(Placement::pod).toList());
        assertTrue(placements.get(0).node().isPresent());
        assertEquals(
                Map.of(
                        "n1",
                        placements.get(0).scores().get("n1"),
                        "n2",
                        placements.get(0).scores().get("n2")),
                placements.get(0).scores());
        assertEquals(
                Set.of(placements.get(1).node().orElseThrow()),
                placements.get(1).scores().keySet());
        Placement last = placements.get(2);
        assertEquals(Optional.empty(), last.node());
        assertTrue(last.message().startsWith("0/2 nodes are available: 2 Insufficient cpu"), last.message());
        assertEquals(Map.of("n1", List.of("Insufficient cpu"), "n2", List.of("Insufficient cpu")), last.rejections());
        assertEquals(placements, SchedulingEngine.of(scheduler).schedule(snapshot), "the snapshot has changed");
    }

    @Test
    void releaseIsThatOfTheKubeletsUnlessOneIsGiven() throws IOException {
        assertEquals("1.22", Snapshot.read(cluster).release());
        assertEquals("1.30", Snapshot.ofRelease("1.30", cluster).release());
        assertEquals(
                List.of("default/a", "default/b", "default/c"),
                Snapshot.read(cluster).pendingPods());
        assertThrows(IllegalArgumentException.class, () -> Snapshot.ofRelease("1.16", cluster));
    }

    @Test
    void onePodIsScheduledBeforeAllOthers() throws IOException {
        Placement placement =
                SchedulingEngine.of("provider:DefaultProvider").schedule(Snapshot.read(cluster), "default/c");
        assertTrue(placement.node().isPresent(), placement.message());
    }

    @Test
    void errorsNameWhatIsWrong() throws IOException {
        Snapshot snapshot = Snapshot.read(cluster);
        Exception pod = assertThrows(
                IllegalArgumentException.class,
                () -> SchedulingEngine.of("modern").schedule(snapshot, "default/d"));
        assertEquals(
                "no pending pod default/d in the snapshot; it has [default/a, default/b, default/c]", pod.getMessage());
        Exception policy = assertThrows(
                IllegalArgumentException.class,
                () -> SchedulingEngine.of("policy:none.json").schedule(snapshot));
        assertTrue(String.valueOf(policy.getMessage()).contains("none.json"), policy.getMessage());
        assertThrows(IOException.class, () -> Snapshot.read(folder.resolve("none.yaml")));
    }

    private static String node(String name, String kubelet) {
        return "{kind: Node, apiVersion: v1, metadata: {name: " + name
                + "}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}, nodeInfo: {kubeletVersion: " + kubelet
                + "}}}\n---\n";
    }

    private static String pod(String name, int cpu, int priority) {
        return "{kind: Pod, apiVersion: v1, metadata: {name: " + name + ", namespace: default, uid: " + name
                + "}, spec: {priority: " + priority
                + ", containers: [{name: c, image: nginx, resources: {requests: {cpu: " + cpu + "}}}]}}\n---\n";
    }
}
