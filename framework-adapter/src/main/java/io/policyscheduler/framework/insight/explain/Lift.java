package io.policyscheduler.framework.insight.explain;

import org.jspecify.annotations.Nullable;

/**
 * A change that removes one reason why a node is rejected. Applying it is a pure function, so that each claim can be verified. Equal
 * lifts change the same thing in the same way.
 */
public interface Lift {
    /** What is changed. */
    enum Kind {
        /** A node gets more of a resource. */
        RESOURCE,
        /** A node may be used again. */
        CORDON,
        /** A node loses a taint. */
        TAINT,
        /** The pod tolerates a taint. */
        TOLERATION,
        /** A node's labels change. */
        LABEL,
        /** The pod demands less of a node's labels. */
        NODE_DEMAND,
        /** Another pod goes. */
        POD,
        /** The pod demands less of the pods beside it. */
        POD_DEMAND,
        /** The pod may be spread less evenly. */
        SPREAD,
        /** A node can attach more volumes. */
        VOLUME_LIMIT,
        /** A claim gets a volume. */
        VOLUME
    }

    Kind kind();

    /** What is changed, in a few words with figures; without the node. */
    String text();

    /** The node that is changed or where the change is made; null when it holds for all nodes. */
    @Nullable
    String node();

    /** How much this asks for, for an order among fits with the same number of lifts; about 1. */
    default double effort() {
        return 1;
    }

    /** Whether the node would need more of a resource than it has in total: removing pods is not enough. */
    default boolean exceedsNode() {
        return false;
    }

    /** What is then. */
    Situation apply(Situation before);
}
