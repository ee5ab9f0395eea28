package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.ObjectEvents.NodeEvents;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events of nodes and other objects: what is stored, and which pods are requeued. */
class SchedulerClusterEventsTest extends SchedulerFixture {
    private enum Change {
        NOTHING(null, "unschedulable"),
        RESOURCE_VERSION(null, "unschedulable"),
        BECAME_UNSCHEDULABLE(null, "unschedulable"),
        ANNOTATION(null, "unschedulable"),
        ALLOCATABLE("NodeAllocatableChange", "active"),
        LABEL("NodeLabelChange", "active"),
        TAINT("NodeTaintChange", "active"),
        CONDITION("NodeConditionChange", "active"),
        DECLARED_FEATURE("NodeConditionChange", "active");

        private final @Nullable String event;
        private final String part;

        Change(@Nullable String event, String part) {
            this.event = event;
            this.part = part;
        }

        private Node node() {
            return switch (this) {
                case NOTHING, RESOURCE_VERSION ->
                    SchedulerClusterEventsTest.node2().build();
                case BECAME_UNSCHEDULABLE ->
                    SchedulerClusterEventsTest.node2().unschedulable().build();
                case ANNOTATION ->
                    SchedulerClusterEventsTest.node2().annotation("a", "b").build();
                case ALLOCATABLE -> SchedulerClusterEventsTest.node2().cpu("64").build();
                case LABEL -> SchedulerClusterEventsTest.node2().label("a", "b").build();
                case TAINT ->
                    SchedulerClusterEventsTest.node2()
                            .taint("a", "b", "NoSchedule")
                            .build();
                case CONDITION, DECLARED_FEATURE ->
                    SchedulerClusterEventsTest.node2().build();
            };
        }
    }

    private static NodeBuilder node2() {
        return node("n2");
    }

    private static Node with(Node node, String version, Labels conditions) {
        return with(node, version, conditions, Set.of());
    }

    private static Node with(Node node, String version, Labels conditions, Set<String> declaredFeatures) {
        return new Node(
                node.name(),
                node.uid(),
                version,
                node.labels(),
                node.annotations(),
                node.unschedulable(),
                node.taints(),
                node.allocatable(),
                node.images(),
                conditions,
                node.zoneKey(),
                node.kubeletVersion(),
                node.createdMillis(),
                node.conditionsSince(),
                declaredFeatures);
    }

    @Test
    void theEventsOfANodeAreInTheOrderOfKubeScheduler() {
        Node old = node("n2").unschedulable().build();
        Node changed = with(
                node("n2")
                        .cpu("64")
                        .label("a", "b")
                        .taint("a", "b", "NoSchedule")
                        .annotation("a", "b")
                        .build(),
                "2",
                Labels.of("Ready", "True"),
                Set.of("f"));
        assertEquals(
                List.of(
                        EventAction.UPDATE_NODE_TAINT,
                        EventAction.UPDATE_NODE_ALLOCATABLE,
                        EventAction.UPDATE_NODE_LABEL,
                        EventAction.UPDATE_NODE_TAINT,
                        EventAction.UPDATE_NODE_CONDITION,
                        EventAction.UPDATE_NODE_ANNOTATION,
                        EventAction.UPDATE_NODE_DECLARED_FEATURE),
                NodeEvents.events(old, changed).stream()
                        .map(event -> event.kind().action())
                        .toList());
    }

    @ParameterizedTest
    @EnumSource(Change.class)
    void onlySomeNodeChangesMovePods(Change change) {
        makeUnschedulable();
        clock.advanceMillis(5000);
        Labels conditions = change == Change.CONDITION ? Labels.of("Ready", "True") : Labels.EMPTY;
        Set<String> features = change == Change.DECLARED_FEATURE ? Set.of("f") : Set.of();
        Node updated = with(change.node(), change == Change.NOTHING ? "1" : "2", conditions, features);
        ClusterEvent event = NodeEvents.firstEvent(node("n2").build(), updated);
        assertEquals(change.event, event == null ? null : event.label());
        long before = scheduler.queue().moveRequestCycle();
        scheduler.post(new ClusterChange.NodeUpserted(updated));
        scheduler.post(new ClusterChange.SchedulingEnabled(false));
        run();
        assertEquals(change.part, String.valueOf(partOf(a)).toLowerCase(Locale.ROOT));
        assertEquals(change.event != null, scheduler.queue().moveRequestCycle() != before);
    }

    @Test
    void becomingSchedulableMovesPods() {
        post(new ClusterChange.NodeUpserted(with(node("n2").unschedulable().build(), "2", Labels.EMPTY)));
        makeUnschedulable();
        clock.advanceMillis(5000);
        post(new ClusterChange.NodeUpserted(with(node("n2").build(), "3", Labels.EMPTY)));
        assertEquals("read ua", writer.takeCalls().get(0));
    }

    @Test
    void withoutUnschedulablePodsAnyNodeUpdateCountsAsMove() {
        decision = NO_FIT;
        show(a);
        post(new ClusterChange.NodeUpserted(with(node("n2").build(), "2", Labels.EMPTY)));
        answerRead(new PodRead.Found(a));
        assertEquals(Part.BACKOFF, partOf(a));
    }

    @Test
    void aPodForWhichNoRoomCouldBeMadeIsTriedAgain() {
        makeUnschedulable();
        scheduler.queue().nominated().nominate(a, "n1");
        post(new ClusterChange.PreemptionFailed(a, false));
        assertEquals(Part.BACKOFF, partOf(a));
        assertNull(scheduler.queue().nominated().nodeOf(a));
    }

    @Test
    void aPodForWhichNoRoomCouldBeMadeMayNotBeBackYet() {
        decision = NO_FIT;
        show(a);
        post(new ClusterChange.PreemptionFailed(a, false));
        answerRead(new PodRead.Found(a));
        assertEquals(Part.BACKOFF, partOf(a));
    }

    @Test
    void objectsMovePodsAsInV117() {
        ServiceInfo service = new ServiceInfo("default", "s", null);
        StorageClassInfo immediate = new StorageClassInfo("c", "p", "Immediate", List.of());
        StorageClassInfo delayed = new StorageClassInfo("d", "p", "WaitForFirstConsumer", List.of());
        WorkloadInfo replicaSet = new WorkloadInfo(WorkloadInfo.Kind.REPLICA_SET, "default", "rs", null, null);
        WorkloadInfo statefulSet = new WorkloadInfo(WorkloadInfo.Kind.STATEFUL_SET, "default", "rs", null, null);
        assertMoves(true, upsert(service));
        assertMoves(true, upsert(service));
        assertMoves(true, new ClusterChange.ObjectDeleted(ResourceKind.SERVICES, "default", "s"));
        assertMoves(false, new ClusterChange.ObjectDeleted(ResourceKind.SERVICES, "default", "s"));
        assertMoves(false, upsert(immediate));
        assertMoves(true, upsert(delayed));
        assertMoves(false, upsert(delayed));
        assertMoves(false, new ClusterChange.ObjectDeleted(ResourceKind.STORAGE_CLASSES, "", "d"));
        assertMoves(false, upsert(replicaSet));
        assertMoves(false, upsert(statefulSet));
        assertMoves(false, new ClusterChange.ObjectsReplaced(ResourceKind.REPLICA_SETS, List.of()));
        assertEquals(
                0, state.workloads(WorkloadInfo.Kind.REPLICA_SET, "default").size());
        assertEquals(
                1, state.workloads(WorkloadInfo.Kind.STATEFUL_SET, "default").size());
    }

    private static ClusterChange upsert(ClusterObject object) {
        return new ClusterChange.ObjectUpserted(object);
    }

    private void assertMoves(boolean moves, ClusterChange change) {
        decision = NO_FIT;
        PodInfo probe = pod("probe-" + clock.millis()).build();
        show(probe);
        post(change);
        answerRead(new PodRead.Found(probe));
        assertEquals(moves ? Part.BACKOFF : Part.UNSCHEDULABLE, partOf(probe), String.valueOf(change));
        delete(probe);
        clock.advanceMillis(1);
    }

    @Test
    void aNodeListIsComparedWithWhatIsKnown() {
        show(pod("x").onNode("n1").build());
        Node n2 = with(node("n2").label("a", "b").build(), "2", Labels.EMPTY);
        post(new ClusterChange.NodesReplaced(List.of(n2, node("n3").build())));
        assertNull(state.node("n1"));
        assertEquals(2, scheduler.counts().nodes());
        post(new ClusterChange.NodeUpserted(node("n1").build()));
        assertEquals(List.of("default-x-uid"), podsOn("n1"));
    }
}
