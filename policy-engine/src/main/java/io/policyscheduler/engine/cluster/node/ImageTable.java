package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes hold which image. A node's own copy of the counts is taken when the node is added or updated and goes stale
 * afterwards; that is v1.17's behaviour and shows in ImageLocality scores. Mirrors the image table of
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

    /** What is known of an image now; null when no node holds it. */
    @Nullable
    public ImageState current(String name) {
        Entry entry = images.get(name);
        return entry == null ? null : entry.state;
    }
}
