package io.policyscheduler.engine.rules.compiler;

import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.Scope;
import java.util.Collections;
import java.util.Set;

/** What a rule looks at. The checker derives it from the members that the rule names. */
public enum Reads {
    /** Facts of the pod that its siblings share: labels, requests, tolerations, owner. */
    POD,
    /** The name of the pod, in which siblings differ: answers for one must not be reused for another. */
    POD_NAME,
    /** The moment of the attempt: answers for one attempt must not be reused for another. */
    TIME,
    /** Claims of the pod and the volumes that they are bound to. */
    CLAIMS,
    /** Disruption budgets that cover the pod. */
    BUDGETS,
    /** Tables, which are the same for the whole of an attempt. */
    TABLES,
    /** The node object: labels, taints, allocatable. */
    NODE,
    /** The pods on the node, which preemption can change. */
    NODE_PODS,
    /** Nodes that share a topology value with the node, and the pods on them. */
    TOPOLOGY,
    /** The whole cluster. */
    CLUSTER;

    /** What neither the node nor the pod's siblings tell: no answer is kept. */
    private static final Set<Reads> NOT_KEPT = Sets.immutableEnumSet(POD_NAME, TIME, CLAIMS, BUDGETS, CLUSTER);

    private static final Set<Reads> WITHOUT_NODE = Sets.immutableEnumSet(POD, POD_NAME, TIME, CLAIMS, BUDGETS, TABLES);

    /** True when elements of a list have it from elsewhere than the list: reading the list does not cover it. */
    public boolean goesBeyondLists() {
        return this == TIME || this == CLAIMS || this == BUDGETS;
    }

    /** The scope of an algorithm that looks at these. What reads the pod's name is not kept for its siblings. */
    public static Scope scope(Set<Reads> reads) {
        if (!Collections.disjoint(reads, NOT_KEPT)) {
            return Scope.CLUSTER;
        }
        return reads.contains(TOPOLOGY) ? Scope.TOPOLOGY : Scope.NODE;
    }

    /** True when nothing is read that differs from node to node. */
    public static boolean podOnly(Set<Reads> reads) {
        return WITHOUT_NODE.containsAll(reads);
    }

    /** True when removing pods from a node can change the answer. */
    public static boolean resolvable(Set<Reads> reads) {
        return reads.contains(NODE_PODS) || reads.contains(TOPOLOGY) || reads.contains(CLUSTER);
    }
}
