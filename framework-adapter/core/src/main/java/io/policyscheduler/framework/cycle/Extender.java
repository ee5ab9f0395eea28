package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import io.policyscheduler.framework.cycle.Extenders.PreemptRules;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One extender, as the scheduler asks it. Only immutable values are handed over, so that several can be asked at once.
 * Mirrors {@code SchedulerExtender} of {@code pkg/scheduler/algorithm/scheduler_interface.go}.
 */
public interface Extender {
    /** What messages call it: the {@code urlPrefix} as configured. */
    String name();

    /** Scheduling goes on when its filter or preempt call fails. */
    boolean isIgnorable();

    /** False when the extender does not care about this pod and is to be left out. */
    boolean isInterested(PodInfo pod);

    /** Takes part in filtering. */
    boolean supportsFilter();

    /**
     * Which of the nodes take the pod.
     *
     * @param nodes names of the nodes that are left, in order; not empty
     */
    FilterAnswer filter(PodInfo pod, List<String> nodes) throws ExtenderException;

    /** True when the nodes it is asked about are sent as whole objects, and what it sends back takes their place. */
    boolean sendsWholeNodes();

    /** Takes part in scoring. */
    boolean supportsPrioritize();

    /** Factor of its scores. */
    long weight();

    /**
     * Scores the nodes, nominally 0 to 10; unknown hosts do no harm and repeated ones add up.
     *
     * @param nodes names of the feasible nodes, in order; at least two
     */
    List<HostScore> prioritize(PodInfo pod, List<String> nodes) throws ExtenderException;

    /** Takes part in preemption. */
    boolean supportsPreemption();

    /**
     * Narrows preemption down.
     *
     * @param candidates node to the victims there; not empty
     * @param rules of 1.17 or of current releases
     * @return node to the victims there, which replaces the candidates
     */
    Map<String, MetaVictims> preempt(PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules)
            throws ExtenderException;

    /** Binds pods in place of the API server. */
    boolean isBinder();

    /** Binds the pod; when this returns, the extender has accepted the task. */
    void bind(PodInfo pod, String node) throws ExtenderException;

    /**
     * An extender's answer to a filter call.
     *
     * @param nodes names of the nodes that stay, in the order of the answer
     * @param failed node to the reason it; naming a node here does not remove it
     * @param unresolvable the same for nodes where preemption would not help; 1.17 does not know of them
     */
    public record FilterAnswer(
            List<String> nodes, SortedMap<String, String> failed, SortedMap<String, String> unresolvable) {
        public FilterAnswer {
            nodes = List.copyOf(nodes);
            failed = Collections.unmodifiableSortedMap(new TreeMap<>(failed));
            unresolvable = Collections.unmodifiableSortedMap(new TreeMap<>(unresolvable));
        }

        /** An answer that leaves all nodes to preemption. */
        public FilterAnswer(List<String> nodes, SortedMap<String, String> failed) {
            this(nodes, failed, Collections.emptySortedMap());
        }
    }

    /** A score that an extender gives a node; nominally 0 to 10, any value counts. */
    public record HostScore(String host, long score) {}

    /**
     * Victims on a node, as an extender names them.
     *
     * @param uids in the order of the answer
     * @param budgetViolations how many disruption budgets it says would be broken
     */
    public record MetaVictims(List<String> uids, int budgetViolations) {
        public MetaVictims {
            uids = List.copyOf(uids);
        }
    }

    /** A call of an extender failed. The message is what users see. */
    public static final class ExtenderException extends Exception {
        private static final long serialVersionUID = 1L;

        private final boolean refused;

        private ExtenderException(String message, boolean refused) {
            super(message);
            this.refused = refused;
        }

        /** The extender answered, and said no in these words. */
        public static ExtenderException refused(String message) {
            return new ExtenderException(message, true);
        }

        /** The extender did not answer, or not as it should: what it has done is not known. */
        public static ExtenderException broken(String message) {
            return new ExtenderException(message, false);
        }

        /** True when the extender certainly did not do as asked. */
        public boolean isRefused() {
            return refused;
        }

        /** The text for users. */
        public String text() {
            return String.valueOf(getMessage());
        }
    }
}
