package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.framework.cycle.Extenders.PreemptRules;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One extender. Receives only immutable values, so several can be called in parallel. Mirrors {@code SchedulerExtender} of
 * {@code pkg/scheduler/algorithm/scheduler_interface.go}.
 */
public interface Extender {
    /** The name in messages: the {@code urlPrefix} as configured. */
    String name();

    /** True if scheduling continues when its filter or preempt call fails. */
    boolean isIgnorable();

    /** False if the extender is skipped for this pod. */
    boolean isInterested(PodInfo pod);

    /** Whether it has a filter verb. */
    boolean supportsFilter();

    /**
     * Filters nodes.
     *
     * @param nodes names of the remaining nodes, in order; not empty
     */
    FilterResponse filter(PodInfo pod, List<String> nodes) throws ExtenderException;

    /** True if requests contain whole node objects, which the response replaces ({@code nodeCacheCapable: false}). */
    boolean sendsWholeNodes();

    /** Whether it has a prioritize verb. */
    boolean supportsPrioritize();

    /** Factor of its scores. */
    long weight();

    /**
     * Scores the nodes, nominally 0 to 10. Unknown hosts are ignored and scores of repeated ones are added.
     *
     * @param nodes names of the feasible nodes, in order; at least two
     */
    List<HostScore> prioritize(PodInfo pod, List<String> nodes) throws ExtenderException;

    /** Whether it has a preempt verb. */
    boolean supportsPreemption();

    /**
     * Narrows the preemption candidates.
     *
     * @param candidates node to the victims there; not empty
     * @param rules of 1.17 or of current releases
     * @return node to the victims there, which replaces the candidates
     */
    Map<String, MetaVictims> preempt(PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules)
            throws ExtenderException;

    /** Whether it binds pods instead of the API server. */
    boolean isBinder();

    /** Binds the pod; returns when the extender has accepted. */
    void bind(PodInfo pod, String node) throws ExtenderException;

    /**
     * The result of a filter call.
     *
     * @param nodes names of the remaining nodes, in response order
     * @param failed reason by rejected node; does not remove a node
     * @param unresolvable the same for nodes where preemption would not help; 1.17 does not have this field
     */
    public record FilterResponse(
            List<String> nodes, SortedMap<String, String> failed, SortedMap<String, String> unresolvable) {
        public FilterResponse {
            nodes = List.copyOf(nodes);
            failed = Collections.unmodifiableSortedMap(new TreeMap<>(failed));
            unresolvable = Collections.unmodifiableSortedMap(new TreeMap<>(unresolvable));
        }
    }

    /** The score of a node; nominally 0 to 10, any value is accepted. */
    public record HostScore(String host, long score) {}

    /**
     * Victims on a node in a preempt response.
     *
     * @param uids in response order
     * @param budgetViolations how many disruption budgets it reports as violated
     */
    public record MetaVictims(List<String> uids, int budgetViolations) {
        public MetaVictims {
            uids = List.copyOf(uids);
        }
    }

    /** A failed call of an extender. The message is what users see. */
    public static final class ExtenderException extends Exception {
        private static final long serialVersionUID = 1L;

        private final boolean rejected;

        private ExtenderException(String message, boolean rejected) {
            super(message);
            this.rejected = rejected;
        }

        /** The extender responded with this error. */
        public static ExtenderException rejected(String message) {
            return new ExtenderException(message, true);
        }

        /** The extender did not respond, or with an invalid response: whether it acted is unknown. */
        public static ExtenderException broken(String message) {
            return new ExtenderException(message, false);
        }

        /** True if the extender certainly did not act. */
        public boolean isRejected() {
            return rejected;
        }

        /** The text for users. */
        public String text() {
            return String.valueOf(getMessage());
        }
    }
}
