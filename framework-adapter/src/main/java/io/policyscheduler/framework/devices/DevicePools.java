package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The device pools that a node can use. Kubernetes iterates over them in random order; here the order is by driver and name,
 * with pools that have binding conditions last. Mirrors {@code GatherPools}.
 */
final class DevicePools {
    private DevicePools() {}

    private record Key(String driver, String pool) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byDriver = driver.compareTo(other.driver);
            return byDriver != 0 ? byDriver : pool.compareTo(other.pool);
        }
    }

    /** @throws AllocationException if the node selector of a slice is invalid */
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
        return pool.slices().stream().anyMatch(DevicePools::hasBindingConditions);
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

    /** Returns the first error of the terms, or null. */
    static @Nullable String problem(List<NodeSelectorTerm> terms) {
        for (NodeSelectorTerm term : terms) {
            String error = term.expressionError();
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    /**
     * The slices of a pool that a node can use, all of the newest generation.
     *
     * @param slices at least one
     * @param incomplete whether their number differs from the declared one
     * @param repeated the first duplicate device name; empty if there is none
     */
    record Pool(String driver, String name, List<ResourceSliceInfo> slices, boolean incomplete, String repeated) {
        static Pool of(List<ResourceSliceInfo> slices) {
            ResourceSliceInfo first = slices.get(0);
            Set<String> names = new HashSet<>();
            String repeated = slices.stream()
                    .flatMap(slice -> slice.devices().stream())
                    .map(Device::name)
                    .filter(name -> !names.add(name))
                    .findFirst()
                    .orElse("");
            return new Pool(
                    first.driver(), first.pool(), List.copyOf(slices), slices.size() != first.poolSlices(), repeated);
        }

        boolean isInvalid() {
            return !repeated.isEmpty();
        }

        /** Returns the name in messages, {@code driver/pool}. */
        String id() {
            return driver + "/" + name;
        }
    }

    /** A device with the slice that publishes it. */
    record PooledDevice(ResourceSliceInfo slice, Device device, DeviceId id) {
        static PooledDevice of(ResourceSliceInfo slice, Device device) {
            return new PooledDevice(slice, device, new DeviceId(slice.driver(), slice.pool(), device.name()));
        }

        /** Returns whether an allocation of the device is bound to the node. */
        boolean isLocal() {
            return !slice.nodeName().isEmpty() || device.bindsToNode();
        }
    }
}
