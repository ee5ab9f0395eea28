package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.legacy.LegacyAssembly;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.compare.DeciderSource;
import io.policyscheduler.framework.compare.DetailedDecider;
import io.policyscheduler.framework.compare.LegacyDecider;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.framework.scheduler.cycle.SchedulingCycle;
import io.policyscheduler.framework.scheduler.cycle.TieBreak;
import io.policyscheduler.predicates.VolumeBinder;
import org.jspecify.annotations.Nullable;

/** By what a simulation decides, and what becomes of volumes. */
final class SimulationDecider implements AutoCloseable {
    private final Factory factory;
    private final DeciderSource.Volumes volumes;
    private final @Nullable DumpExtenders extenders;

    private interface Factory {
        DetailedDecider create(ClusterState cluster, TieBreak tieBreak);
    }

    private SimulationDecider(Factory factory, DeciderSource.Volumes volumes, @Nullable DumpExtenders extenders) {
        this.factory = factory;
        this.volumes = volumes;
        this.extenders = extenders;
    }

    /**
     * By a policy.
     *
     * @param functions run its algorithms as functions, not as plugins
     * @param percentage of nodes to score; plugins only
     * @param extenders to be called, and closed at the end; null for none
     */
    static SimulationDecider ofPolicy(
            EffectivePolicy policy, boolean functions, int percentage, @Nullable DumpExtenders extenders) {
        AlgorithmRegistry registry = Algorithms.registry();
        VolumeBinder binder =
                new VolumeBinder(policy.gates(), policy.predicates().containsKey("CheckVolumeBinding"));
        if (functions) {
            return new SimulationDecider(
                    (cluster, tieBreak) -> new LegacyDecider(
                            LegacyAssembly.assemble(policy, registry, Algorithms.environment()), cluster, tieBreak),
                    binder::assume,
                    extenders);
        }
        return new SimulationDecider(
                (cluster, tieBreak) -> DetailedDecider.of(new SchedulingCycle(
                        new ProviderAdapter(registry, Algorithms.environment()).adapt(policy, cluster),
                        cluster,
                        percentage,
                        tieBreak,
                        extenders == null ? Extenders.NONE : extenders.extenders())),
                binder::assume,
                extenders);
    }

    /** By a way of deciding that has a name. */
    static SimulationDecider of(DeciderSource source) {
        return new SimulationDecider(source::create, source.volumes(), null);
    }

    DetailedDecider create(ClusterState cluster, TieBreak tieBreak) {
        return factory.create(cluster, tieBreak);
    }

    DeciderSource.Volumes volumes() {
        return volumes;
    }

    @Override
    public void close() {
        if (extenders != null) {
            extenders.close();
        }
    }
}
