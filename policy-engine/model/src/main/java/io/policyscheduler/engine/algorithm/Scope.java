package io.policyscheduler.engine.algorithm;

/**
 * The state that the result of an algorithm for a node depends on, in addition to the pod. It determines which results are reused
 * between pods.
 */
public enum Scope {
    /**
     * The node object and its pods only. Of the pod, only spec, namespace, labels, annotations, controller, node name and whether
     * it is being deleted, so that pods of one controller share results.
     */
    NODE,
    /** Nodes with the same topology value, and their pods. */
    TOPOLOGY,
    /** Anything in the cluster. */
    CLUSTER
}
