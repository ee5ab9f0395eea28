package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.ImageTable.ContainerImages;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Prefers nodes that already have the images of the pod's regular containers, by size, discounted by how few nodes of
 * the cluster have them. Mirrors {@code algorithm/priorities/image_locality.go}.
 */
public final class ImageLocalityPriority implements Priority {
    private static final long MIN_BYTES = 23L * 1024 * 1024;
    private static final long MAX_BYTES = 1000L * 1024 * 1024;

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
        List<String> names = imagesOf(context.pod());
        // A cluster with an index knows the images of all of its nodes.
        boolean knowsImages = context.cluster().index() != null;
        if (knowsImages && names.stream().allMatch(name -> context.cluster().image(name) == null)) {
            return new ConstantScorer(0);
        }
        ContainerImages images = new ContainerImages(names);
        int totalNodes = context.cluster().nodes().size();
        return new PodScorer() {
            @Override
            public Object basis() {
                return new Basis(names, totalNodes);
            }

            @Override
            public long score(NodeInfo node) {
                return ImageLocalityPriority.score(images, totalNodes, node);
            }

            @Override
            public void scoreAll(List<NodeInfo> nodes, long[] scores) {
                for (int i = 0; i < scores.length; i++) {
                    scores[i] = score(nodes.get(i));
                }
            }
        };
    }

    private record Basis(List<String> images, int totalNodes) {}

    private static long score(ContainerImages images, int totalNodes, NodeInfo node) {
        Map<String, ImageState> states = node.images();
        if (states.isEmpty()) {
            return 0;
        }
        long sum = images.sum(states, image -> {
            ImageState state = states.get(image);
            return state == null
                    ? 0
                    : (long) ((double) state.sizeBytes() * ((double) state.holders() / (double) totalNodes));
        });
        long bounded = Math.max(MIN_BYTES, Math.min(sum, MAX_BYTES));
        return MAX_SCORE * (bounded - MIN_BYTES) / (MAX_BYTES - MIN_BYTES);
    }

    private static List<String> imagesOf(PodInfo pod) {
        List<String> images = new ArrayList<>();
        for (Container container : pod.spec().containers()) {
            if (!container.init()) {
                images.add(normalized(container.image()));
            }
        }
        return images;
    }

    /** A name without tag or digest means {@code :latest}; registry and repository stay as written. */
    static String normalized(String image) {
        return image.lastIndexOf(':') <= image.lastIndexOf('/') ? image + ":latest" : image;
    }
}
