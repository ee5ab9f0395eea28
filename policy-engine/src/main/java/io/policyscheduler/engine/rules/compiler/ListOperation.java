package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;

/** What can be done with all elements of a list of objects. */
public enum ListOperation {
    ANY("any"),
    ALL("all"),
    COUNT("count"),
    SUM("sum"),
    MAX("max"),
    /** The elements for which the body holds, in their order. */
    FILTER("filter"),
    /** The value of the body for each element: numbers, or strings of which some may be missing. */
    MAP("map");

    private final String method;

    ListOperation(String method) {
        this.method = method;
    }

    /** How it is called. */
    public String method() {
        return method;
    }

    /** True when the body is a bool, false when it is a number; the body of {@link #MAP} may be a string, too. */
    public boolean asksBool() {
        return this == ANY || this == ALL || this == COUNT || this == FILTER;
    }

    /** Type of the value. */
    public RuleType result(RuleType list, RuleType body) {
        return switch (this) {
            case ANY, ALL -> RuleType.BOOL;
            case COUNT, SUM, MAX -> RuleType.NUMBER;
            case FILTER -> list;
            case MAP -> body == RuleType.NUMBER ? RuleType.NUMBERS : RuleType.STRINGS;
        };
    }
}
