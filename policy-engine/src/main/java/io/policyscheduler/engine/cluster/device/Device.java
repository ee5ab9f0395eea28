package io.policyscheduler.engine.cluster.device;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;

/**
 * A device of a slice.
 *
 * @param name unique in its pool
 * @param attributes by name, which carries a domain and {@code /} unless the driver's own is meant
 * @param capacity quantities as texts, by name as for attributes
 * @param shareable {@code allowMultipleAllocations}
 * @param binding whether it comes with conditions that must hold before a pod may be bound
 * @param consumesCounters whether it shares counters with other devices
 * @param bindsToNode whether an allocation is tied to the node that it is made for
 */
public record Device(
        String name,
        Map<String, AttributeValue> attributes,
        Map<String, String> capacity,
        boolean shareable,
        Binding binding,
        boolean consumesCounters,
        boolean bindsToNode) {
    /** What {@code bindingConditions} says. */
    public enum Binding {
        /** The field is missing. */
        UNSAID,
        /** The field is an empty list. */
        NO_CONDITIONS,
        /** There are conditions. */
        CONDITIONS
    }

    public Device {
        attributes = ImmutableSortedMap.copyOf(attributes);
        capacity = ImmutableSortedMap.copyOf(capacity);
    }
}
