package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.AssumedVolumes;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cluster without an index, in which algorithms walk over all nodes. */
public record Unindexed(ClusterState cluster) implements ClusterView {
    @Override
    public List<NodeInfo> nodes() {
        return cluster.nodes();
    }

    @Override
    public List<NodeInfo> nodesWithAffinity() {
        return cluster.nodesWithAffinity();
    }

    @Override
    public @Nullable NodeInfo node(String name) {
        return cluster.node(name);
    }

    @Override
    public @Nullable ImageState image(String name) {
        return cluster.image(name);
    }

    @Override
    public @Nullable ClaimInfo claim(String namespace, String name) {
        return cluster.claim(namespace, name);
    }

    @Override
    public @Nullable PersistentVolumeInfo volume(String name) {
        return cluster.volume(name);
    }

    @Override
    public Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName) {
        return cluster.volumesOfClass(storageClassName);
    }

    @Override
    public Instant now() {
        return cluster.now();
    }

    @Override
    public AssumedVolumes assumedVolumes() {
        return cluster.assumedVolumes();
    }

    @Override
    public AssumedClaims assumedClaims() {
        return cluster.assumedClaims();
    }

    @Override
    public int podsWithInvalidAntiAffinity() {
        return cluster.podsWithInvalidAntiAffinity();
    }

    @Override
    public <T extends ClusterObject> @Nullable T object(
            ResourceKind kind, Class<T> type, String namespace, String name) {
        return cluster.object(kind, type, namespace, name);
    }

    @Override
    public <T extends ClusterObject> Collection<T> objects(ResourceKind kind, Class<T> type, String namespace) {
        return cluster.objects(kind, type, namespace);
    }

    @Override
    public Collection<StorageCapacityInfo> storageCapacities(String storageClassName) {
        return cluster.storageCapacities(storageClassName);
    }

    @Override
    public Collection<VolumeAttachmentInfo> volumeAttachments(String nodeName) {
        return cluster.volumeAttachments(nodeName);
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlicesOfPool(String driver, String pool) {
        return cluster.resourceSlicesOfPool(driver, pool);
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlicesWithCounters() {
        return cluster.resourceSlicesWithCounters();
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlices(String nodeName) {
        return cluster.resourceSlices(nodeName);
    }
}
