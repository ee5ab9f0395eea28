package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.framework.cycle.FilterRun.NodeStatus;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ReleaseRules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The PreFilter step: plugins that skip, the nodes that remain, and whether the attempt continues. */
final class PreFilterRun {
    private final List<PreFilterPlugin> active = new ArrayList<>();
    private final Set<String> skipped = new HashSet<>();
    private final SortedSet<String> narrowing = new TreeSet<>();
    private @Nullable Set<String> nodes;
    private @Nullable String error;
    private @Nullable NodeStatus rejection;
    private Set<String> rejectedBy = Set.of();
    private boolean countsExcluded = true;

    private PreFilterRun() {}

    static PreFilterRun of(Profile profile, PodContext context, CycleState state) {
        ReleaseRules rules = profile.rules();
        PreFilterRun run = new PreFilterRun();
        run.countsExcluded = rules.countsExcludedNodes();
        for (PreFilterPlugin plugin : profile.preFilters()) {
            PreFilterResult result = call(plugin, context, state);
            Status status = result.status();
            if (status.isSuccess()) {
                run.active.add(plugin);
                if (!run.narrow(plugin.name(), result.nodes())) {
                    break;
                }
            } else if (status.code() == Status.Code.SKIP) {
                run.skipped.add(plugin.name());
            } else if (status.isRejected() && rules.letsPreFiltersReject()) {
                run.reject(new NodeStatus(plugin.name(), status), Set.of(plugin.name()));
                if (status.code() == Status.Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                    return run;
                }
            } else {
                run.error = rules.preFilter(plugin.name(), context.pod().name(), status);
                break;
            }
        }
        if (run.error == null && run.rejection == null && run.nodes != null && rules.requiresNamedNodes()) {
            run.nodes.stream()
                    .filter(node -> context.cluster().node(node) == null)
                    .findFirst()
                    .ifPresent(missing -> run.error = "nodeinfo not found for node name \"" + missing + "\"");
        }
        if (run.rejection != null) {
            // Without the nodes that these exclude, the result might differ.
            run.rejectedBy = Sets.union(run.rejectedBy, run.narrowing).immutableCopy();
        }
        return run;
    }

    private static PreFilterResult call(PreFilterPlugin plugin, PodContext context, CycleState state) {
        try {
            return plugin.preFilter(state, context);
        } catch (RuntimeException | LinkageError e) {
            return PreFilterResult.of(PluginFailures.status(plugin, e));
        }
    }

    /** Intersects the remaining nodes; false if none is left, which ends the step. */
    private boolean narrow(String plugin, @Nullable Set<String> only) {
        if (only == null) {
            return true;
        }
        narrowing.add(plugin);
        nodes = nodes == null ? only : Sets.intersection(nodes, only).immutableCopy();
        if (!nodes.isEmpty()) {
            return true;
        }
        String text = narrowing.size() == 1
                ? "node(s) didn't satisfy plugin " + narrowing.first()
                : "node(s) didn't satisfy plugin(s) [" + String.join(" ", narrowing) + "] simultaneously";
        reject(new NodeStatus(narrowing.first(), Status.unresolvable(text)), narrowing);
        return false;
    }

    private void reject(NodeStatus status, Set<String> by) {
        rejection = status;
        rejectedBy = ImmutableSet.copyOf(by);
    }

    /** Null, or the error that ends the attempt before filtering. */
    @Nullable
    String error() {
        return error;
    }

    /** Null, or the reason that rejects all nodes before filtering. */
    @Nullable
    NodeStatus rejection() {
        return rejection;
    }

    /** The plugins that cause {@link #rejection()}; all that restrict nodes if their intersection is empty. */
    Set<String> rejectedBy() {
        return rejectedBy;
    }

    /** Those of them that returned the code {@code PENDING}. */
    Set<String> pendingOn() {
        return rejection != null && rejection.status().code() == Status.Code.PENDING
                ? Set.of(rejection.plugin())
                : Set.of();
    }

    /** The plugins that cause {@link #outside()}. */
    Set<String> narrowedBy() {
        return narrowing;
    }

    /** The only nodes to evaluate, in this order; null for all. */
    @Nullable
    Set<String> nodes() {
        return nodes;
    }

    /** Whether nodes outside {@link #nodes()} have a status and count in messages. */
    boolean countsOutside() {
        return countsExcluded;
    }

    /** The rejection of the nodes outside {@link #nodes()}. */
    NodeStatus outside() {
        return new NodeStatus(
                narrowing.isEmpty() ? "" : narrowing.first(),
                Status.unresolvable("node(s) didn't satisfy plugin(s) [" + String.join(" ", narrowing) + "]"));
    }

    /** The plugins whose AddPod and RemovePod run in trials. */
    List<PreFilterPlugin> active() {
        return active;
    }

    /** The filters that still run. */
    FilterPlugin[] remaining(Profile profile) {
        List<FilterPlugin> all = profile.filters();
        if (skipped.isEmpty()) {
            return all.toArray(FilterPlugin[]::new);
        }
        List<FilterPlugin> left = new ArrayList<>(all.size());
        for (FilterPlugin plugin : all) {
            if (!skipped.contains(plugin.name())) {
                left.add(plugin);
            }
        }
        return left.toArray(FilterPlugin[]::new);
    }
}
