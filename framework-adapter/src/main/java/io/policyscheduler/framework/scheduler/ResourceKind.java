package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.ClaimInfo;
import io.policyscheduler.engine.cluster.ClusterObject;
import io.policyscheduler.engine.cluster.CsiDriverInfo;
import io.policyscheduler.engine.cluster.CsiNodeInfo;
import io.policyscheduler.engine.cluster.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.NamespaceInfo;
import io.policyscheduler.engine.cluster.Node;
import io.policyscheduler.engine.cluster.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.ServiceInfo;
import io.policyscheduler.engine.cluster.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.StorageClassInfo;
import io.policyscheduler.engine.cluster.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.WorkloadInfo;

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
        return object instanceof NamespaceInfo ? NAMESPACES : PODS;
    }
}
