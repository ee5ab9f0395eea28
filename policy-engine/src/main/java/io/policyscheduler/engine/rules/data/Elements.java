package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.object.PodSpec.PodVolume;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;

/** What a rule sees of an element of a list, made when the element is looked at. */
public final class Elements {
    private Elements() {}

    /** The view of an element other than a pod; the element itself when it needs none. */
    public static Object view(Object element) {
        if (element instanceof Container container) {
            return new ContainerView(container);
        }
        if (element instanceof ContainerPort port) {
            return new PortView(port);
        }
        if (element instanceof PodVolume volume) {
            return new VolumeView(volume);
        }
        if (element instanceof Node.Image image) {
            return new ImageView(image);
        }
        return element instanceof DisruptionBudgetInfo budget ? new BudgetView(budget) : element;
    }
}
