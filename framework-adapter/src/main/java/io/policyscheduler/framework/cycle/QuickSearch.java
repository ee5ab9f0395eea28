package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotTest;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.kept.FitColumn;
import io.policyscheduler.framework.kept.KeptNodes;
import io.policyscheduler.framework.kept.PodClass;
import io.policyscheduler.framework.kept.Positions;
import io.policyscheduler.framework.kept.Ranking;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The search of {@link NodeWalk} by what is kept about the nodes: filters that look at one node only are not asked again about nodes
 * that have not changed, and where no other filter has a word, no node is looked at at all. Finds the same nodes in the same order;
 * where some node is odd, it finds nothing, and the nodes have to be walked over.
 */
final class QuickSearch {
    private final KeptNodes kept;
    private final PodContext context;
    private final FilterRun filters;
    private final NominatedPods nominated;
    private final Positions positions;
    private final Ranking ranking;
    private final List<SlotTest> tests = new ArrayList<>(2);
    private final FilterPlugin[] asked;
    /** By filter: a column, a test of slots, or null for one that is asked or has nothing to say. */
    private final @Nullable Object[] steps;
    /** By filter: whether it is asked about each node. */
    private final boolean[] isAsked;
    /** Whether a filter is asked that may fail on a node before it is known that another one rejects it. */
    private final boolean asksFirst;
    /** Nodes that somebody is nominated to, by position. */
    private final boolean @Nullable [] promised;

    private int start;
    /** What filters that are not asked leave, 64 positions to a number. */
    private long[] passing = new long[0];

    private boolean isWhole;
    private int examined;
    private int count;
    /** The nodes found, 64 positions to a number. */
    private long[] chosen = new long[0];
    /** Positions of the nodes found, in the order of the search; null as long as nobody has needed them. */
    private int @Nullable [] found;

    private QuickSearch(
            KeptNodes kept,
            PodContext context,
            FilterRun filters,
            NominatedPods nominated,
            boolean @Nullable [] promised) {
        this.kept = kept;
        this.context = context;
        this.filters = filters;
        this.nominated = nominated;
        this.positions = kept.positions();
        this.promised = promised;
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
            SlotTest test = column == null ? plugin.bySlot(filters.state(), kept.index()) : null;
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

    /**
     * Looks for nodes.
     *
     * @param enough number of feasible nodes to find
     * @return null when nothing can be found in this way
     */
    static @Nullable QuickSearch find(
            KeptNodes kept,
            PodContext context,
            FilterRun filters,
            NominatedPods nominated,
            NodeSampling sampling,
            int enough) {
        boolean @Nullable [] promised = null;
        if (!nominated.isEmpty()) {
            Collection<String> nodes = nominated.nodes();
            if (nodes == null) {
                return null;
            }
            promised = promised(kept, context, nodes);
        }
        QuickSearch search;
        try {
            search = new QuickSearch(kept, context, filters, nominated, promised);
        } catch (RuntimeException | LinkageError e) {
            // A plugin that fails before it is asked about a node; it will fail again, and be told of.
            return null;
        }
        return search.run(sampling, enough) ? search : null;
    }

    private static boolean[] promised(KeptNodes kept, PodContext context, Collection<String> nodes) {
        boolean[] promised = new boolean[kept.positions().size()];
        for (String name : nodes) {
            NodeInfo node = context.cluster().node(name);
            int position = node == null ? -1 : kept.positions().of(kept.index().ownSlotOf(node));
            if (position >= 0) {
                promised[position] = true;
            }
        }
        return promised;
    }

    private boolean run(NodeSampling sampling, int enough) {
        if (ranking.isOdd() || positions.size() == 0) {
            return false;
        }
        start = sampling.start(positions.size());
        passing = ranking.fits();
        for (SlotTest test : tests) {
            test.retain(positions.slots(), passing);
        }
        int passingCount = 0;
        for (long block : passing) {
            passingCount += Long.bitCount(block);
        }
        if (promised == null && asked.length == 0 && passingCount <= enough) {
            chosen = passing;
            count = passingCount;
            examined = positions.size();
            isWhole = count == ranking.fitCount();
        } else if (!gather(enough)) {
            return false;
        }
        sampling.processed(examined, positions.size());
        return true;
    }

    /** Goes through the nodes until enough are found; false when one of them is odd. */
    private boolean gather(int enough) {
        int size = positions.size();
        chosen = new long[passing.length];
        for (int round = 0; round < 2; round++) {
            int end = round == 0 ? size : start;
            for (int position = next(round == 0 ? start : 0); position >= 0 && position < end; ) {
                int fit = isFit(position) ? fits(position) : failsBefore(position);
                if (fit < 0) {
                    return false;
                }
                if (fit > 0) {
                    // The search ends at the first feasible node too many, which the next one then starts with.
                    if (count == enough) {
                        examined = round == 0 ? position - start : size - start + position;
                        return true;
                    }
                    chosen[position >> 6] |= 1L << position;
                    count++;
                }
                position = next(position + 1);
            }
        }
        examined = size;
        return true;
    }

    /** The next position that has to be looked at: one that is promised to somebody may be fit although it is not kept as such. */
    private int next(int from) {
        if (asksFirst && from < positions.size()) {
            return from;
        }
        int fit = Positions.next(passing, from);
        if (promised != null) {
            int end = fit < 0 ? promised.length : fit;
            for (int position = from; position < end; position++) {
                if (promised[position]) {
                    return position;
                }
            }
        }
        return fit;
    }

    private boolean isFit(int position) {
        return !asksFirst || (promised != null && promised[position]) || Positions.next(passing, position) == position;
    }

    /** Below 0 when a filter fails on a node before, or although, it is known that another one rejects it; else 0. */
    private int failsBefore(int position) {
        NodeInfo node = node(positions.slot(position));
        if (node.isClosed()) {
            return 0;
        }
        for (int i = 0; i < steps.length; i++) {
            boolean rejects = false;
            if (steps[i] instanceof FitColumn column) {
                rejects = column.at(positions.slot(position)) != null;
            } else if (steps[i] instanceof SlotTest test) {
                rejects = !test.test(positions.slot(position));
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

    /** Above 0 when the node takes the pod, 0 when it does not, below 0 when it is odd. */
    private int fits(int position) {
        if (promised != null && promised[position]) {
            return told(filters.check(node(positions.slot(position)), nominated));
        }
        return asked.length == 0 ? 1 : told(filters.run(asked, node(positions.slot(position))));
    }

    private static int told(@Nullable NodeStatus status) {
        if (status == null) {
            return 1;
        }
        return status.status().isRejected() ? 0 : -1;
    }

    private NodeInfo node(int slot) {
        NodeInfo node = kept.index().at(slot);
        if (node == null) {
            throw new IllegalStateException("no node in slot " + slot + " of the order");
        }
        return node;
    }

    /** Tells why the others of the nodes that were examined are rejected. */
    void tell(Rejections rejections) {
        int[] at = found();
        int next = 0;
        for (int i = 0; i < examined; i++) {
            int position = start + i < positions.size() ? start + i : start + i - positions.size();
            if (next < count && at[next] == position) {
                next++;
            } else {
                reject(node(positions.slot(position)), position, rejections);
            }
        }
    }

    private void reject(NodeInfo node, int position, Rejections rejections) {
        boolean isPlain = filters.goesOn() || node.isClosed() || (promised != null && promised[position]);
        NodeStatus status = isPlain ? filters.check(node, nominated) : null;
        for (int i = 0; !isPlain && i < steps.length && status == null; i++) {
            FilterPlugin plugin = filters.active()[i];
            if (steps[i] instanceof FitColumn column) {
                Status kept = column.at(positions.slot(position));
                if (kept != null) {
                    rejections.add(node, plugin.name(), kept);
                    return;
                }
            } else if (!(steps[i] instanceof SlotTest test) || !test.test(positions.slot(position))) {
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

    Ranking ranking() {
        return ranking;
    }

    ClusterIndex index() {
        return kept.index();
    }

    KeptNodes kept() {
        return kept;
    }

    /** True when the nodes found are just those that fit by the ranking. */
    boolean isWhole() {
        return isWhole;
    }

    /** Position at which the search began. */
    int start() {
        return start;
    }

    /** Number of nodes found. */
    int count() {
        return count;
    }

    int examined() {
        return examined;
    }

    /** The nodes found, 64 positions to a number; each fits by the ranking unless somebody is promised it. */
    long[] chosen() {
        return chosen;
    }

    /** True when a node found need not be one that fits by the ranking. */
    boolean isPromised() {
        return promised != null;
    }

    /** Positions of the nodes found, in the order of the search. */
    int[] found() {
        if (found == null) {
            int[] at = new int[count];
            int next = 0;
            if (count == positions.size()) {
                for (int position = start; position < count; position++) {
                    at[next++] = position;
                }
                for (int position = 0; position < start; position++) {
                    at[next++] = position;
                }
                found = at;
                return at;
            }
            for (int position = Positions.next(chosen, start);
                    position >= 0;
                    position = Positions.next(chosen, position + 1)) {
                at[next++] = position;
            }
            for (int position = Positions.next(chosen, 0);
                    position >= 0 && position < start;
                    position = Positions.next(chosen, position + 1)) {
                at[next++] = position;
            }
            found = at;
        }
        return found;
    }

    /** The slots of the nodes found; do not modify. */
    int[] slots() {
        if (count == positions.size() && start == 0) {
            return positions.slots();
        }
        int[] slots = found().clone();
        for (int i = 0; i < count; i++) {
            slots[i] = positions.slot(slots[i]);
        }
        return slots;
    }

    NodeInfo nodeAt(int position) {
        return node(positions.slot(position));
    }

    /** The nodes found. */
    List<NodeInfo> nodes() {
        return new Nodes();
    }

    private final class Nodes extends AbstractList<NodeInfo> implements RandomAccess {
        @Override
        public NodeInfo get(int index) {
            return nodeAt(found()[index]);
        }

        @Override
        public int size() {
            return count;
        }
    }
}
