package io.policyscheduler.cmd.kube.election;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * In which objects a lock is kept, all of the lock's name and namespace. Mirrors client-go tools/leaderelection/resourcelock up to
 * 1.26; the pairs are for the time in which candidates of both kinds take part.
 */
public enum ResourceLock {
    /** The only one since 1.27, and the default of kube-scheduler since 1.20. */
    LEASES("leases", LockKind.LEASE),
    /** The default of kube-scheduler from 1.17 to 1.19. */
    ENDPOINTS_LEASES("endpointsleases", LockKind.ENDPOINTS, LockKind.LEASE),
    /** The default of kube-scheduler up to 1.16. */
    ENDPOINTS("endpoints", LockKind.ENDPOINTS),
    CONFIG_MAPS_LEASES("configmapsleases", LockKind.CONFIG_MAP, LockKind.LEASE),
    CONFIG_MAPS("configmaps", LockKind.CONFIG_MAP);

    private final String text;
    private final List<LockKind> kinds;

    ResourceLock(String text, LockKind... kinds) {
        this.text = text;
        this.kinds = List.of(kinds);
    }

    /** As {@code --leader-elect-resource-lock} and {@code resourceLock} have it. */
    public String text() {
        return text;
    }

    /** In the order in which they are read and written. */
    List<LockKind> kinds() {
        return kinds;
    }

    /** The resources for which a candidate needs permissions, as RBAC names them. */
    String resources() {
        return kinds.stream().map(LockKind::resource).collect(Collectors.joining(" and "));
    }

    /** The lock of that text; empty when there is none. */
    public static Optional<ResourceLock> find(String text) {
        return Arrays.stream(values()).filter(lock -> lock.text.equals(text)).findFirst();
    }

    /** What {@link #find} knows. */
    public static List<String> texts() {
        return Arrays.stream(values()).map(ResourceLock::text).toList();
    }
}
