package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;

/** What a rule may ask about a port of a container. Public only because MVEL calls it. */
public record PortView(ContainerPort port) {
    public String name() {
        return port.name();
    }

    public double containerPort() {
        return port.containerPort();
    }

    public double hostPort() {
        return port.hostPort();
    }

    public String protocol() {
        return port.protocol();
    }
}
