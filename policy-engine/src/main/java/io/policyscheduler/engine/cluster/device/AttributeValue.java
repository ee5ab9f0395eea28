package io.policyscheduler.engine.cluster.device;

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
