package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PodPreemption.Found;
import io.policyscheduler.engine.placement.PodPreemption.NodeTrial.Misfit;
import io.policyscheduler.engine.placement.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.framework.resultcache.CachedVictims.BudgetCover;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cached victims on the nodes of one cluster, by the pod fields that preemption reads. Bounded, with least-recently-used
 * eviction. Owned by the scheduling thread.
 */
public final class VictimCache {
    /** The maximum number of results, beyond those of {@link #FEW} columns. */
    private static final int MAX_RESULTS = 1 << 19;

    private static final int FEW = 16;

    private final ClusterIndex index;
    private final LinkedHashMap<Object, CachedVictims> columns = new LinkedHashMap<>(16, 0.75f, true);
    private final BudgetCover budgets = new BudgetCover();
    private final PlacedNames names = new PlacedNames();

    VictimCache(ClusterIndex index) {
        this.index = index;
    }

    /**
     * The refreshed results for pods equivalent to the current one.
     *
     * @param basis equal for pods that are equivalent to preemption
     * @param nominees by slot, the nominated pods to count on the node; none of the lists is empty
     * @param evaluation evaluates a node for the current pod
     */
    public CachedVictims column(
            ClusterState cluster,
            Object basis,
            Map<Integer, List<PodInfo>> nominees,
            Function<NodeInfo, EvictionResult> evaluation) {
        budgets.refresh(index, cluster);
        CachedVictims column = columns.computeIfAbsent(basis, key -> new CachedVictims(index));
        if (columns.size() > Math.max(FEW, MAX_RESULTS / (index.slots() + 1))) {
            columns.remove(columns.keySet().iterator().next());
        }
        column.refresh(budgets, nominees, evaluation);
        return column;
    }

    /** True if a pod on one of the nodes has the namespace and name of this one. */
    public boolean hasNameOf(PodInfo pod) {
        return names.has(index, pod);
    }

    /** The names of all pods on nodes, as hashes that are updated with changes of nodes. */
    static final class PlacedNames {
        private static final int CELLS = 1 << 17;
        private static final int[] NONE = {};

        /** The number of pods by the last bits of their hash. */
        private final int[] counts = new int[CELLS];
        /** The hashes of the pods on each node. */
        private int[][] bySlot = new int[0][];

        private long seen;

        /** True if a pod on one of the nodes may have the namespace and name of this one. */
        boolean has(ClusterIndex index, PodInfo pod) {
            refresh(index);
            int hash = hash(pod);
            if (counts[hash & (CELLS - 1)] == 0) {
                return false;
            }
            for (int slot = 0; slot < bySlot.length; slot++) {
                for (int known : bySlot[slot]) {
                    if (known == hash && holds(index.at(slot), pod)) {
                        return true;
                    }
                }
            }
            return false;
        }

        private static boolean holds(@Nullable NodeInfo node, PodInfo pod) {
            for (int i = 0; node != null && i < node.podCount(); i++) {
                PodInfo other = node.pod(i);
                if (other.name().equals(pod.name()) && other.namespace().equals(pod.namespace())) {
                    return true;
                }
            }
            return false;
        }

        private void refresh(ClusterIndex index) {
            if (bySlot.length < index.slots()) {
                int before = bySlot.length;
                bySlot = Arrays.copyOf(bySlot, index.slots() + index.slots() / 8);
                Arrays.fill(bySlot, before, bySlot.length, NONE);
            }
            index.changedSince(seen, slot -> {
                count(bySlot[slot], -1);
                bySlot[slot] = hashes(index.at(slot));
                count(bySlot[slot], 1);
            });
            seen = index.generation();
        }

        private static int[] hashes(@Nullable NodeInfo node) {
            if (node == null || node.podCount() == 0) {
                return NONE;
            }
            int[] hashes = new int[node.podCount()];
            for (int i = 0; i < hashes.length; i++) {
                hashes[i] = hash(node.pod(i));
            }
            return hashes;
        }

        private void count(int[] hashes, int sign) {
            for (int hash : hashes) {
                counts[hash & (CELLS - 1)] += sign;
            }
        }

        private static int hash(PodInfo pod) {
            int hash = 31 * pod.namespace().hashCode() + pod.name().hashCode();
            return hash ^ (hash >>> 15);
        }
    }

    /**
     * The result of preemption on one node.
     *
     * @param victims and {@code cost}: of a candidate, else null
     * @param misfit the reason why evicting all lower-priority pods does not help; else null
     */
    public record EvictionResult(
            Kind kind,
            @Nullable Victims victims,
            @Nullable EvictionCost cost,
            @Nullable Misfit misfit) {
        /** The kinds of results. */
        public enum Kind {
            /** The slot has no node. */
            NONE,
            /** The pod fits without evictions. */
            FITS,
            /** Not cached; the caller has to evaluate the node. */
            ODD,
            /** Preemption cannot help, because the rejection is unresolvable. */
            HOPELESS,
            /** Evicting all lower-priority pods does not help. */
            UNHELPED,
            /** Evicting victims makes the node feasible. */
            CANDIDATE
        }

        /** {@link Kind#NONE}. */
        static final EvictionResult NONE = new EvictionResult(Kind.NONE, null, null, null);
        /** {@link Kind#FITS}. */
        public static final EvictionResult FITS = new EvictionResult(Kind.FITS, null, null, null);
        /** {@link Kind#ODD}. */
        public static final EvictionResult ODD = new EvictionResult(Kind.ODD, null, null, null);
        /** {@link Kind#HOPELESS}. */
        public static final EvictionResult HOPELESS = new EvictionResult(Kind.HOPELESS, null, null, null);

        /** The result of a trial. */
        public static EvictionResult of(Found found) {
            Victims victims = found.victims();
            return victims != null
                    ? new EvictionResult(Kind.CANDIDATE, victims, EvictionCost.of(victims), null)
                    : new EvictionResult(Kind.UNHELPED, null, null, found.misfit());
        }
    }
}
