package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.ToLongFunction;

/**
 * Which of the nodes where preemption helps is taken. Mirrors {@code pickOneNodeForPreemption} of
 * {@code pkg/scheduler/core/generic_scheduler.go}.
 */
final class NodeChoice {
    private static final long PRIORITY_OFFSET = 1L << 31;

    private NodeChoice() {}

    /** Every node that may win, sorted by name; empty when there is no candidate. */
    static List<String> acceptable(SortedMap<String, Victims> candidates) {
        List<String> free = new ArrayList<>();
        candidates.forEach((node, victims) -> {
            if (victims.pods().isEmpty()) {
                free.add(node);
            }
        });
        if (!free.isEmpty()) {
            return free;
        }
        List<String> names = new ArrayList<>(candidates.keySet());
        names = least(names, candidates, Victims::budgetViolations);
        names = least(names, candidates, v -> v.pods().get(0).priority());
        names = least(names, candidates, NodeChoice::prioritySum);
        names = least(names, candidates, v -> v.pods().size());
        return least(names, candidates, v -> -earliestStartOfTop(v));
    }

    private static List<String> least(
            List<String> names, Map<String, Victims> candidates, ToLongFunction<Victims> measure) {
        if (names.size() <= 1) {
            return names;
        }
        long min = Long.MAX_VALUE;
        List<String> kept = new ArrayList<>();
        for (String name : names) {
            Victims victims = candidates.get(name);
            if (victims == null) {
                continue;
            }
            long value = measure.applyAsLong(victims);
            if (value < min) {
                min = value;
                kept.clear();
            }
            if (value == min) {
                kept.add(name);
            }
        }
        return kept;
    }

    private static long prioritySum(Victims victims) {
        long sum = 0;
        for (PodInfo pod : victims.pods()) {
            sum += pod.priority() + PRIORITY_OFFSET;
        }
        return sum;
    }

    private static long earliestStartOfTop(Victims victims) {
        int top = Integer.MIN_VALUE;
        long earliest = Long.MAX_VALUE;
        for (PodInfo pod : victims.pods()) {
            // A pod that has not started counts as starting now, later than all others.
            long start = pod.startTimeMillis() == PodInfo.NO_TIME ? Long.MAX_VALUE : pod.startTimeMillis();
            if (pod.priority() > top) {
                top = pod.priority();
                earliest = start;
            } else if (pod.priority() == top) {
                earliest = Math.min(earliest, start);
            }
        }
        return earliest;
    }
}
