package io.policyscheduler.framework.scheduler.cache;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ServiceInfo;
import io.policyscheduler.engine.cluster.object.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.WorkloadInfo;

/** What is listed and watched, one constant for each API resource. */
public enum ResourceKind {
    PODS,
    NODES,
    SERVICES,
    REPLICATION_CONTROLLERS,
    REPLICA_SETS,
    STATEFUL_SETS,
    CLAIMS,
    VOLUMES,
    STORAGE_CLASSES,
    CSI_NODES,
    DISRUPTION_BUDGETS,
    NAMESPACES,
    CSI_DRIVERS,
    STORAGE_CAPACITIES,
    VOLUME_ATTACHMENTS;

    /** The kind of an object. */
    public static ResourceKind of(ClusterObject object) {
        if (object instanceof WorkloadInfo workload) {
            return switch (workload.kind()) {
                case REPLICATION_CONTROLLER -> REPLICATION_CONTROLLERS;
                case REPLICA_SET -> REPLICA_SETS;
                case STATEFUL_SET -> STATEFUL_SETS;
            };
        }
        if (object instanceof Node) {
            return NODES;
        }
        if (object instanceof ServiceInfo) {
            return SERVICES;
        }
        if (object instanceof ClaimInfo) {
            return CLAIMS;
        }
        if (object instanceof PersistentVolumeInfo) {
            return VOLUMES;
        }
        if (object instanceof StorageClassInfo) {
            return STORAGE_CLASSES;
        }
        if (object instanceof CsiNodeInfo) {
            return CSI_NODES;
        }
        if (object instanceof DisruptionBudgetInfo) {
            return DISRUPTION_BUDGETS;
        }
        if (object instanceof CsiDriverInfo) {
            return CSI_DRIVERS;
        }
        if (object instanceof StorageCapacityInfo) {
            return STORAGE_CAPACITIES;
        }
        if (object instanceof VolumeAttachmentInfo) {
            return VOLUME_ATTACHMENTS;
        }
        if (object instanceof NamespaceInfo) {
            return NAMESPACES;
        }
        if (object instanceof PodInfo) {
            return PODS;
        }
        throw new IllegalArgumentException(
                "no resource kind for " + object.getClass().getName());
    }
}
