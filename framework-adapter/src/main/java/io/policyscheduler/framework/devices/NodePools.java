package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The pools of a node. Kubernetes looks at them in no order; here it is that of drivers and names, with those last that have a slice
 * with binding conditions. Mirrors {@code GatherPools}.
 */
final class NodePools {
    private NodePools() {}

    private record Key(String driver, String pool) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byDriver = driver.compareTo(other.driver);
            return byDriver != 0 ? byDriver : pool.compareTo(other.pool);
        }
    }

    /** @throws AllocationException when it cannot be told which nodes a slice is for */
    static List<Pool> of(NodeInfo node, ClusterObjects cluster) throws AllocationException {
        List<ResourceSliceInfo> usable = new ArrayList<>();
        List<ResourceSliceInfo> bindingLater = new ArrayList<>();
        for (String owner : List.of(node.name(), "")) {
            for (ResourceSliceInfo slice : cluster.resourceSlices(owner)) {
                if (isUsable(slice, node)) {
                    (hasBindingConditions(slice) ? bindingLater : usable).add(slice);
                }
            }
        }
        if (usable.isEmpty() && bindingLater.isEmpty()) {
            return List.of();
        }
        usable.addAll(bindingLater);
        Map<Key, List<ResourceSliceInfo>> byPool = new TreeMap<>();
        for (ResourceSliceInfo slice : usable) {
            List<ResourceSliceInfo> collected =
                    byPool.computeIfAbsent(new Key(slice.driver(), slice.pool()), key -> new ArrayList<>(1));
            if (!collected.isEmpty() && slice.generation() > collected.get(0).generation()) {
                collected.clear();
            }
            if (collected.isEmpty() || slice.generation() == collected.get(0).generation()) {
                collected.add(slice);
            }
        }
        List<Pool> pools = new ArrayList<>(byPool.size());
        byPool.values().stream().map(Pool::of).forEach(pools::add);
        pools.sort((a, b) -> Boolean.compare(hasBindingConditions(a), hasBindingConditions(b)));
        return pools;
    }

    private static boolean hasBindingConditions(Pool pool) {
        return pool.slices().stream().anyMatch(NodePools::hasBindingConditions);
    }

    private static boolean hasBindingConditions(ResourceSliceInfo slice) {
        return slice.devices().stream().anyMatch(device -> device.binding() != Device.Binding.UNSAID);
    }

    private static boolean isUsable(ResourceSliceInfo slice, NodeInfo node) throws AllocationException {
        if (slice.perDevice()) {
            return false;
        }
        if (!slice.nodeName().isEmpty() || slice.allNodes()) {
            return true;
        }
        List<NodeSelectorTerm> terms = slice.nodeTerms();
        if (terms == null) {
            return false;
        }
        String problem = problem(terms);
        if (problem != null) {
            throw new AllocationException("gather pool information: failed to perform node selection for slice "
                    + slice.name() + ": node selector: " + problem);
        }
        return NodeSelectorTerm.anyMatches(terms, node.node().labels(), node.name());
    }

    /** Why the terms cannot be understood, or null. */
    static @Nullable String problem(List<NodeSelectorTerm> terms) {
        for (NodeSelectorTerm term : terms) {
            String error = term.expressionError();
            if (error != null) {
                return error;
            }
        }
        return null;
    }
}
