package io.policyscheduler.engine.cluster.object;

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
            /** The attribute is there, but none of the known types of values is. */
            NONE
        }

        /** An attribute without a value that is known. */
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
     * What names a device in the whole cluster.
     *
     * @param driver name of the driver
     * @param pool name of the pool, which is one of the driver's
     * @param device name in the pool
     */
    public record DeviceId(String driver, String pool, String device) {
        /** As messages have it. */
        @Override
        public String toString() {
            return driver + "/" + pool + "/" + device;
        }
    }
}
