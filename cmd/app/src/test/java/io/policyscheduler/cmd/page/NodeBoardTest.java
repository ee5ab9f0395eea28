package io.policyscheduler.cmd.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.page.Frames.NodeChanges;
import io.policyscheduler.cmd.page.Frames.NodeChanges.NodeRow;
import io.policyscheduler.cmd.page.PageHub.StateCopy;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeBoardTest {
    private final ClusterState cluster = new ClusterState();
    private final NodeChanges board = new NodeChanges();

    private StateCopy look() {
        return StateCopy.at(
                new PageSource.SchedulerState() {
                    @Override
                    public ClusterState cluster() {
                        return cluster;
                    }

                    @Override
                    public Counts counts() {
                        return new Counts(0, 0, 0, 0, 0, 0, 0, cluster.nodeCount());
                    }

                    @Override
                    public List<QueuedPod> waiting(Part part) {
                        return List.of();
                    }

                    @Override
                    public @Nullable Part partOf(String key) {
                        return null;
                    }

                    @Override
                    public @Nullable PodInfo pod(String namespace, String name) {
                        return null;
                    }
                },
                board.generation());
    }

    private List<String> names() {
        return board.rows().stream()
                .map(row -> row.name() + " " + row.milliCpu() + " " + row.pods())
                .toList();
    }

    @Test
    void onlyWhatHasChangedIsLookedAt() {
        cluster.putNode(NodeBuilder.node("a")
                .cpu("4")
                .label("zone", "x")
                .label("host", "a")
                .build());
        cluster.putNode(NodeBuilder.node("b")
                .cpu("4")
                .label("zone", "x")
                .label("host", "b")
                .build());
        assertEquals(2, look().nodes().size());
        assertTrue(board.take(look()));
        assertEquals(List.of("a 0 0", "b 0 0"), names());
        assertEquals(List.of("zone"), board.groupKeys());
        assertEquals(Map.of("a", "x", "b", "x"), board.values("zone"));
        assertEquals(List.of(), look().nodes());

        cluster.addPod(PodBuilder.pod("p").cpu("1").build().withNodeName("b"));
        StateCopy second = look();
        assertEquals(List.of("b"), second.nodes().stream().map(NodeRow::name).toList());
        assertTrue(board.take(second));
        assertEquals(List.of("a 0 0", "b 1000 1"), names());
    }

    @Test
    void aNodeThatHasGoneIsMissed() {
        cluster.putNode(NodeBuilder.node("a").build());
        cluster.putNode(NodeBuilder.node("b").build());
        assertTrue(board.take(look()));
        cluster.removeNode("a");
        cluster.putNode(NodeBuilder.node("c").unschedulable().build());
        assertFalse(board.take(look()));
        assertTrue(board.take(look()));
        assertEquals(List.of("b 0 0", "c 0 0"), names());
        assertEquals("cordoned", board.rows().get(1).trouble());
    }
}
