package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.watch.UnreadableObject;
import io.policyscheduler.cmd.world.WatchedResource;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which objects of a cluster cannot be read at the moment; warns of each once for each reason. Thread-safe. */
final class UnreadableObjects {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadableObjects.class);
    /** Warnings that are remembered: an object that comes and goes must not fill the log. */
    private static final int MOST_TOLD = 10_000;

    private final boolean closesNodes;
    private final Map<String, Map<String, UnreadableObject>> byKind = new TreeMap<>();
    private final Map<String, Boolean> told = new LinkedHashMap<>();

    /** @param closesNodes whether nodes of pods that cannot be read take no other pods */
    public UnreadableObjects(boolean closesNodes) {
        this.closesNodes = closesNodes;
        for (WatchedResource resource : WatchedResource.all()) {
            byKind.put(resource.objectKind(), new HashMap<>());
        }
    }

    boolean closesNodes() {
        return closesNodes;
    }

    /** The complete list of a kind has come, with these unreadable. */
    synchronized void replaced(WatchedResource resource, Collection<UnreadableObject> objects) {
        of(resource).clear();
        objects.forEach(object -> add(resource, object));
    }

    /** An object cannot be read. */
    synchronized void add(WatchedResource resource, UnreadableObject object) {
        of(resource).put(object.key(), object);
        if (told.size() >= MOST_TOLD) {
            told.remove(told.keySet().iterator().next());
        }
        String cause = resource.objectKind() + " " + object.key() + " " + object.uid() + " " + object.reason();
        if (told.put(cause, true) == null) {
            LOG.warn(
                    "W101 skipped an unreadable object of {}: {} ({}){}",
                    resource.resource(),
                    object.key(),
                    object.reason(),
                    consequence(resource, object));
        }
    }

    /** An object can be read, or is gone. */
    synchronized void remove(WatchedResource resource, String key) {
        of(resource).remove(key);
    }

    private Map<String, UnreadableObject> of(WatchedResource resource) {
        return byKind.computeIfAbsent(resource.objectKind(), kind -> new HashMap<>());
    }

    private String consequence(WatchedResource resource, UnreadableObject object) {
        return switch (resource.kind()) {
            case NODES -> "; no pods are scheduled to the node";
            case PODS -> {
                if (object.nodeName().isEmpty()) {
                    yield "; the pod is not scheduled";
                }
                yield closesNodes
                        ? "; no pods are scheduled to node " + object.nodeName()
                                + " until the pod is readable or deleted" + " (unless --ignore-unreadable-pods is set)"
                        : "; its resources on node " + object.nodeName() + " are not counted";
            }
            default -> "; its last readable state is used, if there is one";
        };
    }

    /** How many there are by kind, 0 included. */
    public synchronized Map<String, Integer> counts() {
        Map<String, Integer> counts = new TreeMap<>();
        byKind.forEach((kind, objects) -> counts.put(kind, objects.size()));
        return counts;
    }
}
