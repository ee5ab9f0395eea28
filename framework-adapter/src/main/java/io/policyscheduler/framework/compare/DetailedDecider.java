package io.policyscheduler.framework.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.scheduler.Decision;
import io.policyscheduler.framework.scheduler.PodDecider;
import io.policyscheduler.framework.scheduler.cycle.SchedulingCycle;

/** Decides pods and can tell everything that it knows about one. */
public interface DetailedDecider extends PodDecider {
    /** Looks at every node and reports everything; changes nothing. */
    Evaluation evaluate(PodInfo pod, NominatedPods nominated);

    /** Decides with framework plugins. */
    static DetailedDecider of(SchedulingCycle cycle) {
        return new DetailedDecider() {
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
        };
    }
}
