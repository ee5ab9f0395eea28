package io.policyscheduler.framework.extender;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

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
}
