package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Handles watch events of nodes. Mirrors the node handlers of {@code pkg/scheduler/eventhandlers.go}. */
final class NodeEvents {
    private final InformerStore store;
    private final ClusterState state;
    private final SchedulingQueue queue;
    private final KubeletRejections rejections;

    NodeEvents(SchedulerState all, KubeletRejections rejections) {
        this.store = all.store();
        this.state = all.cluster();
        this.queue = all.queue();
        this.rejections = rejections;
    }

    void upserted(Node node) {
        Node known = store.nodes().get(node.name());
        if (known != null && known.uid().equals(node.uid())) {
            boolean isStale = InformerStore.isOlder(node.resourceVersion(), known.resourceVersion());
            if (!isStale && !node.equals(known)) {
                updated(known, node);
            }
            return;
        }
        if (known != null) {
            deleted(known.name());
        }
        added(node);
    }

    void replaced(List<Node> nodes) {
        Map<String, Node> listed = new HashMap<>();
        nodes.forEach(node -> listed.put(node.name(), node));
        for (Node known : new ArrayList<>(store.nodes().values())) {
            Node now = listed.get(known.name());
            if (now == null || !now.uid().equals(known.uid())) {
                deleted(known.name());
            }
        }
        for (Node node : nodes) {
            Node known = store.nodes().get(node.name());
            if (known == null) {
                added(node);
            } else if (!known.equals(node)) {
                updated(known, node);
            }
        }
    }

    void deleted(String name) {
        Node known = store.nodes().remove(name);
        if (known != null) {
            state.removeNode(name);
            rejections.nodeDeleted(name);
            queue.moveAll(ClusterEvent.NODE_DELETE, null);
            queue.retryNominees(name);
            queue.happened(ObjectEvent.deleted(EventResource.NODE, known));
        }
    }

    private void added(Node node) {
        store.nodes().put(node.name(), node);
        state.putNode(node);
        rejections.nodeChanged(node.name());
        queue.moveAll(ClusterEvent.NODE_ADD, node);
        queue.happened(ObjectEvent.added(EventResource.NODE, node));
    }

    private void updated(Node old, Node node) {
        store.nodes().put(node.name(), node);
        state.putNode(node);
        if (takesOtherPods(old, node)) {
            rejections.nodeChanged(node.name());
        }
        // No pod to move, but the pod in the current attempt must not miss a change that may concern it.
        ClusterEvent event = queue.size(Part.UNSCHEDULABLE) == 0 ? ClusterEvent.UNKNOWN : whatChanged(old, node);
        if (event != null) {
            queue.moveAll(event, node);
        }
        if (event != null || node.unschedulable() && !old.unschedulable()) {
            queue.retryNominees(node.name());
        }
        queue.happened(events(old, node));
    }

    /** The events for pods that wait for events: one for each kind of change, in the order of kube-scheduler. */
    static List<ObjectEvent> events(Node old, Node node) {
        List<EventAction> actions = new ArrayList<>();
        if (old.unschedulable() && !node.unschedulable()) {
            actions.add(EventAction.UPDATE_NODE_TAINT);
        }
        if (!old.allocatable().equals(node.allocatable())) {
            actions.add(EventAction.UPDATE_NODE_ALLOCATABLE);
        }
        if (!old.labels().equals(node.labels())) {
            actions.add(EventAction.UPDATE_NODE_LABEL);
        }
        if (!old.taints().equals(node.taints())) {
            actions.add(EventAction.UPDATE_NODE_TAINT);
        }
        if (!old.conditions().equals(node.conditions())) {
            actions.add(EventAction.UPDATE_NODE_CONDITION);
        }
        if (!old.annotations().equals(node.annotations())) {
            actions.add(EventAction.UPDATE_NODE_ANNOTATION);
        }
        if (!old.declaredFeatures().equals(node.declaredFeatures())) {
            actions.add(EventAction.UPDATE_NODE_DECLARED_FEATURE);
        }
        return actions.stream()
                .map(action -> ObjectEvent.updated(EventResource.NODE, action, old, node))
                .toList();
    }

    private static boolean takesOtherPods(Node old, Node node) {
        return !old.allocatable().equals(node.allocatable())
                || !old.labels().equals(node.labels())
                || !old.taints().equals(node.taints())
                || !old.declaredFeatures().equals(node.declaredFeatures());
    }

    /**
     * The first change that may make pods schedulable; null if there is none. The features of the kubelet, which 1.17 does not have,
     * count as conditions.
     */
    static @Nullable ClusterEvent whatChanged(Node old, Node node) {
        if (old.unschedulable() && !node.unschedulable()) {
            return ClusterEvent.NODE_SPEC_UNSCHEDULABLE_CHANGE;
        }
        if (!old.allocatable().equals(node.allocatable())) {
            return ClusterEvent.NODE_ALLOCATABLE_CHANGE;
        }
        if (!old.labels().equals(node.labels())) {
            return ClusterEvent.NODE_LABEL_CHANGE;
        }
        if (!old.taints().equals(node.taints())) {
            return ClusterEvent.NODE_TAINT_CHANGE;
        }
        boolean isSame = old.conditions().equals(node.conditions())
                && old.declaredFeatures().equals(node.declaredFeatures());
        return isSame ? null : ClusterEvent.NODE_CONDITION_CHANGE;
    }
}
