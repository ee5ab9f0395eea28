package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import io.policyscheduler.framework.scheduler.cache.InformerStore;
import io.policyscheduler.framework.scheduler.queue.SchedulingQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the watch shows of everything but pods and nodes. Mirrors {@code pkg/scheduler/eventhandlers.go}. */
final class ObjectEvents {
    private final InformerStore store;
    private final ClusterState state;
    private final SchedulingQueue queue;

    ObjectEvents(SchedulerState all) {
        this.store = all.store();
        this.state = all.cluster();
        this.queue = all.queue();
    }

    /** Devices that a claim would have had are free again, as after a change of that claim. */
    void allocationGivenUp(ResourceClaimInfo allocated) {
        ResourceClaimInfo without = allocated.with(allocated.finalizers(), null, List.of());
        move(WakingEvents.of(ResourceKind.RESOURCE_CLAIMS).upserted(without, false), without);
        tell(ResourceKind.RESOURCE_CLAIMS, EventAction.UPDATE, allocated, without);
    }

    void upserted(ClusterObject object) {
        ResourceKind kind = object.resourceKind();
        state.putObject(object);
        ClusterObject old = store.objects(kind).put(object.key(), object);
        move(WakingEvents.of(kind).upserted(object, old == null), object);
        tell(kind, EventAction.UPDATE, old, object);
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
                // Classes are immutable: another one has taken the name.
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
            tell(kind, EventAction.DELETE, known, null);
        }
    }

    /** For pods that wait for events: kinds that raise none are not told of. */
    private void tell(ResourceKind kind, EventAction change, @Nullable ClusterObject old, @Nullable ClusterObject now) {
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
}
