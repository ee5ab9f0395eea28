package io.policyscheduler.priorities;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import java.util.List;

/** Whether v1.17 could have built its shared priority metadata; see {@code algorithm/priorities/metadata.go}. */
final class PriorityMetadata {
    private PriorityMetadata() {}

    /** False when a {@code ScheduleAnyway} constraint of the pod has an invalid selector. */
    static boolean available(PodInfo pod) {
        List<TopologySpreadConstraint> constraints = pod.spec().spreadConstraints();
        for (TopologySpreadConstraint constraint : constraints) {
            if (constraint.isSoft()
                    && constraint.selector() != null
                    && constraint.selector().error() != null) {
                return false;
            }
        }
        return true;
    }
}
