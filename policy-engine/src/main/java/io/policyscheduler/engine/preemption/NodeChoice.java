package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Which of the nodes where preemption helps may be taken. */
final class NodeChoice {
    private NodeChoice() {}

    /** Every node that may win, sorted by name; empty when there is no candidate. */
    static List<String> acceptable(SortedMap<String, Victims> candidates) {
        List<String> least = new ArrayList<>();
        EvictionCost lowest = null;
        for (Map.Entry<String, Victims> candidate : candidates.entrySet()) {
            EvictionCost cost = EvictionCost.of(candidate.getValue());
            int compared = lowest == null ? -1 : cost.compareTo(lowest);
            if (compared < 0) {
                lowest = cost;
                least.clear();
            }
            if (compared <= 0) {
                least.add(candidate.getKey());
            }
        }
        return least;
    }
}
