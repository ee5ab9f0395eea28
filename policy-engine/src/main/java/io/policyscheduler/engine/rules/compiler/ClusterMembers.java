package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.ClusterRuleView;

/** Members of the cluster. */
final class ClusterMembers {
    /** Counting over the cluster is done once per pod to place and looked up for each node. */
    static final int COUNT = 20;

    private ClusterMembers() {}

    static MemberTable of() {
        MemberTable t = new MemberTable(RuleType.CLUSTER);
        t.number(
                "nodeCount",
                "nodes",
                Reads.CLUSTER,
                1,
                "nodes of the cluster",
                "cluster.nodeCount > 3",
                (r, a, b, c) -> k(r).nodeCount());
        t.number(
                "nodesWithLabel(key)",
                "nodes",
                Reads.CLUSTER,
                COUNT,
                "nodes that have the label",
                "cluster.nodesWithLabel('gpu') > 0",
                (r, a, b, c) -> k(r).nodesWithLabel(a));
        t.number(
                "nodesWithLabel(key, value)",
                "nodes",
                Reads.CLUSTER,
                COUNT,
                "nodes that have the label with this value",
                "cluster.nodesWithLabel('disk', 'ssd') > 2",
                (r, a, b, c) -> k(r).nodesWithLabel(a, b));
        t.number(
                "podsWithLabel(key)",
                "pods",
                Reads.CLUSTER,
                COUNT,
                "placed pods that have the label",
                "cluster.podsWithLabel('license') < 100",
                (r, a, b, c) -> k(r).podsWithLabel(a));
        t.number(
                "podsWithLabel(key, value)",
                "pods",
                Reads.CLUSTER,
                COUNT,
                "placed pods that have the label with this value",
                "cluster.podsWithLabel('license', 'oracle') < 16",
                (r, a, b, c) -> k(r).podsWithLabel(a, b));
        t.number(
                "podsOfOwner(ownerUid)",
                "pods",
                Reads.CLUSTER,
                COUNT,
                "placed pods with this controller; 0 for ''",
                "cluster.podsOfOwner(pod.ownerUid) < 50",
                (r, a, b, c) -> k(r).podsOfOwner(a));
        t.number(
                "topologyCount(topologyKey)",
                "values",
                Reads.CLUSTER,
                COUNT,
                "different values of the node label topologyKey",
                "cluster.topologyCount('zone') == 3",
                (r, a, b, c) -> k(r).topologyCount(a));
        t.number(
                "minPodsInTopology(topologyKey, key, value)",
                "pods",
                Reads.CLUSTER,
                2 * COUNT,
                "lowest number of pods with this label in a topology value",
                "node.podsInTopology('zone', 'app', 'db') <= cluster.minPodsInTopology('zone', 'app', 'db')",
                (r, a, b, c) -> k(r).minPodsInTopology(a, b, c));
        t.number(
                "maxPodsInTopology(topologyKey, key, value)",
                "pods",
                Reads.CLUSTER,
                2 * COUNT,
                "highest number of pods with this label in a topology value",
                "cluster.maxPodsInTopology('zone', 'app', 'db') < 9",
                (r, a, b, c) -> k(r).maxPodsInTopology(a, b, c));
        t.number(
                "minPodsOfOwnerInTopology(topologyKey, ownerUid)",
                "pods",
                Reads.CLUSTER,
                2 * COUNT,
                "lowest number of pods with this controller in a topology value",
                "node.podsOfOwnerInTopology('zone', pod.ownerUid) <= cluster.minPodsOfOwnerInTopology('zone', pod.ownerUid)",
                (r, a, b, c) -> k(r).minPodsOfOwnerInTopology(a, b));
        t.number(
                "maxPodsOfOwnerInTopology(topologyKey, ownerUid)",
                "pods",
                Reads.CLUSTER,
                2 * COUNT,
                "highest number of pods with this controller in a topology value",
                "cluster.maxPodsOfOwnerInTopology('zone', pod.ownerUid) < 9",
                (r, a, b, c) -> k(r).maxPodsOfOwnerInTopology(a, b));
        return t;
    }

    private static ClusterRuleView k(Object receiver) {
        return (ClusterRuleView) receiver;
    }
}
