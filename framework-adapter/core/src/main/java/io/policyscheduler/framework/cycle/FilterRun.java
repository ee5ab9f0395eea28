package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ReleaseRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All filter plugins for one pod, with the two passes for nominated pods: the node must be feasible with its nominated pods and
 * without them. Mirrors {@code podFitsOnNode} with {@code RunFilterPlugins} of v1.17, and {@code RunFilterPluginsWithNominatedPods}
 * of current releases.
 */
final class FilterRun {
    /**
     * The inputs of the cached results of one filter.
     *
     * @param number of the filter in its profile
     */
    record FilterBasis(int number, Object basis, long revision) {}

    private final Profile profile;
    private final ReleaseRules rules;
    private final PodContext context;
    private final boolean checkAll;
    private final CycleState state;
    private final PreFilterRun preFilters;
    private final FilterPlugin[] active;
    private final CheckedNodes checked = new CheckedNodes();
    private @Nullable Findings findings;

    private FilterRun(
            Profile profile,
            PodContext context,
            boolean checkAll,
            CycleState state,
            PreFilterRun preFilters,
            FilterPlugin[] active) {
        this.profile = profile;
        this.rules = profile.rules();
        this.context = context;
        this.checkAll = checkAll;
        this.state = state;
        this.preFilters = preFilters;
        this.active = active;
    }

    /** Runs the PreFilter step of all plugins; filters of plugins that return Skip are omitted. */
    static FilterRun start(Profile profile, PodContext context, CycleState state) {
        PreFilterRun preFilters = PreFilterRun.of(profile, context, state);
        FilterPlugin[] active = preFilters.remaining(profile);
        return new FilterRun(profile, context, profile.checkAllFilters(), state, preFilters, active);
    }

    PodContext context() {
        return context;
    }

    /** True if further filters run after one has rejected a node. */
    boolean goesOn() {
        return checkAll;
    }

    /** The index of an {@link #active} filter in the profile. */
    int number(int index) {
        return active.length == profile.filters().size()
                ? index
                : profile.filters().indexOf(active[index]);
    }

    /** The filters that run, in their order; do not modify. */
    FilterPlugin[] active() {
        return active;
    }

    /**
     * The inputs of results and trials on one node, besides the node and its pods: equal for pods that are equivalent to all
     * filters. Filters that pass all trials are not included.
     *
     * @return null if results depend on more than the node, or the inputs are unknown
     */
    @Nullable
    List<FilterBasis> bases() {
        List<FilterBasis> bases = new ArrayList<>(active.length);
        Set<String> known = new HashSet<>();
        for (int i = 0; i < active.length; i++) {
            FilterPlugin plugin = active[i];
            known.add(plugin.name());
            FilterReads reads = FilterReads.of(plugin, state, context.pod());
            Object key = reads.key();
            if (key != null) {
                bases.add(new FilterBasis(number(i), key, reads.revision()));
            } else if (!reads.passesTrials()) {
                return null;
            }
        }
        for (PreFilterPlugin plugin : preFilters.active()) {
            if (!known.contains(plugin.name())) {
                // It may reject AddPod or RemovePod for reasons of its own.
                return null;
            }
        }
        return bases;
    }

    /** The state that plugins share between extension points. */
    CycleState state() {
        return state;
    }

    /** The result of the PreFilter step. */
    PreFilterRun preFilters() {
        return preFilters;
    }

    FilterRun copy(boolean all) {
        return new FilterRun(profile, context, checkAll && all, state.copy(), preFilters, active);
    }

    /** Statuses of nodes that the attempt has found without {@link #checkOnce}. */
    interface Findings {
        /** Whether {@link #status} is known for the node. */
        boolean has(NodeInfo node);

        /** Null if the node is feasible, else the reason. */
        @Nullable
        NodeStatus status(NodeInfo node);
    }

    /** Later calls of {@link #checkOnce} return these findings instead of running the filters. */
    void found(Findings byAttempt) {
        findings = byAttempt;
    }

    /**
     * Like {@link #check}, but runs the filters only once per node, so that preemption continues with the results of the attempt.
     * Not for nodes that change during the attempt.
     */
    @Nullable
    NodeStatus checkOnce(NodeInfo node, NominatedPods nominated) {
        if (checked.has(node)) {
            return checked.status(node);
        }
        Findings byAttempt = findings;
        NodeStatus status = byAttempt != null && byAttempt.has(node) ? byAttempt.status(node) : check(node, nominated);
        checked.put(node, status);
        return status;
    }

    /** The results of nodes by slot: a hash map of all nodes would be slower than the filters. */
    private static final class CheckedNodes {
        private @Nullable NodeInfo[] nodes = new @Nullable NodeInfo[0];
        /** Null for a feasible node. */
        private @Nullable NodeStatus[] statuses = new @Nullable NodeStatus[0];

        @SuppressWarnings("ReferenceEquality") // a copy of a node has its slot, but other pods
        boolean has(NodeInfo node) {
            int slot = node.slot();
            return slot >= 0 && slot < nodes.length && nodes[slot] == node;
        }

        @Nullable
        NodeStatus status(NodeInfo node) {
            return statuses[node.slot()];
        }

        /** Does nothing for a node that is not part of a cluster. */
        void put(NodeInfo node, @Nullable NodeStatus status) {
            int slot = node.slot();
            if (slot < 0) {
                return;
            }
            if (slot >= nodes.length) {
                int size = Math.max(slot + 1, 2 * nodes.length);
                nodes = Arrays.copyOf(nodes, size);
                statuses = Arrays.copyOf(statuses, size);
            }
            nodes[slot] = node;
            statuses[slot] = status;
        }
    }

    /** Receives the result of each node. */
    interface StatusCollector {
        void feasible(NodeInfo node);

        void rejected(NodeInfo node, NodeStatus status);

        /** PreFilter excludes the node. */
        void excluded(NodeInfo node);
    }

    /**
     * Evaluates all nodes that PreFilter leaves, and the nominated node of the pod in any case, so that its own reasons are reported.
     *
     * @param check returns the status of a node, null if it is feasible
     * @return null, or the error that ends the attempt
     */
    @Nullable
    String evaluate(List<NodeInfo> nodes, Function<NodeInfo, @Nullable NodeStatus> check, StatusCollector results) {
        Set<String> only = preFilters().nodes();
        String nominatedNode = context().pod().nominatedNodeName();
        for (NodeInfo node : nodes) {
            boolean isExcluded = only != null && !only.contains(node.name());
            NodeStatus status = isExcluded && !node.name().equals(nominatedNode) ? null : check.apply(node);
            if (status != null && status.status().isRejected()) {
                results.rejected(node, status);
            } else if (isExcluded) {
                results.excluded(node);
            } else if (status == null) {
                results.feasible(node);
            } else {
                return status.status().message();
            }
        }
        return null;
    }

    /** Null if the node is feasible, else the reason. */
    @Nullable
    NodeStatus check(NodeInfo node, NominatedPods nominated) {
        if (!node.hasNode()) {
            return NodeStatus.NODE_GONE;
        }
        List<PodInfo> nominees = nominated.on(node.name());
        if (!nominees.isEmpty()) {
            NodeStatus withNominees = checkWith(nominees, node);
            if (withNominees != null) {
                return withNominees;
            }
        }
        return run(active, node);
    }

    private @Nullable NodeStatus checkWith(List<PodInfo> nominees, NodeInfo node) {
        @Nullable NodeInfo fuller = null;
        @Nullable FilterRun counted = null;
        for (PodInfo other : nominees) {
            if (other.priority() < context.pod().priority() || other.isSame(context.pod())) {
                continue;
            }
            if (fuller == null || counted == null) {
                fuller = node.copy();
                counted = copy(true);
            }
            fuller.addPod(other);
            String error = counted.addPod(other, fuller);
            if (error != null) {
                return new NodeStatus("", Status.error(error));
            }
        }
        return fuller == null || counted == null ? null : counted.run(counted.active, fuller);
    }

    /** Runs some of the filters, without nominated pods. */
    @Nullable
    NodeStatus run(FilterPlugin[] plugins, NodeInfo node) {
        if (node.isClosed()) {
            return NodeStatus.NODE_CLOSED;
        }
        @Nullable NodeStatus failed = null;
        for (FilterPlugin plugin : plugins) {
            Status status = failed == null ? filter(plugin, node) : filterFurther(plugin, node);
            if (status.isSuccess()) {
                continue;
            }
            if (!status.isRejected()) {
                return new NodeStatus(plugin.name(), error(plugin, status));
            }
            NodeStatus here = new NodeStatus(plugin.name(), status);
            if (!checkAll) {
                return here;
            }
            failed = failed == null ? here : failed.and(here);
        }
        return failed;
    }

    /**
     * Runs a filter after another has rejected the node. It must not leave volume counts in the state, because the framework of
     * v1.17 stops at the first rejection.
     */
    private Status filterFurther(FilterPlugin plugin, NodeInfo node) {
        long allocatable = node.allocatableVolumes();
        long requested = node.requestedVolumes();
        Status status = filter(plugin, node);
        node.setVolumeCounts(allocatable, requested);
        return status;
    }

    private Status filter(FilterPlugin plugin, NodeInfo node) {
        try {
            return plugin.filter(state, context.pod(), node);
        } catch (RuntimeException | LinkageError e) {
            return PluginFailures.status(plugin, e);
        }
    }

    /** The status of an error. With {@code alwaysCheckAllPredicates}, the message is the bare text of the v1.17 predicate. */
    private Status error(FilterPlugin plugin, Status status) {
        return checkAll
                ? status
                : Status.error(rules.filter(plugin.name(), context.pod().name(), status));
    }

    /** Counts a pod as running on the node; null or the text of an error. */
    @Nullable
    String addPod(PodInfo pod, NodeInfo node) {
        return change(pod, "AddPod", "addedPod", plugin -> plugin.addPod(state, context.pod(), pod, node));
    }

    /** Stops counting a pod; null or the text of an error. */
    @Nullable
    String removePod(PodInfo pod, NodeInfo node) {
        return change(pod, "RemovePod", "deletedPod", plugin -> plugin.removePod(state, context.pod(), pod, node));
    }

    private @Nullable String change(
            PodInfo pod, String step, String role, Function<PreFilterPlugin, @Nullable String> change) {
        if (rules.sharesMetadata()) {
            if (!context.metadataAvailable()) {
                return null;
            }
            if (isPlacedPod(pod)) {
                return role + " and meta.pod must not be the same";
            }
        }
        for (PreFilterPlugin plugin : preFilters.active()) {
            String error = change.apply(plugin);
            if (error != null) {
                return rules.whatIf(step, plugin.name(), error);
            }
        }
        return null;
    }

    private boolean isPlacedPod(PodInfo pod) {
        return pod.name().equals(context.pod().name())
                && pod.namespace().equals(context.pod().namespace());
    }

    /**
     * The reason why a node is infeasible.
     *
     * @param plugin the first plugin that rejected it
     * @param status a rejection or an error
     */
    record NodeStatus(String plugin, Status status) {
        static final NodeStatus NODE_GONE =
                new NodeStatus("", Status.rejected(false, List.of(FitErrorText.NODE_BEING_DELETED)));

        static final NodeStatus NODE_CLOSED =
                new NodeStatus("", Status.rejected(false, List.of("node(s) had a pod that cannot be read")));

        /** Merges both reasons. */
        NodeStatus and(NodeStatus other) {
            List<String> reasons = new ArrayList<>(status.reasons());
            reasons.addAll(other.status.reasons());
            boolean resolvable =
                    status.code() == Status.Code.UNSCHEDULABLE && other.status.code() == Status.Code.UNSCHEDULABLE;
            return new NodeStatus(plugin, Status.rejected(resolvable, reasons));
        }

        NodeFailure toFailure() {
            return new NodeFailure(status.reasons(), status.code() != Status.Code.UNSCHEDULABLE, plugin);
        }
    }

    /** The search for feasible nodes of one attempt. Mirrors {@code findNodesThatPassFilters}. */
    static final class NodeSearch {
        private final FilterRun filters;
        private final NominatedPods nominated;
        private final int clusterSize;
        private final NodeRejections rejections;
        private List<NodeInfo> feasible = List.of();
        private int examined;
        private @Nullable NodeInfo nominatedNode;
        private @Nullable NodeStatus nominatedStatus;

        /** @param rejections collects the reasons by node */
        NodeSearch(FilterRun filters, NominatedPods nominated, int clusterSize, NodeRejections rejections) {
            this.filters = filters;
            this.nominated = nominated;
            this.clusterSize = clusterSize;
            this.rejections = rejections;
        }

        /**
         * Visits nodes until enough are feasible.
         *
         * @param nodes all of the cluster, or those that PreFilter leaves
         * @param enough number of feasible nodes to find in the whole cluster
         * @return null, or the error that ends the attempt
         */
        @Nullable
        String run(List<NodeInfo> nodes, NodeSampling sampling, int enough) {
            int count = nodes.size();
            int limit = count == clusterSize ? enough : Math.min(enough, sampling.limit(count));
            int start = count == 0 ? 0 : sampling.start(count);
            feasible = new ArrayList<>(Math.min(limit, count));
            for (int i = 0; i < count; i++) {
                int at = start + i < count ? start + i : start + i - count;
                NodeStatus status = filters.checkOnce(nodes.get(at), nominated);
                if (status == null) {
                    // The search ends at the first feasible node beyond the limit; the next search starts there.
                    if (feasible.size() == limit) {
                        break;
                    }
                    feasible.add(nodes.get(at));
                } else if (!status.status().isRejected()) {
                    sampling.processed(examined, clusterSize);
                    return status.status().message();
                } else {
                    reject(nodes.get(at), status);
                }
                examined++;
            }
            // The nominated node was evaluated before the search; its rejection counts once.
            boolean isNominatedElsewhere =
                    nominatedNode != null && count < clusterSize && !nodes.contains(nominatedNode);
            sampling.processed(isNominatedElsewhere ? examined + 1 : examined, clusterSize);
            if (count < clusterSize) {
                filters.preFilters().narrowedBy().forEach(rejections::by);
                countOutside(nodes, clusterSize - count);
            }
            return null;
        }

        private void countOutside(List<NodeInfo> nodes, int count) {
            NodeStatus outside = filters.preFilters().outside();
            if (outside.plugin().isEmpty()) {
                return;
            }
            rejections.by(outside.plugin());
            int unknown = count;
            NodeInfo known = nominatedNode;
            if (known != null && nominatedStatus != null && !nodes.contains(known)) {
                reject(known, nominatedStatus);
                unknown--;
            }
            if (unknown > 0 && filters.preFilters().countsOutside()) {
                rejections.add(outside.status().message(), unknown);
            }
        }

        /** Records the rejection of the nominated node, which counts even if the search does not visit the node. */
        void knownBefore(NodeInfo node, NodeStatus status) {
            if (status.status().isRejected()) {
                nominatedNode = node;
                nominatedStatus = status;
            }
        }

        private void reject(NodeInfo node, NodeStatus status) {
            rejections.add(node, status.plugin(), status.status());
        }

        List<NodeInfo> feasible() {
            return feasible;
        }

        int examined() {
            return examined;
        }
    }
}
