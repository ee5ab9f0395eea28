package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The search for feasible nodes of one attempt. Mirrors {@code findNodesThatPassFilters}. */
final class NodeWalk {
    private final FilterRun filters;
    private final NominatedPods nominated;
    private final int clusterSize;
    private final @Nullable RejectionNotes notes;
    private final Map<String, Integer> reasons = new HashMap<>();
    private final Set<String> rejectedBy = new HashSet<>();
    private List<NodeInfo> feasible = List.of();
    private int @Nullable [] feasibleSlots;
    private String lastPlugin = "";
    private int examined;
    private @Nullable NodeInfo promised;
    private @Nullable NodeStatus promisedStatus;

    /** @param notes are told which node is rejected for what; null when nobody wants to know */
    NodeWalk(FilterRun filters, NominatedPods nominated, int clusterSize, @Nullable RejectionNotes notes) {
        this.filters = filters;
        this.nominated = nominated;
        this.clusterSize = clusterSize;
        this.notes = notes;
    }

    /**
     * Looks at nodes until enough are feasible.
     *
     * @param nodes all of the cluster, or the only ones worth looking at
     * @param slots of these nodes; null when they are not known
     * @param enough number of feasible nodes to find in the whole cluster
     * @return null, or the error that ends the attempt
     */
    @Nullable
    String run(List<NodeInfo> nodes, int @Nullable [] slots, NodeSampling sampling, int enough) {
        int count = nodes.size();
        int limit = count == clusterSize ? enough : Math.min(enough, sampling.limit(count));
        int start = count == 0 ? 0 : sampling.start(count);
        feasible = new ArrayList<>(Math.min(limit, count));
        int @Nullable [] found = slots == null ? null : new int[Math.min(limit, count)];
        boolean @Nullable [] fitting = slots == null ? null : filters.fitting(nominated);
        for (int i = 0; i < count; i++) {
            int at = start + i < count ? start + i : start + i - count;
            // Most nodes are known to fit, and reading anything of a node that is not in the processor's cache takes
            // long.
            boolean fits = fitting != null && slots != null && fitting[slots[at]];
            NodeStatus status = fits ? null : filters.check(nodes.get(at), nominated);
            if (status == null) {
                // The walk ends at the first feasible node too many, which the next walk then starts with.
                if (feasible.size() == limit) {
                    break;
                }
                if (found != null && slots != null) {
                    found[feasible.size()] = slots[at];
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
        feasibleSlots = found;
        // That the node promised to the pod does not take it is found out before, and counts once.
        boolean isPromisedElsewhere = promised != null && count < clusterSize && !nodes.contains(promised);
        sampling.processed(isPromisedElsewhere ? examined + 1 : examined, clusterSize);
        if (count < clusterSize) {
            rejectedBy.addAll(filters.preFilters().narrowedBy());
            countOutside(nodes, clusterSize - count);
        }
        return null;
    }

    private void countOutside(List<NodeInfo> nodes, int count) {
        NodeStatus outside = filters.preFilters().outside();
        if (outside.plugin().isEmpty()) {
            return;
        }
        rejectedBy.add(outside.plugin());
        int unknown = count;
        NodeInfo known = promised;
        if (known != null && promisedStatus != null && !nodes.contains(known)) {
            reject(known, promisedStatus);
            unknown--;
        }
        if (unknown > 0) {
            reasons.merge(outside.status().message(), unknown, Integer::sum);
        }
    }

    /** The node promised to the pod does not take it; that counts even if the search does not come across it. */
    void knownBefore(NodeInfo node, NodeStatus status) {
        if (status.status().isRejected()) {
            promised = node;
            promisedStatus = status;
        }
    }

    private void reject(NodeInfo node, NodeStatus status) {
        count(node.name(), status.status().reasons());
        // Neighbours mostly fail for the same reason; strings of one plugin are the same object.
        if (!status.plugin().equals(lastPlugin)) {
            lastPlugin = status.plugin();
            rejectedBy.add(lastPlugin);
        }
    }

    /** Counts reasons against a node. */
    void count(String node, List<String> texts) {
        if (notes != null) {
            notes.rejected(node, texts);
        }
        for (String text : texts) {
            reasons.merge(text, 1, Integer::sum);
        }
    }

    List<NodeInfo> feasible() {
        return feasible;
    }

    /** The slots of {@link #feasible}, and perhaps more numbers after them; null when they are not known. */
    int @Nullable [] feasibleSlots() {
        return feasibleSlots;
    }

    Map<String, Integer> reasons() {
        return reasons;
    }

    Set<String> rejectedBy() {
        return rejectedBy;
    }

    int examined() {
        return examined;
    }
}
