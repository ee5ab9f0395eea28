package io.policyscheduler.engine.cluster.object;

import java.util.List;

/**
 * A container of a pod.
 *
 * @param image as written, not normalised
 * @param init true for an init container
 * @param sidecar true for an init container with {@code restartPolicy: Always}, which goes on running; v1.17 knows none
 * @param hostPorts host ports above 0
 */
public record Container(String name, String image, boolean init, boolean sidecar, List<HostPort> hostPorts) {
    public Container {
        hostPorts = List.copyOf(hostPorts);
    }

    /** A container that is no sidecar. */
    public Container(String name, String image, boolean init, List<HostPort> hostPorts) {
        this(name, image, init, false, hostPorts);
    }

    /** True when it runs as long as the pod does. */
    public boolean runsOn() {
        return !init || sidecar;
    }
}
