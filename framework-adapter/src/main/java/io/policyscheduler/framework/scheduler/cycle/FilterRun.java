package io.policyscheduler.framework.scheduler.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.FrameworkTexts;
import io.policyscheduler.framework.profile.FrameworkVersion;
import io.policyscheduler.framework.profile.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All filter plugins at work on one pod, with the two passes over nominated pods: the node must take the pod with those
 * promised to it and without them. Mirrors {@code podFitsOnNode} with {@code RunFilterPlugins} of v1.17, and
 * {@code RunFilterPluginsWithNominatedPods} of current releases.
 */
final class FilterRun {
    private final Profile profile;
    private final FrameworkTexts texts;
    private final PodContext context;
    private final boolean checkAll;
    private final CycleState state;
    private final PreFilterRun preFilters;
    private final FilterPlugin[] active;

    private FilterRun(
            Profile profile,
            FrameworkTexts texts,
            PodContext context,
            boolean checkAll,
            CycleState state,
            PreFilterRun preFilters,
            FilterPlugin[] active) {
        this.profile = profile;
        this.texts = texts;
        this.context = context;
        this.checkAll = checkAll;
        this.state = state;
        this.preFilters = preFilters;
        this.active = active;
    }

    /** Runs the pre-filter step of all plugins; the filters of those that skip are left out from here on. */
    static FilterRun start(Profile profile, FrameworkTexts texts, PodContext context, CycleState state) {
        PreFilterRun preFilters = PreFilterRun.of(profile, texts, context, state);
        return new FilterRun(
                profile, texts, context, profile.checkAllFilters(), state, preFilters, preFilters.remaining(profile));
    }

    /** What came of the pre-filter step. */
    PreFilterRun preFilters() {
        return preFilters;
    }

    FilterRun copy(boolean all) {
        return new FilterRun(profile, texts, context, checkAll && all, state.copy(), preFilters, active);
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
            Status status = filter(plugin, node);
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

    private Status filter(FilterPlugin plugin, NodeInfo node) {
        try {
            return plugin.filter(state, context.pod(), node);
        } catch (RuntimeException e) {
            return PluginFailures.status(plugin, e);
        }
    }

    /** A policy that asks for all predicates gets what v1.17's functions said, which is the bare text. */
    private Status error(FilterPlugin plugin, Status status) {
        return checkAll
                ? status
                : Status.error(texts.filter(plugin.name(), context.pod().name(), status));
    }

    /** Counts a pod as running on the node; null or the text of an error. */
    @Nullable
    String addPod(PodInfo pod, NodeInfo node) {
        if (isLegacy()) {
            if (!context.metadataAvailable()) {
                return null;
            }
            if (isPlacedPod(pod)) {
                return "addedPod and meta.pod must not be the same";
            }
        }
        for (PreFilterPlugin plugin : preFilters.active()) {
            String error = plugin.addPod(state, context.pod(), pod, node);
            if (error != null) {
                return isLegacy() ? error : addPodError("AddPod", plugin, error);
            }
        }
        return null;
    }

    /** Stops counting a pod; null or the text of an error. */
    @Nullable
    String removePod(PodInfo pod, NodeInfo node) {
        if (isLegacy()) {
            if (!context.metadataAvailable()) {
                return null;
            }
            if (isPlacedPod(pod)) {
                return "deletedPod and meta.pod must not be the same";
            }
        }
        for (PreFilterPlugin plugin : preFilters.active()) {
            String error = plugin.removePod(state, context.pod(), pod, node);
            if (error != null) {
                return isLegacy() ? error : addPodError("RemovePod", plugin, error);
            }
        }
        return null;
    }

    /** In v1.17 the shared metadata of the predicates was changed, not a plugin. */
    private boolean isLegacy() {
        return profile.version() == FrameworkVersion.V1_17;
    }

    private static String addPodError(String step, PreFilterPlugin plugin, String error) {
        return "running " + step + " on PreFilter plugin \"" + plugin.name() + "\": " + error;
    }

    private boolean isPlacedPod(PodInfo pod) {
        return pod.name().equals(context.pod().name())
                && pod.namespace().equals(context.pod().namespace());
    }
}
