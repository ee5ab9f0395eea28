package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What is kept about making room on the nodes of one cluster, by what preemption reads of a pod. Bounded, the least used go first.
 * Owned by the scheduling thread.
 */
public final class KeptEvictions {
    /** Answers at most, beyond those of {@link #FEW} columns. */
    private static final int MAX_ANSWERS = 1 << 19;

    private static final int FEW = 16;

    private final ClusterIndex index;
    private final LinkedHashMap<Object, EvictionColumn> columns = new LinkedHashMap<>(16, 0.75f, true);
    private final BudgetCover budgets = new BudgetCover();
    private final PlacedNames names = new PlacedNames();

    KeptEvictions(ClusterIndex index) {
        this.index = index;
    }

    /**
     * What is known for pods like the one at hand, brought up to date.
     *
     * @param basis equal for pods that are the same to preemption
     * @param promised by slot, the pods that are to be taken to be on the node; none of the lists is empty
     * @param asked knows the answer for the pod at hand
     */
    public EvictionColumn column(
            ClusterState cluster,
            Object basis,
            Map<Integer, List<PodInfo>> promised,
            Function<NodeInfo, EvictionAnswer> asked) {
        budgets.refresh(index, cluster);
        EvictionColumn column = columns.computeIfAbsent(basis, key -> new EvictionColumn(index));
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
}
