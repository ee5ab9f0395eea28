package io.policyscheduler.cmd.kube.watch;

/**
 * An object that the server has and this program cannot read; what could be found out about it all the same. Fields are empty where
 * nothing was found.
 *
 * @param nodeName {@code spec.nodeName}, of a pod
 * @param schedulerName {@code spec.schedulerName}, of a pod
 * @param reason why it cannot be read, on one line
 */
public record UnreadableObject(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        String nodeName,
        String schedulerName,
        String reason) {
    /** namespace/name, or the name alone; empty when not even that is known. */
    public String key() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
