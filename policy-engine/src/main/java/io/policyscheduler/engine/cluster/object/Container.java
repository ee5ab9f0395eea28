package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import java.util.List;

/**
 * A container of a pod.
 *
 * @param image as written, not normalised
 * @param init true for an init container
 * @param sidecar true for an init container with {@code restartPolicy: Always}, which goes on running; v1.17 knows none
 * @param hostPorts host ports above 0
 * @param ports all ports in order
 */
public record Container(
        String name, String image, boolean init, boolean sidecar, List<HostPort> hostPorts, List<ContainerPort> ports) {
    public Container {
        hostPorts = List.copyOf(hostPorts);
        ports = List.copyOf(ports);
    }

    /** A container of whose ports only the host's are known. */
    public Container(String name, String image, boolean init, boolean sidecar, List<HostPort> hostPorts) {
        this(
                name,
                image,
                init,
                sidecar,
                hostPorts,
                hostPorts.stream()
                        .map(host -> new ContainerPort("", 0, host.port(), host.protocol()))
                        .toList());
    }

    /** A container that is no sidecar, of whose ports only the host's are known. */
    public Container(String name, String image, boolean init, List<HostPort> hostPorts) {
        this(name, image, init, false, hostPorts);
    }

    /** True when it runs as long as the pod does. */
    public boolean runsOn() {
        return !init || sidecar;
    }
}
