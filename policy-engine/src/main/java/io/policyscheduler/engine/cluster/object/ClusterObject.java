package io.policyscheduler.engine.cluster.object;

/** An object of the cluster that the scheduler knows. */
public sealed interface ClusterObject
        permits PodInfo,
                Node,
                ServiceInfo,
                WorkloadInfo,
                ClaimInfo,
                PersistentVolumeInfo,
                StorageClassInfo,
                CsiNodeInfo,
                CsiDriverInfo,
                StorageCapacityInfo,
                VolumeAttachmentInfo,
                DisruptionBudgetInfo,
                NamespaceInfo,
                ResourceClaimInfo,
                ResourceSliceInfo,
                DeviceClassInfo {
    /** What it is. */
    ResourceKind resourceKind();

    /** Empty for cluster-scoped kinds. */
    String namespace();

    /** {@code metadata.name}. */
    String name();

    /** {@code namespace/name}, or the name alone for cluster-scoped kinds. */
    default String key() {
        return namespace().isEmpty() ? name() : namespace() + "/" + name();
    }

    /** A copy in another namespace; the same object for cluster-scoped kinds. */
    default ClusterObject withNamespace(String other) {
        return this;
    }
}
