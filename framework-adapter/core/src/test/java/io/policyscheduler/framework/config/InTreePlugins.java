package io.policyscheduler.framework.config;

import static io.policyscheduler.framework.plugin.ExtensionPoint.BIND;
import static io.policyscheduler.framework.plugin.ExtensionPoint.FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.POST_FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_BIND;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_ENQUEUE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_FILTER;
import static io.policyscheduler.framework.plugin.ExtensionPoint.PRE_SCORE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.QUEUE_SORT;
import static io.policyscheduler.framework.plugin.ExtensionPoint.RESERVE;
import static io.policyscheduler.framework.plugin.ExtensionPoint.SCORE;

import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins.PluginIndex;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The in-tree plugins of a release and the points that they implement there. */
final class InTreePlugins implements PluginIndex {
    private final Map<String, Set<ExtensionPoint>> points = new HashMap<>();

    private InTreePlugins with(String name, ExtensionPoint first, ExtensionPoint... more) {
        points.put(name, EnumSet.of(first, more));
        return this;
    }

    static PluginIndex of134() {
        return common().with("SchedulingGates", PRE_ENQUEUE)
                .with("NodeResourcesFit", PRE_FILTER, FILTER, PRE_SCORE, SCORE)
                .with("NodeResourcesBalancedAllocation", PRE_SCORE, SCORE)
                .with("VolumeRestrictions", PRE_FILTER, FILTER)
                .with("VolumeZone", PRE_FILTER, FILTER)
                .with("NodeVolumeLimits", PRE_FILTER, FILTER)
                .with("VolumeBinding", PRE_FILTER, FILTER, PRE_SCORE, SCORE, RESERVE, PRE_BIND)
                .with("DynamicResources", PRE_ENQUEUE, PRE_FILTER, FILTER, POST_FILTER, RESERVE, PRE_BIND)
                .with("DefaultPreemption", PRE_ENQUEUE, POST_FILTER);
    }

    static PluginIndex of121() {
        return common().with("NodeResourcesFit", PRE_FILTER, FILTER)
                .with("NodeResourcesBalancedAllocation", SCORE)
                .with("NodeResourcesLeastAllocated", SCORE)
                .with("NodeResourcesMostAllocated", SCORE)
                .with("RequestedToCapacityRatio", SCORE)
                .with("NodePreferAvoidPods", SCORE)
                .with("NodeLabel", FILTER, SCORE)
                .with("ServiceAffinity", PRE_FILTER, FILTER, SCORE)
                .with("SelectorSpread", PRE_SCORE, SCORE)
                .with("VolumeRestrictions", FILTER)
                .with("VolumeZone", FILTER)
                .with("NodeVolumeLimits", FILTER)
                .with("EBSLimits", FILTER)
                .with("GCEPDLimits", FILTER)
                .with("AzureDiskLimits", FILTER)
                .with("VolumeBinding", PRE_FILTER, FILTER, SCORE, RESERVE, PRE_BIND)
                .with("DefaultPreemption", POST_FILTER);
    }

    private static InTreePlugins common() {
        return new InTreePlugins()
                .with("PrioritySort", QUEUE_SORT)
                .with("NodeUnschedulable", FILTER)
                .with("NodeName", FILTER)
                .with("TaintToleration", FILTER, PRE_SCORE, SCORE)
                .with("NodeAffinity", PRE_FILTER, FILTER, PRE_SCORE, SCORE)
                .with("NodePorts", PRE_FILTER, FILTER)
                .with("PodTopologySpread", PRE_FILTER, FILTER, PRE_SCORE, SCORE)
                .with("InterPodAffinity", PRE_FILTER, FILTER, PRE_SCORE, SCORE)
                .with("ImageLocality", SCORE)
                .with("DefaultBinder", BIND);
    }

    @Override
    public boolean exists(String plugin) {
        return points.containsKey(plugin);
    }

    @Override
    public boolean implementsPoint(String plugin, ExtensionPoint point) {
        return points.getOrDefault(plugin, Set.of()).contains(point);
    }
}
