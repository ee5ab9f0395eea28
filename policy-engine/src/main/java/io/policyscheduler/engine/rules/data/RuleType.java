package io.policyscheduler.engine.rules.data;

import org.jspecify.annotations.Nullable;

/** Types of the rule language. Nothing is null but a {@link #MAYBE}; see {@link #isMaybe}. */
public enum RuleType {
    BOOL("bool", null),
    /** 64-bit floating point, always finite; integers are exact up to 2^53. */
    NUMBER("number", null),
    STRING("string", null),
    POD("pod", null),
    NODE("node", null),
    CLUSTER("cluster", null),
    /** The moment of the attempt. */
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
    /** An entry of {@link #LABELS}, or what an object need not have: a string, or null when it is not there. */
    MAYBE("string that may be missing", null),
    /** A number of a table, or nothing. At run time NaN stands for nothing. */
    MAYBE_NUMBER("number that may be missing", null),
    /** A bool of a table, or nothing. At run time a number: 1, 0, or NaN for nothing. */
    MAYBE_BOOL("bool that may be missing", null),
    /** All tables; only asked for one of them. */
    TABLES("set of tables", null),
    /** Values or records by key. */
    TABLE("table", null),
    /** The fields that a table has for a key. */
    RECORD("record", null),
    /** Labels, annotations: strings by key. */
    LABELS("map of strings", null),
    /** Resources: numbers by name; what is not there is 0. */
    AMOUNTS("map of amounts", null);

    private final String label;
    private final @Nullable RuleType element;

    RuleType(String label, @Nullable RuleType element) {
        this.label = label;
        this.element = element;
    }

    /** The word that messages and documentation use. */
    public String label() {
        return label;
    }

    /** Type of the elements of a list, null when it is none. */
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

    /** True for strings, also those that may be missing. */
    public boolean isText() {
        return this == STRING || this == MAYBE;
    }

    /** True for a value that may be missing. */
    public boolean isMaybe() {
        return this == MAYBE || this == MAYBE_NUMBER || this == MAYBE_BOOL;
    }

    /** True for a number or bool that may be missing, which is a number at run time. */
    public boolean isMaybeNumber() {
        return this == MAYBE_NUMBER || this == MAYBE_BOOL;
    }

    /** The type of a value that is known to be there; any other type stays as it is. */
    public RuleType certain() {
        return switch (this) {
            case MAYBE -> STRING;
            case MAYBE_NUMBER -> NUMBER;
            case MAYBE_BOOL -> BOOL;
            default -> this;
        };
    }

    /** The type of such a value, a scalar, when it may be missing. */
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
