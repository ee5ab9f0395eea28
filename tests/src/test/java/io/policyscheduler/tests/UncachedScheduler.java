package io.policyscheduler.tests;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.plugin.CycleState;

/** Answers where pods can be placed by evaluating every node, without cached results. */
record UncachedScheduler(SnapshotScheduler scheduler) implements SnapshotScheduler {
    /** The same scheduler without a cache and with one thread. */
    static SchedulerSpec of(SchedulerSpec source) {
        return new SchedulerSpec(
                source.name(),
                source.kind(),
                source.filters(),
                source.scores(),
                (cluster, tieBreak, adjustment) ->
                        new UncachedScheduler(source.factory().create(cluster, tieBreak, adjustment)),
                source.volumes(),
                source.readsNewerFields(),
                source.readsPodAnnotations(),
                source.tables(),
                false,
                source.names());
    }

    @Override
    public CycleState newState() {
        return scheduler.newState();
    }

    @Override
    public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
        return scheduler.decide(pod, nominated, state);
    }

    @Override
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
        return scheduler.evaluate(pod, nominated);
    }

    @Override
    public Evaluation evaluateOn(PodInfo pod, NominatedPods nominated, NodeInfo node) {
        return scheduler.evaluateOn(pod, nominated, node);
    }

    @Override
    public String postFilterText(PodInfo pod, NominatedPods nominated) {
        return scheduler.postFilterText(pod, nominated);
    }

    @Override
    public PreemptionResult preempt(
            PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
        return scheduler.preempt(pod, nominated, evaluation, preemption);
    }
}
