package io.policyscheduler.framework.grown;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.algorithm.Verdict;
import io.policyscheduler.engine.cluster.Affinity;
import io.policyscheduler.engine.cluster.Labels;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodAffinityTerm;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Inter-pod affinity as current releases decide it. Where no term means namespaces by their labels, this is v1.17's predicate,
 * which asks kept counts, but for two things: a pod about which nobody says anything is let pass for good, also beside pods
 * that are only nominated; and the first pod of a group, too, goes only where all of its topology keys are.
 */
final class GrownInterPodAffinity implements Predicate {
    private static final Verdict AFFINITY_FAILS =
            Verdict.unfit(FailureReasons.POD_AFFINITY, FailureReasons.POD_AFFINITY_RULES);

    private final Predicate first;
    private final Predicate plugin;

    /**
     * @param first the predicate of v1.17
     * @param plugin the plugin of current releases
     */
    GrownInterPodAffinity(Predicate first, Predicate plugin) {
        this.first = first;
        this.plugin = plugin;
    }

    @Override
    public String name() {
        return first.name();
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodFilter start(PodContext context) {
        if (!context.metadataAvailable() || context.selectsNamespaces()) {
            return plugin.start(context);
        }
        PodFilter filter = first.start(context);
        if (filter.fitsUntilChanged()) {
            return PodFilter.FITS_ALL;
        }
        Affinity.PodTerms affinity = context.pod().affinity().podAffinity();
        return affinity == null || affinity.required().isEmpty() ? filter : new WithKeys(affinity.required(), filter);
    }

    /** Passes only nodes that have the topology keys of all terms. */
    private record WithKeys(List<PodAffinityTerm> terms, PodFilter filter) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            Labels labels = node.node().labels();
            for (int i = 0; i < terms.size(); i++) {
                if (!labels.has(terms.get(i).topologyKey())) {
                    return AFFINITY_FAILS;
                }
            }
            return filter.check(node);
        }

        @Override
        public PodFilter copy() {
            return new WithKeys(terms, filter.copy());
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
