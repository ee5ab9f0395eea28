package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import java.util.List;

/**
 * What is asked of each node, before and after. All lists and arrays have the order of {@code nodes}. CPU in milli-CPU,
 * memory in bytes.
 *
 * @param nodes names, as the cluster lists them
 * @param zones region and zone of each node, empty where it has none
 * @param allocatable what the nodes have
 * @param before what the pods ask for at the beginning
 * @param after what they ask for in the end, for each way of deciding
 */
public record NodeLoads(List<String> nodes, List<String> zones, Load allocatable, Load before, List<Load> after) {
    public NodeLoads {
        nodes = ImmutableList.copyOf(nodes);
        zones = ImmutableList.copyOf(zones);
        after = ImmutableList.copyOf(after);
    }

    /** Amounts for each node; {@code pods} is the number of pods. */
    public record Load(ImmutableLongArray cpu, ImmutableLongArray memory, ImmutableLongArray pods) {}
}
