package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.cmd.report.Output;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects that users and controllers have created in the embedded cluster, to save and restore them. Belongs to one thread.
 */
final class ClusterContents {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterContents.class);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final int MOST_PAUSES = 500;
    private static final String NAMESPACES = "namespaces";

    private final EmbeddedControlPlane cluster;
    private final List<StoredObject> initial;
    private final Set<Name> ofEveryCluster = new HashSet<>();
    private List<StoredObject> mark = List.of();

    private record Name(ResourceType type, ObjectKey key) {}

    /** @param object as it is stored, which is never changed */
    private record StoredObject(ResourceType type, ObjectNode object) {
        Name name() {
            return new Name(type, ObjectKey.of(object));
        }

        /** As kubectl prints it. */
        ObjectNode manifest() {
            ObjectNode manifest = Json.object();
            manifest.put("apiVersion", type.apiVersion(type.versions().get(0))).put("kind", type.kind());
            manifest.setAll(object.deepCopy());
            Json.child(manifest, "metadata").remove(List.of("managedFields", "resourceVersion"));
            return manifest;
        }
    }

    /** @param cluster with only the objects that each cluster has */
    ClusterContents(EmbeddedControlPlane cluster) {
        this.cluster = cluster;
        this.initial = everything();
        initial.forEach(stored -> ofEveryCluster.add(stored.name()));
    }

    private List<StoredObject> everything() {
        List<StoredObject> all = new ArrayList<>();
        for (ResourceType type : cluster.catalog().types()) {
            // Events describe the past.
            if (cluster.catalog().stored(type).equals(type) && !type.plural().equals("events")) {
                cluster.list(type.qualifiedName()).forEach(object -> all.add(new StoredObject(type, object)));
            }
        }
        return List.copyOf(all);
    }

    private List<StoredObject> events() {
        ResourceType type = cluster.catalog().named("events");
        return cluster.list(type.qualifiedName()).stream()
                .map(object -> new StoredObject(type, object))
                .toList();
    }

    private List<StoredObject> own() {
        return everything().stream()
                .filter(stored -> !ofEveryCluster.contains(stored.name()))
                .toList();
    }

    /** Whether each new cluster has this object. */
    boolean isOfEveryCluster(ResourceType type, ObjectKey key) {
        return ofEveryCluster.contains(new Name(type, key));
    }

    /** Saves the current state for {@link #reset}. */
    void mark() {
        mark = own();
    }

    /**
     * All objects as a List in YAML, for a later import; without events and without the objects that controllers create in each
     * namespace.
     */
    String export() {
        ObjectNode list = Json.object().put("apiVersion", "v1").put("kind", "List");
        ArrayNode items = list.putArray("items");
        own().stream()
                .filter(stored -> !(stored.type().plural().equals("serviceaccounts")
                        && stored.name().key().name().equals("default")))
                .forEach(stored -> items.add(stored.manifest()));
        return Output.yaml(list);
    }

    /**
     * Deletes everything.
     *
     * @param toMark whether to restore the state of the last {@link #mark}
     * @throws PlaygroundException when something does not go
     */
    void reset(boolean toMark) {
        cluster.withoutControllers(() -> {
            List<StoredObject> own = own();
            own.stream().filter(stored -> !isNamespace(stored)).forEach(this::remove);
        });
        // Their controller deletes them.
        own().stream().filter(ClusterContents::isNamespace).forEach(this::remove);
        awaitNoNamespaces();
        events().forEach(this::remove);
        cluster.withoutControllers(() -> {
            Set<Name> present = new HashSet<>();
            everything().forEach(stored -> present.add(stored.name()));
            List<StoredObject> objects = new ArrayList<>(initial);
            objects.addAll(toMark ? mark : List.of());
            objects.stream().filter(stored -> !present.contains(stored.name())).forEach(this::load);
        });
    }

    private static boolean isNamespace(StoredObject stored) {
        return stored.type().qualifiedName().equals(NAMESPACES);
    }

    private void load(StoredObject stored) {
        try {
            cluster.load(stored.manifest());
        } catch (StatusError e) {
            // A controller may have made it meanwhile.
            LOG.debug("{} cannot be restored", stored.name(), e);
        }
    }

    /** Immediately, without finalizers. */
    private void remove(StoredObject stored) {
        String path = ObjectEditor.path(stored.type(), stored.name().key());
        JsonNode finalizers = stored.object().path("metadata").path("finalizers");
        if (!finalizers.isEmpty()) {
            byte[] patch =
                    Json.bytes(Json.object().set("metadata", Json.object().putNull("finalizers")));
            cluster.call("PATCH", path, "application/merge-patch+json", patch);
        }
        cluster.call("DELETE", path + "?gracePeriodSeconds=0&propagationPolicy=Background", "", new byte[0]);
    }

    private void awaitNoNamespaces() {
        for (int i = 0; i < MOST_PAUSES; i++) {
            if (own().stream().noneMatch(ClusterContents::isNamespace)) {
                return;
            }
            try {
                Thread.sleep(PAUSE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw PlaygroundException.of("interrupted");
            }
        }
        throw PlaygroundException.of("a namespace is not deleted");
    }
}
