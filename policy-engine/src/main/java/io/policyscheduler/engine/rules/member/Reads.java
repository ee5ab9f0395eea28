package io.policyscheduler.engine.rules.member;

import io.policyscheduler.engine.algorithm.Scope;
import java.util.Set;

/** What a rule looks at. The checker derives it from the members that the rule names. */
public enum Reads {
    /** Facts of the pod that its siblings share: labels, requests, tolerations, owner. */
    POD,
    /** The name of the pod, in which siblings differ: answers for one must not be reused for another. */
    POD_NAME,
    /** The node object: labels, taints, allocatable. */
    NODE,
    /** The pods on the node, which preemption can change. */
    NODE_PODS,
    /** Nodes that share a topology value with the node, and the pods on them. */
    TOPOLOGY,
    /** The whole cluster. */
    CLUSTER;

    /** The scope of an algorithm that looks at these. What reads the pod's name is not kept for its siblings. */
    public static Scope scope(Set<Reads> reads) {
        if (reads.contains(CLUSTER) || reads.contains(POD_NAME)) {
            return Scope.CLUSTER;
        }
        return reads.contains(TOPOLOGY) ? Scope.TOPOLOGY : Scope.NODE;
    }

    /** True when nothing but the pod is read. */
    public static boolean podOnly(Set<Reads> reads) {
        return Set.of(POD, POD_NAME).containsAll(reads);
    }

    /** True when removing pods from a node can change the answer. */
    public static boolean resolvable(Set<Reads> reads) {
        return reads.contains(NODE_PODS) || reads.contains(TOPOLOGY) || reads.contains(CLUSTER);
    }
}
