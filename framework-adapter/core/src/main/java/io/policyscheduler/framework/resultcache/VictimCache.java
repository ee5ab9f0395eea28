package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PodPreemption.Found;
import io.policyscheduler.engine.preemption.PodPreemption.NodeTrial.Misfit;
import io.policyscheduler.engine.preemption.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import io.policyscheduler.framework.resultcache.CachedVictims.BudgetCover;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is kept about making room on the nodes of one cluster, by what preemption reads of a pod. Bounded, the least used go first.
 * Owned by the scheduling thread.
 */
public final class VictimCache {
    /** Answers at most, beyond those of {@link #FEW} columns. */
    private static final int MAX_ANSWERS = 1 << 19;

    private static final int FEW = 16;

    private final ClusterIndex index;
    private final LinkedHashMap<Object, CachedVictims> columns = new LinkedHashMap<>(16, 0.75f, true);
    private final BudgetCover budgets = new BudgetCover();
    private final PlacedNames names = new PlacedNames();

    VictimCache(ClusterIndex index) {
        this.index = index;
    }

    /**
     * What is known for pods like the one at hand, brought up to date.
     *
     * @param basis equal for pods that are the same to preemption
     * @param promised by slot, the pods that are to be taken to be on the node; none of the lists is empty
     * @param asked knows the answer for the pod at hand
     */
    public CachedVictims column(
            ClusterState cluster,
            Object basis,
            Map<Integer, List<PodInfo>> promised,
            Function<NodeInfo, EvictionAnswer> asked) {
        budgets.refresh(index, cluster);
        CachedVictims column = columns.computeIfAbsent(basis, key -> new CachedVictims(index));
        if (columns.size() > Math.max(FEW, MAX_ANSWERS / (index.slots() + 1))) {
            columns.remove(columns.keySet().iterator().next());
        }
        column.refresh(budgets, promised, asked);
        return column;
    }

    /** True when a pod on one of the nodes has the namespace and name of this one. */
    public boolean hasNameOf(PodInfo pod) {
        return names.has(index, pod);
    }

    /** Whether some pod on a node has the name of another one, told by hashes that follow the changes of nodes. */
    static final class PlacedNames {
        private static final int CELLS = 1 << 17;
        private static final int[] NONE = {};

        /** How many pods there are for the last bits of a hash. */
        private final int[] counts = new int[CELLS];
        /** The hashes of the pods on each node. */
        private int[][] bySlot = new int[0][];

        private long seen;

        /** True when a pod on one of the nodes has the namespace and name of this one. */
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
     * What is known of making room on one node.
     *
     * @param victims and {@code cost}: of a node where pods may be evicted, else null
     * @param misfit why nothing helps on a node that was tried; else null
     */
    public record EvictionAnswer(
            Kind kind,
            @Nullable Victims victims,
            @Nullable EvictionCost cost,
            @Nullable Misfit misfit) {
        /** How an answer is to be understood. */
        public enum Kind {
            /** There is no node. */
            NONE,
            /** The node takes the pod as it is. */
            FITS,
            /** Whoever wants to know has to ask. */
            ODD,
            /** Evicting pods cannot help. */
            HOPELESS,
            /** It could help but does not. */
            UNHELPED,
            /** It helps. */
            CANDIDATE
        }

        /** {@link Kind#NONE}. */
        static final EvictionAnswer NONE = new EvictionAnswer(Kind.NONE, null, null, null);
        /** {@link Kind#FITS}. */
        public static final EvictionAnswer FITS = new EvictionAnswer(Kind.FITS, null, null, null);
        /** {@link Kind#ODD}. */
        public static final EvictionAnswer ODD = new EvictionAnswer(Kind.ODD, null, null, null);
        /** {@link Kind#HOPELESS}. */
        public static final EvictionAnswer HOPELESS = new EvictionAnswer(Kind.HOPELESS, null, null, null);

        /** What a search has come to. */
        public static EvictionAnswer of(Found found) {
            Victims victims = found.victims();
            return victims != null
                    ? new EvictionAnswer(Kind.CANDIDATE, victims, EvictionCost.of(victims), null)
                    : new EvictionAnswer(Kind.UNHELPED, null, null, found.misfit());
        }
    }
}
