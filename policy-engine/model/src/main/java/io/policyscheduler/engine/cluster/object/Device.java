package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A device of a slice. Mirrors {@code Device} of {@code resource.k8s.io/v1}.
 *
 * @param name unique in its pool
 * @param attributes by name; without a domain and {@code /}, the domain is the driver
 * @param capacity quantities as texts, by name as for attributes
 * @param policies by the name of a capacity, the amounts that a claim can consume; a capacity without a policy is missing
 * @param shareable {@code allowMultipleAllocations}
 * @param bindingConditions conditions that must be true before a pod is bound; null when the field is missing
 * @param bindingFailureConditions conditions that end the wait for the others
 * @param consumesCounters the counters that the device shares with other devices of its pool
 * @param taints {@code taints}; only tolerated devices are allocated
 * @param nodes the nodes that can use the device, for slices with {@code perDeviceNodeSelection}
 * @param bindsToNode whether an allocation is tied to the node that it is made for
 */
public record Device(
        String name,
        Map<String, AttributeValue> attributes,
        Map<String, String> capacity,
        Map<String, RequestPolicy> policies,
        boolean shareable,
        @Nullable List<String> bindingConditions,
        List<String> bindingFailureConditions,
        List<CounterSet> consumesCounters,
        List<Taint> taints,
        NodeSelection nodes,
        boolean bindsToNode) {
    public Device {
        attributes = ImmutableSortedMap.copyOf(attributes);
        capacity = ImmutableSortedMap.copyOf(capacity);
        policies = ImmutableSortedMap.copyOf(policies);
        bindingConditions = bindingConditions == null ? null : List.copyOf(bindingConditions);
        bindingFailureConditions = List.copyOf(bindingFailureConditions);
        consumesCounters = List.copyOf(consumesCounters);
        taints = List.copyOf(taints);
    }

    /** Whether a pod with the device waits for conditions before it is bound. */
    public boolean hasBindingConditions() {
        return bindingConditions != null && !bindingConditions.isEmpty();
    }

    /**
     * Counters by name: those that a slice offers, or the amounts that a device consumes of them.
     *
     * @param name of the counter set
     * @param counters quantities as texts
     */
    public record CounterSet(String name, Map<String, String> counters) {
        public CounterSet {
            counters = ImmutableSortedMap.copyOf(counters);
        }
    }

    /**
     * The nodes that can use a slice or a device.
     *
     * @param nodeName empty when absent
     * @param terms {@code nodeSelector}; null when absent
     */
    public record NodeSelection(String nodeName, @Nullable List<NodeSelectorTerm> terms, boolean allNodes) {
        /** No node. */
        public static final NodeSelection NONE = new NodeSelection("", null, false);

        public NodeSelection {
            terms = terms == null ? null : List.copyOf(terms);
        }
    }

    /**
     * The amounts of a capacity that a claim can consume: {@code requestPolicy}. All quantities are texts.
     *
     * @param defaultAmount consumed by claims that request no amount; empty for the whole capacity
     * @param validValues in ascending order; empty when not limited to values
     * @param min of {@code validRange}; null without a range
     * @param max of the range; null for the whole capacity
     * @param step of the range, added to the minimum; null for any amount
     */
    public record RequestPolicy(
            String defaultAmount,
            List<String> validValues,
            @Nullable String min,
            @Nullable String max,
            @Nullable String step) {
        public RequestPolicy {
            validValues = List.copyOf(validValues);
        }
    }

    /**
     * The value of a device's attribute. Equal when type and value are, which is what constraints compare; versions as texts.
     *
     * @param kind its type
     * @param text of strings and versions; empty for others
     * @param number of integers; 1 or 0 for true and false; 0 for others
     */
    public record AttributeValue(Kind kind, String text, long number) {
        /** Types of attributes. */
        public enum Kind {
            INT,
            BOOL,
            STRING,
            VERSION,
            /** The attribute exists, but its type is unknown. */
            NONE
        }

        /** An attribute without a known value. */
        public static final AttributeValue NONE = new AttributeValue(Kind.NONE, "", 0);

        /** An integer. */
        public static AttributeValue of(long number) {
            return new AttributeValue(Kind.INT, "", number);
        }

        /** True or false. */
        public static AttributeValue of(boolean value) {
            return new AttributeValue(Kind.BOOL, "", value ? 1 : 0);
        }

        /** A string. */
        public static AttributeValue of(String text) {
            return new AttributeValue(Kind.STRING, text, 0);
        }

        /** A semantic version, as it is written. */
        public static AttributeValue version(String text) {
            return new AttributeValue(Kind.VERSION, text, 0);
        }
    }

    /**
     * The cluster-wide identity of a device.
     *
     * @param driver name of the driver
     * @param pool name of the driver's pool
     * @param device name in the pool
     */
    public record DeviceId(String driver, String pool, String device) {
        /** As in messages. */
        @Override
        public String toString() {
            return driver + "/" + pool + "/" + device;
        }
    }
}
