package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_TAINT;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_TOLERATION;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;

/** Keeps pods off cordoned nodes. Mirrors {@code pkg/scheduler/framework/plugins/nodeunschedulable}. */
final class NodeUnschedulable implements CacheableFilter, EnqueueExtensions, Signers.OfTolerations {
    static final String NAME = "NodeUnschedulable";

    private static final Status UNSCHEDULABLE = Status.unresolvable("node(s) were unschedulable");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(
                EventHint.of((pod, event) -> !event.node().unschedulable(), NODE, ADD),
                EventHint.of(
                        (pod, event) -> event.nodeBefore().unschedulable()
                                && !event.node().unschedulable(),
                        NODE,
                        UPDATE_NODE_TAINT),
                EventHint.of(
                        (pod, event) -> event.isAbout(pod)
                                && Toleration.anyTolerates(event.pod().tolerations(), Taint.UNSCHEDULABLE),
                        POD,
                        UPDATE_POD_TOLERATION));
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        return FilterReads.of(Toleration.anyTolerates(pod.tolerations(), Taint.UNSCHEDULABLE));
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return !node.node().unschedulable() || Toleration.anyTolerates(pod.tolerations(), Taint.UNSCHEDULABLE)
                ? Status.SUCCESS
                : UNSCHEDULABLE;
    }
}
