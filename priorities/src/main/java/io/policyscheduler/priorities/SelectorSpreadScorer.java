package io.policyscheduler.priorities;

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
        Map<String, Long> byZone = new HashMap<>();
        for (int i = 0; i < scores.length; i++) {
            maxOnNode = Math.max(maxOnNode, scores[i]);
            String zone = nodes.get(i).node().zoneKey();
            if (!zone.isEmpty()) {
                byZone.merge(zone, scores[i], Long::sum);
            }
        }
        long maxInZone = 0;
        for (long count : byZone.values()) {
            maxInZone = Math.max(maxInZone, count);
        }
        for (int i = 0; i < scores.length; i++) {
            double score = share(scores[i], maxOnNode);
            String zone = nodes.get(i).node().zoneKey();
            if (!zone.isEmpty()) {
                double zoneScore = share(byZone.getOrDefault(zone, 0L), maxInZone);
                score = score * (1.0 - ZONE_WEIGHT) + ZONE_WEIGHT * zoneScore;
            }
            scores[i] = (long) score;
        }
    }

    private static double share(long count, long max) {
        return max > 0 ? 100.0 * ((double) (max - count) / (double) max) : 100.0;
    }
}
