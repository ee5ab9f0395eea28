package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_DECLARED_FEATURE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.Map;

/**
 * Keeps pods off nodes whose kubelet does not declare a feature that the pod requires; such a kubelet rejects the pod. In 1.35 its
 * feature gate is off, and the plugin does nothing. Mirrors {@code pkg/scheduler/framework/plugins/nodedeclaredfeatures}.
 */
public final class NodeDeclaredFeatures implements PreFilterPlugin, CacheableFilter, EnqueueExtensions, SignPlugin {
    /** The plugin's name in configurations. */
    public static final String NAME = "NodeDeclaredFeatures";

    private static final Status MISSING = Status.unresolvable("node(s) didn't match Pod's required features");

    private final boolean isEnabled;

    NodeDeclaredFeatures(PluginHandle handle) {
        Release release = handle.release();
        this.isEnabled = SchedulerChange.NODE_DECLARED_FEATURES.in(release);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        if (!isEnabled) {
            return List.of();
        }
        return List.of(
                EventHint.of(Hint.ALWAYS, NODE, ADD),
                EventHint.of(
                        (pod, event) -> !event.nodeBefore()
                                .declaredFeatures()
                                .equals(event.node().declaredFeatures()),
                        NODE,
                        UPDATE_NODE_DECLARED_FEATURE));
    }

    @Override
    public Map<String, Object> sign(PodInfo pod) {
        return Map.of("required features", pod.spec().requiredFeatures());
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        return isEnabled && !context.pod().spec().requiredFeatures().isEmpty()
                ? PreFilterResult.ALL_NODES
                : PreFilterResult.SKIP;
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        return FilterReads.of(pod.spec().requiredFeatures());
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return !isEnabled
                        || node.node().declaredFeatures().containsAll(pod.spec().requiredFeatures())
                ? Status.SUCCESS
                : MISSING;
    }
}
