package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An object of the cluster that the scheduler watches. */
public sealed interface ClusterObject
        permits PodInfo,
                Node,
                ClusterObject.ServiceInfo,
                ClusterObject.WorkloadInfo,
                ClaimInfo,
                PersistentVolumeInfo,
                ClusterObject.StorageClassInfo,
                ClusterObject.CsiNodeInfo,
                ClusterObject.CsiDriverInfo,
                ClusterObject.StorageCapacityInfo,
                ClusterObject.VolumeAttachmentInfo,
                ClusterObject.DisruptionBudgetInfo,
                ClusterObject.NamespaceInfo,
                ResourceClaimInfo,
                ResourceSliceInfo,
                DeviceClassInfo {
    /** The kind of the object. */
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

    /** A namespace and its labels. */
    public record NamespaceInfo(String name, Labels labels) implements ClusterObject {
        @Override
        public ResourceKind resourceKind() {
            return ResourceKind.NAMESPACES;
        }

        @Override
        public String namespace() {
            return "";
        }
    }

    /**
     * A service.
     *
     * @param selector null = selects no pod; empty = selects every pod of its namespace, as the lister of 1.17 does
     */
    public record ServiceInfo(
            String namespace, String name, @Nullable Labels selector) implements ClusterObject {
        @Override
        public ResourceKind resourceKind() {
            return ResourceKind.SERVICES;
        }

        @Override
        public ServiceInfo withNamespace(String other) {
            return new ServiceInfo(other, name, selector);
        }

        /** True when the service selects a pod of its namespace with these labels; nothing is validated. */
        public boolean selects(Labels labels) {
            return selector != null && labels.containsAll(selector);
        }
    }

    /**
     * A ReplicationController, ReplicaSet or StatefulSet.
     *
     * @param kind which of them
     * @param mapSelector selector of a ReplicationController; null for the others or when absent
     * @param selector selector of a ReplicaSet or StatefulSet; null for a ReplicationController or when absent
     */
    public record WorkloadInfo(
            Kind kind,
            String namespace,
            String name,
            @Nullable Labels mapSelector,
            @Nullable LabelSelector selector) implements ClusterObject {
        /** The kinds of controllers that spread their pods. */
        public enum Kind {
            REPLICATION_CONTROLLER(ResourceKind.REPLICATION_CONTROLLERS),
            REPLICA_SET(ResourceKind.REPLICA_SETS),
            STATEFUL_SET(ResourceKind.STATEFUL_SETS);

            private final ResourceKind resourceKind;

            Kind(ResourceKind resourceKind) {
                this.resourceKind = resourceKind;
            }

            /** The resource of these controllers. */
            public ResourceKind resourceKind() {
                return resourceKind;
            }
        }

        @Override
        public ResourceKind resourceKind() {
            return kind.resourceKind();
        }

        @Override
        public WorkloadInfo withNamespace(String other) {
            return new WorkloadInfo(kind, other, name, mapSelector, selector);
        }
    }

    /**
     * A PodDisruptionBudget.
     *
     * @param selector null = selects nothing
     * @param disruptionsAllowed {@code status.disruptionsAllowed}
     * @param disruptedPods names of pods that are being evicted ({@code status.disruptedPods}); v1.17 ignores them
     */
    public record DisruptionBudgetInfo(
            String namespace,
            String name,
            @Nullable LabelSelector selector,
            int disruptionsAllowed,
            Set<String> disruptedPods)
            implements ClusterObject {
        public DisruptionBudgetInfo {
            disruptedPods = ImmutableSet.copyOf(disruptedPods);
        }

        @Override
        public ResourceKind resourceKind() {
            return ResourceKind.DISRUPTION_BUDGETS;
        }

        @Override
        public DisruptionBudgetInfo withNamespace(String other) {
            return new DisruptionBudgetInfo(other, name, selector, disruptionsAllowed, disruptedPods);
        }

        /** True if the selector is not empty and selects pods with these labels. */
        public boolean covers(Labels labels) {
            return selector != null && !selector.isEmpty() && selector.matches(labels);
        }
    }

    /**
     * A CSIDriver.
     *
     * @param storageCapacity {@code spec.storageCapacity}: the driver publishes {@link StorageCapacityInfo} objects
     */
    public record CsiDriverInfo(String name, boolean storageCapacity) implements ClusterObject {
        @Override
        public ResourceKind resourceKind() {
            return ResourceKind.CSI_DRIVERS;
        }

        @Override
        public String namespace() {
            return "";
        }
    }

    /** A CSINode: the CSI drivers of the node of the same name. */
    public record CsiNodeInfo(String name, Labels annotations, List<Driver> drivers) implements ClusterObject {
        public CsiNodeInfo {
            drivers = List.copyOf(drivers);
        }

        /**
         * A driver on a node.
         *
         * @param allocatableCount maximum number of volumes; null when absent
         */
        public record Driver(String name, @Nullable Integer allocatableCount) {}

        @Override
        public ResourceKind resourceKind() {
            return ResourceKind.CSI_NODES;
        }

        @Override
        public String namespace() {
            return "";
        }
    }

    /**
     * A CSIStorageCapacity: the available storage of a class in a part of the cluster.
     *
     * @param nodeTopology nodes that can access the storage; null for none, empty for all
     * @param capacity available bytes; null when absent
     * @param maximumVolumeSize bytes of the largest volume that can be provisioned; null when absent
     */
    public record StorageCapacityInfo(
            String namespace,
            String name,
            String storageClassName,
            @Nullable LabelSelector nodeTopology,
            @Nullable Long capacity,
            @Nullable Long maximumVolumeSize)
            implements ClusterObject {
        @Override
        public ResourceKind resourceKind() {
            return ResourceKind.STORAGE_CAPACITIES;
        }

        @Override
        public StorageCapacityInfo withNamespace(String other) {
            return new StorageCapacityInfo(other, name, storageClassName, nodeTopology, capacity, maximumVolumeSize);
        }

        /** True if a volume of this size can be provisioned for a node with these labels. */
        public boolean suffices(long bytes, Labels nodeLabels) {
            Long limit = maximumVolumeSize != null ? maximumVolumeSize : capacity;
            return limit != null && limit >= bytes && nodeTopology != null && nodeTopology.matches(nodeLabels);
        }
    }

    /**
     * A StorageClass.
     *
     * @param bindingMode null when absent
     * @param allowedTopologies ORed terms of {@code In} requirements; empty = every node
     */
    public record StorageClassInfo(
            String name,
            String provisioner,
            @Nullable String bindingMode,
            List<List<LabelRequirement>> allowedTopologies)
            implements ClusterObject {
        public StorageClassInfo {
            allowedTopologies = allowedTopologies.stream().map(List::copyOf).toList();
        }

        @Override
        public ResourceKind resourceKind() {
            return ResourceKind.STORAGE_CLASSES;
        }

        @Override
        public String namespace() {
            return "";
        }

        /** True for {@code WaitForFirstConsumer}. */
        public boolean isDelayed() {
            return "WaitForFirstConsumer".equals(bindingMode);
        }
    }

    /**
     * A VolumeAttachment: a persistent volume that is, or is to be, attached to a node.
     *
     * @param volumeName empty for an inline volume
     */
    public record VolumeAttachmentInfo(String name, String attacher, String nodeName, String volumeName)
            implements ClusterObject {
        @Override
        public ResourceKind resourceKind() {
            return ResourceKind.VOLUME_ATTACHMENTS;
        }

        @Override
        public String namespace() {
            return "";
        }
    }
}
