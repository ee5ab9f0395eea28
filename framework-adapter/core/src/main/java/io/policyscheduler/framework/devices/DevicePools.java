package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.CounterSet;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.Device.NodeSelection;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocatorVariant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The device pools that a node can use. Kubernetes before 1.36 iterates over them in random order; here the order is that of
 * 1.36: by driver and name, with pools that have binding conditions last. Mirrors {@code GatherPools}.
 */
final class DevicePools {
    private DevicePools() {}

    private record Key(String driver, String pool) implements Comparable<Key> {
        static Key of(ResourceSliceInfo slice) {
            return new Key(slice.driver(), slice.pool());
        }

        @Override
        public int compareTo(Key other) {
            int byDriver = driver.compareTo(other.driver);
            return byDriver != 0 ? byDriver : pool.compareTo(other.pool);
        }
    }

    /** A slice that belongs to the node, with all its devices. */
    private record UsableSlice(ResourceSliceInfo slice, List<PooledDevice> devices) {}

    /** @throws AllocationException if the node selector of a slice is invalid */
    static List<Pool> of(NodeInfo node, ClusterObjects cluster, AllocatorVariant variant) throws AllocationException {
        Map<Key, List<UsableSlice>> byPool = new TreeMap<>();
        for (UsableSlice usable : usable(node, cluster, variant)) {
            ResourceSliceInfo slice = usable.slice();
            List<UsableSlice> collected = byPool.computeIfAbsent(Key.of(slice), key -> new ArrayList<>(1));
            long newest = collected.isEmpty()
                    ? Long.MIN_VALUE
                    : collected.get(0).slice().generation();
            if (!collected.isEmpty() && slice.generation() > newest) {
                collected.clear();
            }
            if (collected.isEmpty() || slice.generation() == newest) {
                collected.add(usable);
            }
        }
        List<Pool> pools = new ArrayList<>(byPool.size());
        for (Map.Entry<Key, List<UsableSlice>> entry : byPool.entrySet()) {
            Pool pool = pool(entry.getKey(), entry.getValue(), cluster, variant);
            if (pool != null) {
                pools.add(pool);
            }
        }
        pools.sort(Comparator.comparing(Pool::hasBindingConditions));
        return pools;
    }

    /**
     * Returns all devices that a node can use, whatever the generation of their pool.
     *
     * @throws AllocationException if the node selector of a slice is invalid
     */
    static List<PooledDevice> devices(NodeInfo node, ClusterObjects cluster) throws AllocationException {
        List<PooledDevice> devices = new ArrayList<>();
        for (UsableSlice usable : usable(node, cluster, AllocatorVariant.INCUBATING_1_36)) {
            usable.devices().stream().filter(PooledDevice::isOnNode).forEach(devices::add);
        }
        return devices;
    }

    private static List<UsableSlice> usable(NodeInfo node, ClusterObjects cluster, AllocatorVariant variant)
            throws AllocationException {
        List<UsableSlice> usable = new ArrayList<>();
        List<UsableSlice> bindingLater = new ArrayList<>();
        for (String owner : List.of(node.name(), "")) {
            for (ResourceSliceInfo slice : cluster.resourceSlices(owner)) {
                List<PooledDevice> devices = devices(slice, node, variant);
                if (devices != null) {
                    boolean later = variant == AllocatorVariant.EXPERIMENTAL_1_34 && hasBindingConditions(slice);
                    (later ? bindingLater : usable).add(new UsableSlice(slice, devices));
                }
            }
        }
        usable.addAll(bindingLater);
        if (variant.honorsDeviceFeatures()) {
            // Counter sets belong to their pool on all nodes.
            for (ResourceSliceInfo slice : cluster.resourceSlicesWithCounters()) {
                usable.add(new UsableSlice(slice, List.of()));
            }
            usable.sort(Comparator.comparing(entry -> entry.slice().name()));
        }
        return usable;
    }

    /** Returns the devices of the slice; null if the slice does not belong to the node. */
    private static @Nullable List<PooledDevice> devices(
            ResourceSliceInfo slice, NodeInfo node, AllocatorVariant variant) throws AllocationException {
        if (!variant.honorsDeviceFeatures()) {
            boolean isSkipped =
                    slice.perDevice() != null || (variant == AllocatorVariant.INCUBATING_1_35 && slice.hasCounters());
            return !isSkipped && isUsable(slice.nodes(), node, "slice " + slice.name()) ? all(slice) : null;
        }
        if (slice.hasCounters()) {
            return null;
        }
        if (slice.perDevice() == null || !slice.perDevice()) {
            return isUsable(slice.nodes(), node, "slice " + slice.name()) ? all(slice) : null;
        }
        List<PooledDevice> devices = new ArrayList<>(slice.devices().size());
        for (Device device : slice.devices()) {
            boolean onNode = isUsable(device.nodes(), node, "device " + device.name() + " in slice " + slice.name());
            devices.add(PooledDevice.of(slice, device, onNode));
        }
        return devices.stream().anyMatch(PooledDevice::isOnNode) ? devices : null;
    }

    private static List<PooledDevice> all(ResourceSliceInfo slice) {
        List<PooledDevice> devices = new ArrayList<>(slice.devices().size());
        slice.devices().forEach(device -> devices.add(PooledDevice.of(slice, device, true)));
        return devices;
    }

    private static boolean isUsable(NodeSelection selection, NodeInfo node, String place) throws AllocationException {
        if (!selection.nodeName().isEmpty()) {
            return selection.nodeName().equals(node.name());
        }
        List<NodeSelectorTerm> terms = selection.terms();
        if (selection.allNodes() || terms == null) {
            return selection.allNodes();
        }
        String problem = problem(terms);
        if (problem != null) {
            throw new AllocationException("gather pool information: failed to perform node selection for " + place
                    + ": node selector: " + problem);
        }
        return NodeSelectorTerm.anyMatches(terms, node.node().labels(), node.name());
    }

    /** Returns the pool; null if slices of other nodes show that it is obsolete. */
    private static @Nullable Pool pool(
            Key key, List<UsableSlice> collected, ClusterObjects cluster, AllocatorVariant variant) {
        ResourceSliceInfo first = collected.get(0).slice();
        List<ResourceSliceInfo> all = collected.stream().map(UsableSlice::slice).toList();
        boolean incomplete = collected.size() != first.poolSlices();
        if (variant.skipsUnusablePools() && incomplete) {
            Collection<ResourceSliceInfo> ofPool = cluster.resourceSlicesOfPool(key.driver(), key.pool());
            if (ofPool.stream().anyMatch(slice -> slice.generation() > first.generation())) {
                return null;
            }
            all = ofPool.stream()
                    .filter(slice -> slice.generation() == first.generation())
                    .toList();
            incomplete = all.size() != first.poolSlices();
        }
        List<PooledDevice> devices = new ArrayList<>();
        collected.forEach(usable -> devices.addAll(usable.devices()));
        if (variant.skipsUnusablePools() && incomplete) {
            // Kubernetes does not validate a pool from which it does not allocate.
            return new Pool(key.driver(), key.pool(), devices, true, "", Counters.NONE);
        }
        Counters counters = variant.honorsDeviceFeatures() ? Counters.of(all) : Counters.NONE;
        String problem = repeated(devices);
        return new Pool(
                key.driver(),
                key.pool(),
                devices,
                incomplete,
                problem.isEmpty() ? counters.problem() : problem,
                counters);
    }

    private static String repeated(List<PooledDevice> devices) {
        Set<String> names = new HashSet<>();
        for (PooledDevice slot : devices) {
            if (!names.add(slot.device().name())) {
                return "duplicate device name " + slot.device().name();
            }
        }
        return "";
    }

    private static boolean hasBindingConditions(ResourceSliceInfo slice) {
        return slice.devices().stream().anyMatch(device -> device.bindingConditions() != null);
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
     * The shared counters of a pool.
     *
     * @param sets by name, the counters that all slices of the pool offer
     * @param consumers the devices of the pool that consume counters, on all nodes
     * @param problem why the pool is invalid; empty if it is valid
     */
    record Counters(Map<String, Map<String, String>> sets, List<PooledDevice> consumers, String problem) {
        static final Counters NONE = new Counters(Map.of(), List.of(), "");

        static Counters of(List<ResourceSliceInfo> slices) {
            Map<String, Map<String, String>> sets = new LinkedHashMap<>();
            String problem = "";
            List<PooledDevice> consumers = new ArrayList<>();
            for (ResourceSliceInfo slice : slices) {
                List<CounterSet> offered = slice.sharedCounters() == null ? List.of() : slice.sharedCounters();
                for (CounterSet set : offered) {
                    boolean isNew = sets.putIfAbsent(set.name(), set.counters()) == null;
                    problem = problem.isEmpty() && !isNew ? "duplicate counter set name " + set.name() : problem;
                }
                slice.devices().stream()
                        .filter(device -> !device.consumesCounters().isEmpty())
                        .forEach(device -> consumers.add(PooledDevice.of(slice, device, false)));
            }
            for (PooledDevice consumer : consumers) {
                for (CounterSet consumed : consumer.device().consumesCounters()) {
                    problem = problem.isEmpty() ? missing(sets, consumed) : problem;
                }
            }
            return new Counters(sets, consumers, problem);
        }

        private static String missing(Map<String, Map<String, String>> sets, CounterSet consumed) {
            Map<String, String> offered = sets.get(consumed.name());
            if (offered == null) {
                return "counter set " + consumed.name() + " not found";
            }
            for (String counter : consumed.counters().keySet()) {
                if (!offered.containsKey(counter)) {
                    return "counter " + counter + " not found in counter set " + consumed.name();
                }
            }
            return "";
        }
    }

    /**
     * The slices of a pool that belong to a node, of the newest generation.
     *
     * @param devices in the order of the search, with those that only other nodes can use
     * @param incomplete whether the number of its slices differs from the declared one
     * @param problem why the pool is invalid; empty if it is valid
     * @param counters of the whole pool
     */
    record Pool(
            String driver,
            String name,
            List<PooledDevice> devices,
            boolean incomplete,
            String problem,
            Counters counters) {
        Pool {
            devices = List.copyOf(devices);
        }

        boolean isInvalid() {
            return !problem.isEmpty();
        }

        boolean hasBindingConditions() {
            return devices.stream().anyMatch(slot -> slot.device().bindingConditions() != null);
        }

        /** Returns the name in messages, {@code driver/pool}. */
        String id() {
            return driver + "/" + name;
        }
    }

    /**
     * A device with the slice that publishes it.
     *
     * @param isOnNode whether the node can use the device
     */
    record PooledDevice(ResourceSliceInfo slice, Device device, DeviceId id, boolean isOnNode) {
        static PooledDevice of(ResourceSliceInfo slice, Device device, boolean isOnNode) {
            return new PooledDevice(slice, device, new DeviceId(slice.driver(), slice.pool(), device.name()), isOnNode);
        }

        private NodeSelection nodes() {
            return Boolean.TRUE.equals(slice.perDevice()) ? device.nodes() : slice.nodes();
        }

        /** Returns whether an allocation of the device is bound to the node. */
        boolean isLocal() {
            return !nodes().nodeName().isEmpty() || device.bindsToNode();
        }

        /** Returns the node selector of the device, or null. */
        @Nullable
        List<NodeSelectorTerm> nodeTerms() {
            return nodes().terms();
        }
    }
}
