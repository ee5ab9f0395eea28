package io.policyscheduler.framework.scheduler.api;

/**
 * A pod that the API server has and this program cannot read, and what could be found out about it all the same; empty where nothing
 * was.
 *
 * @param nodeName where it runs; empty for a pod that waits, which cannot be scheduled
 * @param schedulerName who should schedule it
 * @param reason why it cannot be read, on one line
 * @param closesNode whether its node takes no other pod as long as nobody knows what this one takes there
 */
public record UnreadablePod(
        String namespace,
        String name,
        String uid,
        String nodeName,
        String schedulerName,
        String reason,
        boolean closesNode) {
    /** namespace/name. */
    public String key() {
        return namespace + "/" + name;
    }
}
