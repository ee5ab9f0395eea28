package io.policyscheduler.engine.cluster;

import org.jspecify.annotations.Nullable;

/**
 * One topology spread constraint of a pod.
 *
 * @param maxSkew largest allowed difference, at least 1 in valid objects
 * @param topologyKey node label that groups nodes
 * @param whenUnsatisfiable {@code DoNotSchedule} or {@code ScheduleAnyway}
 * @param selector pods counted; null matches nothing
 */
public record TopologySpreadConstraint(
        int maxSkew,
        String topologyKey,
        String whenUnsatisfiable,
        @Nullable LabelSelector selector) {
    /** True for {@code DoNotSchedule}. */
    public boolean isHard() {
        return whenUnsatisfiable.equals("DoNotSchedule");
    }

    /** True for {@code ScheduleAnyway}. */
    public boolean isSoft() {
        return whenUnsatisfiable.equals("ScheduleAnyway");
    }

    /** True when {@code labels} are counted. */
    public boolean selects(Labels labels) {
        return selector != null && selector.matches(labels);
    }
}
