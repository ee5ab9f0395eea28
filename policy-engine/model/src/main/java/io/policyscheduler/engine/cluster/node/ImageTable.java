package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that have each image. A node's own copy of the counts is taken when the node is added or updated and becomes stale
 * afterwards, as in v1.17, which affects ImageLocality scores. Mirrors the image table of
 * {@code pkg/scheduler/internal/cache/cache.go}.
 */
public final class ImageTable {
    private static final class Entry {
        private final long sizeBytes;
        private final Set<String> nodes = new HashSet<>();
        private ImageState state;

        Entry(long sizeBytes) {
            this.sizeBytes = sizeBytes;
            this.state = new ImageState(sizeBytes, 0);
        }

        void add(String node) {
            nodes.add(node);
            state = new ImageState(sizeBytes, nodes.size());
        }

        void remove(String node) {
            nodes.remove(node);
            state = new ImageState(sizeBytes, nodes.size());
        }
    }

    private final Map<String, Entry> images = new HashMap<>();

    /** Replaces the records of a node and returns the node's copy of the counts. */
    public Map<String, ImageState> update(@Nullable Node old, @Nullable Node current) {
        if (old != null) {
            remove(old);
        }
        if (current == null) {
            return Map.of();
        }
        Map<String, ImageState> states = new HashMap<>();
        for (Node.Image image : current.images()) {
            for (String name : image.names()) {
                Entry entry = images.computeIfAbsent(name, n -> new Entry(image.sizeBytes()));
                entry.add(current.name());
                states.putIfAbsent(name, entry.state);
            }
        }
        return Map.copyOf(states);
    }

    private void remove(Node node) {
        for (Node.Image image : node.images()) {
            for (String name : image.names()) {
                Entry entry = images.get(name);
                if (entry != null) {
                    entry.remove(node.name());
                    if (entry.nodes.isEmpty()) {
                        images.remove(name);
                    }
                }
            }
        }
    }

    /** The current state of an image; null if no node has it. */
    @Nullable
    public ImageState current(String name) {
        Entry entry = images.get(name);
        return entry == null ? null : entry.state;
    }

    /** The number of containers of a pod per image, for scoring many nodes. Immutable. */
    public static final class ContainerImages {
        private final Map<String, Integer> containers = new HashMap<>();

        /** @param images one for each container, normalized as in node status */
        public ContainerImages(List<String> images) {
            images.forEach(image -> containers.merge(image, 1, Integer::sum));
        }

        /**
         * The sum of {@code worth} over all containers whose image is present, saturating.
         *
         * @param there images by name
         */
        public long sum(Map<String, ImageState> there, ToLongFunction<String> worth) {
            long sum = 0;
            // Iterates over the smaller one: a pod may have thousands of containers, a node hundreds of images.
            if (there.size() < containers.size()) {
                for (String image : there.keySet()) {
                    Integer count = containers.get(image);
                    sum = count == null ? sum : plus(sum, count, worth.applyAsLong(image));
                }
                return sum;
            }
            for (Map.Entry<String, Integer> entry : containers.entrySet()) {
                if (there.containsKey(entry.getKey())) {
                    sum = plus(sum, entry.getValue(), worth.applyAsLong(entry.getKey()));
                }
            }
            return sum;
        }

        private static long plus(long sum, int count, long worth) {
            return Arithmetic.SATURATING.add(sum, Arithmetic.SATURATING.multiply(count, worth));
        }
    }

    /**
     * The state of an image in a node's snapshot.
     *
     * @param sizeBytes size as first reported in the cluster
     * @param holders number of nodes that had the image when this node was last added or updated
     */
    public record ImageState(long sizeBytes, int holders) {}
}
