package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Devices;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocatorVariant;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import io.policyscheduler.framework.devices.DeviceSelectors.DeviceMatcher;
import io.policyscheduler.framework.devices.DeviceSelectors.SelectorBudget;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The extended resources that device classes provide, since 1.36: a pod requests them like those of device plugins, and the
 * scheduler creates a claim for them. Mirrors {@code extendeddynamicresources.go} and {@code
 * pkg/scheduler/util/extendedresources}.
 *
 * @param classes the name of the class by resource
 */
public record ExtendedResources(Map<String, String> classes) {
    /** No extended resource is provided by device classes. */
    public static final ExtendedResources NONE = new ExtendedResources(Map.of());

    /** Name of the claim of a pod before it is created. */
    static final String IN_MEMORY = "<extended-resources>";

    public ExtendedResources {
        classes = Map.copyOf(classes);
    }

    /** Returns the extended resources of the device classes in a cluster. */
    public static ExtendedResources of(ClusterObjects cluster) {
        Collection<DeviceClassInfo> all = cluster.objects(ResourceKind.DEVICE_CLASSES, DeviceClassInfo.class, "");
        if (all.isEmpty()) {
            return NONE;
        }
        Map<String, DeviceClassInfo> explicit = new HashMap<>();
        Map<String, String> classes = new HashMap<>();
        for (DeviceClassInfo deviceClass : all) {
            String name = deviceClass.extendedResourceName();
            if (!name.isEmpty()) {
                DeviceClassInfo other = explicit.get(name);
                if (other != null && !isPreferred(deviceClass, other)) {
                    // As in Kubernetes, such a class does not get its implicit name either.
                    continue;
                }
                explicit.put(name, deviceClass);
                classes.put(name, deviceClass.name());
            }
            classes.put(ResourceNames.DEVICE_CLASS_PREFIX + deviceClass.name(), deviceClass.name());
        }
        return new ExtendedResources(classes);
    }

    private static boolean isPreferred(DeviceClassInfo deviceClass, DeviceClassInfo other) {
        int byAge = Long.compare(deviceClass.createdMillis(), other.createdMillis());
        return byAge > 0 || (byAge == 0 && deviceClass.name().compareTo(other.name()) < 0);
    }

    /** Returns whether a device class provides the resource. */
    public boolean provides(String resource) {
        return classes.containsKey(resource);
    }

    /** Returns whether the devices of a node satisfy the resource, because no device plugin does. */
    public boolean isByDevices(String resource, NodeInfo node) {
        return provides(resource) && node.allocatable().scalar(resource) == 0;
    }

    /** Returns the names of the pod's extended resources with amounts above 0, in byte order. */
    public static Set<String> requestedBy(PodInfo pod) {
        ResourceVector requests = pod.resources().current().filter();
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < requests.scalarCount(); i++) {
            if (requests.scalarAmount(i) > 0 && isExtended(requests.scalarName(i))) {
                names.add(requests.scalarName(i));
            }
        }
        return names;
    }

    private static boolean isExtended(String name) {
        return ResourceNames.isExtended(name) || name.startsWith(ResourceNames.DEVICE_CLASS_PREFIX);
    }

    /** Returns whether the pod requests a resource that a device class provides. */
    public boolean isRequestedBy(PodInfo pod) {
        return !classes.isEmpty() && requestedBy(pod).stream().anyMatch(this::provides);
    }

    /** Returns the claim of a pod before it is created, without requests. */
    public static ResourceClaimInfo inMemory(PodInfo pod) {
        return claim(pod, IN_MEMORY, List.of());
    }

    private static ResourceClaimInfo claim(PodInfo pod, String name, List<DeviceRequest> requests) {
        return new ResourceClaimInfo(
                pod.namespace(),
                name,
                IN_MEMORY + pod.uid(),
                "",
                false,
                new OwnerReference("v1", "Pod", pod.name(), pod.uid()),
                List.of(),
                requests,
                List.of(),
                List.of(),
                null,
                List.of(),
                List.of(),
                true);
    }

    /** Returns whether the claim exists in memory only. */
    public static boolean isInMemory(ResourceClaimInfo claim) {
        return claim.name().equals(IN_MEMORY);
    }

    /** Returns a prefix for the name of the claim of a pod, to which the API server adds five characters. */
    public static String generateName(PodInfo pod) {
        return pod.name() + "-extended-resources-";
    }

    /**
     * The request of a claim that provides a resource of a container.
     *
     * @param container name of the container
     * @param resource name of the extended resource
     * @param request name of the request
     */
    public record RequestMapping(String container, String resource, String request) {}

    /**
     * A claim for the extended resources of a pod on a node.
     *
     * @param claim with its requests
     * @param mappings the requests by container and resource
     */
    public record SpecialClaim(ResourceClaimInfo claim, List<RequestMapping> mappings) {
        public SpecialClaim {
            mappings = List.copyOf(mappings);
        }
    }

    /**
     * Returns the claim of a pod for resources that devices satisfy on a node.
     *
     * @param resources their names in byte order
     */
    public SpecialClaim claim(PodInfo pod, Collection<String> resources) {
        List<Container> containers = new ArrayList<>();
        pod.spec().containers().stream().filter(Container::init).forEach(containers::add);
        pod.spec().containers().stream().filter(container -> !container.init()).forEach(containers::add);
        List<DeviceRequest> requests = new ArrayList<>();
        List<RequestMapping> mappings = new ArrayList<>();
        for (String resource : resources) {
            add(resource, containers, requests, mappings);
        }
        requests.sort(Comparator.comparing(DeviceRequest::name));
        return new SpecialClaim(claim(pod, IN_MEMORY, requests), mappings);
    }

    private void add(
            String resource, List<Container> containers, List<DeviceRequest> requests, List<RequestMapping> mappings) {
        Map<Integer, Long> longLived = new TreeMap<>();
        for (int i = 0; i < containers.size(); i++) {
            Container container = containers.get(i);
            long amount = container.requests().getOrDefault(resource, 0L);
            if (amount > 0 && container.runsOn()) {
                longLived.put(i, amount);
                String name = requestName(i, container, resource);
                requests.add(request(name, resource, amount));
                mappings.add(new RequestMapping(container.name(), resource, name));
            }
        }
        Map<Integer, Long> missing = new LinkedHashMap<>();
        Map<Integer, List<String>> reused = new HashMap<>();
        for (int i = 0; i < containers.size(); i++) {
            Container container = containers.get(i);
            long left = container.runsOn() ? 0 : container.requests().getOrDefault(resource, 0L);
            for (Map.Entry<Integer, Long> other : longLived.entrySet()) {
                if (left > 0 && other.getKey() >= i) {
                    reused.computeIfAbsent(i, index -> new ArrayList<>())
                            .add(requestName(other.getKey(), containers.get(other.getKey()), resource));
                    left -= other.getValue();
                }
            }
            if (left > 0) {
                missing.put(i, left);
            }
        }
        String shared = "";
        long most = 0;
        for (Map.Entry<Integer, Long> entry : missing.entrySet()) {
            if (entry.getValue() > most) {
                most = entry.getValue();
                shared = requestName(entry.getKey(), containers.get(entry.getKey()), resource);
            }
        }
        if (most > 0) {
            requests.add(request(shared, resource, most));
        }
        for (int i = 0; i < containers.size(); i++) {
            String name = containers.get(i).name();
            reused.getOrDefault(i, List.of())
                    .forEach(request -> mappings.add(new RequestMapping(name, resource, request)));
            if (missing.containsKey(i)) {
                mappings.add(new RequestMapping(name, resource, shared));
            }
        }
    }

    private DeviceRequest request(String name, String resource, long count) {
        String deviceClass = classes.getOrDefault(resource, "");
        return new DeviceRequest(
                name,
                new DeviceRequest.RequestedDevices(
                        name,
                        deviceClass,
                        List.of(),
                        DeviceRequest.RequestedDevices.EXACT_COUNT,
                        count,
                        false,
                        null,
                        List.of()),
                List.of());
    }

    private static String requestName(int index, Container container, String resource) {
        int position = 0;
        for (String name : container.requests().keySet()) {
            if (name.equals(resource)) {
                break;
            }
            position++;
        }
        return "container-" + index + "-request-" + position;
    }

    /** Counts devices of classes on nodes. Owned by one thread. */
    public static final class DeviceCounter {
        private final DeviceMatcher matcher = new DeviceMatcher(
                new DeviceSelectors(AllocatorVariant.INCUBATING_1_36),
                AllocatorVariant.INCUBATING_1_36,
                SelectorBudget.unlimited());

        /** Returns the devices of the class that provides a resource; null if no class does. */
        public Devices.@Nullable Count count(
                ExtendedResources resources,
                String resource,
                NodeInfo node,
                ClusterObjects cluster,
                AssumedClaims claims) {
            String name = resources.classes().get(resource);
            DeviceClassInfo deviceClass = name == null ? null : cluster.deviceClass(name);
            if (deviceClass == null) {
                return null;
            }
            long all = 0;
            long allocated = 0;
            try {
                for (PooledDevice slot : DevicePools.devices(node, cluster)) {
                    if (matcher.isOfClass(deviceClass, slot)) {
                        all++;
                        allocated += claims.isAllocated(slot.id()) ? 1 : 0;
                    }
                }
            } catch (AllocationException e) {
                return null;
            }
            return new Devices.Count(all, allocated);
        }
    }
}
