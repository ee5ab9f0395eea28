package io.policyscheduler.engine.cluster;

import java.util.List;

/**
 * A container of a pod.
 *
 * @param image as written, not normalised
 * @param init true for an init container
 * @param hostPorts host ports above 0
 */
public record Container(String name, String image, boolean init, List<HostPort> hostPorts) {
    public Container {
        hostPorts = List.copyOf(hostPorts);
    }
}
