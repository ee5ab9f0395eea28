package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.lab.ImportCommand.ImportedTrace;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.engine.document.TextInput;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageInsufficientBufferException;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;

/**
 * Reads a trace of SimKube, version 2 or 3 (acrlabs/simkube, {@code docs/ref/trace-files.md}). It has the objects that own pods as they
 * changed, but neither nodes nor, except for pods without an owner, pods. The pods are made from the templates of the owners: as many as
 * the owner requests, or one for each lifecycle that the trace has of the owner's pods.
 */
final class SimkubeImport {
    private static final List<String> COLUMNS =
            List.of("time", "duration", "end", "name", "namespace", "restarts", "template");
    private static final Set<Integer> VERSIONS = Set.of(2, 3);
    /** Kinds whose pods are replaced when they end, so that lifecycles do not describe what the owner requests. */
    private static final Set<String> SLOTS = Set.of("Deployment", "ReplicaSet", "StatefulSet");

    private static final int MAX_DEPTH = 500;
    private static final MessagePack.UnpackerConfig MESSAGES =
            new MessagePack.UnpackerConfig().withStringSizeLimit(16 << 20);

    private final JsonNode config;
    private final JsonNode lifecycles;
    private final ImportedTrace trace = new ImportedTrace(COLUMNS);
    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Owner> owners = new LinkedHashMap<>();
    private final Map<ObjectNode, String> templates = new LinkedHashMap<>();
    private int skipped;

    /** A pod; times are Unix seconds, and {@code duration} and {@code end} are empty if the pod does not end. */
    private static final class Row {
        private final long time;
        private final String name;
        private final Owner owner;
        private final String template;
        private String duration = "";
        private String end = "";

        private Row(long time, String name, Owner owner, String template) {
            this.time = time;
            this.name = name;
            this.owner = owner;
            this.template = template;
        }
    }

    /** An object that owns pods, or a pod without an owner. */
    private static final class Owner {
        private final String kind;
        private final String namespace;
        private final String name;
        /** The pods that request a slot now. */
        private final List<Row> slots = new ArrayList<>();
        /** The pods that ran when the trace ended. */
        private final List<Row> running = new ArrayList<>();

        private boolean isRead;
        private String template = "";
        private int pods;

        private Owner(String kind, String namespace, String name) {
            this.kind = kind;
            this.namespace = namespace;
            this.name = name;
        }
    }

    /** @param skipped number of objects whose pods the trace does not describe */
    record Imported(ImportedTrace trace, int skipped) {}

    private SimkubeImport(JsonNode root) {
        this.config = root.path("config").path("trackedObjects");
        this.lifecycles = root.path("pod_lifecycles");
    }

    /**
     * Reads a file.
     *
     * @throws InputException if it is no such trace
     */
    static Imported read(Path file) {
        InputFiles.requireFile(file);
        JsonNode root;
        try (MessageUnpacker in = MESSAGES.newUnpacker(TextInput.open(file))) {
            root = json(in, 0);
        } catch (MessageInsufficientBufferException e) {
            throw new InputException(file + ": the file is incomplete, or it is no trace of SimKube", e);
        } catch (MessagePackException e) {
            throw new InputException(file + ": this is no trace of SimKube: " + e.getMessage(), e);
        } catch (IOException e) {
            throw InputFiles.unreadable(file, e);
        }
        if (!root.path("events").isArray() || !root.has("version")) {
            throw new InputException(file + ": this is no trace of SimKube: it has no version or no events");
        }
        if (!VERSIONS.contains(root.path("version").asInt())) {
            throw new InputException(
                    file + ": version " + root.path("version").asText() + " is unsupported; the versions are 2 and 3");
        }
        SimkubeImport reading = new SimkubeImport(root);
        long start = root.path("events").path(0).path("ts").asLong();
        for (JsonNode event : root.path("events")) {
            long time = event.path("ts").asLong();
            for (JsonNode object : event.path("applied_objs")) {
                reading.applied(start, time, object);
            }
            for (JsonNode object : event.path("deleted_objs")) {
                reading.deleted(time, object);
            }
        }
        return reading.result();
    }

    private Imported result() {
        rows.sort(Comparator.comparingLong(row -> row.time));
        for (Row row : rows) {
            trace.pod(List.of(
                    text(row.time),
                    row.duration,
                    row.end,
                    row.name,
                    row.owner.namespace,
                    String.valueOf(!row.owner.kind.equals("Pod")),
                    row.template));
        }
        templates.forEach((template, name) -> {
            ObjectNode pod = template.deepCopy();
            pod.withObject("/metadata").put("name", name);
            trace.template(pod);
        });
        return new Imported(trace, skipped);
    }

    private static String text(long time) {
        return Instant.ofEpochSecond(time).toString();
    }

    private static String id(JsonNode object) {
        return object.path("apiVersion").asText() + "." + object.path("kind").asText() + " "
                + ClusterRecorder.key(object);
    }

    private void applied(long start, long time, JsonNode object) {
        String kind = object.path("kind").asText();
        Owner owner = owners.computeIfAbsent(
                id(object),
                id -> new Owner(
                        kind,
                        object.at("/metadata/namespace").asText("default"),
                        object.at("/metadata/name").asText()));
        JsonNode pod = template(object);
        List<JsonNode> lives = lives(object);
        Integer requested = requested(kind, object.path("spec"));
        boolean fromLives = !SLOTS.contains(kind) && !kind.equals("Pod") && !lives.isEmpty();
        if (pod == null || (requested == null && !fromLives)) {
            skipped += owner.isRead ? 0 : 1;
            owner.isRead = true;
            return;
        }
        if (fromLives) {
            if (!owner.isRead) {
                String template = template(owner, pod);
                lives.forEach(life -> live(owner, start, life, template));
            }
        } else if (requested != null && !(kind.equals("Pod") && !owner.slots.isEmpty())) {
            String template = template(owner, pod);
            if (!template.equals(owner.template)) {
                resize(owner, time, 0);
            }
            owner.template = template;
            resize(owner, time, requested);
            if (kind.equals("Pod") && !lives.isEmpty()) {
                owner.slots.get(0).duration = duration(lives.get((owner.pods - 1) % lives.size()));
            }
        }
        owner.isRead = true;
    }

    private void deleted(long time, JsonNode object) {
        Owner owner = owners.get(id(object));
        if (owner != null) {
            resize(owner, time, 0);
            owner.running.stream()
                    .filter(row -> row.time <= time && row.end.isEmpty())
                    .forEach(row -> row.end = text(time));
        }
    }

    /** Lets pods arrive, or ends the newest ones. */
    private void resize(Owner owner, long time, int size) {
        while (owner.slots.size() > size) {
            owner.slots.remove(owner.slots.size() - 1).end = text(time);
        }
        while (owner.slots.size() < size) {
            owner.slots.add(add(owner, time, owner.template));
        }
    }

    private Row add(Owner owner, long time, String template) {
        String name = owner.kind.equals("Pod") ? owner.name : owner.name + "-" + owner.pods;
        Row row = new Row(time, name, owner, template);
        owner.pods++;
        rows.add(row);
        return row;
    }

    /** Adds a pod that runs as recorded; its arrival is the start of its first container, as the trace has no other time of it. */
    private void live(Owner owner, long start, JsonNode life, String template) {
        JsonNode times = life.path("Finished");
        long from = Math.max(
                start,
                times.isArray() ? times.path(0).asLong() : life.path("Running").asLong());
        Row row = add(owner, from, template);
        row.duration = duration(life);
        if (row.duration.isEmpty()) {
            owner.running.add(row);
        }
    }

    private static String duration(JsonNode life) {
        JsonNode times = life.path("Finished");
        return times.isArray()
                ? String.valueOf(
                        Math.max(0, times.path(1).asLong() - times.path(0).asLong()))
                : "";
    }

    /** Returns the lifecycles of the pods of an owner that started, {@code {"Running": start}} or {@code {"Finished": [start, end]}}. */
    private List<JsonNode> lives(JsonNode object) {
        String key = JsonNodeFactory.instance
                .arrayNode()
                .add(object.path("apiVersion").asText() + "."
                        + object.path("kind").asText())
                .add(ClusterRecorder.key(object))
                .toString();
        List<JsonNode> lives = new ArrayList<>();
        for (JsonNode ofTemplate : lifecycles.path(key)) {
            ofTemplate.forEach(life -> {
                if (life.isObject()) {
                    lives.add(life);
                }
            });
        }
        return lives;
    }

    /** Returns how many pods an object requests; null if its kind does not say so. */
    private static @Nullable Integer requested(String kind, JsonNode spec) {
        return switch (kind) {
            case "Pod" -> 1;
            case "Deployment", "ReplicaSet", "StatefulSet" ->
                spec.path("replicas").asInt(1);
            case "Job" -> {
                int parallelism = spec.path("parallelism").asInt(1);
                yield spec.path("suspend").asBoolean()
                        ? 0
                        : Math.min(parallelism, spec.path("completions").asInt(parallelism));
            }
            default -> null;
        };
    }

    /** Returns the pod template of an object; null if it has none, or several. */
    private @Nullable JsonNode template(JsonNode object) {
        String kind = object.path("kind").asText();
        JsonNode template = switch (kind) {
            case "Pod" -> object;
            case "CronJob" -> object.at("/spec/jobTemplate/spec/template");
            case "Deployment", "ReplicaSet", "StatefulSet", "Job" -> object.at("/spec/template");
            case "DaemonSet" -> NullNode.getInstance();
            default -> {
                JsonNode paths = config.path(object.path("apiVersion").asText() + "." + kind)
                        .path("podSpecTemplatePaths");
                String path = paths.path(0).asText();
                yield paths.size() == 1 && path.startsWith("/") ? object.at(path) : NullNode.getInstance();
            }
        };
        return template.path("spec").isObject() ? template : null;
    }

    /** Returns the name of the pod of {@code --templates} with the fields of a template that decisions read. */
    private String template(Owner owner, JsonNode template) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = pod.put("apiVersion", "v1").put("kind", "Pod").putObject("metadata");
        for (String field : List.of("labels", "annotations")) {
            if (template.path("metadata").path(field).isObject()) {
                metadata.set(field, template.path("metadata").path(field).deepCopy());
            }
        }
        metadata.put("namespace", owner.namespace);
        if (!owner.kind.equals("Pod")) {
            metadata.putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "apps/v1")
                    .put("kind", owner.kind.equals("Deployment") ? "ReplicaSet" : owner.kind)
                    .put("name", owner.name)
                    .put("uid", owner.kind + "/" + owner.namespace + "/" + owner.name)
                    .put("controller", true);
        }
        ObjectNode spec = template.path("spec").deepCopy();
        ClusterRecorder.slimSpec(spec);
        // Claims are not part of the trace.
        spec.remove(List.of("nodeName", "volumes"));
        pod.set("spec", spec);
        return templates.computeIfAbsent(pod, unknown -> "template-" + templates.size());
    }

    /** Returns the next value of a MessagePack as JSON; a key that is no text becomes its JSON text. */
    private static JsonNode json(MessageUnpacker in, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new IOException("more than " + MAX_DEPTH + " levels");
        }
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        switch (in.getNextFormat().getValueType()) {
            case NIL -> {
                in.unpackNil();
                return nodes.nullNode();
            }
            case BOOLEAN -> {
                return nodes.booleanNode(in.unpackBoolean());
            }
            case INTEGER -> {
                return nodes.numberNode(in.unpackBigInteger());
            }
            case FLOAT -> {
                return nodes.numberNode(in.unpackDouble());
            }
            case STRING -> {
                return nodes.textNode(in.unpackString());
            }
            case ARRAY -> {
                ArrayNode list = nodes.arrayNode();
                for (int left = in.unpackArrayHeader(); left > 0; left--) {
                    list.add(json(in, depth + 1));
                }
                return list;
            }
            case MAP -> {
                ObjectNode map = nodes.objectNode();
                for (int left = in.unpackMapHeader(); left > 0; left--) {
                    JsonNode key = json(in, depth + 1);
                    map.set(key.isTextual() ? key.textValue() : key.toString(), json(in, depth + 1));
                }
                return map;
            }
            default -> throw new IOException("this is no trace of SimKube: it contains " + in.getNextFormat());
        }
    }
}
