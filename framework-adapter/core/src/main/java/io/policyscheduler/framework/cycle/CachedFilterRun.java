package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.cycle.FilterRun.NodeSearch;
import io.policyscheduler.framework.cycle.FilterRun.NodeStatus;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.resultcache.CachedFilterResults;
import io.policyscheduler.framework.resultcache.CachedRanking;
import io.policyscheduler.framework.resultcache.CachedRanking.FoundNodes;
import io.policyscheduler.framework.resultcache.CachedRanking.Positions;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The search of {@link NodeSearch} with cached results: filters that read one node only are called again only for nodes that have
 * changed; without other filters, no node is visited. It finds the same nodes in the same order. If a node has no usable result, it finds
 * nothing, and the caller evaluates all nodes.
 */
final class CachedFilterRun {
    private final ResultCache cache;
    private final FilterRun filters;
    private final FilterSteps steps;
    private final NominatedPods nominated;
    private final Positions positions;
    private final CachedRanking ranking;
    /** Nodes that have nominated pods, by position. */
    private final boolean @Nullable [] nominees;

    private int start;
    /** The nodes that pass all filters with usable cached results, 64 positions per long. */
    private long[] passing = new long[0];

    private boolean isWhole;
    private int examined;
    private FoundNodes found;

    private CachedFilterRun(
            ResultCache cache,
            PodContext context,
            FilterRun filters,
            NominatedPods nominated,
            boolean @Nullable [] nominees) {
        this.cache = cache;
        this.filters = filters;
        this.steps = new FilterSteps(cache, context, filters);
        this.nominated = nominated;
        this.positions = cache.positions();
        this.ranking = steps.ranking();
        this.nominees = nominees;
        this.found = new FoundNodes(cache.index(), positions, 0, new long[0], 0);
    }

    /**
     * Searches for feasible nodes.
     *
     * @param enough number of feasible nodes to find
     * @return null if a node has no usable result
     */
    static @Nullable CachedFilterRun find(
            SchedulingCycle cycle,
            ResultCache cache,
            PodContext context,
            FilterRun filters,
            NominatedPods nominated,
            NodeSampling sampling,
            int enough) {
        boolean @Nullable [] nominees = null;
        if (!nominated.isEmpty()) {
            Collection<String> nodes = nominated.nodes();
            if (nodes == null) {
                return null;
            }
            nominees = nomineePositions(cache, context, nodes);
        }
        CachedFilterRun search;
        try {
            search = new CachedFilterRun(cache, context, filters, nominated, nominees);
        } catch (RuntimeException | LinkageError e) {
            cycle.fellBack(context.pod(), e);
            return null;
        }
        return search.run(sampling, enough) ? search : null;
    }

    private static boolean[] nomineePositions(ResultCache cache, PodContext context, Collection<String> nodes) {
        boolean[] nominees = new boolean[cache.positions().size()];
        for (String name : nodes) {
            NodeInfo node = context.cluster().node(name);
            int position =
                    node == null ? -1 : cache.positions().of(cache.index().ownSlotOf(node));
            if (position >= 0) {
                nominees[position] = true;
            }
        }
        return nominees;
    }

    private boolean run(NodeSampling sampling, int enough) {
        if (ranking.isOdd() || positions.size() == 0) {
            return false;
        }
        start = sampling.start(positions.size());
        passing = steps.passing();
        int passingCount = 0;
        for (long block : passing) {
            passingCount += Long.bitCount(block);
        }
        if (nominees == null && !steps.evaluatesAny() && passingCount <= enough) {
            found = new FoundNodes(cache.index(), positions, start, passing, passingCount);
            examined = positions.size();
            isWhole = passingCount == ranking.fitCount();
        } else if (!gather(enough)) {
            return false;
        }
        sampling.processed(examined, positions.size());
        return true;
    }

    /** Visits nodes until enough are feasible; false if one of them has no usable result. */
    private boolean gather(int enough) {
        int size = positions.size();
        long[] chosen = new long[passing.length];
        int count = 0;
        examined = size;
        for (int round = 0; round < 2; round++) {
            int end = round == 0 ? size : start;
            for (int position = next(round == 0 ? start : 0); position >= 0 && position < end; ) {
                int fit = isFit(position)
                        ? fits(position)
                        : steps.failsBefore(nodeAt(position), positions.slot(position));
                if (fit < 0) {
                    return false;
                }
                if (fit > 0) {
                    // The search ends at the first feasible node beyond the limit; the next search starts there.
                    if (count == enough) {
                        examined = round == 0 ? position - start : size - start + position;
                        found = new FoundNodes(cache.index(), positions, start, chosen, count);
                        return true;
                    }
                    chosen[position >> 6] |= 1L << position;
                    count++;
                }
                position = next(position + 1);
            }
        }
        found = new FoundNodes(cache.index(), positions, start, chosen, count);
        return true;
    }

    /** The next position to visit. A node with nominated pods is visited even if its cached result is a rejection. */
    private int next(int from) {
        if (steps.evaluatesFirst() && from < positions.size()) {
            return from;
        }
        int fit = Positions.next(passing, from);
        if (nominees != null) {
            int end = fit < 0 ? nominees.length : fit;
            for (int position = from; position < end; position++) {
                if (nominees[position]) {
                    return position;
                }
            }
        }
        return fit;
    }

    private boolean hasNominees(int position) {
        return nominees != null && nominees[position];
    }

    private boolean isFit(int position) {
        return !steps.evaluatesFirst() || hasNominees(position) || Positions.next(passing, position) == position;
    }

    /** Positive if the node is feasible, 0 if it is not, negative if it has no usable result. */
    private int fits(int position) {
        if (hasNominees(position)) {
            return feasibility(filters.check(nodeAt(position), nominated));
        }
        return steps.evaluatesAny() ? feasibility(steps.evaluate(nodeAt(position), positions.slot(position))) : 1;
    }

    private static int feasibility(@Nullable NodeStatus status) {
        if (status == null) {
            return 1;
        }
        return status.status().isRejected() ? 0 : -1;
    }

    /** Reports why the other visited nodes are rejected. */
    void report(NodeRejections rejections) {
        int size = positions.size();
        report(start, Math.min(start + examined, size), rejections);
        report(0, start + examined - size, rejections);
    }

    private void report(int from, int end, NodeRejections rejections) {
        long[] found = chosen();
        for (int position = Positions.nextOutside(found, from);
                position < end;
                position = Positions.nextOutside(found, position + 1)) {
            NominatedPods there = hasNominees(position) ? nominated : null;
            steps.reject(nodeAt(position), positions.slot(position), there, rejections);
        }
    }

    /** The statuses of the nodes without nominated pods, after a search that found none. */
    FilterRun.Findings findings() {
        return new FilterRun.Findings() {
            @Override
            public boolean has(NodeInfo node) {
                int position = positions.of(cache.index().ownSlotOf(node));
                return position >= 0 && !hasNominees(position) && steps.has(node);
            }

            @Override
            public @Nullable NodeStatus status(NodeInfo node) {
                return steps.status(node, cache.index().ownSlotOf(node));
            }
        };
    }

    /** Names of the filters whose cached results are stale. */
    List<String> stale() {
        return steps.stale();
    }

    CachedRanking ranking() {
        return ranking;
    }

    ClusterIndex index() {
        return cache.index();
    }

    ResultCache cache() {
        return cache;
    }

    /** True if the nodes found are exactly the feasible nodes of the ranking. */
    boolean isWhole() {
        return isWhole;
    }

    /** Position at which the search began. */
    int start() {
        return start;
    }

    /** Number of nodes found. */
    int count() {
        return found.count();
    }

    int examined() {
        return examined;
    }

    /** The nodes found, 64 positions per long; each is feasible according to the ranking unless it has nominated pods. */
    long[] chosen() {
        return found.chosen();
    }

    /** True if a node found may be infeasible according to the ranking. */
    boolean hasNominees() {
        return nominees != null;
    }

    /** Positions of the nodes found, in the order of the search. */
    int[] found() {
        return found.positions();
    }

    /** The slots of the nodes found; do not modify. */
    int[] slots() {
        return found.slots();
    }

    NodeInfo nodeAt(int position) {
        return found.nodeAt(position);
    }

    /** The nodes found. */
    List<NodeInfo> nodes() {
        return found.nodes();
    }

    /**
     * The way in which each filter is evaluated for one pod, in the order of the filters: cached results, a slot predicate, not at
     * all, or a call for every node.
     */
    static final class FilterSteps {
        private static final Object PASSED = new Object();

        /** The statuses of one filter, by slot; {@link #PASSED} where it passes the node, null where it has not run. */
        private static final class CachedResults {
            private @Nullable Object[] bySlot = new Object[0];

            @Nullable
            Object[] upTo(int slot) {
                if (bySlot.length <= slot) {
                    bySlot = Arrays.copyOf(bySlot, slot + slot / 2 + 16);
                }
                return bySlot;
            }
        }

        private final ResultCache cache;
        private final PodContext context;
        private final FilterRun filters;
        private final CachedRanking ranking;
        private final List<SlotPredicate> tests = new ArrayList<>(2);
        private final boolean evaluatesAny;
        /** By filter: a column of cached results, a slot predicate, or null for one that is called or passes all nodes. */
        private final @Nullable Object[] steps;
        /** By filter: whether it is called for each node. */
        private final boolean[] isEvaluated;

        private final boolean evaluatesFirst;
        /** By filter that is called. */
        private final CachedResults[] cached;

        FilterSteps(ResultCache cache, PodContext context, FilterRun filters) {
            this.cache = cache;
            this.context = context;
            this.filters = filters;
            List<CachedFilterResults> columns = new ArrayList<>();
            FilterPlugin[] active = filters.active();
            this.steps = new @Nullable Object[active.length];
            this.isEvaluated = new boolean[active.length];
            this.cached = new CachedResults[active.length];
            boolean isAnyEvaluated = false;
            boolean isEvaluatedFirst = false;
            for (int i = 0; i < active.length; i++) {
                FilterPlugin plugin = active[i];
                FilterReads reads = FilterReads.of(plugin, filters.state(), context.pod());
                Object basis = reads.key();
                CachedFilterResults column =
                        basis == null ? null : cache.fits(filters.number(i), basis, reads.revision(), filter(plugin));
                if (basis == null && reads.passesAll()) {
                    continue;
                }
                SlotPredicate test = column == null ? reads.bySlot().apply(cache.index()) : null;
                if (test == null && basis == null) {
                    isEvaluated[i] = true;
                    cached[i] = new CachedResults();
                    isAnyEvaluated = true;
                    continue;
                }
                isEvaluatedFirst |= isAnyEvaluated;
                if (test != null) {
                    tests.add(test);
                    steps[i] = test;
                } else {
                    if (column == null) {
                        column = cache.fitsOnce(filters.number(i), reads.revision(), filter(plugin));
                    }
                    columns.add(column);
                    steps[i] = column;
                }
            }
            if (columns.isEmpty()) {
                columns.add(cache.open());
            }
            this.evaluatesAny = isAnyEvaluated;
            this.evaluatesFirst = isEvaluatedFirst || (isAnyEvaluated && filters.goesOn());
            this.ranking = cache.ranking(context.pod(), columns);
        }

        private Function<NodeInfo, Status> filter(FilterPlugin plugin) {
            return node -> plugin.filter(filters.state(), context.pod(), node);
        }

        /** The ranking of the nodes that pass all filters with cached results. */
        CachedRanking ranking() {
            return ranking;
        }

        /** The nodes that pass all filters that are not called, 64 positions per long. */
        long[] passing() {
            long[] passing = ranking.fits();
            for (SlotPredicate test : tests) {
                test.retain(cache.positions().slots(), passing);
            }
            return passing;
        }

        /** Whether a filter is called for each node. */
        boolean evaluatesAny() {
            return evaluatesAny;
        }

        /** Whether a filter is called that may fail on a node before a later filter rejects it. */
        boolean evaluatesFirst() {
            return evaluatesFirst;
        }

        /** The result of the called filters for a node; null if it passes. */
        @Nullable
        NodeStatus evaluate(NodeInfo node, int slot) {
            if (node.isClosed() || filters.goesOn()) {
                return filters.run(evaluatedFilters(), node);
            }
            for (int i = 0; i < isEvaluated.length; i++) {
                NodeStatus status = isEvaluated[i] ? evaluateOnce(i, node, slot) : null;
                if (status != null) {
                    return status;
                }
            }
            return null;
        }

        private FilterPlugin[] evaluatedFilters() {
            List<FilterPlugin> evaluated = new ArrayList<>(2);
            for (int i = 0; i < isEvaluated.length; i++) {
                if (isEvaluated[i]) {
                    evaluated.add(filters.active()[i]);
                }
            }
            return evaluated.toArray(FilterPlugin[]::new);
        }

        /** The status of one filter, which runs once for each node of an attempt, as plugins expect. */
        private @Nullable NodeStatus evaluateOnce(int filter, NodeInfo node, int slot) {
            @Nullable Object[] known = cached[filter].upTo(slot);
            Object result = known[slot];
            if (result == null) {
                NodeStatus status = filters.run(new FilterPlugin[] {filters.active()[filter]}, node);
                result = status == null ? PASSED : status;
                known[slot] = result;
            }
            return result instanceof NodeStatus status ? status : null;
        }

        /** Whether {@link #status} is known without running all filters. */
        boolean has(NodeInfo node) {
            return !filters.goesOn() && !node.isClosed();
        }

        /** The result of all filters for a node of the search; null if it passes. */
        @Nullable
        NodeStatus status(NodeInfo node, int slot) {
            for (int i = 0; i < steps.length; i++) {
                FilterPlugin plugin = filters.active()[i];
                NodeStatus status = null;
                if (steps[i] instanceof CachedFilterResults column) {
                    Status ofColumn = column.at(slot);
                    status = ofColumn == null ? null : new NodeStatus(plugin.name(), ofColumn);
                } else if (isEvaluated[i]) {
                    status = evaluateOnce(i, node, slot);
                } else if (steps[i] instanceof SlotPredicate test && !test.test(slot)) {
                    status = filters.run(new FilterPlugin[] {plugin}, node);
                }
                if (status != null) {
                    return status;
                }
            }
            return null;
        }

        /** Negative if a filter fails on the node before or although another one rejects it; else 0. */
        int failsBefore(NodeInfo node, int slot) {
            if (node.isClosed()) {
                return 0;
            }
            for (int i = 0; i < steps.length; i++) {
                boolean rejects = false;
                if (steps[i] instanceof CachedFilterResults column) {
                    rejects = column.at(slot) != null;
                } else if (steps[i] instanceof SlotPredicate test) {
                    rejects = !test.test(slot);
                } else if (isEvaluated[i]) {
                    NodeStatus status = evaluateOnce(i, node, slot);
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
         * Reports why a node is rejected.
         *
         * @param nominees the pods nominated to this node; null if there are none
         */
        void reject(NodeInfo node, int slot, @Nullable NominatedPods nominees, NodeRejections rejections) {
            boolean isPlain = filters.goesOn() || node.isClosed() || nominees != null;
            NodeStatus status =
                    isPlain ? filters.checkOnce(node, nominees == null ? NominatedPods.NONE : nominees) : null;
            for (int i = 0; !isPlain && i < steps.length && status == null; i++) {
                FilterPlugin plugin = filters.active()[i];
                if (steps[i] instanceof CachedFilterResults column) {
                    Status shared = column.at(slot);
                    if (shared != null) {
                        rejections.add(node, plugin.name(), shared);
                        return;
                    }
                } else if (isEvaluated[i]) {
                    status = evaluateOnce(i, node, slot);
                } else if (!(steps[i] instanceof SlotPredicate test) || !test.test(slot)) {
                    status = filters.run(new FilterPlugin[] {plugin}, node);
                }
            }
            if (status != null) {
                rejections.add(node, status.plugin(), status.status());
            }
        }

        /** Names of the filters whose cached results are stale. */
        List<String> stale() {
            List<String> plugins = new ArrayList<>();
            for (int i = 0; i < steps.length; i++) {
                FilterPlugin plugin = filters.active()[i];
                if (steps[i] instanceof CachedFilterResults column
                        && column.isStale(cache.index(), node -> plugin.filter(filters.state(), context.pod(), node))) {
                    plugins.add(plugin.name());
                }
            }
            return plugins;
        }
    }
}
