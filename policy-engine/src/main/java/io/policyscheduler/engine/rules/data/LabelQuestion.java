package io.policyscheduler.engine.rules.data;

import org.jspecify.annotations.Nullable;

/**
 * A label that a rule asks the pods of each node for, in words that are the same for every pod and node.
 *
 * @param value null for any
 */
public record LabelQuestion(String key, @Nullable String value) {
    /** Labels in rules are constants, so that it is mostly the same object. */
    @SuppressWarnings("ReferenceEquality") // followed by equals
    boolean is(String otherKey, @Nullable String otherValue) {
        return (key == otherKey || key.equals(otherKey))
                && (value == otherValue || (value != null && value.equals(otherValue)));
    }
}
