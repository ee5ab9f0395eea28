package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts a recording of {@code run --record} to a trace of {@code lab record}, so that the pods of the recording can be run under another
 * policy. Each recorded process becomes a part.
 */
final class RunImport {
    private final TraceFiles files;
    private final Set<String> arrived = new HashSet<>();
    /** The last state of each object, by kind and key. */
    private final Map<String, ObjectNode> known = new HashMap<>();

    private final List<ObjectNode> items = new ArrayList<>();
    private @Nullable TraceWriter trace;
    private @Nullable ClusterRecorder recorder;
    private Instant now = Instant.EPOCH;
    private String release = "";
    private int nodes;

    private RunImport(Path recording) {
        this.files = TraceFiles.of(recording);
    }

    /**
     * Converts a recording.
     *
     * @throws InputException if it cannot be read, or the folder contains a trace
     */
    static RecordImport.Imported write(Path recording, Path folder) {
        if (RecordedTrace.isIn(folder)) {
            throw new InputException(folder + ": there is a trace; name another directory");
        }
        try {
            return new RunImport(recording).write(folder);
        } catch (IOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        } catch (UncheckedIOException e) {
            throw new InputException("cannot write " + folder + ": " + e.getMessage(), e);
        }
    }

    private RecordImport.Imported write(Path folder) throws IOException {
        try {
            for (TraceFile file : files.list()) {
                TraceReader.read(file, text -> true, line -> accept(line, folder));
            }
        } finally {
            if (trace != null) {
                trace.close();
            }
        }
        if (trace == null) {
            throw new InputException(files.folder() + ": there is no recording of a scheduler; run --record writes it");
        }
        return new RecordImport.Imported(nodes, arrived.size(), 0);
    }

    private void accept(Line line, Path folder) throws IOException {
        now = line.time();
        switch (line.kind()) {
            case "policy" -> release = "v" + line.fields().path("release").asText() + ".0";
            case "start" -> begin(folder);
            case "item" -> items.add((ObjectNode) line.fields().path("object"));
            case "in" -> change(line.fields());
            default -> {
                // Decisions, and what only a replay needs.
            }
        }
    }

    private void begin(Path folder) throws IOException {
        if (trace == null) {
            trace = TraceWriter.open(
                    TraceFiles.of(folder), Limits.NONE, "lab import", JsonNodeFactory.instance.objectNode(), now);
        }
        known.clear();
        nodes = 0;
        recorder = new ClusterRecorder(trace, () -> now, object -> object);
        recorder.begin(release);
    }

    private void change(JsonNode line) {
        ClusterRecorder current = recorder;
        ResourceKind kind = ResourceKind.ofObjectKind(line.path("kind").asText());
        if (current != null && kind != null) {
            switch (line.path("change").asText()) {
                case "list" -> {
                    items.forEach(item -> known(kind, item));
                    current.replaced(kind, List.copyOf(items));
                    nodes += kind == ResourceKind.NODES ? items.size() : 0;
                }
                case "put" -> {
                    ObjectNode object = (ObjectNode) line.path("object");
                    boolean isNew = known(kind, object);
                    current.upserted(kind, object);
                    if (isNew && kind == ResourceKind.PODS) {
                        arrived.add(object.at("/metadata/uid").asText());
                    }
                }
                case "delete" -> {
                    String namespace = line.path("namespace").asText();
                    String name = line.path("name").asText();
                    ObjectNode last = known.remove(kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name));
                    if (last != null) {
                        current.deleted(kind, last);
                    }
                }
                default -> {
                    // Answers of the API server, which the watch shows, too.
                }
            }
        }
        items.clear();
    }

    /** Remembers the state of an object; true for a new one. */
    private boolean known(ResourceKind kind, ObjectNode object) {
        return known.put(kind + " " + ClusterRecorder.key(object), object) == null;
    }
}
