package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.embedded.api.StoredObjects.StoredEvent;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Every change of every watched resource since the start, from which any earlier state can be restored. */
final class ClusterLog {
    /** One resource. */
    static final class Resource {
        final WatchedResource watched;
        final List<StoredEvent> events = new ArrayList<>();
        private final StoredObjects.EventReader reader;

        private Resource(WatchedResource watched, StoredObjects.EventReader reader) {
            this.watched = watched;
            this.reader = reader;
        }

        /** Returns the objects after that many events, without finished pods, by namespace and name. */
        SortedMap<String, ObjectNode> stateAfter(int count) {
            SortedMap<String, ObjectNode> state = new TreeMap<>();
            for (StoredEvent event : events.subList(0, count)) {
                if (event.type() == StoredEvent.Type.DELETED || Manifests.isFinished(event.object())) {
                    state.remove(key(event.object()));
                } else {
                    state.put(key(event.object()), event.object());
                }
            }
            return state;
        }
    }

    private final StoredObjects store;
    private final Map<ResourceKind, Resource> resources = new EnumMap<>(ResourceKind.class);
    private long seen;

    /** @param firstVersion of the empty store */
    ClusterLog(EmbeddedControlPlane cluster, long firstVersion) {
        store = cluster.store();
        for (WatchedResource watched : WatchedResource.all()) {
            String name = watched.group().isEmpty() ? watched.resource() : watched.resource() + "." + watched.group();
            ResourceType type = cluster.catalog().named(name);
            resources.put(watched.kind(), new Resource(watched, store.changesAfter(type, firstVersion)));
        }
        read();
    }

    static String key(ObjectNode object) {
        return Manifests.text(object, "metadata", "namespace") + "/" + Manifests.name(object);
    }

    Resource of(ResourceKind kind) {
        Resource resource = resources.get(kind);
        if (resource == null) {
            throw new IllegalArgumentException("not watched: " + kind);
        }
        return resource;
    }

    /** Reads new changes. Returns false if there are none. */
    boolean read() {
        long version = store.resourceVersion();
        if (version == seen) {
            return false;
        }
        seen = version;
        boolean changed = false;
        for (Resource resource : resources.values()) {
            List<StoredEvent> events = resource.reader.poll().events();
            resource.events.addAll(events);
            changed |= !events.isEmpty();
        }
        return changed;
    }
}
