package io.policyscheduler.tests;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.AssumedVolumes;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** A cluster view whose every access fails. */
final class FailingView implements ClusterView {
    private static AssertionError looked(String at) {
        return new AssertionError("looked at " + at);
    }

    @Override
    public List<NodeInfo> nodes() {
        throw looked("all nodes");
    }

    @Override
    public Instant now() {
        throw looked("the clock");
    }

    @Override
    public int nodeCount() {
        return 1;
    }

    @Override
    public List<NodeInfo> nodesWithAffinity() {
        throw looked("nodes with affinity");
    }

    @Override
    public NodeInfo node(String name) {
        throw looked("node " + name);
    }

    @Override
    public <T extends ClusterObject> T object(ResourceKind kind, Class<T> type, String namespace, String name) {
        throw looked(kind + " " + name);
    }

    @Override
    public <T extends ClusterObject> Collection<T> objects(ResourceKind kind, Class<T> type, String namespace) {
        throw looked(kind + " of " + namespace);
    }

    @Override
    public Collection<ServiceInfo> services(String namespace) {
        throw looked("services of " + namespace);
    }

    @Override
    public Collection<WorkloadInfo> workloads(WorkloadInfo.Kind kind, String namespace) {
        throw looked(kind + " of " + namespace);
    }

    @Override
    public ClaimInfo claim(String namespace, String name) {
        throw looked("claim " + name);
    }

    @Override
    public PersistentVolumeInfo volume(String name) {
        throw looked("volume " + name);
    }

    @Override
    public Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName) {
        throw looked("volumes of class " + storageClassName);
    }

    @Override
    public StorageClassInfo storageClass(String name) {
        throw looked("storage class " + name);
    }

    @Override
    public CsiNodeInfo csiNode(String name) {
        throw looked("CSINode " + name);
    }

    @Override
    public Collection<DisruptionBudgetInfo> budgets(String namespace) {
        throw looked("budgets of " + namespace);
    }

    @Override
    public NamespaceInfo namespace(String name) {
        throw looked("namespace " + name);
    }

    @Override
    public int podsWithInvalidAntiAffinity() {
        throw looked("pods with invalid anti-affinity");
    }

    @Override
    public WorkloadInfo workload(WorkloadInfo.Kind kind, String namespace, String name) {
        throw looked(kind + " " + name);
    }

    @Override
    public Collection<NamespaceInfo> namespaces() {
        throw looked("all namespaces");
    }

    @Override
    public CsiDriverInfo csiDriver(String name) {
        throw looked("CSI driver " + name);
    }

    @Override
    public Collection<StorageCapacityInfo> storageCapacities(String storageClassName) {
        throw looked("capacities of class " + storageClassName);
    }

    @Override
    public Collection<VolumeAttachmentInfo> volumeAttachments(String nodeName) {
        throw looked("attachments of node " + nodeName);
    }

    @Override
    public AssumedVolumes assumedVolumes() {
        throw looked("assumed volumes");
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlices(String nodeName) {
        throw looked("devices of node " + nodeName);
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlicesOfPool(String driver, String pool) {
        throw looked("devices of pool " + pool);
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlicesWithCounters() {
        throw looked("shared counters");
    }

    @Override
    public AssumedClaims assumedClaims() {
        throw looked("resource claims");
    }

    @Override
    public ImageState image(String name) {
        throw looked("image " + name);
    }
}
