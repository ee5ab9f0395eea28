package io.policyscheduler.engine.rules.data;

import org.jspecify.annotations.Nullable;

/** Types of the rule language. Only a {@link #MAYBE} can be null; see {@link #isMaybe}. */
public enum RuleType {
    BOOL("bool", null),
    /** 64-bit floating point, always finite; integers are exact up to 2^53. */
    NUMBER("number", null),
    STRING("string", null),
    POD("pod", null),
    NODE("node", null),
    CLUSTER("cluster", null),
    /** The time of the attempt. */
    NOW("moment", null),
    CONTAINER("container", null),
    TAINT("taint", null),
    TOLERATION("toleration", null),
    PORT("port", null),
    VOLUME("volume", null),
    CLAIM("claim", null),
    BUDGET("budget", null),
    IMAGE("image", null),
    CONDITION("condition", null),
    PODS("list of pods", POD),
    CONTAINERS("list of containers", CONTAINER),
    TAINTS("list of taints", TAINT),
    TOLERATIONS("list of tolerations", TOLERATION),
    PORTS("list of ports", PORT),
    VOLUMES("list of volumes", VOLUME),
    CLAIMS("list of claims", CLAIM),
    BUDGETS("list of budgets", BUDGET),
    IMAGES("list of images", IMAGE),
    CONDITIONS("list of conditions", CONDITION),
    NUMBERS("list of numbers", NUMBER),
    STRINGS("list of strings", STRING),
    /** An optional string: an entry of {@link #LABELS}, or an optional field. Null if missing. */
    MAYBE("string that may be missing", null),
    /** An optional number of a table. At run time NaN means missing. */
    MAYBE_NUMBER("number that may be missing", null),
    /** An optional bool of a table. At run time a number: 1, 0, or NaN for missing. */
    MAYBE_BOOL("bool that may be missing", null),
    /** All tables; not a value by itself. */
    TABLES("set of tables", null),
    /** Values or records by key. */
    TABLE("table", null),
    /** The fields of a table row. */
    RECORD("record", null),
    /** Labels, annotations: strings by key. */
    LABELS("map of strings", null),
    /** Resources: numbers by name, 0 if missing. */
    AMOUNTS("map of amounts", null);

    private final String label;
    private final @Nullable RuleType element;

    RuleType(String label, @Nullable RuleType element) {
        this.label = label;
        this.element = element;
    }

    /** The name in messages and documentation. */
    public String label() {
        return label;
    }

    /** The type of the elements of a list, null for other types. */
    public @Nullable RuleType element() {
        return element;
    }

    /** True for lists of cluster objects, which have list operations. */
    public boolean isObjectList() {
        return element != null && !element.isScalar();
    }

    /** True for values that can be compared and written as literals. */
    public boolean isScalar() {
        return this == BOOL || this == NUMBER || this == STRING;
    }

    /** True for strings, including optional ones. */
    public boolean isText() {
        return this == STRING || this == MAYBE;
    }

    /** True for a value that may be missing. */
    public boolean isMaybe() {
        return this == MAYBE || this == MAYBE_NUMBER || this == MAYBE_BOOL;
    }

    /** True for an optional number or bool, which is a number at run time. */
    public boolean isMaybeNumber() {
        return this == MAYBE_NUMBER || this == MAYBE_BOOL;
    }

    /** The type of an optional value that is known to exist; other types are unchanged. */
    public RuleType certain() {
        return switch (this) {
            case MAYBE -> STRING;
            case MAYBE_NUMBER -> NUMBER;
            case MAYBE_BOOL -> BOOL;
            default -> this;
        };
    }

    /** The optional type of a scalar. */
    public RuleType maybe() {
        return switch (this) {
            case STRING -> MAYBE;
            case NUMBER -> MAYBE_NUMBER;
            case BOOL -> MAYBE_BOOL;
            default -> throw new IllegalStateException(this + " is never missing");
        };
    }

    /** True for maps, which have entries instead of members. */
    public boolean isMap() {
        return this == LABELS || this == AMOUNTS;
    }
}
