package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.NodeView;

/** Members of nodes about the pods on them and on the nodes beside them. */
final class NodePodMembers {
    /** A loop over the pods of a node costs about this many member accesses. */
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
