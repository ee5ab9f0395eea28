package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What preemption would do for a pod.
 *
 * @param eligible false when the pod may not preempt (again)
 * @param potentialNodes nodes where removing pods might help, sorted by name
 * @param candidates node to the victims there; nodes where nothing helps are absent
 * @param acceptableNodes every node that the tie-break may choose, sorted
 * @param chosen the node chosen, or null
 * @param clearNominations acceptable node to the pods that lose their nomination if it is chosen; nodes without any are absent
 * @param clearOwn true when the preemptor's own nomination is void because no node can be helped
 * @param message why nothing is done, as users of current releases see it; empty otherwise, and always by the rules of 1.17
 * @param error null, or the text of the error that ended the trials; nothing is done then
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
    /** Pods that would be evicted from one node, in the order found, and how many of them break a disruption budget. */
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

    /** A result without words. */
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

    static PreemptionResult nothing(boolean eligible) {
        return new PreemptionResult(eligible, List.of(), new TreeMap<>(), List.of(), null, new TreeMap<>(), eligible);
    }
}
