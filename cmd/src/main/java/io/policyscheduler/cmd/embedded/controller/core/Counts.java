package io.policyscheduler.cmd.embedded.controller.core;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Counts in a status, which are left out when they are zero. */
public final class Counts {
    private Counts() {}

    /** Sets a count or removes it. */
    public static void put(ObjectNode status, String field, long value) {
        if (value == 0) {
            status.remove(field);
        } else {
            status.put(field, value);
        }
    }
}
