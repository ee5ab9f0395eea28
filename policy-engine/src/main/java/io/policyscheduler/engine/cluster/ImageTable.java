package io.policyscheduler.engine.cluster;

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
final class ImageTable {
    private record Entry(long sizeBytes, Set<String> nodes) {}

    private final Map<String, Entry> images = new HashMap<>();

    /** Replaces the records of a node and returns the node's copy of the counts. */
    Map<String, ImageState> update(@Nullable Node old, @Nullable Node current) {
        if (old != null) {
            remove(old);
        }
        if (current == null) {
            return Map.of();
        }
        Map<String, ImageState> states = new HashMap<>();
        for (Node.Image image : current.images()) {
            for (String name : image.names()) {
                Entry entry = images.computeIfAbsent(name, n -> new Entry(image.sizeBytes(), new HashSet<>()));
                entry.nodes().add(current.name());
                states.putIfAbsent(
                        name, new ImageState(entry.sizeBytes(), entry.nodes().size()));
            }
        }
        return Map.copyOf(states);
    }

    boolean isEmpty() {
        return images.isEmpty();
    }

    private void remove(Node node) {
        for (Node.Image image : node.images()) {
            for (String name : image.names()) {
                Entry entry = images.get(name);
                if (entry != null) {
                    entry.nodes().remove(node.name());
                    if (entry.nodes().isEmpty()) {
                        images.remove(name);
                    }
                }
            }
        }
    }
}
