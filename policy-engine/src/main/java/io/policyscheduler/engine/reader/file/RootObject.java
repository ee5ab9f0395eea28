package io.policyscheduler.engine.reader.file;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.policyscheduler.engine.reader.MalformedObjectException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outermost object of a document: a list, if it has {@code items}, else a single object. {@code kubectl} prints the items
 * of a List before its kind.
 */
final class RootObject {
    enum Step {
        /** The parser stands on the START_ARRAY of items. */
        ITEMS,
        /** The whole is one object, to be read from {@link #objectParser()}. */
        OBJECT,
        /** Nothing is left. */
        END
    }

    private final JsonParser parser;
    private final TokenBuffer fields;
    private @Nullable String kind;
    private boolean list;
    private boolean anyField;
    private @Nullable JsonParser buffered;
    private final List<String> listedKinds = new ArrayList<>(0);

    RootObject(JsonParser parser) throws IOException {
        this.parser = parser;
        this.fields = new TokenBuffer(parser);
        this.fields.overrideParentContext(parser.getParsingContext().getParent());
        this.fields.writeStartObject();
    }

    /** Goes on to the next thing to be done. */
    Step next() throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equals("items") && value == JsonToken.START_ARRAY && (kind == null || kind.endsWith("List"))) {
                list = true;
                return Step.ITEMS;
            }
            if (field.equals("kind") && value == JsonToken.VALUE_STRING) {
                kind = parser.getText();
                if (!kind.endsWith("List") && !anyField) {
                    buffered = parser;
                    return Step.OBJECT;
                }
            } else if (list && field.equals(ClusterFile.LISTED_KINDS) && value == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null) {
                    if (parser.currentToken() == JsonToken.VALUE_STRING) {
                        listedKinds.add(parser.getText());
                    }
                    parser.skipChildren();
                }
                continue;
            } else if (!field.equals("apiVersion") && !list) {
                anyField = true;
                fields.writeFieldName(field);
                fields.copyCurrentStructure(parser);
                continue;
            }
            parser.skipChildren();
        }
        if (list || (kind != null && kind.endsWith("List"))) {
            return Step.END;
        }
        if (kind == null) {
            throw new MalformedObjectException("a document without kind and without items");
        }
        fields.writeEndObject();
        JsonParser replay = fields.asParserOnFirstToken();
        buffered = replay;
        return Step.OBJECT;
    }

    /** Kind of the items of a typed list ({@code PodList}), or null when each item says it itself. */
    @Nullable
    String itemKind() {
        String of = kind;
        return of == null || of.equals("List") ? null : of.substring(0, of.length() - "List".length());
    }

    /** Of which kinds a list says that it has all objects, after its end. */
    List<String> listedKinds() {
        return listedKinds;
    }

    /** Kind of the single object. */
    @Nullable
    String kind() {
        return kind;
    }

    /** Where to read the single object from; stands on START_OBJECT or, when nothing came before its kind, behind the kind. */
    JsonParser objectParser() {
        if (buffered == null) {
            throw new IllegalStateException("not a single object");
        }
        return buffered;
    }
}
