package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ResourceSlice: some of the devices of a pool. Mirrors {@code resource.k8s.io/v1}.
 *
 * @param driver who has published it
 * @param pool name of the pool
 * @param generation of the pool; slices of an older one are out of date
 * @param poolSlices how many slices the pool has
 * @param nodeName the node whose devices they are; empty when something else says where they can be used
 * @param nodeTerms nodes that can use them; null when absent
 * @param allNodes whether every node can use them
 * @param perDevice {@code perDeviceNodeSelection} is there, whatever it says
 * @param devices in the order of the slice
 */
public record ResourceSliceInfo(
        String name,
        String driver,
        String pool,
        long generation,
        long poolSlices,
        String nodeName,
        @Nullable List<NodeSelectorTerm> nodeTerms,
        boolean allNodes,
        boolean perDevice,
        List<Device> devices)
        implements ClusterObject {
    public ResourceSliceInfo {
        nodeTerms = nodeTerms == null ? null : List.copyOf(nodeTerms);
        devices = List.copyOf(devices);
    }

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.RESOURCE_SLICES;
    }

    @Override
    public String namespace() {
        return "";
    }
}
