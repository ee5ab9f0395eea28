package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The search for feasible nodes of one attempt. Mirrors {@code findNodesThatPassFilters}. */
final class NodeWalk {
    private final FilterRun filters;
    private final NominatedPods nominated;
    private final int clusterSize;
    private final Rejections rejections;
    private List<NodeInfo> feasible = List.of();
    private int examined;
    private @Nullable NodeInfo promised;
    private @Nullable NodeStatus promisedStatus;

    /** @param rejections are told which node is rejected for what */
    NodeWalk(FilterRun filters, NominatedPods nominated, int clusterSize, Rejections rejections) {
        this.filters = filters;
        this.nominated = nominated;
        this.clusterSize = clusterSize;
        this.rejections = rejections;
    }

    /**
     * Looks at nodes until enough are feasible.
     *
     * @param nodes all of the cluster, or the only ones worth looking at
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
                // The walk ends at the first feasible node too many, which the next walk then starts with.
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
        // That the node promised to the pod does not take it is found out before, and counts once.
        boolean isPromisedElsewhere = promised != null && count < clusterSize && !nodes.contains(promised);
        sampling.processed(isPromisedElsewhere ? examined + 1 : examined, clusterSize);
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
        NodeInfo known = promised;
        if (known != null && promisedStatus != null && !nodes.contains(known)) {
            reject(known, promisedStatus);
            unknown--;
        }
        if (unknown > 0 && filters.preFilters().countsOutside()) {
            rejections.add(outside.status().message(), unknown);
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
        rejections.add(node, status.plugin(), status.status());
    }

    List<NodeInfo> feasible() {
        return feasible;
    }

    int examined() {
        return examined;
    }
}
