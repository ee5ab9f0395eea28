package io.policyscheduler.framework.profile;

import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.plugin.BindPlugin;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PostBindPlugin;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import java.util.Set;

/** Which interface belongs to which extension point. */
final class PluginPoints {
    /** Current releases have these plugins at PreEnqueue; where such a plugin here has nothing to hold back it is not asked. */
    private static final Set<String> PRE_ENQUEUE = Set.of(DefaultPreemption.NAME, "DynamicResources");

    private PluginPoints() {}

    /** True when the plugin can take part at the point. */
    public static boolean implementsPoint(Plugin plugin, ExtensionPoint point) {
        return switch (point) {
            case PRE_ENQUEUE -> plugin instanceof PreEnqueuePlugin || PRE_ENQUEUE.contains(plugin.name());
            case PRE_FILTER -> plugin instanceof PreFilterPlugin;
            case FILTER -> plugin instanceof FilterPlugin;
            case RESERVE -> plugin instanceof ReservePlugin;
            case POST_FILTER -> plugin instanceof PostFilterPlugin;
            case PRE_SCORE -> plugin instanceof PreScorePlugin;
            case SCORE -> plugin instanceof ScorePlugin;
            case PRE_BIND -> plugin instanceof PreBindPlugin;
            case BIND -> plugin instanceof BindPlugin;
            case POST_BIND -> plugin instanceof PostBindPlugin;
            case PERMIT -> plugin instanceof PermitPlugin;
            case QUEUE_SORT -> plugin instanceof QueueSortPlugin;
            case PLACEMENT_GENERATE -> plugin instanceof PodGroupPlugin group && group.generatesPlacements();
            case PLACEMENT_SCORE ->
                plugin.name().equals(PluginNames.NODE_RESOURCES_FIT)
                        || (plugin instanceof PodGroupPlugin group && group.scoresPlacements());
        };
    }
}
