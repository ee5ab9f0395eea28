package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.ExplainedTrial.Misfit;
import io.policyscheduler.engine.preemption.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import io.policyscheduler.framework.kept.EvictionAnswer.Kind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is known of making room on each node, for all pods that are the same to preemption. */
public final class EvictionColumn {
    private static final EvictionAnswer[] NO_ANSWERS = {};
    /** So many different reasons are given by the same objects. */
    private static final int MISFITS = 256;

    private final ClusterIndex index;
    private final Tournament cheapest = new Tournament(this::isCheaper);
    private final int[] counts = new int[Kind.values().length];
    private final Map<Misfit, Misfit> misfits = new HashMap<>();
    private EvictionAnswer[] bySlot = NO_ANSWERS;
    /** Of the nodes when they were asked about; a slot may have lost its node since. */
    private @Nullable String[] names = new @Nullable String[0];
    /** The pods that were taken to be on a node, because it is promised to them. */
    private final Map<Integer, List<PodInfo>> promised = new HashMap<>();

    private long seen;
    private long stamp = -1;

    EvictionColumn(ClusterIndex index) {
        this.index = index;
    }

    /**
     * Asks about the nodes for which something has changed.
     *
     * @param promisedNow by slot, the pods that are to be taken to be on the node; none of the lists is empty
     */
    void refresh(
            BudgetCover budgets, Map<Integer, List<PodInfo>> promisedNow, Function<NodeInfo, EvictionAnswer> asked) {
        grow();
        index.changedSince(seen, slot -> ask(slot, promisedNow, asked));
        seen = index.generation();
        if (stamp != budgets.stamp()) {
            for (int slot = 0; slot < index.slots(); slot++) {
                if (budgets.isChanged(slot, stamp)) {
                    ask(slot, promisedNow, asked);
                }
            }
            stamp = budgets.stamp();
        }
        for (Map.Entry<Integer, List<PodInfo>> now : promisedNow.entrySet()) {
            if (!isSame(now.getValue(), promised.get(now.getKey()))) {
                ask(now.getKey(), promisedNow, asked);
            }
        }
        if (promised.size() > promisedNow.size()) {
            for (Integer slot : List.copyOf(promised.keySet())) {
                if (!promisedNow.containsKey(slot)) {
                    ask(slot, promisedNow, asked);
                }
            }
        }
    }

    private void grow() {
        if (bySlot.length < index.slots()) {
            int before = bySlot.length;
            bySlot = Arrays.copyOf(bySlot, index.slots() + index.slots() / 8);
            Arrays.fill(bySlot, before, bySlot.length, EvictionAnswer.NONE);
            names = Arrays.copyOf(names, bySlot.length);
            counts[Kind.NONE.ordinal()] += bySlot.length - before;
            cheapest.grow(bySlot.length);
        }
    }

    @SuppressWarnings("ReferenceEquality") // a pod that has changed is another object
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

    private void ask(int slot, Map<Integer, List<PodInfo>> promisedNow, Function<NodeInfo, EvictionAnswer> asked) {
        NodeInfo node = index.at(slot);
        List<PodInfo> others = node == null ? null : promisedNow.get(slot);
        EvictionAnswer answer = node == null ? EvictionAnswer.NONE : shared(asked.apply(node));
        if (others == null) {
            promised.remove(slot);
        } else {
            promised.put(slot, others);
        }
        counts[bySlot[slot].kind().ordinal()]--;
        counts[answer.kind().ordinal()]++;
        bySlot[slot] = answer;
        names[slot] = node == null ? null : node.name();
        cheapest.set(slot, answer.cost() != null);
    }

    private EvictionAnswer shared(EvictionAnswer answer) {
        Misfit misfit = answer.misfit();
        if (misfit == null) {
            return answer;
        }
        if (misfits.size() == MISFITS) {
            misfits.clear();
        }
        Misfit known = misfits.computeIfAbsent(misfit, same -> same);
        return new EvictionAnswer(answer.kind(), null, null, known);
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

    /** The number of nodes with answers of a kind. */
    public int count(Kind kind) {
        return counts[kind.ordinal()];
    }

    /** What is known of a node. */
    public EvictionAnswer at(NodeInfo node) {
        int slot = index.ownSlotOf(node);
        return slot < 0 ? EvictionAnswer.NONE : bySlot[slot];
    }

    /** The node where making room costs least, by name the first of several; null when there is none. */
    public @Nullable NodeInfo cheapest() {
        int slot = cheapest.winner();
        return slot == Tournament.NOBODY ? null : index.at(slot);
    }

    /** The victims on a node that is a candidate. */
    public Victims victims(NodeInfo node) {
        return Objects.requireNonNull(at(node).victims());
    }

    /** Why nothing helps on the nodes where it could, with the number of nodes. */
    @SuppressWarnings("ReferenceEquality") // neighbours mostly share the object
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
}
