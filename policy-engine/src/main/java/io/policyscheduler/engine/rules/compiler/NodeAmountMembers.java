package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.NodeView;

/** Members of nodes about resources: what there is, what is asked for, what is left. */
final class NodeAmountMembers {
    private NodeAmountMembers() {}

    static void addTo(MemberTable t) {
        t.number(
                "allocatableCpu",
                "cores",
                Reads.NODE,
                1,
                "allocatable CPU",
                "node.allocatableCpu >= 8",
                (r, a, b, c) -> n(r).allocatableCpu());
        t.number(
                "allocatableMemory",
                "bytes",
                Reads.NODE,
                1,
                "allocatable memory",
                "node.allocatableMemory >= '32Gi'",
                (r, a, b, c) -> n(r).allocatableMemory());
        t.map(
                "allocatable",
                RuleType.AMOUNTS,
                Reads.NODE,
                "allocatable amounts of all resources",
                "node.allocatable['nvidia.com/gpu'] > 0",
                (r, a, b, c) -> n(r).allocatable());
        t.number(
                "allocatable(resource)",
                "cores, bytes, or count",
                Reads.NODE,
                3,
                "allocatable amount of a resource, 0 when none",
                "node.allocatable('nvidia.com/gpu') > 0",
                (r, a, b, c) -> n(r).allocatable(a));
        t.number(
                "requestedCpu",
                "cores",
                Reads.NODE_PODS,
                1,
                "CPU requested by the pods on the node",
                "node.requestedCpu < 6",
                (r, a, b, c) -> n(r).requestedCpu());
        t.number(
                "requestedMemory",
                "bytes",
                Reads.NODE_PODS,
                1,
                "memory requested by the pods on the node",
                "node.requestedMemory < '24Gi'",
                (r, a, b, c) -> n(r).requestedMemory());
        t.map(
                "requested",
                RuleType.AMOUNTS,
                Reads.NODE_PODS,
                "amounts requested by the pods on the node",
                "node.requested['nvidia.com/gpu'] == 0",
                (r, a, b, c) -> n(r).requested());
        t.number(
                "requested(resource)",
                "cores, bytes, or count",
                Reads.NODE_PODS,
                3,
                "amount of a resource requested by the pods on the node",
                "node.requested('nvidia.com/gpu') == 0",
                (r, a, b, c) -> n(r).requested(a));
        t.number(
                "freeCpu",
                "cores",
                Reads.NODE_PODS,
                1,
                "allocatable minus requested CPU, may be negative",
                "node.freeCpu >= pod.cpu + 1",
                (r, a, b, c) -> n(r).freeCpu());
        t.number(
                "freeMemory",
                "bytes",
                Reads.NODE_PODS,
                1,
                "allocatable minus requested memory, may be negative",
                "node.freeMemory >= pod.memory + '1Gi'",
                (r, a, b, c) -> n(r).freeMemory());
        t.map(
                "free",
                RuleType.AMOUNTS,
                Reads.NODE_PODS,
                "allocatable minus requested amounts",
                "node.free['nvidia.com/gpu'] >= 2",
                (r, a, b, c) -> n(r).free());
        t.number(
                "free(resource)",
                "cores, bytes, or count",
                Reads.NODE_PODS,
                5,
                "allocatable minus requested amount of a resource",
                "node.free('nvidia.com/gpu') >= 2",
                (r, a, b, c) -> n(r).free(a));
        t.number(
                "maxPods",
                "pods",
                Reads.NODE,
                1,
                "allocatable pods",
                "node.podCount < node.maxPods - 5",
                (r, a, b, c) -> n(r).maxPods());
    }

    private static NodeView n(Object receiver) {
        return (NodeView) receiver;
    }
}
