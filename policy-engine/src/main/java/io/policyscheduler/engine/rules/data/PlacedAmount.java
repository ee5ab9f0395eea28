package io.policyscheduler.engine.rules.data;

/** What pods that were placed on a node after its value was measured add to the value. */
public enum PlacedAmount {
    /** Their CPU requests, in cores. */
    CPU("requested.cpu"),
    /** Their memory requests, in bytes. */
    MEMORY("requested.memory"),
    /** Their number. */
    PODS("pods");

    private final String text;

    PlacedAmount(String text) {
        this.text = text;
    }

    /** As policies write it. */
    public String text() {
        return text;
    }
}
