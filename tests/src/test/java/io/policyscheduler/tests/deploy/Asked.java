package io.policyscheduler.tests.deploy;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A kind of request that an API server was sent.
 *
 * @param right as {@code verb group/resource}
 * @param role the role that allowed it, as {@code ClusterRole NAME}; empty when none did
 */
record Asked(String right, boolean allowed, String role) {
    private static final Pattern ROLE = Pattern.compile(" of (ClusterRole|Role) \"([^\"]+)\" to ");

    /** @param reason what the server notes about its decision, e.g. {@code RBAC: allowed by ...} */
    static Asked of(String verb, String group, String resource, boolean allowed, String reason) {
        Matcher role = ROLE.matcher(reason);
        return new Asked(
                verb + " " + group + "/" + resource,
                allowed,
                allowed && role.find() ? role.group(1) + " " + role.group(2) : "");
    }

    /** The role and what it was used for. */
    String use() {
        return role + ": " + right;
    }
}
