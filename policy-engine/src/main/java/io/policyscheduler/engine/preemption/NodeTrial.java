package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** One node on which pods are taken away and put back to see whether the preemptor then fits. Changes nothing real. */
public interface NodeTrial {
    /**
     * Takes a pod away.
     *
     * @return false when that ends in an error
     */
    boolean remove(PodInfo pod);

    /**
     * Puts a pod back.
     *
     * @return false when that ends in an error
     */
    boolean add(PodInfo pod);

    /** Whether the preemptor fits now; an error counts as no. Nominated pods are respected. */
    boolean fits();
}
