package io.policyscheduler.framework.insight.migrate;

/**
 * How a policy is migrated.
 *
 * @param schedulerName name of the profile
 * @param acceptDefaults take the weights of the release where the predicates are the default ones
 * @param keepWithExtender serve what no plugin can do by an extender of this program
 * @param extenderUrl where that extender will listen, with a port; a second one listens at the next port
 * @param extenderPolicyFile what the policy of that extender will be called, for messages
 */
public record MigrationOptions(
        String schedulerName,
        boolean acceptDefaults,
        boolean keepWithExtender,
        String extenderUrl,
        String extenderPolicyFile) {
    /** The name that pods have when they say none. */
    public static final String DEFAULT_SCHEDULER = "default-scheduler";

    /** Where our extender listens when it is not told otherwise. */
    public static final String DEFAULT_URL = "http://127.0.0.1:8888";

    /** Keeps the weights and adds an extender only for rules. */
    public static final MigrationOptions DEFAULTS =
            new MigrationOptions(DEFAULT_SCHEDULER, false, false, DEFAULT_URL, "extender-policy.json");
}
