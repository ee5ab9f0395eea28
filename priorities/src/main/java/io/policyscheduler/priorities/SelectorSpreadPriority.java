package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.PodOwners;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.priorities.PriorityCatalog.PriorityMetadata;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prefers nodes, and with twice the weight zones, with few pods of the same service or controller. Mirrors {@code SelectorSpread}
 * of {@code algorithm/priorities/selector_spreading.go}.
 */
public final class SelectorSpreadPriority implements Priority {
    /** Without peers all nodes and zones are equally empty. */
    private static final PodScorer NOTHING_TO_SPREAD = new ConstantScorer(100);

    private final String name;
    private final boolean services;

    private SelectorSpreadPriority(String name, boolean services) {
        this.name = name;
        this.services = services;
    }

    /** The priority SelectorSpreadPriority. */
    public static SelectorSpreadPriority ofControllers() {
        return new SelectorSpreadPriority("SelectorSpreadPriority", false);
    }

    /**
     * The priority ServiceSpreadingPriority, which is intended to ignore controllers. In v1.17 it uses the selector of
     * SelectorSpreadPriority, controllers included, and ignores them only if the shared priority metadata is missing.
     */
    public static SelectorSpreadPriority ofServices() {
        return new SelectorSpreadPriority("ServiceSpreadingPriority", true);
    }

    @Override
    public String name() {
        return name;
    }

    /** The whole cluster, because services and controllers determine the pods that count. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        boolean servicesOnly = services && !PriorityMetadata.available(context.pod());
        LabelSelector selector = PodOwners.spreadSelector(context.cluster(), context.pod(), servicesOnly);
        return selector.isEmpty() && !services
                ? NOTHING_TO_SPREAD
                : new Scorer(new PeerCounter(context.cluster(), context.pod().namespace(), selector));
    }

    private static final class Scorer implements PodScorer {
        private static final double ZONE_WEIGHT = 2.0 / 3.0;

        private final PeerCounter peers;

        Scorer(PeerCounter peers) {
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
            double[] zoneShares = zoneShares(sums);
            for (int i = 0; i < scores.length; i++) {
                boolean noZone = zoneOf[i] < 0;
                scores[i] = score(scores[i], maxOnNode, noZone, noZone ? 0 : zoneShares[zoneOf[i]]);
            }
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // slots are valid for one index
        public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
            PodCounts counts = peers.counts();
            if (counts == null || peers.index() != index) {
                return false;
            }
            TopologyColumn zones = index.zones();
            long[] sums = new long[zones.valueCount()];
            long maxOnNode = 0;
            for (int i = 0; i < count; i++) {
                int onNode = counts.at(slots[i]);
                scores[i] = onNode;
                if (onNode > 0) {
                    maxOnNode = Math.max(maxOnNode, onNode);
                    int zone = zones.at(slots[i]);
                    if (zone >= 0) {
                        sums[zone] += onNode;
                    }
                }
            }
            double[] zoneShares = zoneShares(sums);
            SharedScores shared = new SharedScores(zoneShares, maxOnNode);
            for (int i = 0; i < count; i++) {
                scores[i] = shared.of(scores[i], zones.at(slots[i]));
            }
            return true;
        }

        /** Caches scores by zone and number of pods, which thousands of nodes share. */
        private static final class SharedScores {
            private static final int FEW = 16;
            private static final long UNKNOWN = -1;

            private final double[] zoneShares;
            private final long maxOnNode;
            private final int width;
            private final long[] known;

            SharedScores(double[] zoneShares, long maxOnNode) {
                this.zoneShares = zoneShares;
                this.maxOnNode = maxOnNode;
                this.width = (int) Math.min(maxOnNode + 1, FEW);
                this.known = new long[(zoneShares.length + 1) * width];
                Arrays.fill(known, UNKNOWN);
            }

            /** @param zone negative for none */
            long of(long onNode, int zone) {
                if (onNode >= width) {
                    return Scorer.score(onNode, maxOnNode, zone < 0, zone < 0 ? 0 : zoneShares[zone]);
                }
                int at = (zone + 1) * width + (int) onNode;
                if (known[at] == UNKNOWN) {
                    known[at] = Scorer.score(onNode, maxOnNode, zone < 0, zone < 0 ? 0 : zoneShares[zone]);
                }
                return known[at];
            }
        }

        private static long score(long onNode, long maxOnNode, boolean noZone, double zoneShare) {
            double score = share(onNode, maxOnNode);
            return (long) (noZone ? score : score * (1.0 - ZONE_WEIGHT) + zoneShare);
        }

        private static double[] zoneShares(long[] sums) {
            long maxInZone = 0;
            for (long sum : sums) {
                maxInZone = Math.max(maxInZone, sum);
            }
            double[] shares = new double[sums.length];
            for (int zone = 0; zone < sums.length; zone++) {
                shares[zone] = ZONE_WEIGHT * share(sums[zone], maxInZone);
            }
            return shares;
        }

        /** Numbers the zones, negative for a node without one; returns the number of zones. */
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

    /**
     * Counts pods of one namespace that match a selector and are not terminating. Mirrors {@code countMatchingPods} of
     * {@code algorithm/priorities/selector_spreading.go}.
     */
    static final class PeerCounter {
        private final String namespace;
        private final @Nullable MemoizedSelector selector;
        private final @Nullable ClusterIndex index;
        private final @Nullable PodCounts counts;

        /** A null or empty selector counts nothing. */
        PeerCounter(ClusterView cluster, String namespace, @Nullable LabelSelector selector) {
            boolean countsNothing = selector == null || selector.isEmpty();
            this.namespace = namespace;
            this.selector = selector == null || countsNothing ? null : new MemoizedSelector(selector);
            this.index = countsNothing ? null : cluster.index();
            this.counts = index == null || selector == null ? null : index.counts(PodQuery.alive(namespace, selector));
        }

        /** The index of the counts, or null. */
        @Nullable
        ClusterIndex index() {
            return index;
        }

        /** The counts by slot of {@link #index()}; null if there are none. */
        @Nullable
        PodCounts counts() {
            return counts;
        }

        /** Counts on nodes of the cluster's index by slot; false if it has no counts. */
        boolean countSlots(int[] slots, int count, long[] found) {
            if (selector != null && counts == null) {
                return false;
            }
            for (int i = 0; i < count; i++) {
                found[i] = counts == null ? 0 : counts.at(slots[i]);
            }
            return true;
        }

        long countOn(NodeInfo node) {
            if (selector == null) {
                return 0;
            }
            if (index != null && counts != null) {
                int slot = index.ownSlotOf(node);
                if (slot >= 0) {
                    return counts.at(slot);
                }
            }
            long count = 0;
            for (int i = 0; i < node.podCount(); i++) {
                PodInfo pod = node.pod(i);
                if (!pod.terminating() && pod.namespace().equals(namespace) && selector.matches(pod.labels())) {
                    count++;
                }
            }
            return count;
        }
    }
}
