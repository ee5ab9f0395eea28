package io.policyscheduler.framework.grown;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A filter plugin of current releases under the name of the predicate that it comes from. It decides as the plugin does, also
 * about pods that the plugin rejects before it looks at any node; what v1.17 could say, too, it says in v1.17's words.
 */
final class GrownPredicate implements Predicate {
    private final String name;
    private final Scope scope;
    private final GrownPlugin plugin;

    /** @param scope what the plugin's answers depend on */
    GrownPredicate(String name, Scope scope, GrownPlugin plugin) {
        this.name = name;
        this.scope = scope;
        this.plugin = plugin;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Scope scope() {
        return scope;
    }

    @Override
    public PodFilter start(PodContext context) {
        StateKeys keys = new StateKeys();
        Plugin made = plugin.make(context.cluster(), keys);
        if (!(made instanceof FilterPlugin filter) || !(made instanceof PreFilterPlugin preFilter)) {
            throw new IllegalStateException(made.name() + " filters nothing");
        }
        CycleState state = keys.newState();
        PreFilterResult prepared = preFilter.preFilter(state, context);
        Status status = prepared.status();
        if (status.code() == Status.Code.SKIP) {
            return PodFilter.FITS_ALL;
        }
        if (!status.isSuccess()) {
            Verdict everywhere = FunctionReasons.verdict(status);
            return node -> everywhere;
        }
        Filter whole = new Filter(context.pod(), filter, preFilter, state);
        Set<String> nodes = prepared.nodes();
        return nodes == null ? whole : new NamedNodes(nodes, whole);
    }

    private record Filter(PodInfo pod, FilterPlugin filter, PreFilterPlugin preFilter, CycleState state)
            implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            Status status;
            try {
                status = filter.filter(state, pod, node);
            } catch (PluginException e) {
                // Who asks functions knows of no exceptions.
                return Verdict.error(String.valueOf(e.getMessage()));
            }
            return status.isSuccess() ? Verdict.FITS : FunctionReasons.verdict(status);
        }

        @Override
        public boolean fitsUntilChanged() {
            return filter.passesUntilChanged(state);
        }

        @Override
        public @Nullable Object basis() {
            return filter.filterBasis(state, pod);
        }

        @Override
        public @Nullable SlotPredicate bySlot(ClusterIndex index) {
            return filter.bySlot(state, index);
        }

        @Override
        public PodFilter copy() {
            return new Filter(pod, filter, preFilter, state.copy());
        }

        @Override
        public @Nullable String addPod(PodInfo added, NodeInfo node) {
            return preFilter.addPod(state, pod, added, node);
        }

        @Override
        public @Nullable String removePod(PodInfo removed, NodeInfo node) {
            return preFilter.removePod(state, pod, removed, node);
        }
    }

    /** Node affinity that names its nodes leaves no other to be looked at. */
    private record NamedNodes(Set<String> names, PodFilter filter) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            return names.contains(node.name()) ? filter.check(node) : FunctionReasons.NODE_SELECTOR;
        }

        @Override
        public PodFilter copy() {
            return new NamedNodes(names, filter.copy());
        }

        @Override
        public @Nullable String addPod(PodInfo added, NodeInfo node) {
            return filter.addPod(added, node);
        }

        @Override
        public @Nullable String removePod(PodInfo removed, NodeInfo node) {
            return filter.removePod(removed, node);
        }
    }
}
