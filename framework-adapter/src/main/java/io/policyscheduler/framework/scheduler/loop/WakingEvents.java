package io.policyscheduler.framework.scheduler.loop;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.plugin.ClusterEvent;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which changes of a kind's objects wake pods, and as which event; null for none. A kind without a row wakes nobody.
 *
 * @param wakesWhenAdded which new objects do
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
                                    ClusterEvent.SERVICE_ADD, ClusterEvent.SERVICE_UPDATE, ClusterEvent.SERVICE_DELETE))
                    .put(
                            ResourceKind.DISRUPTION_BUDGETS,
                            new WakingEvents(
                                    ClusterEvent.BUDGET_CHANGE, ClusterEvent.BUDGET_CHANGE, ClusterEvent.BUDGET_CHANGE))
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

    private WakingEvents(@Nullable ClusterEvent added, @Nullable ClusterEvent updated, @Nullable ClusterEvent deleted) {
        this(added, updated, deleted, object -> true);
    }

    static WakingEvents of(ResourceKind kind) {
        return Objects.requireNonNullElse(BY_KIND.get(kind), NONE);
    }

    /** What a new or changed object gives rise to. */
    @Nullable
    ClusterEvent upserted(ClusterObject object, boolean isNew) {
        if (!isNew) {
            return updated;
        }
        return wakesWhenAdded.test(object) ? added : null;
    }
}
