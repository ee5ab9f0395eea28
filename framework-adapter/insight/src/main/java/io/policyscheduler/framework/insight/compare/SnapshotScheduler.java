package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.ScheduleAlgorithm;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.profile.Profile;
import java.util.List;
import java.util.Optional;

/** Decides pods and reports all details of a decision. */
public interface SnapshotScheduler extends ScheduleAlgorithm {
    /** Evaluates all plugins on all nodes; changes nothing. */
    Evaluation evaluate(PodInfo pod, NominatedPods nominated);

    /** The ranking of {@link #evaluate}, computed faster if possible. */
    default Ranking rank(PodInfo pod, NominatedPods nominated) {
        return Ranking.of(evaluate(pod, nominated));
    }

    /** {@link #evaluate} after {@link #rank} for the same pod, whose results it may use. */
    default Evaluation evaluateRanked(PodInfo pod, NominatedPods nominated) {
        return evaluate(pod, nominated);
    }

    /** {@link #evaluate} for one node; may contain others. */
    default Evaluation evaluateOn(PodInfo pod, NominatedPods nominated, NodeInfo node) {
        return evaluate(pod, nominated);
    }

    /**
     * The result of preemption after an evaluation without a feasible node; changes nothing.
     *
     * @param preemption the rules of 1.17; plugins of current releases have their own
     */
    PreemptionResult preempt(PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption);

    /** The text that post-filter plugins add to the message of an unschedulable pod; empty for none. Changes nothing. */
    default String postFilterText(PodInfo pod, NominatedPods nominated) {
        return "";
    }

    /**
     * The parts that the scheduling loop needs.
     *
     * @param profile the plugins
     * @param cycle decides with them
     */
    record Plugins(Profile profile, SchedulingCycle cycle) {}

    /** Returns the plugins; empty for functions, which the scheduling loop cannot run. */
    default Optional<Plugins> plugins() {
        return Optional.empty();
    }

    /** A scheduler with framework plugins. */
    static SnapshotScheduler of(SchedulingCycle cycle) {
        return new SnapshotScheduler() {
            @Override
            public CycleState newState() {
                return cycle.newState();
            }

            @Override
            public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
                return cycle.decide(pod, nominated, state);
            }

            @Override
            public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
                return cycle.evaluate(pod, nominated);
            }

            @Override
            public Ranking rank(PodInfo pod, NominatedPods nominated) {
                return cycle.rank(pod, nominated);
            }

            @Override
            public Evaluation evaluateRanked(PodInfo pod, NominatedPods nominated) {
                return cycle.evaluateRanked(pod, nominated);
            }

            @Override
            public Evaluation evaluateOn(PodInfo pod, NominatedPods nominated, NodeInfo node) {
                return cycle.evaluate(pod, nominated, List.of(node));
            }

            @Override
            public String postFilterText(PodInfo pod, NominatedPods nominated) {
                return cycle.preemption().postFilterText(pod, nominated);
            }

            @Override
            public PreemptionResult preempt(
                    PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
                return cycle.preemption().preempt(pod, nominated, evaluation.failures(), preemption);
            }
        };
    }
}
