package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.object.Device.CounterSet;
import io.policyscheduler.engine.cluster.object.Device.NodeSelection;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ResourceSlice: some of the devices of a pool. Mirrors {@code resource.k8s.io/v1}.
 *
 * @param driver that publishes it
 * @param pool name of the pool
 * @param generation of the pool; slices of an older generation are obsolete
 * @param poolSlices number of slices of the pool
 * @param nodeName the node of the devices; empty with another node selection
 * @param nodeTerms nodes that can use them; null when absent
 * @param allNodes whether every node can use them
 * @param perDevice {@code perDeviceNodeSelection}; null when absent
 * @param sharedCounters the counter sets of the pool; null when absent
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
        @Nullable Boolean perDevice,
        @Nullable List<CounterSet> sharedCounters,
        List<Device> devices)
        implements ClusterObject {
    public ResourceSliceInfo {
        nodeTerms = nodeTerms == null ? null : List.copyOf(nodeTerms);
        sharedCounters = sharedCounters == null ? null : List.copyOf(sharedCounters);
        devices = List.copyOf(devices);
    }

    /** Whether the slice has shared counters; such a slice has no devices. */
    public boolean hasCounters() {
        return sharedCounters != null && !sharedCounters.isEmpty();
    }

    /** The nodes that can use all devices of the slice. */
    public NodeSelection nodes() {
        return new NodeSelection(nodeName, nodeTerms, allNodes);
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
