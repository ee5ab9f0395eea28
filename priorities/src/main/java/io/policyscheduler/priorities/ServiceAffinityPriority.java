package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.PodOwners;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Spreads the pods of a service over the values of some node labels: the policy argument {@code serviceAntiAffinity}. Mirrors
 * {@code ServiceAntiAffinity} of {@code algorithm/priorities/selector_spreading.go}.
 */
final class ServiceAffinityPriority implements Priority {
    private final List<String> antiAffinityLabels;

    /** Spreads by {@link AlgorithmConfig#antiAffinityLabels()}. */
    public ServiceAffinityPriority(AlgorithmConfig config) {
        this.antiAffinityLabels = config.antiAffinityLabels();
    }

    @Override
    public String name() {
        return "ServiceAffinity";
    }

    /** The whole cluster, because services say which pods count. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        return new Scorer(
                new PeerCounter(
                        context.cluster(),
                        context.pod().namespace(),
                        PodOwners.firstServiceSelector(context.cluster(), context.pod())),
                antiAffinityLabels);
    }

    private static final class Scorer implements PodScorer {
        private final PeerCounter peers;
        private final List<String> labels;

        Scorer(PeerCounter peers, List<String> labels) {
            this.peers = peers;
            this.labels = labels;
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
            long total = 0;
            for (long score : scores) {
                total += score;
            }
            double[] sums = new double[scores.length];
            for (String label : labels) {
                addShares(label, nodes, scores, total, sums);
            }
            for (int i = 0; i < scores.length; i++) {
                scores[i] = (long) sums[i];
            }
        }

        private void addShares(String label, List<NodeInfo> nodes, long[] counts, long total, double[] sums) {
            Map<String, Long> byValue = new HashMap<>();
            for (int i = 0; i < counts.length; i++) {
                String value = nodes.get(i).node().labels().get(label);
                if (value != null) {
                    byValue.merge(value, counts[i], Long::sum);
                }
            }
            for (int i = 0; i < counts.length; i++) {
                String value = nodes.get(i).node().labels().get(label);
                if (value != null) {
                    long same = byValue.getOrDefault(value, 0L);
                    double share = total > 0 ? 100.0 * ((double) (total - same) / (double) total) : 100.0;
                    sums[i] += share / (double) labels.size();
                }
            }
        }
    }
}
