package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One topology spread constraint of a pod.
 *
 * @param maxSkew largest allowed difference, at least 1 in valid objects
 * @param topologyKey node label that groups nodes
 * @param whenUnsatisfiable {@code DoNotSchedule} or {@code ScheduleAnyway}
 * @param selector pods counted; null matches nothing
 * @param minDomains how many domains there should be; null when not said. v1.17 ignores this and what follows
 * @param nodeAffinityPolicy {@code Honor} or {@code Ignore}; empty when not said, which means Honor
 * @param nodeTaintsPolicy likewise; empty means Ignore
 * @param matchLabelKeys labels of the pod that other pods must share to be counted
 */
public record TopologySpreadConstraint(
        int maxSkew,
        String topologyKey,
        String whenUnsatisfiable,
        @Nullable LabelSelector selector,
        @Nullable Integer minDomains,
        String nodeAffinityPolicy,
        String nodeTaintsPolicy,
        List<String> matchLabelKeys) {
    public TopologySpreadConstraint {
        matchLabelKeys = List.copyOf(matchLabelKeys);
    }

    /** A constraint with what v1.17 knows of. */
    public TopologySpreadConstraint(
            int maxSkew, String topologyKey, String whenUnsatisfiable, @Nullable LabelSelector selector) {
        this(maxSkew, topologyKey, whenUnsatisfiable, selector, null, "", "", List.of());
    }

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
