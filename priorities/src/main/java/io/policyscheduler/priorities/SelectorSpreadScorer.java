package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.ConstantScorer;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.NodeInfo;
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
    public boolean normalizes() {
        return true;
    }

    @Override
    public void normalize(List<NodeInfo> nodes, long[] scores) {
        long maxOnNode = 0;
        Map<String, long[]> sums = new HashMap<>();
        // Each node's zone is looked up once; null for a node without one.
        long[][] zoneOf = new long[scores.length][];
        for (int i = 0; i < scores.length; i++) {
            maxOnNode = Math.max(maxOnNode, scores[i]);
            String zone = nodes.get(i).node().zoneKey();
            if (!zone.isEmpty()) {
                zoneOf[i] = sums.computeIfAbsent(zone, z -> new long[1]);
                zoneOf[i][0] += scores[i];
            }
        }
        long maxInZone = 0;
        for (long[] sum : sums.values()) {
            maxInZone = Math.max(maxInZone, sum[0]);
        }
        for (int i = 0; i < scores.length; i++) {
            double score = share(scores[i], maxOnNode);
            if (zoneOf[i] != null) {
                score = score * (1.0 - ZONE_WEIGHT) + ZONE_WEIGHT * share(zoneOf[i][0], maxInZone);
            }
            scores[i] = (long) score;
        }
    }

    private static double share(long count, long max) {
        return max > 0 ? 100.0 * ((double) (max - count) / (double) max) : 100.0;
    }
}
