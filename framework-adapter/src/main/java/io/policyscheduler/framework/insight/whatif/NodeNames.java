package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.framework.insight.compare.World;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Nodes by name. */
final class NodeNames {
    private NodeNames() {}

    /** Null when there is such a node, else why not. */
    static @Nullable String problem(World world, String name) {
        List<String> names = world.nodes().stream().map(Node::name).toList();
        if (names.contains(name)) {
            return null;
        }
        String near = Suggestions.nearest(name, names);
        return "no node " + name + (near == null ? "" : " (did you mean " + near + "?)");
    }

    static Node find(World world, String name) {
        return world.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no node " + name));
    }
}
