package io.policyscheduler.framework.modern;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.devices.ExtendedResources;
import io.policyscheduler.framework.devices.ExtendedResources.DeviceCount;
import io.policyscheduler.framework.devices.ExtendedResources.DeviceCounter;
import io.policyscheduler.framework.plugin.PluginHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names and weights of resources in plugin arguments, and their amounts on nodes and in pods. */
final class Resources {
    /** A resource to score by. */
    record Weighted(String name, long weight) {
        /** True for all but those that every node counts. */
        boolean isScalar() {
            return switch (name) {
                case ResourceNames.CPU, ResourceNames.MEMORY, ResourceNames.EPHEMERAL_STORAGE -> false;
                default -> true;
            };
        }
    }

    private Resources() {}

    /** A {@code resources} list; cpu and memory with weight 1 when there is none. */
    static List<Weighted> of(JsonNode list) {
        List<Weighted> resources = new ArrayList<>();
        for (JsonNode item : list) {
            long weight = item.path("weight").asLong(0);
            resources.add(new Weighted(item.path("name").asText(), weight == 0 ? 1 : weight));
        }
        return resources.isEmpty()
                ? List.of(new Weighted(ResourceNames.CPU, 1), new Weighted(ResourceNames.MEMORY, 1))
                : List.copyOf(resources);
    }

    /** True for just cpu and memory, in this order. */
    static boolean areCpuAndMemory(List<Weighted> resources) {
        return resources.size() == 2
                && resources.get(0).name().equals(ResourceNames.CPU)
                && resources.get(1).name().equals(ResourceNames.MEMORY);
    }

    /** The amount of a resource; 0 when there is none. */
    static long amount(ResourceVector vector, String name) {
        return switch (name) {
            case ResourceNames.CPU -> vector.milliCpu();
            case ResourceNames.MEMORY -> vector.memory();
            case ResourceNames.EPHEMERAL_STORAGE -> vector.ephemeralStorage();
            default -> vector.scalar(name);
        };
    }

    /** What the pods of a node ask for, without defaults. */
    static long requested(RequestTotals totals, String name) {
        return switch (name) {
            case ResourceNames.CPU -> totals.milliCpu();
            case ResourceNames.MEMORY -> totals.memory();
            case ResourceNames.EPHEMERAL_STORAGE -> totals.ephemeralStorage();
            default -> totals.scalar(name);
        };
    }

    /** The extended resources of a cluster that device classes provide, since 1.36. */
    static final class ExtendedAmounts {
        /** No extended resource is a matter of devices. */
        static final ExtendedAmounts NONE = new ExtendedAmounts((ClusterView) null);

        /** Null before 1.36. */
        private final @Nullable ClusterView cluster;

        private final DeviceCounter counter = new DeviceCounter();

        ExtendedAmounts(PluginHandle handle) {
            this(SchedulerChange.DEVICES_OF_TODAY.in(handle.release()) ? handle.cluster() : null);
        }

        private ExtendedAmounts(@Nullable ClusterView cluster) {
            this.cluster = cluster;
        }

        boolean isEnabled() {
            return cluster != null;
        }

        /** The resources by name. */
        ExtendedResources all() {
            return cluster != null ? ExtendedResources.of(cluster) : ExtendedResources.NONE;
        }

        /** The devices of a node that satisfy a resource; null if no device class provides it. */
        @Nullable
        DeviceCount count(String resource, NodeInfo node) {
            ExtendedResources resources = all();
            return cluster != null && resources.provides(resource)
                    ? counter.count(resources, resource, node, cluster, cluster.assumedClaims())
                    : null;
        }
    }
}
