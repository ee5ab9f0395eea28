package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.node.ImageTable.ContainerImages;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Scores nodes by the sizes of the images of a pod that they have, each multiplied with the part of the nodes that have it. Mirrors
 * {@code algorithm/priorities/image_locality.go} of 1.17 and {@code pkg/scheduler/framework/plugins/imagelocality}.
 */
public final class ImageScorer {
    private static final long MAX_SCORE = 100;
    private static final long MEBIBYTE = 1024 * 1024;
    private static final long MIN_BYTES = 23 * MEBIBYTE;
    private static final long MAX_BYTES = 1000 * MEBIBYTE;

    private final List<String> names;
    private final ContainerImages images;
    private final long maxBytes;

    /**
     * The images of a pod.
     *
     * @param written the names of the images as written in the pod
     * @param containers the number of containers, at least 1; each adds to the size that scores highest. Always 1 in 1.17
     */
    public ImageScorer(List<String> written, int containers) {
        this.names = written.stream().map(ImageScorer::tagged).toList();
        this.images = new ContainerImages(names);
        this.maxBytes = MAX_BYTES * containers;
    }

    /** A name without tag or digest means {@code :latest}; registry and repository stay as written. */
    private static String tagged(String image) {
        return image.lastIndexOf(':') > image.lastIndexOf('/') ? image : image + ":latest";
    }

    /** The names of the images, with tag or digest. */
    public List<String> names() {
        return names;
    }

    /**
     * Returns the score of a node, 0 to 100.
     *
     * @param onNode the images of the node, not empty
     * @param states returns the size of an image and the number of nodes that have it, or null
     */
    public long score(Map<String, ImageState> onNode, Function<String, @Nullable ImageState> states, int nodeCount) {
        long sum = images.sum(onNode, name -> {
            ImageState image = states.apply(name);
            return image == null ? 0 : (long) (image.sizeBytes() * ((double) image.holders() / nodeCount));
        });
        long clamped = Math.min(Math.max(sum, MIN_BYTES), maxBytes);
        return MAX_SCORE * (clamped - MIN_BYTES) / (maxBytes - MIN_BYTES);
    }
}
