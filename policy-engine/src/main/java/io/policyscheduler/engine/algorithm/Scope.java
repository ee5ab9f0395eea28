package io.policyscheduler.engine.algorithm;

/** What an algorithm's answer for a node depends on, besides the pod. Decides what may be reused between pods. */
public enum Scope {
    /** The node object and the pods on it, nothing else. */
    NODE,
    /** Nodes that share a topology value with it, and the pods on them. */
    TOPOLOGY,
    /** Anything in the cluster. */
    CLUSTER
}
