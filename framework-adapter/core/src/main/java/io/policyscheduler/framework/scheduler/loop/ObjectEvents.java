package io.policyscheduler.framework.scheduler.loop;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Handles watch events of all kinds but pods, and in {@link NodeEvents} those of nodes. Mirrors {@code pkg/scheduler/eventhandlers.go}. */
final class ObjectEvents {
    private final InformerStore store;
    private final ClusterState state;
    private final SchedulingQueue queue;

    ObjectEvents(SchedulerState all) {
        this.store = all.store();
        this.state = all.cluster();
        this.queue = all.queue();
    }

    /** The devices of an allocation that was not written are free again, as after a change of that claim. */
    void allocationGivenUp(ResourceClaimInfo allocated) {
        ResourceClaimInfo without = allocated.with(allocated.finalizers(), null, List.of());
        move(WakingEvents.of(ResourceKind.RESOURCE_CLAIMS).upserted(without, false), without);
        apply(ResourceKind.RESOURCE_CLAIMS, EventAction.UPDATE, allocated, without);
    }

    void upserted(ClusterObject object) {
        ResourceKind kind = object.resourceKind();
        state.putObject(object);
        ClusterObject old = store.objects(kind).put(object.key(), object);
        move(WakingEvents.of(kind).upserted(object, old == null), object);
        apply(kind, EventAction.UPDATE, old, object);
    }

    void replaced(ResourceKind kind, List<? extends ClusterObject> objects) {
        Set<String> listed = new HashSet<>();
        objects.forEach(object -> listed.add(object.key()));
        Map<String, ClusterObject> known = store.objects(kind);
        for (String key : new ArrayList<>(known.keySet())) {
            if (!listed.contains(key)) {
                deleted(kind, key);
            }
        }
        for (ClusterObject object : objects) {
            ClusterObject old = known.get(object.key());
            if (object.equals(old)) {
                continue;
            }
            if (old != null && kind == ResourceKind.STORAGE_CLASSES) {
                // Classes are immutable: a class of the same name has replaced it.
                deleted(kind, object.key());
            }
            upserted(object);
        }
    }

    void deleted(ResourceKind kind, String key) {
        ClusterObject known = store.objects(kind).remove(key);
        if (known != null) {
            state.removeObject(known);
            move(WakingEvents.of(kind).deleted(), null);
            apply(kind, EventAction.DELETE, known, null);
        }
    }

    /** Emits an event for pods that wait for events, if the kind has one. */
    private void apply(
            ResourceKind kind, EventAction change, @Nullable ClusterObject old, @Nullable ClusterObject now) {
        EventResource resource = EventResource.ofObjectKind(kind.objectKind());
        if (resource != null) {
            EventAction action = old == null ? EventAction.ADD : change;
            queue.happened(new ObjectEvent(new EventKind(resource, action), old, now));
        }
    }

    private void move(@Nullable ClusterEvent event, @Nullable ClusterObject changed) {
        if (event != null) {
            queue.moveAll(event, changed);
        }
    }

    /**
     * The changes of a kind that requeue pods, and their events; null for none. Kinds without a row requeue no pods.
     *
     * @param wakesWhenAdded selects the new objects that requeue pods
     */
    record WakingEvents(
            @Nullable ClusterEvent added,
            @Nullable ClusterEvent updated,
            @Nullable ClusterEvent deleted,
            Predicate<ClusterObject> wakesWhenAdded) {
        private static final WakingEvents NONE = new WakingEvents(null, null, null);

        private static final ImmutableMap<ResourceKind, WakingEvents> BY_KIND =
                Maps.immutableEnumMap(ImmutableMap.<ResourceKind, WakingEvents>builder()
                        .put(ResourceKind.VOLUMES, new WakingEvents(ClusterEvent.PV_ADD, ClusterEvent.PV_UPDATE, null))
                        .put(ResourceKind.CLAIMS, new WakingEvents(ClusterEvent.PVC_ADD, ClusterEvent.PVC_UPDATE, null))
                        .put(ResourceKind.NAMESPACES, ofAll(ClusterEvent.NAMESPACE_CHANGE))
                        .put(
                                ResourceKind.SERVICES,
                                new WakingEvents(
                                        ClusterEvent.SERVICE_ADD,
                                        ClusterEvent.SERVICE_UPDATE,
                                        ClusterEvent.SERVICE_DELETE))
                        .put(ResourceKind.DISRUPTION_BUDGETS, ofAll(ClusterEvent.BUDGET_CHANGE))
                        .put(ResourceKind.RESOURCE_CLAIMS, ofAll(ClusterEvent.DEVICES_CHANGE))
                        .put(
                                ResourceKind.RESOURCE_SLICES,
                                new WakingEvents(
                                        ClusterEvent.DEVICES_CHANGE,
                                        ClusterEvent.DEVICES_CHANGE,
                                        ClusterEvent.RESOURCE_SLICE_DELETE))
                        .put(
                                ResourceKind.DEVICE_CLASSES,
                                new WakingEvents(ClusterEvent.DEVICES_CHANGE, ClusterEvent.DEVICES_CHANGE, null))
                        .put(
                                ResourceKind.CSI_NODES,
                                new WakingEvents(
                                        ClusterEvent.CSI_NODE_ADD,
                                        ClusterEvent.CSI_NODE_UPDATE,
                                        ClusterEvent.STORAGE_LIMIT_CHANGE))
                        .put(
                                ResourceKind.CSI_DRIVERS,
                                new WakingEvents(
                                        null, ClusterEvent.STORAGE_LIMIT_CHANGE, ClusterEvent.STORAGE_LIMIT_CHANGE))
                        .put(
                                ResourceKind.STORAGE_CAPACITIES,
                                new WakingEvents(
                                        ClusterEvent.STORAGE_CAPACITY_CHANGE,
                                        ClusterEvent.STORAGE_CAPACITY_CHANGE,
                                        null))
                        .put(
                                ResourceKind.VOLUME_ATTACHMENTS,
                                new WakingEvents(null, null, ClusterEvent.STORAGE_LIMIT_CHANGE))
                        .put(
                                ResourceKind.STORAGE_CLASSES,
                                new WakingEvents(
                                        ClusterEvent.STORAGE_CLASS_ADD,
                                        ClusterEvent.STORAGE_LIMIT_CHANGE,
                                        null,
                                        object -> object instanceof StorageClassInfo storageClass
                                                && storageClass.isDelayed()))
                        .buildOrThrow());

        /** The same event for new, changed, and deleted objects. */
        private static WakingEvents ofAll(ClusterEvent event) {
            return new WakingEvents(event, event, event);
        }

        private WakingEvents(
                @Nullable ClusterEvent added, @Nullable ClusterEvent updated, @Nullable ClusterEvent deleted) {
            this(added, updated, deleted, object -> true);
        }

        static WakingEvents of(ResourceKind kind) {
            return Objects.requireNonNullElse(BY_KIND.get(kind), NONE);
        }

        /** The event of a new or changed object. */
        @Nullable
        ClusterEvent upserted(ClusterObject object, boolean isNew) {
            if (!isNew) {
                return updated;
            }
            return wakesWhenAdded.test(object) ? added : null;
        }
    }

    /** Handles watch events of nodes. Mirrors the node handlers of {@code pkg/scheduler/eventhandlers.go}. */
    static final class NodeEvents {
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
            if (NodeChange.between(old, node).stream().anyMatch(change -> change.affectsAdmission)) {
                rejections.nodeChanged(node.name());
            }
            // No pod to move, but the pod in the current attempt must not miss a change that may concern it.
            ClusterEvent event = queue.size(Part.UNSCHEDULABLE) == 0 ? ClusterEvent.UNKNOWN : firstEvent(old, node);
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
            return NodeChange.between(old, node).stream()
                    .map(change -> ObjectEvent.updated(EventResource.NODE, change.action, old, node))
                    .toList();
        }

        /** The first change that may make pods of policies schedulable; null if there is none. */
        static @Nullable ClusterEvent firstEvent(Node old, Node node) {
            for (NodeChange change : NodeChange.between(old, node)) {
                if (change.event != null) {
                    return change.event;
                }
            }
            return null;
        }

        /**
         * The changes of a node that may make pods schedulable, in the order of kube-scheduler. The features of the kubelet, which
         * 1.17 does not have, count as conditions there.
         */
        private enum NodeChange {
            UNCORDONED(ClusterEvent.NODE_SPEC_UNSCHEDULABLE_CHANGE, EventAction.UPDATE_NODE_TAINT, false),
            ALLOCATABLE(ClusterEvent.NODE_ALLOCATABLE_CHANGE, EventAction.UPDATE_NODE_ALLOCATABLE, true),
            LABELS(ClusterEvent.NODE_LABEL_CHANGE, EventAction.UPDATE_NODE_LABEL, true),
            TAINTS(ClusterEvent.NODE_TAINT_CHANGE, EventAction.UPDATE_NODE_TAINT, true),
            CONDITIONS(ClusterEvent.NODE_CONDITION_CHANGE, EventAction.UPDATE_NODE_CONDITION, false),
            ANNOTATIONS(null, EventAction.UPDATE_NODE_ANNOTATION, false),
            DECLARED_FEATURES(ClusterEvent.NODE_CONDITION_CHANGE, EventAction.UPDATE_NODE_DECLARED_FEATURE, true);

            /** The event of 1.17; null for none. */
            private final @Nullable ClusterEvent event;
            /** The event of current releases. */
            private final EventAction action;
            /** Whether the kubelet may accept other pods afterwards. */
            private final boolean affectsAdmission;

            NodeChange(@Nullable ClusterEvent event, EventAction action, boolean affectsAdmission) {
                this.event = event;
                this.action = action;
                this.affectsAdmission = affectsAdmission;
            }

            static Set<NodeChange> between(Node old, Node node) {
                Set<NodeChange> changes = EnumSet.noneOf(NodeChange.class);
                for (NodeChange change : values()) {
                    if (change.isBetween(old, node)) {
                        changes.add(change);
                    }
                }
                return changes;
            }

            private boolean isBetween(Node old, Node node) {
                return switch (this) {
                    case UNCORDONED -> old.unschedulable() && !node.unschedulable();
                    case ALLOCATABLE -> !old.allocatable().equals(node.allocatable());
                    case LABELS -> !old.labels().equals(node.labels());
                    case TAINTS -> !old.taints().equals(node.taints());
                    case CONDITIONS -> !old.conditions().equals(node.conditions());
                    case ANNOTATIONS -> !old.annotations().equals(node.annotations());
                    case DECLARED_FEATURES -> !old.declaredFeatures().equals(node.declaredFeatures());
                };
            }
        }
    }
}
