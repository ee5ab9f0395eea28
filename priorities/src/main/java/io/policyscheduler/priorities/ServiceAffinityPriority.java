package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.PodOwners;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.priorities.SelectorSpreadPriority.PeerCounter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

    /** The whole cluster, because services determine the pods that count. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        ClusterView cluster = context.cluster();
        return new Scorer(
                new PeerCounter(
                        cluster, context.pod().namespace(), PodOwners.firstServiceSelector(cluster, context.pod())),
                antiAffinityLabels,
                cluster.index());
    }

    private static final class Scorer implements PodScorer {
        private final PeerCounter peers;
        private final List<String> labels;
        private final @Nullable ClusterIndex index;

        Scorer(PeerCounter peers, List<String> labels, @Nullable ClusterIndex index) {
            this.peers = peers;
            this.labels = labels;
            this.index = index;
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
            int[] slots = index == null ? null : slots(index, nodes);
            double[] sums = new double[scores.length];
            long total = sum(scores, scores.length);
            for (String label : labels) {
                if (index == null || slots == null) {
                    addShares(label, nodes, scores, total, sums);
                } else {
                    addShares(index.topology(label), slots, scores, scores.length, total, sums);
                }
            }
            round(sums, scores);
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // slots are valid for one index
        public boolean scoreSlots(ClusterIndex ofSlots, int[] slots, int count, long[] scores) {
            if (index != ofSlots || !peers.countSlots(slots, count, scores)) {
                return false;
            }
            double[] sums = new double[count];
            long total = sum(scores, count);
            for (String label : labels) {
                addShares(ofSlots.topology(label), slots, scores, count, total, sums);
            }
            round(sums, scores);
            return true;
        }

        /** Null if a node is not in the index. */
        private static int @Nullable [] slots(ClusterIndex index, List<NodeInfo> nodes) {
            int[] slots = new int[nodes.size()];
            for (int i = 0; i < slots.length; i++) {
                slots[i] = index.slotOf(nodes.get(i));
                if (slots[i] < 0) {
                    return null;
                }
            }
            return slots;
        }

        private static long sum(long[] counts, int count) {
            long total = 0;
            for (int i = 0; i < count; i++) {
                total += counts[i];
            }
            return total;
        }

        private static void round(double[] sums, long[] scores) {
            for (int i = 0; i < sums.length; i++) {
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
                    sums[i] += share(byValue.getOrDefault(value, 0L), total);
                }
            }
        }

        private void addShares(
                TopologyColumn values, int[] slots, long[] counts, int count, long total, double[] sums) {
            long[] byValue = new long[values.valueCount()];
            for (int i = 0; i < count; i++) {
                int value = values.at(slots[i]);
                if (value >= 0) {
                    byValue[value] += counts[i];
                }
            }
            double[] shares = new double[byValue.length];
            for (int value = 0; value < shares.length; value++) {
                shares[value] = share(byValue[value], total);
            }
            for (int i = 0; i < count; i++) {
                int value = values.at(slots[i]);
                if (value >= 0) {
                    sums[i] += shares[value];
                }
            }
        }

        private double share(long same, long total) {
            double share = total > 0 ? 100.0 * ((double) (total - same) / (double) total) : 100.0;
            return share / (double) labels.size();
        }
    }
}
