package io.policyscheduler.cmd.kube;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One line of a watch response: {@code {"type":"ADDED","object":{...}}}. The head (type and the object's identity) is read
 * apart from the object, so that the reflector knows the resourceVersion and the name even of an object it cannot decode.
 */
final class WatchEvent {
    /** Code (500 when absent) and message of a metav1.Status. */
    record Failure(int code, String message) {}

    private final JsonFactory json;
    private final byte[] line;
    private final int offset;
    private final int length;
    private final ObjectHead head = new ObjectHead();
    private String type = "";

    WatchEvent(JsonFactory json, byte[] line, int offset, int length) {
        this.json = json;
        this.line = line;
        this.offset = offset;
        this.length = length;
    }

    /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; empty when absent. */
    String type() {
        return type;
    }

    ObjectHead head() {
        return head;
    }

    /** Reads type and head; stops as soon as both are known. */
    void readHead() throws IOException {
        try (JsonParser parser = json.createParser(line, offset, length)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("the event is not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("type") && value == JsonToken.VALUE_STRING) {
                    type = parser.getText();
                } else if (field.equals("object") && value == JsonToken.START_OBJECT && !type.isEmpty()) {
                    head.read(parser);
                    return;
                } else {
                    parser.skipChildren();
                }
            }
            if (type.isEmpty()) {
                throw new IOException("the event has no type");
            }
        }
        // The object came before the type, which no known server does: look for it again.
        try (JsonParser parser = json.createParser(line, offset, length)) {
            toObject(parser);
            head.read(parser);
        }
    }

    <T> @Nullable T decode(ObjectDecoder<T> decoder) throws IOException {
        try (JsonParser parser = json.createParser(line, offset, length)) {
            toObject(parser);
            return decoder.decode(parser);
        }
    }

    /** The Status that the object of an ERROR event is. */
    Failure failure() throws IOException {
        int code = 500;
        String message = "";
        try (JsonParser parser = json.createParser(line, offset, length)) {
            toObject(parser);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("code") && value == JsonToken.VALUE_NUMBER_INT) {
                    code = parser.getIntValue();
                } else if (field.equals("message") && value == JsonToken.VALUE_STRING) {
                    message = parser.getText();
                } else {
                    parser.skipChildren();
                }
            }
        }
        return new Failure(code, message);
    }

    private static void toObject(JsonParser parser) throws IOException {
        parser.nextToken();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean object = parser.currentName().equals("object");
            if (parser.nextToken() == JsonToken.START_OBJECT && object) {
                return;
            }
            parser.skipChildren();
        }
        throw new IOException("the event has no object");
    }
}
