package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import org.jspecify.annotations.Nullable;

/** Rules nodes out. */
public interface FilterPlugin extends Plugin {
    /**
     * Whether {@code node}, as given, takes the pod: it may hold more or fewer pods than the cluster's own. Called for every
     * node; return {@link Status#SUCCESS} itself for a node that passes.
     */
    Status filter(CycleState state, PodInfo pod, NodeInfo node);

    /** What {@link #filter} depends on; answers that depend on the node alone are kept for equal pods. */
    default Scope filterScope() {
        return Scope.CLUSTER;
    }

    /**
     * 0 for most; else a number that is another one whenever {@link #filter} may answer otherwise for the same pod and an unchanged node,
     * so that what was kept is to be asked again.
     */
    default long filterRevision() {
        return 0;
    }

    /**
     * Asked after the pre-filter step: what the answers rest on, besides the node and the pods on it. Answers about a node are kept and
     * given to all pods with an equal basis. Null when nobody can say; then {@link #filterScope()} holds.
     */
    default @Nullable Object filterBasis(CycleState state, PodInfo pod) {
        return null;
    }

    /**
     * Asked after the pre-filter step: which nodes of the cluster's index pass, told by their slots, until the cluster or {@code state}
     * changes; null when each has to be asked about by {@link #filter}.
     */
    default @Nullable SlotPredicate bySlot(CycleState state, ClusterIndex index) {
        return null;
    }

    /**
     * Asked after the pre-filter step: true when {@link #filter} passes every node as long as no what-if change is made to
     * {@code state}, which saves calling it.
     */
    default boolean passesUntilChanged(CycleState state) {
        return false;
    }

    /**
     * Asked after the pre-filter step: true when {@link #filter} passes every node also in every trial in which pods of one node are
     * taken away and put back, and others without inter-pod affinity are added to it. Where putting a pod back ends in an error, it does
     * so for every pod to place.
     */
    default boolean passesTrials(CycleState state) {
        return false;
    }
}
