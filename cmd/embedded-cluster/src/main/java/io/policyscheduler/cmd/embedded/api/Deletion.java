package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Change;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deletes stored objects. A bound pod that still runs is only marked; the kubelet removes it. An object with finalizers is marked
 * until they are removed. Without controllers, deleting a namespace deletes its content immediately, and dependents stay.
 */
public final class Deletion {
    /** The finalizer of foreground deletion. */
    public static final String FOREGROUND = "foregroundDeletion";
    /** The finalizer of orphaning deletion. */
    public static final String ORPHAN = "orphan";

    private static final long DEFAULT_GRACE_SECONDS = 30;
    /** Namespaces that admission NamespaceLifecycle keeps. */
    private static final Set<String> PROTECTED = Set.of("default", "kube-system", "kube-public");
    /** Classes that the registry of priority classes keeps. */
    private static final Set<String> SYSTEM_CLASSES = Set.of("system-node-critical", "system-cluster-critical");

    private final StoredObjects store;
    private final ResourceCatalog catalog;
    private final Clock clock;
    private final boolean controllers;

    /**
     * A deletion for a store.
     *
     * @param controllers whether controllers empty namespaces and collect dependents
     */
    public Deletion(StoredObjects store, ResourceCatalog catalog, Clock clock, boolean controllers) {
        this.store = store;
        this.catalog = catalog;
        this.clock = clock;
        this.controllers = controllers;
    }

    /** As {@link #delete}; empty if the object does not exist. */
    public Optional<Change> deleteIfPresent(ResourceType type, ObjectKey key, DeleteOptions options) {
        try {
            return Optional.of(delete(type, key, options));
        } catch (StatusError e) {
            if (e.code() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Removes the object or marks it; fails as a DELETE does. */
    public Change delete(ResourceType type, ObjectKey key, DeleteOptions options) {
        Change change = store.modify(
                type, key.namespace(), key.name(), options.dryRun(), present -> next(type, key, present, options));
        if (!controllers && type.isNamespace() && change.removed() && !options.dryRun()) {
            DeleteOptions now = new DeleteOptions(0L, "", "", false);
            for (ResourceType inside : catalog.types()) {
                if (inside.namespaced() && catalog.stored(inside).equals(inside)) {
                    store.list(inside, key.name()).items().forEach(o -> deleteIfPresent(inside, ObjectKey.of(o), now));
                }
            }
        }
        return change;
    }

    private @Nullable ObjectNode next(ResourceType type, ObjectKey key, ObjectNode present, DeleteOptions options) {
        if (type.isNamespace() && PROTECTED.contains(key.name())) {
            throw StatusError.forbidden(type, key.name(), "this namespace may not be deleted");
        }
        if (type.plural().equals("priorityclasses") && SYSTEM_CLASSES.contains(key.name())) {
            throw StatusError.forbidden(type, key.name(), "this is a system priority class and cannot be deleted");
        }
        ObjectNode metadata = Json.child(present, "metadata");
        precondition(type, key, "UID", options.uid(), Json.text(metadata, "uid"));
        precondition(type, key, "ResourceVersion", options.resourceVersion(), Json.text(metadata, "resourceVersion"));
        long grace = type.isPod() ? grace(present, options) : 0;
        boolean marked = metadata.has("deletionTimestamp");
        boolean emptied = !controllers || !type.isNamespace() || terminateNamespace(present);
        if (controllers && !marked) {
            addFinalizer(metadata, options.propagation());
        }
        if (grace == 0 && metadata.path("finalizers").isEmpty() && emptied) {
            return null;
        }
        if (marked && grace >= metadata.path("deletionGracePeriodSeconds").asLong()) {
            return present;
        }
        metadata.put("deletionTimestamp", Json.time(clock.instant().plusSeconds(grace)));
        metadata.put("deletionGracePeriodSeconds", grace);
        return present;
    }

    /** Marks a namespace as terminating; returns true if it has no finalizers left. */
    private static boolean terminateNamespace(ObjectNode namespace) {
        Json.child(namespace, "status").put("phase", "Terminating");
        return namespace.path("spec").path("finalizers").isEmpty();
    }

    private static void addFinalizer(ObjectNode metadata, String propagation) {
        switch (propagation) {
            case "Foreground" -> Json.list(metadata, "finalizers").add(FOREGROUND);
            case "Orphan" -> Json.list(metadata, "finalizers").add(ORPHAN);
            default -> {}
        }
    }

    private static long grace(JsonNode pod, DeleteOptions options) {
        String phase = Json.text(pod, "status", "phase");
        if (Json.text(pod, "spec", "nodeName").isEmpty() || phase.equals("Succeeded") || phase.equals("Failed")) {
            return 0;
        }
        if (options.gracePeriodSeconds() != null) {
            return options.gracePeriodSeconds();
        }
        return Math.max(
                0, pod.path("spec").path("terminationGracePeriodSeconds").asLong(DEFAULT_GRACE_SECONDS));
    }

    private static void precondition(ResourceType type, ObjectKey key, String what, String expected, String found) {
        if (!expected.isEmpty() && !expected.equals(found)) {
            String kind = type.group().isEmpty() ? type.kind() : type.kind() + "." + type.group();
            throw StatusError.conflict(
                    kind,
                    key.name(),
                    "the " + what + " in the precondition (" + expected + ") does not match the " + what
                            + " in record ("
                            + found + "). The object might have been "
                            + (what.equals("UID") ? "deleted and then recreated" : "modified"));
        }
    }

    /**
     * How to delete (meta/v1 DeleteOptions).
     *
     * @param gracePeriodSeconds null for the object's own
     * @param uid required uid; empty for any
     * @param resourceVersion required version; empty for any
     * @param dryRun whether to change nothing
     * @param propagation policy for dependents: {@code Background}, {@code Foreground}, {@code Orphan}; empty for the default
     */
    public record DeleteOptions(
            @Nullable Long gracePeriodSeconds, String uid, String resourceVersion, boolean dryRun, String propagation) {
        /** Options of background deletion. */
        public DeleteOptions(@Nullable Long gracePeriodSeconds, String uid, String resourceVersion, boolean dryRun) {
            this(gracePeriodSeconds, uid, resourceVersion, dryRun, "");
        }

        /** The object with this UID, with its own grace period. */
        public static DeleteOptions ofUid(String uid) {
            return new DeleteOptions(null, uid, "", false);
        }

        /** Parses a request body. */
        public static DeleteOptions of(ObjectNode body) {
            JsonNode grace = body.path("gracePeriodSeconds");
            boolean dryRun = Json.text(body.path("dryRun").path(0)).equals("All");
            boolean orphan = body.path("orphanDependents").asBoolean();
            return new DeleteOptions(
                    grace.isNumber() ? Long.valueOf(Math.max(0, grace.asLong())) : null,
                    Json.text(body, "preconditions", "uid"),
                    Json.text(body, "preconditions", "resourceVersion"),
                    dryRun,
                    orphan ? "Orphan" : Json.text(body, "propagationPolicy"));
        }
    }
}
