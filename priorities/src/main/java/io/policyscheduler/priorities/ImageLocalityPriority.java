package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.placement.ImageScorer;
import io.policyscheduler.priorities.PriorityCatalog.PriorityMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Prefers nodes that already have the images of the pod's regular containers, by size and by the share of nodes that have them.
 * Mirrors {@code algorithm/priorities/image_locality.go}.
 */
public final class ImageLocalityPriority implements Priority {
    @Override
    public String name() {
        return "ImageLocalityPriority";
    }

    /** Every node's score changes with the number of nodes in the cluster. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        if (!PriorityMetadata.available(context.pod())) {
            return new ConstantScorer(0);
        }
        ImageScorer images = new ImageScorer(imagesOf(context.pod()), 1);
        // A cluster with an index has the images of all of its nodes.
        boolean hasImages = context.cluster().index() != null;
        if (hasImages
                && images.names().stream().allMatch(name -> context.cluster().image(name) == null)) {
            return new ConstantScorer(0);
        }
        return new Scorer(images, context.cluster().nodes().size());
    }

    private record Basis(List<String> images, int totalNodes) {}

    private record Scorer(ImageScorer images, int totalNodes) implements PodScorer {
        @Override
        public Object basis() {
            return new Basis(images.names(), totalNodes);
        }

        @Override
        public long score(NodeInfo node) {
            Map<String, ImageState> states = node.images();
            return states.isEmpty() ? 0 : images.score(states, states::get, totalNodes);
        }

        @Override
        public void scoreAll(List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = score(nodes.get(i));
            }
        }
    }

    private static List<String> imagesOf(PodInfo pod) {
        List<String> images = new ArrayList<>();
        for (Container container : pod.spec().containers()) {
            if (!container.init()) {
                images.add(container.image());
            }
        }
        return images;
    }
}
