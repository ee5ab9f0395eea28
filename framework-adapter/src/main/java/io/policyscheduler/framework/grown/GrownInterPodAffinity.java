package io.policyscheduler.framework.grown;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Inter-pod affinity as current releases decide it. Where no term means namespaces by their labels, this is v1.17's predicate,
 * which asks kept counts, but for two things: a pod that says nothing, and about which nobody says anything, is let pass for good, also beside pods
 * that are only nominated; and the first pod of a group, too, goes only where all of its topology keys are.
 */
final class GrownInterPodAffinity implements Predicate {
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
        Affinity affinity = context.pod().affinity();
        List<PodAffinityTerm> wanted = required(affinity.podAffinity());
        List<PodAffinityTerm> unwanted = required(affinity.podAntiAffinity());
        if (wanted.isEmpty() && unwanted.isEmpty() && filter.fitsUntilChanged()) {
            return PodFilter.FITS_ALL;
        }
        return new QuickAffinityFilter(filter, wanted, unwanted.size(), () -> plugin.start(context));
    }

    private static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.required();
    }
}
