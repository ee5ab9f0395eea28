package io.policyscheduler.engine.algorithm;

/** What an algorithm's answer for a node depends on, besides the pod. Decides what may be reused between pods. */
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
