package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.server.Patches;
import io.policyscheduler.cmd.lab.RecordImport.Change;
import io.policyscheduler.cmd.lab.RecordImport.Sink;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a record of {@code kwokctl snapshot record} (sigs.k8s.io/kwok, {@code pkg/kwokctl/recording}): a stream of YAML documents. The
 * first ones are the objects of the cluster. Each of the others is a {@code ResourcePatch}: an object was created or deleted, or a
 * strategic merge patch makes its new state of the state before.
 */
final class KwokRecord {
    /** Second 0 of a record. Records have no dates: their times are nanoseconds since the start. */
    static final Instant START = Instant.parse("2000-01-01T00:00:00Z");

    private static final String PATCH_GROUP = "action.kwok.x-k8s.io/";
    /** At most 18 digits, so that a {@code long} can hold the nanoseconds. */
    private static final Pattern TIME = Pattern.compile("\\$\\(time-offset-nanosecond (-?\\d{1,18})\\)");

    private final Path file;
    /** Returns the last state of the object that a change names; null if there is none. */
    private final Function<Change, @Nullable ObjectNode> known;

    private int skipped;

    KwokRecord(Path file, Function<Change, @Nullable ObjectNode> known) {
        this.file = file;
        this.known = known;
    }

    /** Returns the number of patches of objects that the record does not contain. */
    int skipped() {
        return skipped;
    }

    /**
     * Passes on all changes; those of the list at the start have the time {@link #START}.
     *
     * @throws IOException if the file is no such record, with the line
     */
    void read(Sink sink) throws IOException {
        try (InputStream in = ClusterFile.open(file);
                JsonParser parser = ClusterFile.parser(in, file, false);
                MappingIterator<JsonNode> documents =
                        new ObjectMapper().readerFor(JsonNode.class).readValues(parser)) {
            while (documents.hasNextValue()) {
                int line = documents.getCurrentLocation().getLineNr();
                JsonNode document = documents.nextValue();
                try {
                    if (!document.isNull()) {
                        accept(document, sink);
                    }
                } catch (IOException e) {
                    throw new IOException(file + ":" + line + ": " + e.getMessage(), e);
                }
            }
        } catch (JsonProcessingException e) {
            throw new IOException(ClusterFile.describe(file, e), e);
        }
    }

    private void accept(JsonNode document, Sink sink) throws IOException {
        String kind = document.path("kind").asText("");
        if (!(document instanceof ObjectNode object) || kind.isEmpty()) {
            throw new IOException("this is no record of kwokctl: the field kind is missing");
        }
        Change change;
        if (kind.equals("ResourcePatch") && document.path("apiVersion").asText().startsWith(PATCH_GROUP)) {
            change = patch(object);
        } else {
            ResourceKind known = ResourceKind.ofObjectKind(kind);
            change = known == null ? null : new Change(START, known, dated(object), false);
        }
        if (change != null) {
            sink.accept(change);
        }
    }

    /** Returns the change that a {@code ResourcePatch} describes; null if no decision depends on its kind of objects. */
    private @Nullable Change patch(ObjectNode patch) throws IOException {
        JsonNode duration = patch.path("durationNanosecond");
        if (!duration.canConvertToLong() || duration.asLong() < 0) {
            throw new IOException("durationNanosecond: \"" + duration.asText() + "\" is not a number of nanoseconds");
        }
        JsonNode resource = patch.path("resource");
        ResourceKind kind = RecordImport.kind(
                resource.path("resource").asText(""), resource.path("group").asText(""));
        if (kind == null) {
            return null;
        }
        Instant time = START.plusNanos(duration.asLong());
        Change target = new Change(time, kind, RecordImport.named(kind, patch.path("target")), true);
        String method = patch.path("method").asText();
        if (method.equals("delete")) {
            return target;
        }
        if (!method.equals("create") && !method.equals("patch")) {
            throw new IOException("method: \"" + method + "\" is not create, patch, or delete");
        }
        if (!(patch.path("template") instanceof ObjectNode template)) {
            throw new IOException("template: the object or the patch is missing");
        }
        if (method.equals("create")) {
            return new Change(time, kind, dated(template), false);
        }
        ObjectNode last = known.apply(target);
        if (last == null) {
            skipped++;
            return null;
        }
        try {
            return new Change(time, kind, Patches.apply(Patches.STRATEGIC, last.deepCopy(), dated(template)), false);
        } catch (StatusError e) {
            throw new IOException("template: " + e.getMessage(), e);
        }
    }

    private static ObjectNode dated(ObjectNode object) {
        ObjectNode dated = JsonNodeFactory.instance.objectNode();
        object.properties().forEach(field -> dated.set(field.getKey(), dated(field.getValue())));
        return dated;
    }

    /** Returns a copy with dates in place of the times since the start. */
    private static JsonNode dated(JsonNode value) {
        if (value instanceof ObjectNode object) {
            return dated(object);
        }
        if (value instanceof ArrayNode list) {
            ArrayNode dated = JsonNodeFactory.instance.arrayNode();
            list.forEach(item -> dated.add(dated(item)));
            return dated;
        }
        return value.isTextual() && value.textValue().contains("$(time-")
                ? TextNode.valueOf(TIME.matcher(value.textValue()).replaceAll(KwokRecord::date))
                : value;
    }

    private static String date(MatchResult time) {
        return Matcher.quoteReplacement(
                START.plusNanos(Long.parseLong(time.group(1))).toString());
    }
}
