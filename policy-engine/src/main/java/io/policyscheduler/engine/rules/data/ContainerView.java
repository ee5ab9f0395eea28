package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import java.util.List;

/** What a rule may ask about a container. Public only because MVEL calls it. */
public record ContainerView(Container container) {
    public String name() {
        return container.name();
    }

    public String image() {
        return container.image();
    }

    public boolean init() {
        return container.init();
    }

    public List<ContainerPort> ports() {
        return container.ports();
    }
}
