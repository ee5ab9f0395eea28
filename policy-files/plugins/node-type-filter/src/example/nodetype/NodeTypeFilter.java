package example.nodetype;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.Status;
import java.util.Iterator;
import java.util.Set;

/** Lets pods only onto nodes of one type: those with the label {@code node-type=special} unless the arguments name another. */
public final class NodeTypeFilter implements FilterPlugin, RequeueHints {
    static final String NAME = "NodeTypeFilter";

    private static final Set<String> ARGUMENTS = Set.of("label", "value");

    private final String label;
    private final String value;
    /** Made once, because it is the answer for most nodes. */
    private final Status otherType;

    private NodeTypeFilter(String label, String value) {
        this.label = label;
        this.value = value;
        // As samples in Go. Status.unresolvable would tell preemption that
        // evicting pods does not change the type of a node.
        this.otherType = Status.unschedulable("node(s) were not of type " + label + "=" + value);
    }

    /** Called once for each profile that enables the plugin. */
    static NodeTypeFilter create(PluginHandle handle) {
        JsonNode args = handle.args();
        for (Iterator<String> names = args.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!ARGUMENTS.contains(name)) {
                throw new PluginException("unknown argument \"" + name + "\"; there are label and value");
            }
        }
        return new NodeTypeFilter(text(args, "label", "node-type"), text(args, "value", "special"));
    }

    private static String text(JsonNode args, String name, String whenMissing) {
        JsonNode argument = args.path(name);
        if (argument.isMissingNode() || argument.isNull()) {
            return whenMissing;
        }
        if (!argument.isTextual() || argument.asText().isEmpty()) {
            throw new PluginException("argument \"" + name + "\" must be a text, not " + argument);
        }
        return argument.asText();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return isOfType(node.node()) ? Status.SUCCESS : otherType;
    }

    private boolean isOfType(Node node) {
        return value.equals(node.labels().get(label));
    }

    /** Only a node that appears or gets another label can help a pod that this plugin rejected. */
    @Override
    public Set<ClusterEvent> events() {
        return Set.of(ClusterEvent.NODE_ADD, ClusterEvent.NODE_LABEL_CHANGE);
    }

    @Override
    public boolean mayHelp(PodInfo pod, ClusterEvent event, ClusterObject changed) {
        return !(changed instanceof Node node) || isOfType(node);
    }
}
