package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Suppliers;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Finds objects of a kind that has few in dumps that have many: of the others no more than one is held at a time. */
final class DumpObjects {
    private final String kind;
    private final ObjectMapper mapper;
    private final List<JsonNode> found = new ArrayList<>();

    private DumpObjects(String kind, ObjectMapper mapper) {
        this.kind = kind;
        this.mapper = mapper;
    }

    /**
     * All objects of this kind, those of lists included, in the order of the files, which are read when they are first asked for.
     * Getting them throws an {@link io.policyscheduler.cmd.options.InputException} when a file cannot be read.
     */
    static Supplier<List<JsonNode>> ofKind(List<Path> files, String kind) {
        return Suppliers.memoize(() ->
                files.stream().flatMap(file -> ofKind(file, kind).stream()).toList());
    }

    private static List<JsonNode> ofKind(Path file, String kind) {
        InputFiles.requireFile(file);
        InputFiles.requireRepeatable(file);
        try (InputStream in = new BufferedInputStream(ClusterFile.open(file), 1 << 16)) {
            DumpObjects objects = new DumpObjects(kind, new ObjectMapper());
            try (JsonParser parser = ClusterFile.parser(in, file, true)) {
                while (parser.nextToken() != null) {
                    if (parser.currentToken() == JsonToken.START_OBJECT) {
                        objects.document(parser);
                    } else {
                        parser.skipChildren();
                    }
                }
            } catch (JsonProcessingException e) {
                throw new IOException(ClusterFile.describe(file, e), e);
            }
            return objects.found;
        } catch (IOException e) {
            throw InputFiles.unreadable(file, e);
        }
    }

    private void document(JsonParser parser) throws IOException {
        ObjectNode object = mapper.createObjectNode();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            if (parser.nextToken() == JsonToken.START_ARRAY && field.equals("items")) {
                while (parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null) {
                    keep(mapper.readTree(parser));
                }
            } else {
                object.set(field, mapper.<JsonNode>readTree(parser));
            }
        }
        keep(object);
    }

    private void keep(JsonNode object) {
        if (object.path("kind").asText().equals(kind)) {
            found.add(object);
        }
    }
}
