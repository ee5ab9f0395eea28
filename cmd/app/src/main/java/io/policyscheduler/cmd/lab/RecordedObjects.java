package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.lab.ClusterRecorder.MergePatch;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The objects of a recorded cluster, as they change from line to line. Used by one thread. */
final class RecordedObjects {
    /** Receives changes. */
    @FunctionalInterface
    interface Listener {
        /**
         * An object has changed.
         *
         * @param event {@code Add}, {@code Update}, or {@code Delete}
         * @param object its new state; only what names it if it was deleted
         */
        void changed(Instant time, String event, ObjectNode object);
    }

    private final Listener listener;
    private final Map<String, ObjectNode> templates = new HashMap<>();
    /** Objects that exist: pods by UID, others by kind and key. */
    private final Map<String, ObjectNode> known = new LinkedHashMap<>();

    RecordedObjects(Listener listener) {
        this.listener = listener;
    }

    /** Returns the objects that exist, in the order in which they appeared; a view. */
    Collection<ObjectNode> all() {
        return Collections.unmodifiableCollection(known.values());
    }

    /** Returns the pod with a UID; null if there is none. */
    @Nullable
    ObjectNode pod(String uid) {
        return known.get(uid);
    }

    /** Applies a line. */
    void accept(Line line) {
        JsonNode fields = line.fields();
        String uid = fields.path("uid").asText();
        Instant time = line.time();
        switch (line.kind()) {
            case "begin" -> {
                // Another recorder began: only what it lists still exists.
                for (String id : List.copyOf(known.keySet())) {
                    delete(time, id);
                }
            }
            case "snap" -> {
                if (fields.path("object") instanceof ObjectNode object) {
                    put(time, "Add", id(object), object);
                }
            }
            case "tpl" -> {
                if (fields.path("object") instanceof ObjectNode object) {
                    templates.put(fields.path("id").asText(), object);
                }
            }
            case "pod" -> {
                ObjectNode pod = pod(fields, time);
                if (pod != null) {
                    put(time, "Add", uid, pod);
                }
            }
            case "gate-" -> update(time, uid, pod -> pod.withObject("/spec").remove("schedulingGates"));
            case "nom" ->
                update(
                        time,
                        uid,
                        pod -> pod.withObject("/status")
                                .put("nominatedNodeName", fields.path("node").asText()));
            case "upd" -> {
                ObjectNode template = templates.get(fields.path("tpl").asText());
                if (template != null) {
                    update(time, uid, pod -> ClusterRecorder.update(pod, template));
                }
            }
            case "bind" ->
                update(
                        time,
                        uid,
                        pod -> pod.withObject("/spec")
                                .put("nodeName", fields.path("node").asText()));
            case "run" -> update(time, uid, pod -> pod.withObject("/status").put("phase", "Running"));
            case "end" -> {
                String how = fields.path("how").asText();
                if (!how.equals("Deleted")) {
                    update(time, uid, pod -> ended(pod.withObject("/status"), how));
                }
                delete(time, uid);
            }
            case "obj" -> object(time, fields);
            default -> {
                // Decisions and gaps are no objects.
            }
        }
    }

    private void object(Instant time, JsonNode fields) {
        String id = fields.path("kind").asText() + " " + fields.path("key").asText();
        switch (fields.path("verb").asText()) {
            case "add" -> {
                if (fields.path("object") instanceof ObjectNode object) {
                    put(time, "Add", id, object);
                }
            }
            case "update" -> update(time, id, object -> MergePatch.apply(object, fields.path("patch")));
            default -> delete(time, id);
        }
    }

    private static String id(JsonNode object) {
        String kind = object.path("kind").asText();
        return kind.equals("Pod")
                ? object.path("metadata").path("uid").asText()
                : kind + " " + ClusterRecorder.key(object);
    }

    private @Nullable ObjectNode pod(JsonNode fields, Instant time) {
        ObjectNode template = templates.get(fields.path("tpl").asText());
        if (template == null) {
            return null;
        }
        ObjectNode pod = template.deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.withObject("/metadata");
        metadata.put("namespace", fields.path("ns").asText())
                .put("name", fields.path("name").asText())
                .put("uid", fields.path("uid").asText())
                .put("creationTimestamp", time.truncatedTo(ChronoUnit.SECONDS).toString());
        if (fields.has("owner")) {
            metadata.putArray("ownerReferences").add(fields.path("owner"));
        }
        if (fields.path("gated").asBoolean()) {
            pod.withObject("/spec").putArray("schedulingGates").addObject().put("name", "recorded");
        }
        pod.putObject("status").put("phase", "Pending");
        return pod;
    }

    private static void ended(ObjectNode status, String how) {
        switch (how) {
            case "Succeeded", "Failed" -> status.put("phase", how);
            case "Evicted" -> status.put("phase", "Failed").put("reason", how);
            case "Refused" -> status.put("phase", "Failed").put("reason", "OutOfcpu");
            case "NodeLost" -> status.put("reason", how);
            default ->
                status.putArray("conditions")
                        .addObject()
                        .put("type", "DisruptionTarget")
                        .put("status", "True")
                        .put("reason", "PreemptionByScheduler");
        }
    }

    private void put(Instant time, String event, String id, ObjectNode object) {
        known.put(id, object);
        listener.changed(time, event, object);
    }

    private void update(Instant time, String id, Consumer<ObjectNode> change) {
        ObjectNode object = known.get(id);
        if (object != null) {
            change.accept(object);
            listener.changed(time, "Update", object);
        }
    }

    private void delete(Instant time, String id) {
        ObjectNode object = known.remove(id);
        if (object == null) {
            return;
        }
        // As the simulator writes deletions: only what names the object.
        ObjectNode gone = JsonNodeFactory.instance.objectNode();
        gone.set("apiVersion", object.get("apiVersion"));
        gone.set("kind", object.get("kind"));
        ObjectNode metadata = gone.putObject("metadata")
                .put("name", object.at("/metadata/name").asText());
        if (object.at("/metadata/namespace").isTextual()) {
            metadata.set("namespace", object.at("/metadata/namespace"));
        }
        listener.changed(time, "Delete", gone);
    }
}
