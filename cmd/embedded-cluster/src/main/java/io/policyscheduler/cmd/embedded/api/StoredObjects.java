package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All objects of the embedded cluster, with one version counter for all kinds (as in etcd) and a bounded history per kind.
 * Objects are stored without kind and apiVersion. Returned objects are shared and must not be changed. Thread-safe.
 */
public final class StoredObjects {
    private static final int KEPT_SNAPSHOTS = 64;

    /**
     * The objects of one kind at one version.
     *
     * @param resourceVersion the store's version
     * @param items the objects, by namespace and name
     */
    public record Snapshot(long resourceVersion, List<ObjectNode> items) {}

    /**
     * The result of a change.
     *
     * @param object the object after the change, or its last state
     * @param removed whether the object was removed
     */
    public record Change(ObjectNode object, boolean removed) {}

    /** Computes an object's next state. */
    @FunctionalInterface
    public interface Mutation {
        /**
         * Receives a private copy of the current object, which it may change and return; returns the next state, or null to
         * remove the object. An exception abandons the change.
         */
        @Nullable
        ObjectNode apply(ObjectNode present);
    }

    private record SnapshotKey(String type, String namespace, long resourceVersion) {}

    private final class TypeStore {
        private final NavigableMap<ObjectKey, ObjectNode> objects = new TreeMap<>();
        private final WatchCache history = new WatchCache(historySize);
        private final Condition changed = lock.newCondition();

        private TypeStore() {
            // The history before the first version is unknown, as after a compaction.
            history.compact(initialVersion - 1);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, TypeStore> typeStores = new HashMap<>();
    private final Map<SnapshotKey, Snapshot> snapshots = new LinkedHashMap<>();
    private final int historySize;
    private final long initialVersion;
    private long version;

    /** Creates an empty store that keeps the given number of events per kind. */
    public StoredObjects(int historySize) {
        this(historySize, 1);
    }

    /** As {@link #StoredObjects(int)}; watches from before the first version are expired. */
    public StoredObjects(int historySize, long initialVersion) {
        this.historySize = historySize;
        this.initialVersion = initialVersion;
        this.version = initialVersion;
    }

    /** The version of the newest change. */
    public long resourceVersion() {
        lock.lock();
        try {
            return version;
        } finally {
            lock.unlock();
        }
    }

    /** The object, or empty. The namespace is empty for kinds outside namespaces. */
    public Optional<ObjectNode> get(ResourceType type, String namespace, String name) {
        lock.lock();
        try {
            return Optional.ofNullable(typeStore(type).objects.get(new ObjectKey(namespace, name)));
        } finally {
            lock.unlock();
        }
    }

    /** All objects of the kind; in one namespace unless it is empty. */
    public Snapshot list(ResourceType type, String namespace) {
        lock.lock();
        try {
            NavigableMap<ObjectKey, ObjectNode> objects = typeStore(type).objects;
            if (!namespace.isEmpty()) {
                objects =
                        objects.subMap(new ObjectKey(namespace, ""), true, new ObjectKey(namespace + "\0", ""), false);
            }
            return new Snapshot(version, List.copyOf(objects.values()));
        } finally {
            lock.unlock();
        }
    }

    /** All objects of the kind as they were at a version; empty if the changes after it are no longer stored. */
    public Optional<Snapshot> listAt(ResourceType type, String namespace, long resourceVersion) {
        lock.lock();
        try {
            TypeStore store = typeStore(type);
            long position = store.history.positionAfter(resourceVersion);
            if (position < 0) {
                return Optional.empty();
            }
            NavigableMap<ObjectKey, ObjectNode> objects = new TreeMap<>(store.objects);
            for (long at = store.history.end() - 1; at >= position; at--) {
                StoredEvent event = store.history.event(at);
                ObjectKey key = ObjectKey.of(event.object());
                if (event.previous() == null) {
                    objects.remove(key);
                } else {
                    objects.put(key, event.previous());
                }
            }
            List<ObjectNode> items = objects.entrySet().stream()
                    .filter(entry ->
                            namespace.isEmpty() || entry.getKey().namespace().equals(namespace))
                    .map(Map.Entry::getValue)
                    .toList();
            return Optional.of(new Snapshot(resourceVersion, items));
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a list for requests of further pages; the oldest kept list is dropped if there are too many. */
    public void saveSnapshot(ResourceType type, String namespace, Snapshot snapshot) {
        lock.lock();
        try {
            snapshots.put(new SnapshotKey(type.qualifiedName(), namespace, snapshot.resourceVersion()), snapshot);
            while (snapshots.size() > KEPT_SNAPSHOTS) {
                snapshots.remove(snapshots.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    /** A kept list; empty if it has been dropped. */
    public Optional<Snapshot> findSnapshot(ResourceType type, String namespace, long resourceVersion) {
        lock.lock();
        try {
            return Optional.ofNullable(
                    snapshots.get(new SnapshotKey(type.qualifiedName(), namespace, resourceVersion)));
        } finally {
            lock.unlock();
        }
    }

    /** Stores a new object, which the store owns from then on; fails with AlreadyExists. A dry run stores nothing. */
    public ObjectNode create(ResourceType type, ObjectNode object, boolean dryRun) {
        ObjectKey key = ObjectKey.of(object);
        lock.lock();
        try {
            TypeStore store = typeStore(type);
            if (store.objects.containsKey(key)) {
                throw StatusError.alreadyExists(type, key.name());
            }
            if (!dryRun) {
                setResourceVersion(object, ++version);
                store.objects.put(key, object);
                publish(store, new StoredEvent(StoredEvent.Type.ADDED, version, object, null));
            }
            return object;
        } finally {
            lock.unlock();
        }
    }

    /** Changes or removes an object atomically; a change to an equal state is no change. Fails with NotFound. */
    public Change modify(ResourceType type, String namespace, String name, boolean dryRun, Mutation mutation) {
        ObjectKey key = new ObjectKey(namespace, name);
        lock.lock();
        try {
            TypeStore store = typeStore(type);
            ObjectNode present = store.objects.get(key);
            if (present == null) {
                throw StatusError.notFound(type, name);
            }
            ObjectNode result = mutation.apply(present.deepCopy());
            if (result == null) {
                return new Change(dryRun ? present : remove(store, key, present), true);
            }
            setResourceVersion(result, Long.parseLong(Json.text(present, "metadata", "resourceVersion")));
            if (result.equals(present)) {
                return new Change(present, false);
            }
            if (!dryRun) {
                setResourceVersion(result, ++version);
                store.objects.put(key, result);
                publish(store, new StoredEvent(StoredEvent.Type.MODIFIED, version, result, present));
            }
            return new Change(result, false);
        } finally {
            lock.unlock();
        }
    }

    private ObjectNode remove(TypeStore store, ObjectKey key, ObjectNode present) {
        ObjectNode last = withVersion(present, ++version);
        store.objects.remove(key);
        publish(store, new StoredEvent(StoredEvent.Type.DELETED, version, last, present));
        return last;
    }

    /** Drops the history and kept lists: all older versions and continue tokens are expired. */
    public void compact() {
        lock.lock();
        try {
            snapshots.clear();
            typeStores.values().forEach(store -> store.history.compact(version));
        } finally {
            lock.unlock();
        }
    }

    /** Opens a reader of the changes after the given version; fails with Expired if they are no longer stored. */
    public EventReader changesAfter(ResourceType type, long resourceVersion) {
        lock.lock();
        try {
            TypeStore store = typeStore(type);
            long position = store.history.positionAfter(resourceVersion);
            if (position < 0) {
                throw StatusError.tooOld(resourceVersion, store.history.compactedVersion());
            }
            return new EventReader(store, position);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Some changes.
     *
     * @param events the changes in order; empty after a timeout
     * @param resourceVersion the version that the reader has reached
     * @param expired whether the reader has fallen behind the history and must be closed
     */
    public record Batch(List<StoredEvent> events, long resourceVersion, boolean expired) {}

    /** A position in the history of one kind. Used by one thread; another one may call {@link #close()}. */
    public final class EventReader implements AutoCloseable {
        private final TypeStore typeStore;
        private long position;
        private boolean closed;

        private EventReader(TypeStore store, long position) {
            this.typeStore = store;
            this.position = position;
        }

        /** The next changes; waits up to the given time for the first one. A closed reader returns none immediately. */
        public Batch next(int limit, long waitNanos) throws InterruptedException {
            long remaining = waitNanos;
            lock.lock();
            try {
                while (!closed && position == typeStore.history.end() && remaining > 0) {
                    remaining = typeStore.changed.awaitNanos(remaining);
                }
                if (!typeStore.history.contains(position)) {
                    return new Batch(List.of(), typeStore.history.compactedVersion(), true);
                }
                List<StoredEvent> events = typeStore.history.read(position, limit);
                position += events.size();
                boolean all = position == typeStore.history.end();
                long known = all ? version : events.get(events.size() - 1).resourceVersion();
                return new Batch(List.copyOf(events), known, false);
            } finally {
                lock.unlock();
            }
        }

        /** The changes that are already there. */
        public Batch poll() {
            try {
                return next(Integer.MAX_VALUE / 2, 0);
            } catch (InterruptedException e) {
                throw new IllegalStateException("a poll does not wait", e);
            }
        }

        /** Whether the reader has been closed. */
        public boolean isClosed() {
            lock.lock();
            try {
                return closed;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                closed = true;
                typeStore.changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits until a condition on the objects of a kind is true; for tests. Returns false after the timeout. */
    public boolean await(ResourceType type, Predicate<List<ObjectNode>> condition, long waitNanos)
            throws InterruptedException {
        long remaining = waitNanos;
        lock.lock();
        try {
            TypeStore store = typeStore(type);
            while (!condition.test(List.copyOf(store.objects.values()))) {
                if (remaining <= 0) {
                    return false;
                }
                remaining = store.changed.awaitNanos(remaining);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** A copy that differs in metadata.resourceVersion only and shares the rest. */
    public static ObjectNode withVersion(ObjectNode object, long resourceVersion) {
        ObjectNode copy = Json.object();
        copy.setAll(object);
        ObjectNode metadata = Json.object();
        metadata.setAll((ObjectNode) object.path("metadata"));
        metadata.put("resourceVersion", Long.toString(resourceVersion));
        copy.set("metadata", metadata);
        return copy;
    }

    private static void setResourceVersion(ObjectNode object, long resourceVersion) {
        Json.child(object, "metadata").put("resourceVersion", Long.toString(resourceVersion));
    }

    private void publish(TypeStore store, StoredEvent event) {
        store.history.append(event);
        store.changed.signalAll();
    }

    private TypeStore typeStore(ResourceType type) {
        return typeStores.computeIfAbsent(type.qualifiedName(), name -> new TypeStore());
    }

    /**
     * One change of one stored object.
     *
     * @param type of the event
     * @param resourceVersion the store's version after the change
     * @param object the object after the change; for DELETED its last state with the new version
     * @param previous the object before the change; null for ADDED
     */
    public record StoredEvent(
            Type type,
            long resourceVersion,
            ObjectNode object,
            @Nullable ObjectNode previous) {
        /** The kinds of change. */
        public enum Type {
            ADDED,
            MODIFIED,
            DELETED
        }
    }

    /**
     * The newest changes of one kind, in a ring buffer. A reader has a position (the number of the next event); a reader that
     * falls behind the ring must list again, so that writers never wait for readers. Not thread-safe: {@link StoredObjects}
     * guards it.
     */
    static final class WatchCache {
        private final @Nullable StoredEvent[] ring;
        private long first;
        private long next;
        private long compactedVersion;

        WatchCache(int capacity) {
            this.ring = new StoredEvent[capacity];
        }

        void append(StoredEvent event) {
            int slot = (int) (next % ring.length);
            StoredEvent overwritten = ring[slot];
            if (overwritten != null && next - first == ring.length) {
                compactedVersion = overwritten.resourceVersion();
                first++;
            }
            ring[slot] = event;
            next++;
        }

        /** Drops all events up to the given version. */
        void compact(long version) {
            Arrays.fill(ring, null);
            first = next;
            compactedVersion = version;
        }

        /** The position of the next event. */
        long end() {
            return next;
        }

        /** The version below which history is lost. */
        long compactedVersion() {
            return compactedVersion;
        }

        boolean contains(long position) {
            return position >= first;
        }

        /** The position of the first event after the given version; -1 if it is no longer stored. */
        long positionAfter(long version) {
            if (version < compactedVersion) {
                return -1;
            }
            long low = first;
            long high = next;
            while (low < high) {
                long middle = (low + high) >>> 1;
                if (event(middle).resourceVersion() <= version) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        List<StoredEvent> read(long position, int limit) {
            long to = Math.min(next, position + limit);
            List<StoredEvent> events = new ArrayList<>((int) (to - position));
            for (long at = position; at < to; at++) {
                events.add(event(at));
            }
            return events;
        }

        private StoredEvent event(long position) {
            StoredEvent event = ring[(int) (position % ring.length)];
            if (event == null) {
                throw new IllegalStateException("no event at position " + position);
            }
            return event;
        }
    }
}
