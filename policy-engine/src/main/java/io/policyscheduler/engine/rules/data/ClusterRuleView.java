package io.policyscheduler.engine.rules.data;

/** A view of the cluster for rules, with numbers only. Public only because MVEL calls it. */
public final class ClusterRuleView {
    private final ClusterCounts counts;

    public ClusterRuleView(ClusterCounts counts) {
        this.counts = counts;
    }

    public double nodeCount() {
        return counts.nodeCount();
    }

    public double nodesWithLabel(String key) {
        return counts.nodes(key, null);
    }

    public double nodesWithLabel(String key, String value) {
        return counts.nodes(key, value);
    }

    public double podsWithLabel(String key) {
        return counts.pods(key, null);
    }

    public double podsWithLabel(String key, String value) {
        return counts.pods(key, value);
    }

    public double podsOfOwner(String ownerUid) {
        return counts.owned(ownerUid);
    }

    public double minPodsOfOwnerInTopology(String topologyKey, String ownerUid) {
        return counts.fewestOwned(topologyKey, ownerUid);
    }

    public double maxPodsOfOwnerInTopology(String topologyKey, String ownerUid) {
        return counts.mostOwned(topologyKey, ownerUid);
    }

    public double topologyCount(String topologyKey) {
        return counts.topologies(topologyKey);
    }

    public double minPodsInTopology(String topologyKey, String key, String value) {
        return counts.fewest(topologyKey, key, value);
    }

    public double maxPodsInTopology(String topologyKey, String key, String value) {
        return counts.most(topologyKey, key, value);
    }
}
