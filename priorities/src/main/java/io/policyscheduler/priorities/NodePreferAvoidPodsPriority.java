package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import java.util.List;

/**
 * 0 for a node whose annotation lists this pod's ReplicationController or ReplicaSet, else 100. Mirrors
 * {@code algorithm/priorities/node_prefer_avoid_pods.go}.
 */
public final class NodePreferAvoidPodsPriority implements Priority {
    /** The node annotation with the controllers to avoid. */
    public static final String ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods";

    @Override
    public String name() {
        return "NodePreferAvoidPodsPriority";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        OwnerReference controller = context.pod().controller();
        if (controller == null
                || !(controller.kind().equals("ReplicationController")
                        || controller.kind().equals("ReplicaSet"))) {
            return new ConstantScorer(MAX_SCORE);
        }
        AvoidedController avoided = new AvoidedController(controller.kind(), controller.uid());
        return node -> avoids(node, avoided) ? 0 : MAX_SCORE;
    }

    /** Parses the annotation without a cache, because hardly any node has it. */
    private static boolean avoids(NodeInfo node, AvoidedController controller) {
        String text = node.node().annotations().getOrEmpty(ANNOTATION);
        return !text.isEmpty() && AvoidPodsAnnotation.parse(text).contains(controller);
    }

    /** A controller in an annotation. */
    record AvoidedController(String kind, String uid) {}
}
