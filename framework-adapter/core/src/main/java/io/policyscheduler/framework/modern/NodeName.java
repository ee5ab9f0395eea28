package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.Map;

/**
 * Requires that {@code spec.nodeName} of a pod, if set, is the name of the node. Mirrors
 * {@code pkg/scheduler/framework/plugins/nodename}.
 */
final class NodeName implements CacheableFilter, EnqueueExtensions, SignPlugin {
    static final String NAME = "NodeName";

    private static final Status OTHER_NODE = Status.unresolvable("node(s) didn't match the requested node name");
    private static final Status OTHER_HOST = Status.unresolvable("node(s) didn't match the requested hostname");

    private final Status mismatch;

    NodeName(PluginHandle handle) {
        this.mismatch = SchedulerChange.NODE_NAME_TEXT.in(handle.release()) ? OTHER_NODE : OTHER_HOST;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(EventHint.of(Hint.ALWAYS, NODE, ADD));
    }

    @Override
    public Map<String, Object> sign(PodInfo pod) {
        return Map.of("node name", pod.nodeName());
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        return FilterReads.of(pod.nodeName());
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return pod.nodeName().isEmpty() || pod.nodeName().equals(node.name()) ? Status.SUCCESS : mismatch;
    }
}
