package io.policyscheduler.framework.insight.audit;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.explain.Obstacle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running pod that is not where it should be.
 *
 * @param pod as it runs
 * @param kind what is wrong
 * @param obstacles all filters that reject its node; empty unless that is what is wrong
 * @param error why the pod cannot be decided; empty otherwise
 * @param better the node where it would go; null when there is none
 * @param gain by how much that node is better, in percent of the highest total; 0 when its own node does not fit
 */
public record AuditFinding(
        PodInfo pod,
        Kind kind,
        List<Obstacle> obstacles,
        String error,
        @Nullable String better,
        double gain) {
    /** What is wrong with where a pod is. */
    public enum Kind {
        /** Its node would be rejected. */
        VIOLATION,
        /** Another node is better by more than the threshold. */
        BETTER_ELSEWHERE,
        /** The attempt to decide it ends in an error. */
        UNDECIDED
    }

    public AuditFinding {
        obstacles = List.copyOf(obstacles);
    }

    static AuditFinding violation(PodInfo pod, List<Obstacle> obstacles, @Nullable String better) {
        return new AuditFinding(pod, Kind.VIOLATION, obstacles, "", better, 0);
    }

    static AuditFinding better(PodInfo pod, String better, double gain) {
        return new AuditFinding(pod, Kind.BETTER_ELSEWHERE, List.of(), "", better, gain);
    }

    static AuditFinding undecided(PodInfo pod, String error) {
        return new AuditFinding(pod, Kind.UNDECIDED, List.of(), error, null, 0);
    }
}
