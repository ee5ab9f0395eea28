package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.policyscheduler.engine.creation.ObjectCreation;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The fields of an object as far as they have been looked at, until it shows whether an API server has written it. */
final class ManifestTree {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final TokenBuffer fields;
    private boolean stored;

    /** @param earlier the beginning of the object, open; null when nothing has been read of it */
    ManifestTree(JsonParser parser, @Nullable TokenBuffer earlier) throws IOException {
        if (earlier == null) {
            fields = new TokenBuffer(parser);
            fields.overrideParentContext(null);
            fields.writeStartObject();
        } else {
            fields = earlier;
        }
    }

    /**
     * Reads on.
     *
     * @param untilStored stop as soon as it shows that an API server has written the object
     * @return true when it stopped, so that the parser stands behind the metadata; false when the object has been read wholly
     */
    boolean read(JsonParser parser, boolean untilStored) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            fields.writeFieldName(field);
            if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                metadata(parser);
                if (stored && untilStored) {
                    fields.writeEndObject();
                    return true;
                }
            } else {
                fields.copyCurrentStructure(parser);
            }
        }
        fields.writeEndObject();
        return false;
    }

    private void metadata(JsonParser parser) throws IOException {
        fields.writeStartObject();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equals("managedFields")) {
                // Longer than all else, and read by nobody.
                parser.skipChildren();
                continue;
            }
            boolean evidence = field.equals("resourceVersion") || field.equals("creationTimestamp");
            stored |= evidence
                    && value != JsonToken.VALUE_NULL
                    && !parser.getText().isEmpty();
            fields.writeFieldName(field);
            fields.copyCurrentStructure(parser);
        }
        fields.writeEndObject();
    }

    /** What has been read, to be read once more. */
    JsonParser replay() throws IOException {
        return fields.asParserOnFirstToken();
    }

    /** The whole object. */
    ObjectNode tree(String kind) throws IOException {
        try (JsonParser parser = fields.asParser()) {
            ObjectNode tree = MAPPER.readTree(parser);
            tree.put("kind", kind);
            return tree;
        }
    }

    /** Whether an API server has written it. */
    static boolean isStored(ObjectNode tree) {
        return ObjectCreation.isStored(tree);
    }
}
