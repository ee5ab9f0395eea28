package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A CSINode: the CSI drivers of the node of the same name. */
public record CsiNodeInfo(String name, Labels annotations, List<Driver> drivers) implements ClusterObject {
    public CsiNodeInfo {
        drivers = List.copyOf(drivers);
    }

    /**
     * A driver on a node.
     *
     * @param allocatableCount how many volumes it can attach; null when it does not say
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
