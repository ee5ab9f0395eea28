package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The result of preemption for a pod.
 *
 * @param eligible false when the pod may not preempt (again)
 * @param potentialNodes nodes where removing pods might help, sorted by name
 * @param candidates victims by node; nodes where preemption does not help are absent
 * @param acceptableNodes every node that the tie-break may select, sorted
 * @param chosen the selected node, or null
 * @param clearNominations pods that lose their nomination if an acceptable node is selected, by node; nodes without any are absent
 * @param clearOwn whether the preemptor loses its own nomination because preemption helps on no node
 * @param message why there is no preemption, for users of current releases; empty otherwise, and always with the rules of 1.17
 * @param error null, or the text of the error that ended the trials; there is no preemption then
 */
public record PreemptionResult(
        boolean eligible,
        List<String> potentialNodes,
        SortedMap<String, Victims> candidates,
        List<String> acceptableNodes,
        @Nullable String chosen,
        SortedMap<String, List<PodInfo>> clearNominations,
        boolean clearOwn,
        String message,
        @Nullable String error) {
    /** The pods to evict from one node, in search order, and how many of them violate a disruption budget. */
    public record Victims(List<PodInfo> pods, int budgetViolations) {
        public Victims {
            pods = List.copyOf(pods);
        }
    }

    public PreemptionResult {
        potentialNodes = List.copyOf(potentialNodes);
        candidates = Collections.unmodifiableSortedMap(new TreeMap<>(candidates));
        acceptableNodes = List.copyOf(acceptableNodes);
        clearNominations = Collections.unmodifiableSortedMap(new TreeMap<>(clearNominations));
    }

    /** A result without message and error. */
    public PreemptionResult(
            boolean eligible,
            List<String> potentialNodes,
            SortedMap<String, Victims> candidates,
            List<String> acceptableNodes,
            @Nullable String chosen,
            SortedMap<String, List<PodInfo>> clearNominations,
            boolean clearOwn) {
        this(eligible, potentialNodes, candidates, acceptableNodes, chosen, clearNominations, clearOwn, "", null);
    }

    /**
     * The criteria for comparing candidates; the least is selected. Mirrors {@code pickOneNodeForPreemption} of
     * {@code pkg/scheduler/core/generic_scheduler.go}.
     *
     * @param isFree whether there are no victims; then nothing else counts
     * @param violations of disruption budgets
     * @param highest priority among the victims
     * @param sum of the priorities, made positive
     * @param count of the victims
     * @param earliest start among the victims of the highest priority, milliseconds; the latest such start is best
     */
    public record EvictionCost(boolean isFree, int violations, int highest, long sum, int count, long earliest)
            implements Comparable<EvictionCost> {
        private static final EvictionCost FREE = new EvictionCost(true, 0, 0, 0, 0, 0);
        private static final long PRIORITY_OFFSET = 1L << 31;

        /** The cost of these victims, the first of which is the most important one. */
        public static EvictionCost of(Victims victims) {
            if (victims.pods().isEmpty()) {
                return FREE;
            }
            long sum = 0;
            int top = Integer.MIN_VALUE;
            long earliest = Long.MAX_VALUE;
            for (PodInfo pod : victims.pods()) {
                sum += pod.priority() + PRIORITY_OFFSET;
                // A pod that has not started counts as starting now, later than all others.
                long start = pod.startTimeMillis() == PodInfo.NO_TIME ? Long.MAX_VALUE : pod.startTimeMillis();
                if (pod.priority() > top) {
                    top = pod.priority();
                    earliest = start;
                } else if (pod.priority() == top) {
                    earliest = Math.min(earliest, start);
                }
            }
            return new EvictionCost(
                    false,
                    victims.budgetViolations(),
                    victims.pods().get(0).priority(),
                    sum,
                    victims.pods().size(),
                    earliest);
        }

        @Override
        public int compareTo(EvictionCost other) {
            if (isFree || other.isFree) {
                return Boolean.compare(other.isFree, isFree);
            }
            if (violations != other.violations) {
                return Integer.compare(violations, other.violations);
            }
            if (highest != other.highest) {
                return Integer.compare(highest, other.highest);
            }
            if (sum != other.sum) {
                return Long.compare(sum, other.sum);
            }
            if (count != other.count) {
                return Integer.compare(count, other.count);
            }
            return Long.compare(other.earliest, earliest);
        }

        /** Every node that may be selected, sorted by name; empty without candidates. */
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

    /**
     * The plan to preempt pods on a node.
     *
     * @param node the selected node, or null
     * @param victims the pods to evict, in search order
     * @param lower the pods that lose their nomination to the node
     * @param clearsOwn whether the pod loses its own nomination because preemption helps on no node
     * @param message why there is no preemption, for users of current releases; empty otherwise, and always with the rules of 1.17
     * @param error null, or the text of the error that ended the trials; there is no preemption then
     */
    public record PreemptionPlan(
            @Nullable String node,
            List<PodInfo> victims,
            List<PodInfo> lower,
            boolean clearsOwn,
            String message,
            @Nullable String error) {
        /** No plan: an error, or a node that is feasible by now. */
        public static final PreemptionPlan NOTHING = new PreemptionPlan(null, List.of(), List.of(), false, "", null);

        public PreemptionPlan {
            victims = List.copyOf(victims);
            lower = List.copyOf(lower);
        }

        /** The plan of a result. */
        public static PreemptionPlan of(PreemptionResult result) {
            String node = result.chosen();
            Victims victims = node == null
                    ? null
                    : Objects.requireNonNull(result.candidates().get(node));
            return new PreemptionPlan(
                    node,
                    victims == null ? List.of() : victims.pods(),
                    node == null ? List.of() : result.clearNominations().getOrDefault(node, List.of()),
                    result.clearOwn(),
                    result.message(),
                    result.error());
        }
    }
}
