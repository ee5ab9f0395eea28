package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.Deletion;
import io.policyscheduler.cmd.embedded.api.Deletion.DeleteOptions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The client of the controllers. Its writes pass admission like requests. */
public final class Clientset {
    private static final Logger LOG = LoggerFactory.getLogger(Clientset.class);

    private final StoredObjects store;
    private final ResourceCatalog catalog;
    private final ObjectAdmission admission;
    private final Deletion deletion;
    private final Clock clock;
    private final Random random;

    /** Those of a store. */
    public Clientset(
            StoredObjects store,
            ResourceCatalog catalog,
            ObjectAdmission admission,
            Deletion deletion,
            Clock clock,
            Random random) {
        this.store = store;
        this.catalog = catalog;
        this.admission = admission;
        this.deletion = deletion;
        this.clock = clock;
        this.random = random;
    }

    public StoredObjects store() {
        return store;
    }

    public ResourceCatalog catalog() {
        return catalog;
    }

    public Clock clock() {
        return clock;
    }

    public Random random() {
        return random;
    }

    public Instant now() {
        return clock.instant();
    }

    public String time() {
        return Json.time(now());
    }

    public ResourceType type(String resource) {
        return catalog.named(resource);
    }

    public Optional<ObjectNode> get(ResourceType type, ObjectKey key) {
        return store.get(type, key.namespace(), key.name());
    }

    /** The objects of a namespace; all if it is empty. */
    public List<ObjectNode> list(ResourceType type, String namespace) {
        return store.list(type, namespace).items();
    }

    /** Creates an object in the namespace of its metadata; empty if it already exists or is rejected. */
    public Optional<ObjectNode> create(ResourceType type, ObjectNode object) {
        String namespace = Json.text(object, "metadata", "namespace");
        try {
            admission.admitNew(type, namespace, object, false);
            return Optional.of(store.create(type, object, false));
        } catch (StatusError e) {
            LOG.debug("{} not created", type.singular(), e);
            return Optional.empty();
        }
    }

    /** Changes metadata and spec; no effect if the object is gone or was replaced. */
    public void change(ResourceType type, ObjectNode seen, Consumer<ObjectNode> edit) {
        modify(type, seen, false, edit);
    }

    /** Changes the status; no effect if the object is gone or was replaced. */
    public void changeStatus(ResourceType type, ObjectNode seen, Consumer<ObjectNode> edit) {
        modify(type, seen, true, object -> edit.accept(Json.child(object, "status")));
    }

    private void modify(ResourceType type, ObjectNode seen, boolean status, Consumer<ObjectNode> edit) {
        ObjectKey key = ObjectKey.of(seen);
        try {
            store.modify(type, key.namespace(), key.name(), false, present -> {
                if (!uid(present).equals(uid(seen))) {
                    throw StatusError.notFound(type, key.name());
                }
                ObjectNode proposed = present.deepCopy();
                edit.accept(proposed);
                return admission.admitChange(type, present, proposed, status);
            });
        } catch (StatusError e) {
            LOG.debug("{} {} not changed", type.singular(), key, e);
        }
    }

    /** Deletes an object as {@code kubectl delete} does; no effect if it is gone. */
    public void delete(ResourceType type, ObjectNode seen) {
        try {
            deletion.deleteIfPresent(type, ObjectKey.of(seen), DeleteOptions.ofUid(uid(seen)));
        } catch (StatusError e) {
            LOG.debug("{} {} not deleted", type.singular(), ObjectKey.of(seen), e);
        }
    }

    /** Deletes a pod without a grace period, because no kubelet ends it; no effect if it is gone. */
    public void deleteNow(ResourceType type, ObjectNode seen) {
        try {
            deletion.deleteIfPresent(type, ObjectKey.of(seen), new DeleteOptions(0L, uid(seen), "", false));
        } catch (StatusError e) {
            LOG.debug("{} {} not deleted", type.singular(), ObjectKey.of(seen), e);
        }
    }

    public static String uid(JsonNode object) {
        return Json.text(object, "metadata", "uid");
    }

    public static boolean isDeleted(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    /** Counts in a status; zeros are omitted. */
    public static final class Counts {
        private Counts() {}

        /** Sets a count or removes it. */
        public static void put(ObjectNode status, String field, long value) {
            if (value == 0) {
                status.remove(field);
            } else {
                status.put(field, value);
            }
        }
    }

    /** The events of one controller, for {@code kubectl describe} and {@code kubectl get events}. */
    public static final class EventRecorder {
        private final Clientset objects;
        private final ResourceType events;
        private final String component;

        public EventRecorder(Clientset objects, String component) {
            this.objects = objects;
            this.events = objects.type("events");
            this.component = component;
        }

        public void normal(ResourceType type, JsonNode about, String reason, String message) {
            write(type, about, "Normal", reason, message);
        }

        public void warning(ResourceType type, JsonNode about, String reason, String message) {
            write(type, about, "Warning", reason, message);
        }

        private void write(ResourceType type, JsonNode about, String severity, String reason, String message) {
            JsonNode metadata = about.path("metadata");
            String namespace = Json.text(metadata, "namespace");
            ObjectNode event = Json.object();
            event.putObject("metadata")
                    .put(
                            "name",
                            Json.text(metadata, "name") + "."
                                    + Long.toHexString(objects.random().nextLong()))
                    .put("namespace", namespace.isEmpty() ? "default" : namespace);
            event.putObject("involvedObject")
                    .put("kind", type.kind())
                    .put("namespace", namespace)
                    .put("name", Json.text(metadata, "name"))
                    .put("uid", Clientset.uid(about))
                    .put("apiVersion", type.apiVersion(type.versions().get(0)))
                    .put("resourceVersion", Json.text(metadata, "resourceVersion"));
            event.put("reason", reason)
                    .put("message", message)
                    .put("type", severity)
                    .put("count", 1);
            event.put("firstTimestamp", objects.time()).put("lastTimestamp", objects.time());
            event.putNull("eventTime");
            event.putObject("source").put("component", component);
            event.put("reportingComponent", component).put("reportingInstance", "");
            objects.create(events, event);
        }
    }
}
