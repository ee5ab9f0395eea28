package io.policyscheduler.framework.scheduler.loop;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Handles watch events of all kinds but pods and nodes. Mirrors {@code pkg/scheduler/eventhandlers.go}. */
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
                        .put(
                                ResourceKind.NAMESPACES,
                                new WakingEvents(
                                        ClusterEvent.NAMESPACE_CHANGE,
                                        ClusterEvent.NAMESPACE_CHANGE,
                                        ClusterEvent.NAMESPACE_CHANGE))
                        .put(
                                ResourceKind.SERVICES,
                                new WakingEvents(
                                        ClusterEvent.SERVICE_ADD,
                                        ClusterEvent.SERVICE_UPDATE,
                                        ClusterEvent.SERVICE_DELETE))
                        .put(
                                ResourceKind.DISRUPTION_BUDGETS,
                                new WakingEvents(
                                        ClusterEvent.BUDGET_CHANGE,
                                        ClusterEvent.BUDGET_CHANGE,
                                        ClusterEvent.BUDGET_CHANGE))
                        .put(
                                ResourceKind.RESOURCE_CLAIMS,
                                new WakingEvents(
                                        ClusterEvent.DEVICES_CHANGE,
                                        ClusterEvent.DEVICES_CHANGE,
                                        ClusterEvent.DEVICES_CHANGE))
                        .put(
                                ResourceKind.RESOURCE_SLICES,
                                new WakingEvents(ClusterEvent.DEVICES_CHANGE, ClusterEvent.DEVICES_CHANGE, null))
                        .put(
                                ResourceKind.DEVICE_CLASSES,
                                new WakingEvents(ClusterEvent.DEVICES_CHANGE, ClusterEvent.DEVICES_CHANGE, null))
                        .put(
                                ResourceKind.CSI_NODES,
                                new WakingEvents(ClusterEvent.CSI_NODE_ADD, ClusterEvent.CSI_NODE_UPDATE, null))
                        .put(
                                ResourceKind.STORAGE_CLASSES,
                                new WakingEvents(
                                        ClusterEvent.STORAGE_CLASS_ADD,
                                        null,
                                        null,
                                        object -> object instanceof StorageClassInfo storageClass
                                                && storageClass.isDelayed()))
                        .buildOrThrow());

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
}
