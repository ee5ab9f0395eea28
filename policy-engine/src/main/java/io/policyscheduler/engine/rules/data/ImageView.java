package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.object.Node;
import java.util.List;

/** What a rule may ask about an image that a node holds. Public only because MVEL calls it. */
public record ImageView(Node.Image image) {
    public List<String> names() {
        return image.names();
    }

    public double sizeBytes() {
        return image.sizeBytes();
    }
}
