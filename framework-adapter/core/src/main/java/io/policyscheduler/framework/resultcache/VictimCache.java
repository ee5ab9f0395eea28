package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterState.BudgetLog;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PodPreemption.NodeTrial.Misfit;
import io.policyscheduler.engine.placement.PodPreemption.VictimSearch;
import io.policyscheduler.engine.placement.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.framework.resultcache.VictimCache.CachedVictims.BudgetCover;
import io.policyscheduler.framework.resultcache.VictimCache.EvictionResult;
import io.policyscheduler.framework.resultcache.VictimCache.EvictionResult.Kind;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
        public static EvictionResult of(VictimSearch found) {
            Victims victims = found.victims();
            return victims != null
                    ? new EvictionResult(Kind.CANDIDATE, victims, EvictionCost.of(victims), null)
                    : new EvictionResult(Kind.UNHELPED, null, null, found.misfit());
        }
    }

    /** The cached victims on each node, shared by all pods that are equivalent to preemption. */
    public static final class CachedVictims {
        private static final EvictionResult[] NO_RESULTS = {};
        /** The maximum number of distinct reasons that share objects. */
        private static final int MISFITS = 256;

        private final ClusterIndex index;
        private final Tournament cheapest = new Tournament(this::isCheaper);
        private final int[] counts = new int[Kind.values().length];
        private final Map<Misfit, Misfit> misfits = new HashMap<>();
        private EvictionResult[] bySlot = NO_RESULTS;
        /** The names of the evaluated nodes; a slot may have lost its node since. */
        private @Nullable String[] names = new @Nullable String[0];
        /** The nominated pods that the trials counted, by slot. */
        private final Map<Integer, List<PodInfo>> nominees = new HashMap<>();

        private long seen;
        private long stamp = -1;

        CachedVictims(ClusterIndex index) {
            this.index = index;
        }

        /**
         * Evaluates the nodes that have changed.
         *
         * @param nomineesNow by slot, the nominated pods to count on the node; none of the lists is empty
         */
        void refresh(
                BudgetCover budgets,
                Map<Integer, List<PodInfo>> nomineesNow,
                Function<NodeInfo, EvictionResult> evaluation) {
            grow();
            index.changedSince(seen, slot -> evaluate(slot, nomineesNow, evaluation));
            seen = index.generation();
            if (stamp != budgets.stamp()) {
                for (int slot = 0; slot < index.slots(); slot++) {
                    if (budgets.isChanged(slot, stamp)) {
                        evaluate(slot, nomineesNow, evaluation);
                    }
                }
                stamp = budgets.stamp();
            }
            for (Map.Entry<Integer, List<PodInfo>> now : nomineesNow.entrySet()) {
                if (!isSame(now.getValue(), nominees.get(now.getKey()))) {
                    evaluate(now.getKey(), nomineesNow, evaluation);
                }
            }
            if (nominees.size() > nomineesNow.size()) {
                for (Integer slot : List.copyOf(nominees.keySet())) {
                    if (!nomineesNow.containsKey(slot)) {
                        evaluate(slot, nomineesNow, evaluation);
                    }
                }
            }
        }

        private void grow() {
            if (bySlot.length < index.slots()) {
                int before = bySlot.length;
                bySlot = Arrays.copyOf(bySlot, index.slots() + index.slots() / 8);
                Arrays.fill(bySlot, before, bySlot.length, EvictionResult.NONE);
                names = Arrays.copyOf(names, bySlot.length);
                counts[Kind.NONE.ordinal()] += bySlot.length - before;
                cheapest.grow(bySlot.length);
            }
        }

        @SuppressWarnings("ReferenceEquality") // a changed pod is another object
        private static boolean isSame(List<PodInfo> now, @Nullable List<PodInfo> known) {
            if (known == null || known.size() != now.size()) {
                return false;
            }
            for (int i = 0; i < now.size(); i++) {
                if (now.get(i) != known.get(i)) {
                    return false;
                }
            }
            return true;
        }

        private void evaluate(
                int slot, Map<Integer, List<PodInfo>> nomineesNow, Function<NodeInfo, EvictionResult> evaluation) {
            NodeInfo node = index.at(slot);
            List<PodInfo> others = node == null ? null : nomineesNow.get(slot);
            EvictionResult result = node == null ? EvictionResult.NONE : shared(evaluation.apply(node));
            if (others == null) {
                nominees.remove(slot);
            } else {
                nominees.put(slot, others);
            }
            counts[bySlot[slot].kind().ordinal()]--;
            counts[result.kind().ordinal()]++;
            bySlot[slot] = result;
            names[slot] = node == null ? null : node.name();
            cheapest.set(slot, result.cost() != null);
        }

        private EvictionResult shared(EvictionResult result) {
            Misfit misfit = result.misfit();
            if (misfit == null) {
                return result;
            }
            if (misfits.size() == MISFITS) {
                misfits.clear();
            }
            Misfit known = misfits.computeIfAbsent(misfit, same -> same);
            return new EvictionResult(result.kind(), null, null, known);
        }

        private boolean isCheaper(int one, int other) {
            int compared = cost(one).compareTo(cost(other));
            return compared < 0 || (compared == 0 && name(one).compareTo(name(other)) < 0);
        }

        private EvictionCost cost(int slot) {
            return Objects.requireNonNull(bySlot[slot].cost());
        }

        private String name(int slot) {
            return Objects.requireNonNull(names[slot]);
        }

        /** The number of nodes with results of a kind. */
        public int count(Kind kind) {
            return counts[kind.ordinal()];
        }

        /** The result for a node. */
        public EvictionResult at(NodeInfo node) {
            int slot = index.ownSlotOf(node);
            return slot < 0 ? EvictionResult.NONE : bySlot[slot];
        }

        /** The best candidate, by name the first of several; null if there is none. */
        public @Nullable NodeInfo cheapest() {
            int slot = cheapest.winner();
            return slot == Tournament.NOBODY ? null : index.at(slot);
        }

        /** The victims on a candidate. */
        public Victims victims(NodeInfo node) {
            return Objects.requireNonNull(at(node).victims());
        }

        /** The reasons why preemption does not help on the remaining nodes, with the number of nodes. */
        @SuppressWarnings("ReferenceEquality") // adjacent nodes mostly share the object
        public Map<Misfit, Integer> misfits() {
            Map<Misfit, Integer> found = new HashMap<>();
            Misfit last = null;
            int many = 0;
            for (int slot = 0; slot < index.slots(); slot++) {
                Misfit misfit = bySlot[slot].misfit();
                if (misfit == null) {
                    continue;
                }
                if (last != null && last != misfit) {
                    found.merge(last, many, Integer::sum);
                    many = 0;
                }
                last = misfit;
                many++;
            }
            if (last != null) {
                found.merge(last, many, Integer::sum);
            }
            return found;
        }

        /** A tournament tree: the best of many slots, updated in logarithmic time. */
        static final class Tournament {
            /** Marks an empty position. */
            static final int NOBODY = -1;

            /** Compares two slots. */
            @FunctionalInterface
            interface Contest {
                /** True if {@code one} is better than {@code other}; called only for participating slots. */
                boolean isBetter(int one, int other);
            }

            private final Contest contest;
            /** The winner at index 1, those of its halves at 2 and 3 and so on; the second half of the array contains the slots. */
            private int[] winners = {NOBODY, NOBODY};

            private int leaves = 1;

            Tournament(Contest contest) {
                this.contest = contest;
            }

            /** Grows to a number of slots. */
            void grow(int slots) {
                if (slots <= leaves) {
                    return;
                }
                int more = Integer.highestOneBit(slots - 1) << 1;
                int[] grown = new int[2 * more];
                Arrays.fill(grown, NOBODY);
                System.arraycopy(winners, leaves, grown, more, leaves);
                winners = grown;
                leaves = more;
                for (int at = more - 1; at > 0; at--) {
                    winners[at] = winnerOf(at);
                }
            }

            /** Updates a slot that has changed. */
            void set(int slot, boolean takesPart) {
                int at = leaves + slot;
                if (!takesPart && winners[at] == NOBODY) {
                    return;
                }
                winners[at] = takesPart ? slot : NOBODY;
                for (at >>= 1; at > 0; at >>= 1) {
                    winners[at] = winnerOf(at);
                }
            }

            private int winnerOf(int at) {
                int left = winners[2 * at];
                int right = winners[2 * at + 1];
                if (left == NOBODY || right == NOBODY) {
                    return left == NOBODY ? right : left;
                }
                return contest.isBetter(right, left) ? right : left;
            }

            /** The best slot, or {@link #NOBODY}. */
            int winner() {
                return winners[1];
            }
        }

        /** The disruption budgets that cover pods of each node, so that a changed budget invalidates only these nodes. */
        static final class BudgetCover {
            private final Map<String, BitSet> slotsByBudget = new HashMap<>();
            private final Map<Integer, Set<String>> budgetsBySlot = new HashMap<>();
            private final BitSet stale = new BitSet();
            private long[] stamps = new long[0];
            private long stamp;
            private long nodesSeen;
            private long budgetsSeen = -1;

            /** Applies changes of nodes and budgets. */
            void refresh(ClusterIndex index, ClusterState cluster) {
                if (stamps.length < index.slots()) {
                    stamps = Arrays.copyOf(stamps, index.slots() + index.slots() / 8);
                }
                BudgetLog log = cluster.budgetLog();
                index.changedSince(nodesSeen, slot -> take(slot, index.at(slot), cluster));
                nodesSeen = index.generation();
                if (budgetsSeen == log.revision()) {
                    return;
                }
                if (budgetsSeen < 0 || !log.changedSince(budgetsSeen, (before, now) -> mark(index, before, now))) {
                    stale.set(0, index.slots());
                }
                budgetsSeen = log.revision();
                stamp++;
                for (int slot = stale.nextSetBit(0); slot >= 0; slot = stale.nextSetBit(slot + 1)) {
                    stamps[slot] = stamp;
                    take(slot, index.at(slot), cluster);
                }
                stale.clear();
            }

            /** A number that increases with every change of budgets. */
            long stamp() {
                return stamp;
            }

            /** True if budgets that cover pods of the node in a slot have changed since {@link #stamp()} was {@code since}. */
            boolean isChanged(int slot, long since) {
                return stamps[slot] > since;
            }

            private void mark(
                    ClusterIndex index, @Nullable DisruptionBudgetInfo before, @Nullable DisruptionBudgetInfo now) {
                if (before != null && now != null && Objects.equals(before.selector(), now.selector())) {
                    BitSet slots = slotsByBudget.getOrDefault(now.key(), new BitSet());
                    for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
                        NodeInfo node = index.at(slot);
                        if (node == null || matters(before, now, node.podCount())) {
                            stale.set(slot);
                        }
                    }
                    return;
                }
                if (before != null) {
                    stale.or(slotsByBudget.getOrDefault(before.key(), new BitSet()));
                }
                for (int slot = 0; now != null && slot < index.slots(); slot++) {
                    NodeInfo node = index.at(slot);
                    if (node != null && coversAny(now, node)) {
                        stale.set(slot);
                    }
                }
            }

            /** Budgets that allow all disruptions of a node's pods are equivalent, and so are budgets that allow none. */
            private static boolean matters(DisruptionBudgetInfo before, DisruptionBudgetInfo now, int pods) {
                if (before.disruptionsAllowed() >= pods && now.disruptionsAllowed() >= pods) {
                    return false;
                }
                return before.disruptionsAllowed() > 0
                        || now.disruptionsAllowed() > 0
                        || !before.disruptedPods().equals(now.disruptedPods());
            }

            private static boolean coversAny(DisruptionBudgetInfo budget, NodeInfo node) {
                for (int i = 0; i < node.podCount(); i++) {
                    PodInfo pod = node.pod(i);
                    if (pod.namespace().equals(budget.namespace()) && budget.covers(pod.labels())) {
                        return true;
                    }
                }
                return false;
            }

            /** Adds the current state of a node; null if it was deleted. */
            private void take(int slot, @Nullable NodeInfo node, ClusterState cluster) {
                Set<String> known = budgetsBySlot.remove(slot);
                if (known != null) {
                    for (String budget : known) {
                        BitSet slots = slotsByBudget.get(budget);
                        if (slots != null) {
                            slots.clear(slot);
                            if (slots.isEmpty()) {
                                slotsByBudget.remove(budget);
                            }
                        }
                    }
                }
                Set<String> covering = node == null ? Set.of() : covering(node, cluster);
                if (!covering.isEmpty()) {
                    budgetsBySlot.put(slot, covering);
                    covering.forEach(budget -> slotsByBudget
                            .computeIfAbsent(budget, key -> new BitSet())
                            .set(slot));
                }
            }

            private static Set<String> covering(NodeInfo node, ClusterState cluster) {
                Set<String> covering = Set.of();
                for (int i = 0; i < node.podCount(); i++) {
                    PodInfo pod = node.pod(i);
                    if (pod.labels().isEmpty()) {
                        continue;
                    }
                    for (DisruptionBudgetInfo budget : cluster.budgets(pod.namespace())) {
                        if (budget.covers(pod.labels())) {
                            covering = covering.isEmpty() ? new HashSet<>() : covering;
                            covering.add(budget.key());
                        }
                    }
                }
                return covering;
            }
        }
    }
}
