package io.policyscheduler.framework.scheduler.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All filter plugins at work on one pod, with the two passes over nominated pods: the node must take the pod with those
 * promised to it and without them. Mirrors {@code podFitsOnNode} with {@code RunFilterPlugins} of v1.17.
 */
final class FilterRun {
    private final PodContext context;
    private final boolean checkAll;
    private final CycleState state;
    private final FilterPlugin[] active;

    private final @Nullable String preFilterError;

    private FilterRun(
            PodContext context,
            boolean checkAll,
            CycleState state,
            FilterPlugin[] active,
            @Nullable String preFilterError) {
        this.context = context;
        this.checkAll = checkAll;
        this.state = state;
        this.active = active;
        this.preFilterError = preFilterError;
    }

    /** Runs the pre-filter step of all plugins; those that skip are left out from here on. The first failure ends it. */
    static FilterRun start(Profile profile, PodContext context, CycleState state) {
        List<FilterPlugin> active = new ArrayList<>(profile.filters().size());
        @Nullable String error = null;
        for (FilterPlugin plugin : profile.filters()) {
            Status status = plugin.preFilter(state, context);
            if (status.isSuccess()) {
                active.add(plugin);
            } else if (status.code() != Status.Code.SKIP) {
                error = preFilterError(plugin, context, status);
                break;
            }
        }
        return new FilterRun(context, profile.checkAllFilters(), state, active.toArray(FilterPlugin[]::new), error);
    }

    private static String preFilterError(FilterPlugin plugin, PodContext context, Status status) {
        if (status.isRejected()) {
            return "rejected by \"" + plugin.name() + "\" at prefilter: " + status.message();
        }
        return "error while running \"" + plugin.name() + "\" prefilter plugin for pod \""
                + context.pod().name() + "\": " + status.message();
    }

    /** Null, or why no node need be looked at: the attempt ends with this error. */
    @Nullable
    String preFilterError() {
        return preFilterError;
    }

    FilterRun copy(boolean all) {
        return new FilterRun(context, checkAll && all, state.copy(), active, preFilterError);
    }

    /** Null when the node takes the pod, else why not. */
    @Nullable
    NodeStatus check(NodeInfo node, NominatedPods nominated) {
        if (!node.hasNode()) {
            return NodeStatus.NODE_GONE;
        }
        List<PodInfo> promised = nominated.on(node.name());
        if (!promised.isEmpty()) {
            NodeStatus withPromised = checkWith(promised, node);
            if (withPromised != null) {
                return withPromised;
            }
        }
        return run(node);
    }

    private @Nullable NodeStatus checkWith(List<PodInfo> promised, NodeInfo node) {
        @Nullable NodeInfo fuller = null;
        @Nullable FilterRun counted = null;
        for (PodInfo other : promised) {
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
        return fuller == null || counted == null ? null : counted.run(fuller);
    }

    private @Nullable NodeStatus run(NodeInfo node) {
        @Nullable NodeStatus failed = null;
        for (FilterPlugin plugin : active) {
            Status status = plugin.filter(state, context.pod(), node);
            if (status == Status.SUCCESS || status.isSuccess()) {
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

    /** A policy that asks for all predicates gets what v1.17's functions said, which is the bare text. */
    private Status error(FilterPlugin plugin, Status status) {
        return checkAll
                ? status
                : Status.error("error while running \"" + plugin.name() + "\" filter plugin for pod \""
                        + context.pod().name() + "\": " + status.message());
    }

    /** Counts a pod as running on the node; null or the text of an error. */
    @Nullable
    String addPod(PodInfo pod, NodeInfo node) {
        if (!context.metadataAvailable()) {
            return null;
        }
        if (isPlacedPod(pod)) {
            return "addedPod and meta.pod must not be the same";
        }
        for (FilterPlugin plugin : active) {
            String error = plugin.addPod(state, context.pod(), pod, node);
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    /** Stops counting a pod; null or the text of an error. */
    @Nullable
    String removePod(PodInfo pod, NodeInfo node) {
        if (!context.metadataAvailable()) {
            return null;
        }
        if (isPlacedPod(pod)) {
            return "deletedPod and meta.pod must not be the same";
        }
        for (FilterPlugin plugin : active) {
            String error = plugin.removePod(state, context.pod(), pod, node);
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    private boolean isPlacedPod(PodInfo pod) {
        return pod.name().equals(context.pod().name())
                && pod.namespace().equals(context.pod().namespace());
    }
}
