package io.policyscheduler.cmd.kube;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads one page of a list response as a stream. An item the decoder refuses is skipped and reported; a response that is
 * not JSON, or ends early, fails as a whole.
 */
final class ListPage<T> {
    /** Receives the items that could not be decoded. */
    interface MalformedItems {
        void skipped(String objectName, String reason);
    }

    private final JsonFactory json;
    private final ObjectDecoder<T> decoder;
    private final MalformedItems malformed;
    private String resourceVersion = "";
    private String continueToken = "";

    ListPage(JsonFactory json, ObjectDecoder<T> decoder, MalformedItems malformed) {
        this.json = json;
        this.decoder = decoder;
        this.malformed = malformed;
    }

    String resourceVersion() {
        return resourceVersion;
    }

    /** Token of the next page, empty on the last one. */
    String continueToken() {
        return continueToken;
    }

    void read(InputStream in, List<T> items) throws IOException {
        RecentChars recent = new RecentChars(new InputStreamReader(in, StandardCharsets.UTF_8));
        try (JsonParser parser = json.createParser(recent)) {
            require(parser.nextToken() == JsonToken.START_OBJECT, "not a JSON object");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                    readMetadata(parser);
                } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
                    readItems(parser, recent, items);
                } else {
                    parser.skipChildren();
                }
            }
            require(parser.currentToken() == JsonToken.END_OBJECT, "ends early");
        }
        require(!resourceVersion.isEmpty(), "has no metadata.resourceVersion");
    }

    private void readMetadata(JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_STRING) {
                parser.skipChildren();
            } else if (field.equals("resourceVersion")) {
                resourceVersion = parser.getText();
            } else if (field.equals("continue")) {
                continueToken = parser.getText();
            }
        }
    }

    private void readItems(JsonParser parser, RecentChars recent, List<T> items) throws IOException {
        JsonStreamContext array = parser.getParsingContext();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            require(parser.currentToken() != null, "ends early");
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                parser.skipChildren();
                malformed.skipped("", "the list item is not an object");
                continue;
            }
            recent.mark(parser.currentLocation().getCharOffset());
            String failure = "";
            try {
                T item = decoder.decode(parser);
                if (parser.currentToken() != JsonToken.END_OBJECT || parser.getParsingContext() != array) {
                    failure = "the decoder stopped in the middle";
                } else if (item != null) {
                    items.add(item);
                }
            } catch (IOException | RuntimeException e) {
                if (recent.broken()) {
                    throw e;
                }
                failure = ClientConfigLoader.describe(e);
            }
            if (!failure.isEmpty()) {
                // before the rest is skipped: the name may lie in the part of the item already read, and is kept only
                // now
                String name = nameOf(recent.sinceMark());
                skipToEndOfItem(parser, array);
                malformed.skipped(name, failure);
            }
        }
    }

    // After the END_OBJECT of the item the parser's context is the array again.
    private static void skipToEndOfItem(JsonParser parser, JsonStreamContext array) throws IOException {
        while (parser.getParsingContext() != array || parser.currentToken() != JsonToken.END_OBJECT) {
            require(parser.nextToken() != null, "ends early");
        }
    }

    private String nameOf(String itemAfterBrace) {
        ObjectHead head = new ObjectHead();
        try (JsonParser parser = json.createParser("{" + itemAfterBrace)) {
            parser.nextToken();
            head.read(parser);
        } catch (IOException e) {
            return head.qualifiedName();
        }
        return head.qualifiedName();
    }

    private static void require(boolean condition, String problem) throws IOException {
        if (!condition) {
            throw new IOException("the list response " + problem);
        }
    }
}
