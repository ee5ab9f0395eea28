package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One line of a watch response: {@code {"type":"ADDED","object":{...}}}. Type and identity of the object are found without reading
 * it, so that the reflector knows the resourceVersion and the name even of an object that cannot be read.
 */
final class WatchLineEvent {
    /** Code (500 when absent) and message of a metav1.Status. */
    record Failure(int code, String message) {}

    private final JsonFactory json;
    private final byte[] line;
    private final int offset;
    private final int end;
    private String type = "";
    private @Nullable ObjectBytes object;

    WatchLineEvent(JsonFactory json, byte[] line, int offset, int length) {
        this.json = json;
        this.line = line;
        this.offset = offset;
        this.end = offset + length;
    }

    /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; empty when absent. */
    String type() {
        return type;
    }

    ObjectHead head() {
        ObjectBytes bytes = object;
        return bytes == null ? ObjectHead.UNKNOWN : bytes.head();
    }

    /** Finds type and object. */
    void readHead() throws IOException {
        JsonBytes event = new JsonBytes(line, offset, end);
        if (!event.enterObject()) {
            throw new IOException("the event is not a JSON object");
        }
        while (event.nextField()) {
            if (event.isField("type")) {
                type = event.text();
            } else if (event.isField("object")) {
                int start = event.position();
                event.skipValue();
                object = line[start] == '{' ? new ObjectBytes(line, start, event.position()) : null;
            } else {
                event.skipValue();
            }
        }
        if (type.isEmpty()) {
            throw new IOException("the event has no type");
        }
    }

    private ObjectBytes object() throws IOException {
        ObjectBytes bytes = object;
        if (bytes == null) {
            throw new IOException("the event has no object");
        }
        return bytes;
    }

    <T> @Nullable T decode(ObjectDecoder<T> decoder) throws IOException {
        return object().decode(json, decoder);
    }

    /** What can be told of an object that cannot be read. */
    UnreadableObject unreadable(String reason) {
        ObjectBytes bytes = object;
        return bytes == null ? new UnreadableObject("", "", "", "", "", "", reason) : bytes.unreadable(reason);
    }

    /** The Status that the object of an ERROR event is. */
    Failure failure() throws IOException {
        Failure failure = object().decode(json, WatchLineEvent::readFailure);
        return failure == null ? new Failure(500, "") : failure;
    }

    private static Failure readFailure(JsonParser parser) throws IOException {
        int code = 500;
        String message = "";
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
        return new Failure(code, message);
    }
}
