package io.policyscheduler.engine.rules.compiler;

/** Tests of strings that are methods. */
public enum StringTest {
    CONTAINS("contains"),
    STARTS_WITH("startsWith"),
    ENDS_WITH("endsWith");

    private final String method;

    StringTest(String method) {
        this.method = method;
    }

    /** How it is called. */
    public String method() {
        return method;
    }
}
