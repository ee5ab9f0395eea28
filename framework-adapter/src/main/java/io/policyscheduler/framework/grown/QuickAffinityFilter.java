package io.policyscheduler.framework.grown;

import com.google.common.base.Suppliers;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.index.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Inter-pod affinity of a pod that is told by v1.17's filter, which asks kept counts, for as long as current releases decide
 * alike. Pods that are added in a what-if may part them: v1.17 does not count nominated pods for the terms of the pod itself,
 * counts others by every term as soon as they match one, and knows no namespaces by their labels. From then on the filter of
 * current releases decides.
 */
final class QuickAffinityFilter implements PodFilter {
    private static final Verdict AFFINITY_FAILS =
            Verdict.unfit(FailureReasons.POD_AFFINITY, FailureReasons.POD_AFFINITY_RULES);

    private record Change(PodInfo pod, NodeInfo node, boolean added) {
        @Nullable
        String apply(PodFilter filter) {
            return added ? filter.addPod(pod, node) : filter.removePod(pod, node);
        }
    }

    private final PodFilter quick;
    /** The topology keys of the pod's required affinity. */
    private final Set<String> wanted;

    private final int unwanted;
    /** As things were when the attempt began; for copies of it only. */
    private final Supplier<PodFilter> current;

    private final List<Change> changes;
    private @Nullable PodFilter whole;

    /**
     * @param quick the filter of v1.17
     * @param wanted the pod's required affinity
     * @param unwanted how many terms of required anti-affinity it has
     * @param current starts the filter of current releases
     */
    QuickAffinityFilter(PodFilter quick, List<PodAffinityTerm> wanted, int unwanted, Supplier<PodFilter> current) {
        // What-ifs of several nodes may want it at once.
        this(quick, keysOf(wanted), unwanted, Suppliers.memoize(current::get)::get, List.of(), null);
    }

    private static Set<String> keysOf(List<PodAffinityTerm> terms) {
        Set<String> keys = new LinkedHashSet<>();
        terms.forEach(term -> keys.add(term.topologyKey()));
        return keys;
    }

    private QuickAffinityFilter(
            PodFilter quick,
            Set<String> wanted,
            int unwanted,
            Supplier<PodFilter> current,
            List<Change> changes,
            @Nullable PodFilter whole) {
        this.quick = quick;
        this.wanted = wanted;
        this.unwanted = unwanted;
        this.current = current;
        this.changes = new ArrayList<>(changes);
        this.whole = whole;
    }

    @Override
    public Verdict check(NodeInfo node) {
        if (whole != null) {
            return whole.check(node);
        }
        Labels labels = node.node().labels();
        for (String key : wanted) {
            // The first pod of a group, too, goes only where all of its keys are.
            if (!labels.has(key)) {
                return AFFINITY_FAILS;
            }
        }
        return quick.check(node);
    }

    @Override
    public @Nullable SlotPredicate bySlot(ClusterIndex index) {
        SlotPredicate others = whole == null ? quick.bySlot(index) : null;
        if (others == null || wanted.isEmpty()) {
            return others;
        }
        TopologyColumn[] columns = wanted.stream().map(index::topology).toArray(TopologyColumn[]::new);
        SlotPredicate known = slot -> isKnown(columns, slot);
        return SlotPredicate.all(List.of(known, others));
    }

    private static boolean isKnown(TopologyColumn[] columns, int slot) {
        for (TopologyColumn column : columns) {
            if (column.at(slot) == TopologyColumn.NONE) {
                return false;
            }
        }
        return true;
    }

    @Override
    public PodFilter copy() {
        return new QuickAffinityFilter(
                quick.copy(), wanted, unwanted, current, changes, whole == null ? null : whole.copy());
    }

    @Override
    public @Nullable String addPod(PodInfo added, NodeInfo node) {
        if (whole == null && partsThem(added)) {
            PodFilter filter = current.get().copy();
            changes.forEach(change -> change.apply(filter));
            whole = filter;
        }
        return change(new Change(added, node, true));
    }

    private boolean partsThem(PodInfo added) {
        boolean nominated = added.nodeName().isEmpty();
        return added.affinity().selectsNamespaces() || unwanted > 1 || (nominated && unwanted + wanted.size() > 0);
    }

    @Override
    public @Nullable String removePod(PodInfo removed, NodeInfo node) {
        return change(new Change(removed, node, false));
    }

    private @Nullable String change(Change change) {
        if (whole != null) {
            return change.apply(whole);
        }
        changes.add(change);
        return change.apply(quick);
    }
}
