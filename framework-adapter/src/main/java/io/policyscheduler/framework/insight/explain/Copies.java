package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;

/** Copies of nodes and pods with one thing changed. */
final class Copies {
    private Copies() {}

    static Node withLabels(Node node, Labels labels) {
        return copy(node, labels, node.unschedulable(), node.taints(), node.allocatable(), Node.zoneKeyOf(labels));
    }

    static Node withTaints(Node node, boolean unschedulable, List<Taint> taints) {
        return copy(node, node.labels(), unschedulable, taints, node.allocatable(), node.zoneKey());
    }

    static Node withAllocatable(Node node, ResourceVector allocatable) {
        return copy(node, node.labels(), node.unschedulable(), node.taints(), allocatable, node.zoneKey());
    }

    private static Node copy(
            Node node,
            Labels labels,
            boolean unschedulable,
            List<Taint> taints,
            ResourceVector allocatable,
            String zoneKey) {
        return new Node(
                node.name(),
                node.uid(),
                node.resourceVersion(),
                labels,
                node.annotations(),
                unschedulable,
                taints,
                allocatable,
                node.images(),
                node.conditions(),
                zoneKey,
                node.kubeletVersion(),
                node.createdMillis(),
                node.conditionsSince());
    }

    static PodInfo withTolerations(PodInfo pod, List<Toleration> tolerations) {
        return pod.withSpec(pod.spec().toBuilder().tolerations(tolerations).build());
    }

    static PodInfo withNodeDemands(PodInfo pod, Labels nodeSelector, Affinity affinity) {
        return pod.withSpec(pod.spec().toBuilder()
                .nodeSelector(nodeSelector)
                .affinity(affinity)
                .build());
    }

    static PodInfo withAffinity(PodInfo pod, Affinity affinity) {
        return pod.withSpec(pod.spec().toBuilder().affinity(affinity).build());
    }

    static PodInfo withSpread(PodInfo pod, List<TopologySpreadConstraint> constraints) {
        return pod.withSpec(
                pod.spec().toBuilder().spreadConstraints(constraints).build());
    }
}
