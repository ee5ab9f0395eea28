package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.Members.ClusterMembers;
import io.policyscheduler.engine.rules.compiler.Members.MemberTable;
import io.policyscheduler.engine.rules.data.NodeView;
import io.policyscheduler.engine.rules.data.RuleType;

/** The members of nodes. */
final class NodeMembers {
    private NodeMembers() {}

    static MemberTable of() {
        MemberTable t = new MemberTable(RuleType.NODE);
        t.string(
                "name", Reads.NODE, "name of the node", "node.name.matches('gpu-[0-9]+')", (r, a, b, c) -> n(r).name());
        t.string(
                "zone",
                Reads.NODE,
                "zone label, current or legacy, '' when absent",
                "node.zone != ''",
                (r, a, b, c) -> n(r).zone());
        t.string(
                "region",
                Reads.NODE,
                "region label, current or legacy, '' when absent",
                "node.region == 'eu'",
                (r, a, b, c) -> n(r).region());
        t.map(
                "labels",
                RuleType.LABELS,
                Reads.NODE,
                "the labels",
                "node.labels['disk'] == 'ssd'",
                (r, a, b, c) -> n(r).labels());
        t.string(
                "label(key)",
                Reads.NODE,
                "value of a label, '' when absent",
                "node.label('disk') == 'ssd'",
                (r, a, b, c) -> n(r).label(a));
        t.string(
                "label(key, otherwise)",
                Reads.NODE,
                "value of a label, or the second argument when absent",
                "node.label('rack', 'r0') != 'r0'",
                (r, a, b, c) -> n(r).label(a, b));
        t.bool(
                "hasLabel(key)",
                Reads.NODE,
                "the label is present, with any value",
                "node.hasLabel('disk')",
                (r, a, b, c) -> n(r).hasLabel(a));
        t.bool(
                "hasLabel(key, value)",
                Reads.NODE,
                "the label is present with exactly this value",
                "node.hasLabel('disk', 'ssd')",
                (r, a, b, c) -> n(r).hasLabel(a, b));
        t.map(
                "annotations",
                RuleType.LABELS,
                Reads.NODE,
                "the annotations",
                "node.annotations['load/cpu'] != null",
                (r, a, b, c) -> n(r).annotations());
        t.string(
                "annotation(key)",
                Reads.NODE,
                "value of an annotation, '' when absent; a change of it does not requeue pods",
                "number(node.annotation('load/cpu'), 0) < 80",
                (r, a, b, c) -> n(r).annotation(a));
        t.bool(
                "unschedulable",
                Reads.NODE,
                "spec.unschedulable",
                "!node.unschedulable",
                (r, a, b, c) -> n(r).unschedulable());
        t.string(
                "condition(type)",
                Reads.NODE,
                "status of a condition: True, False, Unknown; '' when absent",
                "node.condition('DiskPressure') != 'True'",
                (r, a, b, c) -> n(r).condition(a));
        t.bool(
                "hasImage(name)",
                Reads.NODE,
                "the node reports this image, by the exact name; a change of it does not requeue pods",
                "node.hasImage('web:1.2')",
                (r, a, b, c) -> n(r).hasImage(a));
        t.number(
                "imageSize(name)",
                "bytes",
                Reads.NODE,
                1,
                "size of this image, 0 when the node does not report it; a change of it does not requeue pods",
                "node.imageSize('web:1.2') > '100Mi'",
                (r, a, b, c) -> n(r).imageSize(a));
        t.list(
                "images",
                RuleType.IMAGES,
                Reads.NODE,
                "status.images; a change of them does not requeue pods",
                "node.images.sum(i, i.sizeBytes) < '20Gi'",
                (r, a, b, c) -> n(r).images());
        t.list(
                "conditions",
                RuleType.CONDITIONS,
                Reads.NODE,
                "status.conditions, sorted by type",
                "node.conditions.all(c, c.type == 'Ready' || c.status == 'False')",
                (r, a, b, c) -> n(r).conditions());
        t.number(
                "ageMinutes",
                "minutes",
                Reads.TIME,
                1,
                "whole minutes since the node was created, 0 when unknown",
                "node.ageMinutes >= 10",
                (r, a, b, c) -> n(r).ageMinutes());
        t.list(
                "taints",
                RuleType.TAINTS,
                Reads.NODE,
                "spec.taints",
                "node.taints.all(t, t.effect != 'NoExecute')",
                (r, a, b, c) -> n(r).taints());
        NodeAmountMembers.addTo(t);
        NodePodMembers.addTo(t);
        return t;
    }

    private static NodeView n(Object receiver) {
        return (NodeView) receiver;
    }

    /** The members of nodes about resources: allocatable, requested, free. */
    static final class NodeAmountMembers {
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

    /** The members of nodes about their pods and about nodes of the same topology. */
    static final class NodePodMembers {
        /** The approximate cost of iterating over the pods of a node, in member accesses. */
        private static final int POD_LOOP = 100;

        private NodePodMembers() {}

        static void addTo(MemberTable t) {
            t.number(
                    "podCount",
                    "pods",
                    Reads.NODE_PODS,
                    1,
                    "pods on the node",
                    "node.podCount < 50",
                    (r, a, b, c) -> n(r).podCount());
            t.number(
                    "podsWithLabel(key)",
                    "pods",
                    Reads.NODE_PODS,
                    POD_LOOP,
                    "pods on the node that have the label",
                    "node.podsWithLabel('net') < 20",
                    (r, a, b, c) -> n(r).podsWithLabel(a));
            t.number(
                    "podsWithLabel(key, value)",
                    "pods",
                    Reads.NODE_PODS,
                    POD_LOOP,
                    "pods on the node that have the label with this value",
                    "node.podsWithLabel('net', 'underlay') < 10",
                    (r, a, b, c) -> n(r).podsWithLabel(a, b));
            t.number(
                    "podsInNamespace(namespace)",
                    "pods",
                    Reads.NODE_PODS,
                    POD_LOOP,
                    "pods on the node of one namespace",
                    "node.podsInNamespace(pod.namespace) < 5",
                    (r, a, b, c) -> n(r).podsInNamespace(a));
            t.number(
                    "podsOfOwner(ownerUid)",
                    "pods",
                    Reads.NODE_PODS,
                    POD_LOOP,
                    "pods on the node with this controller; 0 for ''",
                    "node.podsOfOwner(pod.ownerUid) == 0",
                    (r, a, b, c) -> n(r).podsOfOwner(a));
            t.number(
                    "podsWithImage(image)",
                    "pods",
                    Reads.NODE_PODS,
                    2 * POD_LOOP,
                    "pods on the node with a container of this image, as written in the pod",
                    "node.podsWithImage('web:1.2') > 0",
                    (r, a, b, c) -> n(r).podsWithImage(a));
            t.number(
                    "podsInTopology(topologyKey, key, value)",
                    "pods",
                    Reads.TOPOLOGY,
                    ClusterMembers.COUNT,
                    "pods with this label on all nodes with the same value of the node label topologyKey; 0 when the node lacks it",
                    "node.podsInTopology('rack', 'app', 'db') < 3",
                    (r, a, b, c) -> n(r).podsInTopology(a, b, c));
            t.number(
                    "podsOfOwnerInTopology(topologyKey, ownerUid)",
                    "pods",
                    Reads.TOPOLOGY,
                    ClusterMembers.COUNT,
                    "pods with this controller on all nodes with the same value of the node label topologyKey; 0 for '' and when the node lacks it",
                    "node.podsOfOwnerInTopology('topology.kubernetes.io/zone', pod.ownerUid) < 2",
                    (r, a, b, c) -> n(r).podsOfOwnerInTopology(a, b));
            t.number(
                    "nodesInTopology(topologyKey)",
                    "nodes",
                    Reads.TOPOLOGY,
                    ClusterMembers.COUNT,
                    "nodes with the same value of the node label topologyKey, this one included; 0 when the node lacks it",
                    "node.nodesInTopology('rack') > 1",
                    (r, a, b, c) -> n(r).nodesInTopology(a));
            t.list(
                    "hostPorts",
                    RuleType.PORTS,
                    Reads.NODE_PODS,
                    "host ports that the pods on the node use",
                    "node.hostPorts.any(p, p.hostPort == 9100)",
                    (r, a, b, c) -> n(r).hostPorts());
            t.list(
                    "pods",
                    RuleType.PODS,
                    Reads.NODE_PODS,
                    "the pods on the node",
                    "node.pods.sum(p, p.cpuLimit) < 32",
                    (r, a, b, c) -> n(r).pods());
        }

        private static NodeView n(Object receiver) {
            return (NodeView) receiver;
        }
    }
}
