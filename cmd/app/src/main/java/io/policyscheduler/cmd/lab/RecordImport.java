package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.cmd.lab.ClusterRecorder.MergePatch;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts files that contain the changes of objects to a trace of {@code lab record}. Objects that were created before the first change
 * are in the snapshot at the start, in the state in which they first appear.
 */
final class RecordImport {
    /** Formats of such files. */
    enum Source {
        /** Records of kube-scheduler-simulator ({@code simulator/recorder}): {@code {"time", "event", "resource"}}. */
        KSS,
        /** Audit logs of API servers: events of {@code audit.k8s.io}. */
        AUDIT,
        /** Records of kwokctl, which {@link KwokRecord} reads. */
        KWOK
    }

    /** The result of an import; {@code skipped} counts changes of which the files have no object. */
    record Imported(int nodes, int arrivals, int skipped) {}

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int OK = 200;
    private static final int REDIRECTED = 300;

    private final Source source;
    private final List<Path> files;

    /** An object was added or changed, or deleted. */
    record Change(Instant time, ResourceKind kind, ObjectNode object, boolean isGone) {
        String id() {
            return kind + " " + ClusterRecorder.key(object);
        }
    }

    /** Receives changes. */
    interface Sink {
        void accept(Change change) throws IOException;
    }

    private RecordImport(Source source, List<Path> files) {
        this.source = source;
        this.files = List.copyOf(files);
    }

    /**
     * Converts files.
     *
     * @param files in the order of time
     * @throws InputException if a file cannot be read, with the line, or contains no objects
     */
    static Imported write(Source source, List<Path> files, Path folder) {
        if (RecordedTrace.isIn(folder)) {
            throw new InputException(folder + ": there is a trace; name another directory");
        }
        try {
            return new RecordImport(source, files).write(folder);
        } catch (IOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        } catch (UncheckedIOException e) {
            throw new InputException("cannot write " + folder + ": " + e.getMessage(), e);
        }
    }

    private Imported write(Path folder) throws IOException {
        List<Instant> first = new ArrayList<>();
        Set<String> met = new HashSet<>();
        Map<String, Change> snapshot = new LinkedHashMap<>();
        Reading reading = new Reading();
        reading.read(change -> {
            if (first.isEmpty()) {
                first.add(source == Source.KWOK ? KwokRecord.START : change.time());
            }
            if (met.add(change.id()) && !change.isGone() && isInSnapshot(change, first.get(0))) {
                snapshot.put(change.id(), change);
            }
        });
        if (first.isEmpty()) {
            throw new InputException(files.get(0) + ": there are no objects of a cluster"
                    + (source == Source.AUDIT
                            ? "; the audit policy must record nodes and pods with the level RequestResponse"
                            : ""));
        }
        Instant[] now = {first.get(0)};
        int[] arrivals = {0};
        int nodes = 0;
        try (TraceWriter trace = TraceWriter.open(
                TraceFiles.of(folder), Limits.NONE, "lab import", JsonNodeFactory.instance.objectNode(), now[0])) {
            ClusterRecorder recorder = new ClusterRecorder(trace, () -> now[0], object -> object);
            recorder.begin("");
            for (ResourceKind kind : ResourceKind.values()) {
                List<ObjectNode> objects = snapshot.values().stream()
                        .filter(change -> change.kind() == kind)
                        .map(Change::object)
                        .toList();
                recorder.replaced(kind, objects);
                nodes += kind == ResourceKind.NODES ? objects.size() : 0;
            }
            Set<String> pods = new HashSet<>();
            new Reading().read(change -> {
                now[0] = change.time().isBefore(now[0]) ? now[0] : change.time();
                if (snapshot.remove(change.id()) != null) {
                    pods.add(change.id());
                    return;
                }
                if (change.isGone()) {
                    recorder.deleted(change.kind(), change.object());
                    pods.remove(change.id());
                    return;
                }
                recorder.upserted(change.kind(), change.object());
                arrivals[0] += change.kind() == ResourceKind.PODS && pods.add(change.id()) ? 1 : 0;
            });
            recorder.flush();
        }
        return new Imported(nodes, arrivals[0], reading.skipped);
    }

    private boolean isInSnapshot(Change change, Instant first) throws IOException {
        if (source == Source.KWOK) {
            // The creation has whole seconds only, but the record begins with a list.
            return change.time().equals(first);
        }
        JsonNode metadata = change.object().path("metadata");
        return !metadata.path("creationTimestamp").asText("").isEmpty()
                && !time(metadata, "creationTimestamp").isAfter(first);
    }

    private static Instant time(JsonNode object, String field) throws IOException {
        String text = object.path(field).asText("");
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new IOException(
                    field + ": \"" + text + "\" is not a time of RFC 3339, such as 2026-01-31T12:00:00Z", e);
        }
    }

    /** One pass over the files. */
    private final class Reading {
        /** The last state of each object that exists. */
        private final Map<String, ObjectNode> known = new HashMap<>();

        private int skipped;
        private int uids;

        void read(Sink sink) throws IOException {
            for (Path file : files) {
                InputFiles.requireFile(file);
                if (source == Source.KWOK) {
                    KwokRecord record = new KwokRecord(file, change -> known.get(change.id()));
                    record.read(change -> pass(change, sink));
                    skipped += record.skipped();
                    continue;
                }
                try (BufferedReader in = new BufferedReader(CsvFile.open(file))) {
                    int number = 0;
                    for (String line = in.readLine(); line != null; line = in.readLine()) {
                        number++;
                        if (!line.isBlank()) {
                            read(file, number, line, sink);
                        }
                    }
                }
            }
        }

        private void read(Path file, int number, String line, Sink sink) throws IOException {
            try {
                JsonNode json = JSON.readTree(line);
                Change change = source == Source.KSS ? record(json) : event(json);
                if (change != null) {
                    pass(change, sink);
                }
            } catch (IOException e) {
                String text = String.valueOf(e.getMessage());
                throw new IOException(
                        file + ":" + number + ": " + text.lines().findFirst().orElse(text), e);
            }
        }

        private void pass(Change change, Sink sink) throws IOException {
            if (change.isGone()) {
                ObjectNode last = known.remove(change.id());
                if (last != null) {
                    sink.accept(new Change(change.time(), change.kind(), last, true));
                }
            } else {
                if (change.kind() == ResourceKind.PODS
                        && change.object().at("/metadata/uid").asText("").isEmpty()) {
                    throw new IOException("pod " + ClusterRecorder.key(change.object()) + " has no metadata.uid");
                }
                known.put(change.id(), change.object());
                sink.accept(change);
            }
        }

        private @Nullable Change record(JsonNode json) throws IOException {
            if (!(json.path("resource") instanceof ObjectNode object)) {
                throw new IOException("this is no record of kube-scheduler-simulator: the field resource is missing");
            }
            ResourceKind kind = ResourceKind.ofObjectKind(object.path("kind").asText());
            String event = json.path("event").asText();
            if (!Set.of("Add", "Update", "Delete").contains(event)) {
                throw new IOException("event: \"" + event + "\" is not Add, Update, or Delete");
            }
            Instant time = time(json, "time");
            // Records of a deletion have no UID.
            return kind == null ? null : new Change(time, kind, object, event.equals("Delete"));
        }

        /** Returns the change that a request made; null if it made none, or if the log does not show it. */
        private @Nullable Change event(JsonNode event) throws IOException {
            if (!event.path("kind").asText().equals("Event") || !event.has("auditID")) {
                throw new IOException("this is no event of an audit log: the field auditID is missing");
            }
            JsonNode reference = event.path("objectRef");
            int code = event.path("responseStatus").path("code").asInt();
            ResourceKind kind = kind(
                    reference.path("resource").asText(""),
                    reference.path("apiGroup").asText(""));
            if (kind == null
                    || !event.path("stage").asText().equals("ResponseComplete")
                    || code < OK
                    || code >= REDIRECTED) {
                return null;
            }
            Instant time = time(
                    event,
                    event.path("stageTimestamp").asText("").isEmpty() ? "requestReceivedTimestamp" : "stageTimestamp");
            String verb = event.path("verb").asText();
            JsonNode request = event.path("requestObject");
            JsonNode response = event.path("responseObject");
            if (!response.path("kind").asText().equals(kind.objectKind())) {
                response = null;
            }
            ObjectNode target = named(kind, reference);
            ObjectNode last = known.get(new Change(time, kind, target, false).id());
            switch (verb) {
                case "delete" -> {
                    // A graceful deletion shows the pod; its kubelet deletes it again when it has stopped.
                    if (response instanceof ObjectNode pod
                            && pod.path("metadata")
                                            .path("deletionGracePeriodSeconds")
                                            .asInt()
                                    > 0) {
                        return new Change(time, kind, pod, false);
                    }
                    return new Change(time, kind, target, true);
                }
                case "create", "update", "patch" -> {
                    ObjectNode now = state(verb, reference, request, response, last);
                    if (now == null) {
                        skipped++;
                        return null;
                    }
                    return new Change(time, kind, now, false);
                }
                case "deletecollection" -> {
                    skipped++;
                    return null;
                }
                default -> {
                    return null;
                }
            }
        }

        private @Nullable ObjectNode state(
                String verb,
                JsonNode reference,
                JsonNode request,
                @Nullable JsonNode response,
                @Nullable ObjectNode last) {
            String part = reference.path("subresource").asText("");
            if (part.equals("binding") || part.equals("eviction")) {
                return last == null ? null : part.equals("binding") ? bound(last, request) : evicted(last);
            }
            if (response instanceof ObjectNode whole) {
                return whole;
            }
            if (!(request instanceof ObjectNode given)) {
                return null;
            }
            if (verb.equals("patch")) {
                // Other patches have lists that only the API server can merge.
                if (last == null
                        || !part.equals("status")
                        || !reference.path("resource").asText().equals("pods")) {
                    return null;
                }
                ObjectNode patched = last.deepCopy();
                MergePatch.apply(patched, given);
                return patched;
            }
            ObjectNode whole = given.deepCopy();
            ObjectNode metadata = whole.withObject("/metadata");
            if (metadata.path("name").asText("").isEmpty()
                    && reference.path("name").asText("").isEmpty()) {
                return null;
            }
            for (String field : List.of("name", "namespace", "uid")) {
                if (!metadata.hasNonNull(field) && reference.hasNonNull(field)) {
                    metadata.set(field, reference.get(field));
                }
            }
            if (!metadata.hasNonNull("uid")) {
                metadata.put(
                        "uid",
                        last == null
                                ? "audit-" + uids++
                                : last.at("/metadata/uid").asText());
            }
            return whole;
        }

        private static @Nullable ObjectNode bound(ObjectNode last, JsonNode request) {
            String node = request.path("target").path("name").asText("");
            if (node.isEmpty()) {
                return null;
            }
            ObjectNode bound = last.deepCopy();
            bound.withObject("/spec").put("nodeName", node);
            return bound;
        }

        private static ObjectNode evicted(ObjectNode last) {
            ObjectNode evicted = last.deepCopy();
            evicted.withObject("/status")
                    .withArray("/conditions")
                    .addObject()
                    .put("type", "DisruptionTarget")
                    .put("status", "True")
                    .put("reason", "EvictionByEvictionAPI");
            return evicted;
        }
    }

    /** Returns the kind of a resource, such as {@code nodes} of the group {@code ""}; null for one that no decision depends on. */
    static @Nullable ResourceKind kind(String plural, String group) {
        for (ResourceKind kind : ResourceKind.values()) {
            if (kind.plural().equals(plural) && kind.group().equals(group)) {
                return kind;
            }
        }
        return null;
    }

    /** Returns an object that has only the kind, and the name and the namespace of a reference. */
    static ObjectNode named(ResourceKind kind, JsonNode reference) {
        ObjectNode object = JsonNodeFactory.instance.objectNode().put("kind", kind.objectKind());
        ObjectNode metadata =
                object.putObject("metadata").put("name", reference.path("name").asText(""));
        if (kind.isNamespaced()) {
            metadata.put("namespace", reference.path("namespace").asText(""));
        }
        return object;
    }
}
