package io.policyscheduler.engine.algorithm;

/**
 * The state that the result of an algorithm for a node depends on, in addition to the pod. It determines which results are reused
 * between pods.
 */
public enum Scope {
    /**
     * The node object and the pods on it, nothing else. Of the pod to place no more than its spec, namespace, labels, annotations,
     * controller, node name and whether it is being deleted, so that its siblings get the same answer.
     */
    NODE,
    /** Nodes that share a topology value with it, and the pods on them. */
    TOPOLOGY,
    /** Anything in the cluster. */
    CLUSTER
}
