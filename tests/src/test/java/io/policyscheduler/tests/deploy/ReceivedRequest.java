package io.policyscheduler.tests.deploy;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request that the API server received.
 *
 * @param right as {@code verb group/resource}
 * @param role the role that allowed it, as {@code ClusterRole NAME}; empty if none did
 */
record ReceivedRequest(String right, boolean allowed, String role) {
    private static final Pattern ROLE = Pattern.compile(" of (ClusterRole|Role) \"([^\"]+)\" to ");

    /** @param reason the reason in the audit annotation, such as {@code RBAC: allowed by ...} */
    static ReceivedRequest of(String verb, String group, String resource, boolean allowed, String reason) {
        Matcher role = ROLE.matcher(reason);
        return new ReceivedRequest(
                verb + " " + group + "/" + resource,
                allowed,
                allowed && role.find() ? role.group(1) + " " + role.group(2) : "");
    }

    /** Returns the role and the request that it allowed. */
    String use() {
        return role + ": " + right;
    }
}
