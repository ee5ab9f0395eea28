package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A topology spread constraint made ready for one pod. */
final class SpreadConstraint {
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final String HONOR = "Honor";
    private static final String IGNORE = "Ignore";

    private final TopologySpreadConstraint constraint;
    private final @Nullable LabelSelector selector;
    private final @Nullable MemoizedSelector memoized;
    private final boolean honorsAffinity;
    private final boolean honorsTaints;
    private final boolean countsNothing;

    /**
     * A constraint.
     *
     * @param selector pods counted; null counts none
     * @param emptyCountsAll whether an empty selector counts all pods of the namespace, as up to 1.24
     */
    SpreadConstraint(TopologySpreadConstraint constraint, @Nullable LabelSelector selector, boolean emptyCountsAll) {
        this.countsNothing = selector == null || (selector.isEmpty() && !emptyCountsAll);
        this.constraint = constraint;
        this.selector = selector;
        this.memoized = selector == null ? null : new MemoizedSelector(selector);
        this.honorsAffinity = !constraint.nodeAffinityPolicy().equals(IGNORE);
        this.honorsTaints = constraint.nodeTaintsPolicy().equals(HONOR);
    }

    String topologyKey() {
        return constraint.topologyKey();
    }

    /** True when every node is a domain of its own. */
    boolean byHostname() {
        return topologyKey().equals(HOSTNAME);
    }

    int maxSkew() {
        return constraint.maxSkew();
    }

    int minDomains() {
        Integer wanted = constraint.minDomains();
        return wanted == null ? 1 : wanted;
    }

    /** True when nodes with taints that the pod does not tolerate do not count. */
    boolean honorsTaints() {
        return honorsTaints;
    }

    /** True when pods with these labels are counted; an empty selector counts them here. */
    boolean selects(Labels labels) {
        return memoized != null && memoized.matches(labels);
    }

    /** Pods of the namespace on the node that are counted: none for an empty selector, and none that is going. */
    int countOn(NodeInfo node, String namespace) {
        if (memoized == null || countsNothing) {
            return 0;
        }
        int count = 0;
        for (int i = 0; i < node.podCount(); i++) {
            PodInfo pod = node.pod(i);
            if (!pod.terminating() && pod.namespace().equals(namespace) && memoized.matches(pod.labels())) {
                count++;
            }
        }
        return count;
    }

    /** The pods that {@link #countOn} counts; null when it counts none. */
    @Nullable
    PodQuery query(String namespace) {
        return selector == null || countsNothing ? null : PodQuery.alive(namespace, selector);
    }

    /** True when the policies let the pods of every node count. */
    boolean includesAll(boolean demandsNothing) {
        return !honorsTaints && (!honorsAffinity || demandsNothing);
    }

    /** True when the policies let the pods of this node count for a pod with these tolerations and demands. */
    boolean includes(Node node, TolerationSet tolerations, NodeConstraints demands) {
        if (honorsAffinity && !demands.accept(node)) {
            return false;
        }
        return !honorsTaints || TaintToleration.untolerated(node.taints(), tolerations) == null;
    }

    /** True when the node has the keys of all constraints. */
    /** The first constraint with the topologyKey of another one, both by their places. */
    static int firstWithKeyOf(int constraint, List<SpreadConstraint> constraints) {
        for (int i = 0; i < constraint; i++) {
            if (constraints
                    .get(i)
                    .topologyKey()
                    .equals(constraints.get(constraint).topologyKey())) {
                return i;
            }
        }
        return constraint;
    }

    static boolean allKeysOn(Node node, List<SpreadConstraint> constraints) {
        for (int i = 0; i < constraints.size(); i++) {
            if (!node.labels().has(constraints.get(i).topologyKey())) {
                return false;
            }
        }
        return true;
    }
}
