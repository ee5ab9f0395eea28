package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.resultcache.FitColumn;
import io.policyscheduler.framework.resultcache.Ranking;
import io.policyscheduler.framework.resultcache.ResultCache;
import io.policyscheduler.framework.resultcache.ResultCache.PodClass;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What each filter takes for one pod: what is kept of it, a test of slots, nothing at all, or to be asked about every node, in the order
 * of the filters.
 */
final class FilterSteps {
    private final ResultCache kept;
    private final PodContext context;
    private final FilterRun filters;
    private final Ranking ranking;
    private final List<SlotPredicate> tests = new ArrayList<>(2);
    private final FilterPlugin[] asked;
    /** By filter: a column, a test of slots, or null for one that is asked or has nothing to say. */
    private final @Nullable Object[] steps;
    /** By filter: whether it is asked about each node. */
    private final boolean[] isAsked;

    private final boolean asksFirst;

    FilterSteps(ResultCache kept, PodContext context, FilterRun filters) {
        this.kept = kept;
        this.context = context;
        this.filters = filters;
        List<FitColumn> columns = new ArrayList<>();
        List<FilterPlugin> others = new ArrayList<>(2);
        FilterPlugin[] active = filters.active();
        this.steps = new @Nullable Object[active.length];
        this.isAsked = new boolean[active.length];
        boolean isAnyAsked = false;
        boolean isAskedFirst = false;
        for (int i = 0; i < active.length; i++) {
            FilterPlugin plugin = active[i];
            Object basis = basis(plugin);
            FitColumn column =
                    basis == null ? null : kept.fits(filters.number(i), basis, plugin.filterRevision(), filter(plugin));
            if (basis == null && plugin.passesUntilChanged(filters.state())) {
                continue;
            }
            SlotPredicate test = column == null ? plugin.bySlot(filters.state(), kept.index()) : null;
            if (test == null && basis == null) {
                others.add(plugin);
                isAsked[i] = true;
                isAnyAsked = true;
                continue;
            }
            isAskedFirst |= isAnyAsked;
            if (test != null) {
                tests.add(test);
                steps[i] = test;
            } else {
                if (column == null) {
                    column = kept.fitsOnce(filters.number(i), plugin.filterRevision(), filter(plugin));
                }
                columns.add(column);
                steps[i] = column;
            }
        }
        if (columns.isEmpty()) {
            columns.add(kept.open());
        }
        this.asked = others.toArray(FilterPlugin[]::new);
        this.asksFirst = isAskedFirst || (isAnyAsked && filters.goesOn());
        this.ranking = kept.ranking(context.pod(), columns);
    }

    private Function<NodeInfo, Status> filter(FilterPlugin plugin) {
        return node -> plugin.filter(filters.state(), context.pod(), node);
    }

    private @Nullable Object basis(FilterPlugin plugin) {
        Object basis = plugin.filterBasis(filters.state(), context.pod());
        if (basis == null && plugin.filterScope() == Scope.NODE) {
            basis = new PodClass(context.pod());
        }
        return basis;
    }

    /** The nodes that what is kept leaves, and what they come to. */
    Ranking ranking() {
        return ranking;
    }

    /** What filters that are not asked leave, 64 positions to a number. */
    long[] passing() {
        long[] passing = ranking.fits();
        for (SlotPredicate test : tests) {
            test.retain(kept.positions().slots(), passing);
        }
        return passing;
    }

    /** Whether a filter is asked about each node. */
    boolean asksAny() {
        return asked.length > 0;
    }

    /** Whether a filter is asked that may fail on a node before it is known that another one rejects it. */
    boolean asksFirst() {
        return asksFirst;
    }

    /** What the filters that are asked say of a node; null when it passes. */
    @Nullable
    NodeStatus ask(NodeInfo node) {
        return filters.run(asked, node);
    }

    /** Below 0 when a filter fails on a node before, or although, it is known that another one rejects it; else 0. */
    int failsBefore(NodeInfo node, int slot) {
        if (node.isClosed()) {
            return 0;
        }
        for (int i = 0; i < steps.length; i++) {
            boolean rejects = false;
            if (steps[i] instanceof FitColumn column) {
                rejects = column.at(slot) != null;
            } else if (steps[i] instanceof SlotPredicate test) {
                rejects = !test.test(slot);
            } else if (isAsked[i]) {
                NodeStatus status = filters.run(new FilterPlugin[] {filters.active()[i]}, node);
                if (status != null && !status.status().isRejected()) {
                    return -1;
                }
                rejects = status != null;
            }
            if (rejects && !filters.goesOn()) {
                break;
            }
        }
        return 0;
    }

    /**
     * Tells why a node is rejected.
     *
     * @param promised who is nominated to this node; null when nobody is
     */
    void reject(NodeInfo node, int slot, @Nullable NominatedPods promised, Rejections rejections) {
        boolean isPlain = filters.goesOn() || node.isClosed() || promised != null;
        NodeStatus status = isPlain ? filters.check(node, promised == null ? NominatedPods.NONE : promised) : null;
        for (int i = 0; !isPlain && i < steps.length && status == null; i++) {
            FilterPlugin plugin = filters.active()[i];
            if (steps[i] instanceof FitColumn column) {
                Status kept = column.at(slot);
                if (kept != null) {
                    rejections.add(node, plugin.name(), kept);
                    return;
                }
            } else if (!(steps[i] instanceof SlotPredicate test) || !test.test(slot)) {
                status = filters.run(new FilterPlugin[] {plugin}, node);
            }
        }
        if (status != null) {
            rejections.add(node, status.plugin(), status.status());
        }
    }

    /** Names of the filters that would say something else now than what is kept of them. */
    List<String> stale() {
        List<String> plugins = new ArrayList<>();
        for (int i = 0; i < steps.length; i++) {
            FilterPlugin plugin = filters.active()[i];
            if (steps[i] instanceof FitColumn column
                    && column.isStale(kept.index(), node -> plugin.filter(filters.state(), context.pod(), node))) {
                plugins.add(plugin.name());
            }
        }
        return plugins;
    }
}
