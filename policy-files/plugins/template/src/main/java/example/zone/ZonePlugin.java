package example.zone;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;

/** Rejects nodes without a zone, and prefers the nodes of one zone: the argument {@code zone}. */
public final class ZonePlugin implements FilterPlugin, ScorePlugin {
    static final String NAME = "Zone";

    private static final String LABEL = "topology.kubernetes.io/zone";
    /** Created once, because a filter is called for each node. */
    private static final Status NO_ZONE = Status.unresolvable("node(s) had no zone");

    private final String zone;

    private ZonePlugin(String zone) {
        this.zone = zone;
    }

    /** Called once for each profile that enables the plugin. */
    static ZonePlugin create(PluginHandle handle) {
        JsonNode argument = handle.args().path("zone");
        if (!argument.isTextual()) {
            throw new PluginException("argument \"zone\" must be a text, such as eu-1");
        }
        return new ZonePlugin(argument.asText());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return node.node().labels().get(LABEL) == null ? NO_ZONE : Status.SUCCESS;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return zone.equals(node.node().labels().get(LABEL)) ? MAX_SCORE : MIN_SCORE;
    }
}
