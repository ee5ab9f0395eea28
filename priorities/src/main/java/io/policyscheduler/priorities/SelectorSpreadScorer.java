package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.ConstantScorer;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Prefers nodes, and with twice the weight zones, that hold few of the pods to spread. Mirrors
 * {@code CalculateSpreadPriorityReduce} of {@code algorithm/priorities/selector_spreading.go}.
 */
final class SelectorSpreadScorer implements PodScorer {
    /** Without peers all nodes and zones are equally empty. */
    static final PodScorer NOTHING_TO_SPREAD = new ConstantScorer(100);

    private static final double ZONE_WEIGHT = 2.0 / 3.0;

    private final PeerCounter peers;

    SelectorSpreadScorer(PeerCounter peers) {
        this.peers = peers;
    }

    @Override
    public long score(NodeInfo node) {
        return peers.countOn(node);
    }

    @Override
    public void scoreAll(List<NodeInfo> nodes, long[] scores) {
        for (int i = 0; i < scores.length; i++) {
            scores[i] = score(nodes.get(i));
        }
    }

    @Override
    public boolean normalizes() {
        return true;
    }

    @Override
    public void normalize(List<NodeInfo> nodes, long[] scores) {
        int[] zoneOf = new int[scores.length];
        long[] sums = new long[zonesOf(nodes, zoneOf)];
        long maxOnNode = 0;
        for (int i = 0; i < scores.length; i++) {
            maxOnNode = Math.max(maxOnNode, scores[i]);
            if (zoneOf[i] >= 0) {
                sums[zoneOf[i]] += scores[i];
            }
        }
        long maxInZone = 0;
        for (long sum : sums) {
            maxInZone = Math.max(maxInZone, sum);
        }
        double[] zoneShares = new double[sums.length];
        for (int zone = 0; zone < sums.length; zone++) {
            zoneShares[zone] = ZONE_WEIGHT * share(sums[zone], maxInZone);
        }
        for (int i = 0; i < scores.length; i++) {
            double score = share(scores[i], maxOnNode);
            scores[i] = (long) (zoneOf[i] < 0 ? score : score * (1.0 - ZONE_WEIGHT) + zoneShares[zoneOf[i]]);
        }
    }

    /** Numbers the zones, negative for a node without one; the result is above all numbers. */
    private int zonesOf(List<NodeInfo> nodes, int[] zoneOf) {
        ClusterIndex index = peers.index();
        if (index != null && zonesByIndex(index, nodes, zoneOf)) {
            return index.zones().valueCount();
        }
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < zoneOf.length; i++) {
            String zone = nodes.get(i).node().zoneKey();
            zoneOf[i] = zone.isEmpty() ? -1 : numbers.computeIfAbsent(zone, z -> numbers.size());
        }
        return numbers.size();
    }

    private static boolean zonesByIndex(ClusterIndex index, List<NodeInfo> nodes, int[] zoneOf) {
        TopologyColumn zones = index.zones();
        for (int i = 0; i < zoneOf.length; i++) {
            int slot = index.ownSlotOf(nodes.get(i));
            if (slot < 0) {
                return false;
            }
            zoneOf[i] = zones.at(slot);
        }
        return true;
    }

    private static double share(long count, long max) {
        return max > 0 ? 100.0 * ((double) (max - count) / (double) max) : 100.0;
    }
}
