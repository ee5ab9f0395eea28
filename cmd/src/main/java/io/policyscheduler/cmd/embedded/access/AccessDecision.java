package io.policyscheduler.cmd.embedded.access;

/**
 * Whether a user may.
 *
 * @param allowed whether the request goes on
 * @param reason which binding allows it, or what went wrong with those that might, as audit logs of real servers tell it; empty
 *     when there is nothing to tell
 */
public record AccessDecision(boolean allowed, String reason) {
    static AccessDecision allowed(String reason) {
        return new AccessDecision(true, reason);
    }

    static AccessDecision denied(String reason) {
        return new AccessDecision(false, reason);
    }
}
