package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.lab.ClusterRecorder.MergePatch;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lab export}: a recorded trace in the format of another program. */
@Command(
        name = "export",
        description = "Converts a recorded trace to a record of kube-scheduler-simulator.",
        sortOptions = false,
        customSynopsis = "policy-scheduler lab export kss DIR --out=FILE [OPTION...]",
        footer = {
            "",
            "DIR is a trace of lab record. FILE gets a JSON line for each change, with time, event (Add, Update, or",
            "Delete), and resource. The replayer of kube-scheduler-simulator reads it. After a lost watch, the trace",
            "has a new list of objects. lab export writes only what this list changes."
        })
final class ExportCommand implements Callable<Integer> {
    /** Formats that can be exported. */
    enum Format {
        KSS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(index = "0", paramLabel = "FORMAT", description = "Format of the file: kss.")
    private Format format = Format.KSS;

    @Parameters(index = "1", paramLabel = "DIR", description = "Directory that lab record has written.")
    private Path folder = Path.of("");

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "File of the record.")
    private Path out = Path.of("");

    @Mixin
    private CommonOptions common = new CommonOptions();

    private final Map<String, ObjectNode> templates = new HashMap<>();
    /** Objects that exist: pods by UID, others by kind and key. */
    private final Map<String, ObjectNode> known = new LinkedHashMap<>();

    private int lines;

    @Override
    public Integer call() {
        if (!RecordedTrace.isIn(folder)) {
            throw new InputException(folder + ": there is no record of a cluster; lab record writes such folders");
        }
        try (BufferedWriter file = Files.newBufferedWriter(out)) {
            for (TraceFiles.TraceFile part : TraceFiles.of(folder).list()) {
                TraceReader.read(part, text -> true, line -> export(line, file));
            }
        } catch (IOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        } catch (UncheckedIOException e) {
            throw new InputException("cannot write " + out + ": " + e.getMessage(), e);
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", format.toString());
        json.put("lines", lines).put("out", out.toString());
        common.output().write(() -> common.out().println("wrote " + lines + " lines to " + out), () -> json);
        return ExitCode.OK;
    }

    private void export(Line line, BufferedWriter file) {
        JsonNode fields = line.fields();
        String uid = fields.path("uid").asText();
        Instant time = line.time();
        switch (line.kind()) {
            case "begin" -> {
                // Another recorder began: only what it lists still exists.
                for (String id : List.copyOf(known.keySet())) {
                    delete(file, time, id);
                }
            }
            case "snap" -> {
                if (fields.path("object") instanceof ObjectNode object) {
                    put(file, time, "Add", id(object), object);
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
                    put(file, time, "Add", uid, pod);
                }
            }
            case "gate-" ->
                update(file, time, uid, pod -> pod.withObject("/spec").remove("schedulingGates"));
            case "nom" ->
                update(
                        file,
                        time,
                        uid,
                        pod -> pod.withObject("/status")
                                .put("nominatedNodeName", fields.path("node").asText()));
            case "upd" -> {
                ObjectNode template = templates.get(fields.path("tpl").asText());
                if (template != null) {
                    update(file, time, uid, pod -> ClusterRecorder.update(pod, template));
                }
            }
            case "bind" ->
                update(
                        file,
                        time,
                        uid,
                        pod -> pod.withObject("/spec")
                                .put("nodeName", fields.path("node").asText()));
            case "run" ->
                update(file, time, uid, pod -> pod.withObject("/status").put("phase", "Running"));
            case "end" -> {
                String how = fields.path("how").asText();
                if (!how.equals("Deleted")) {
                    update(file, time, uid, pod -> ended(pod.withObject("/status"), how));
                }
                delete(file, time, uid);
            }
            case "obj" -> object(file, time, fields);
            default -> {
                // Decisions and gaps are no objects.
            }
        }
    }

    private void object(BufferedWriter file, Instant time, JsonNode fields) {
        String id = fields.path("kind").asText() + " " + fields.path("key").asText();
        switch (fields.path("verb").asText()) {
            case "add" -> {
                if (fields.path("object") instanceof ObjectNode object) {
                    put(file, time, "Add", id, object);
                }
            }
            case "update" -> update(file, time, id, object -> MergePatch.apply(object, fields.path("patch")));
            default -> delete(file, time, id);
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

    private void put(BufferedWriter file, Instant time, String event, String id, ObjectNode object) {
        known.put(id, object);
        write(file, time, event, object);
    }

    private void update(BufferedWriter file, Instant time, String id, Consumer<ObjectNode> change) {
        ObjectNode object = known.get(id);
        if (object != null) {
            change.accept(object);
            write(file, time, "Update", object);
        }
    }

    private void delete(BufferedWriter file, Instant time, String id) {
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
        write(file, time, "Delete", gone);
    }

    private void write(BufferedWriter file, Instant time, String event, ObjectNode object) {
        ObjectNode line = JsonNodeFactory.instance
                .objectNode()
                .put("time", time.toString())
                .put("event", event);
        line.set("resource", object);
        try {
            file.write(line + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lines++;
    }
}
