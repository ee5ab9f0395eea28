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
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What each filter takes for one pod: what is kept of it, a test of slots, nothing at all, or to be asked about every node, in the order
 * of the filters.
 */
final class FilterSteps {
    private static final Object PASSED = new Object();

    /** The statuses of one filter, by slot; {@link #PASSED} where it passes the node, null where it has not run. */
    private static final class Answers {
        private @Nullable Object[] bySlot = new Object[0];

        @Nullable
        Object[] upTo(int slot) {
            if (bySlot.length <= slot) {
                bySlot = Arrays.copyOf(bySlot, slot + slot / 2 + 16);
            }
            return bySlot;
        }
    }

    private final ResultCache kept;
    private final PodContext context;
    private final FilterRun filters;
    private final Ranking ranking;
    private final List<SlotPredicate> tests = new ArrayList<>(2);
    private final boolean asksAny;
    /** By filter: a column, a test of slots, or null for one that is asked or has nothing to say. */
    private final @Nullable Object[] steps;
    /** By filter: whether it is asked about each node. */
    private final boolean[] isAsked;

    private final boolean asksFirst;
    /** By filter that is asked. */
    private final Answers[] answers;

    FilterSteps(ResultCache kept, PodContext context, FilterRun filters) {
        this.kept = kept;
        this.context = context;
        this.filters = filters;
        List<FitColumn> columns = new ArrayList<>();
        FilterPlugin[] active = filters.active();
        this.steps = new @Nullable Object[active.length];
        this.isAsked = new boolean[active.length];
        this.answers = new Answers[active.length];
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
                isAsked[i] = true;
                answers[i] = new Answers();
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
        this.asksAny = isAnyAsked;
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
        return asksAny;
    }

    /** Whether a filter is asked that may fail on a node before it is known that another one rejects it. */
    boolean asksFirst() {
        return asksFirst;
    }

    /** What the filters that are asked say of a node; null when it passes. */
    @Nullable
    NodeStatus ask(NodeInfo node, int slot) {
        if (node.isClosed() || filters.goesOn()) {
            return filters.run(askedFilters(), node);
        }
        for (int i = 0; i < isAsked.length; i++) {
            NodeStatus status = isAsked[i] ? askOnce(i, node, slot) : null;
            if (status != null) {
                return status;
            }
        }
        return null;
    }

    private FilterPlugin[] askedFilters() {
        List<FilterPlugin> asked = new ArrayList<>(2);
        for (int i = 0; i < isAsked.length; i++) {
            if (isAsked[i]) {
                asked.add(filters.active()[i]);
            }
        }
        return asked.toArray(FilterPlugin[]::new);
    }

    /** The status of one filter, which runs once for each node of an attempt, as plugins expect. */
    private @Nullable NodeStatus askOnce(int filter, NodeInfo node, int slot) {
        @Nullable Object[] known = answers[filter].upTo(slot);
        Object answer = known[slot];
        if (answer == null) {
            NodeStatus status = filters.run(new FilterPlugin[] {filters.active()[filter]}, node);
            answer = status == null ? PASSED : status;
            known[slot] = answer;
        }
        return answer instanceof NodeStatus status ? status : null;
    }

    /** Whether {@link #status} is known without running all filters. */
    boolean has(NodeInfo node) {
        return !filters.goesOn() && !node.isClosed();
    }

    /** What the filters say about a node of the search; null when it passes. */
    @Nullable
    NodeStatus status(NodeInfo node, int slot) {
        for (int i = 0; i < steps.length; i++) {
            FilterPlugin plugin = filters.active()[i];
            NodeStatus status = null;
            if (steps[i] instanceof FitColumn column) {
                Status ofColumn = column.at(slot);
                status = ofColumn == null ? null : new NodeStatus(plugin.name(), ofColumn);
            } else if (isAsked[i]) {
                status = askOnce(i, node, slot);
            } else if (steps[i] instanceof SlotPredicate test && !test.test(slot)) {
                status = filters.run(new FilterPlugin[] {plugin}, node);
            }
            if (status != null) {
                return status;
            }
        }
        return null;
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
                NodeStatus status = askOnce(i, node, slot);
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
        NodeStatus status = isPlain ? filters.checkOnce(node, promised == null ? NominatedPods.NONE : promised) : null;
        for (int i = 0; !isPlain && i < steps.length && status == null; i++) {
            FilterPlugin plugin = filters.active()[i];
            if (steps[i] instanceof FitColumn column) {
                Status kept = column.at(slot);
                if (kept != null) {
                    rejections.add(node, plugin.name(), kept);
                    return;
                }
            } else if (isAsked[i]) {
                status = askOnce(i, node, slot);
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
