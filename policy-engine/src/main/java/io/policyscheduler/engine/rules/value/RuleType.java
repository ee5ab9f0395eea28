package io.policyscheduler.engine.rules.value;

import org.jspecify.annotations.Nullable;

/** Types of the rule language. There is no null. */
public enum RuleType {
    BOOL("bool", null),
    /** 64-bit floating point, always finite; integers are exact up to 2^53. */
    NUMBER("number", null),
    STRING("string", null),
    POD("pod", null),
    NODE("node", null),
    CLUSTER("cluster", null),
    CONTAINER("container", null),
    TAINT("taint", null),
    TOLERATION("toleration", null),
    PODS("list of pods", POD),
    CONTAINERS("list of containers", CONTAINER),
    TAINTS("list of taints", TAINT),
    TOLERATIONS("list of tolerations", TOLERATION),
    NUMBERS("list of numbers", NUMBER),
    STRINGS("list of strings", STRING);

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
}
