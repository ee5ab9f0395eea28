package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One API object as the server sent it. Who it is can be told even where the rest cannot be read. {@code metadata.managedFields},
 * often half of an object and of no interest to anybody here, is blanked before the object is read.
 */
final class ObjectBytes {
    private static final String METADATA = "metadata";

    private final byte[] bytes;
    private final int from;
    private final int to;
    private final ObjectHead head;

    /** The object between two places; the bytes belong to it until it is decoded. */
    ObjectBytes(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        this.head = readMetadata();
    }

    ObjectHead head() {
        return head;
    }

    private ObjectHead readMetadata() {
        JsonBytes json = new JsonBytes(bytes, from, to);
        if (!json.enterObject()) {
            return ObjectHead.UNKNOWN;
        }
        while (json.nextField()) {
            if (json.isField(METADATA)) {
                return readHead(json);
            }
            json.skipValue();
        }
        return ObjectHead.UNKNOWN;
    }

    private ObjectHead readHead(JsonBytes json) {
        String namespace = "";
        String name = "";
        String uid = "";
        String resourceVersion = "";
        boolean more = json.enterObject();
        while (more && json.nextField()) {
            if (json.isField("managedFields")) {
                int start = json.position();
                json.skipValue();
                blank(start, json.position());
            } else if (json.isField("namespace")) {
                namespace = json.text();
            } else if (json.isField("name")) {
                name = json.text();
            } else if (json.isField("uid")) {
                uid = json.text();
            } else if (json.isField("resourceVersion")) {
                resourceVersion = json.text();
            } else {
                json.skipValue();
            }
        }
        return new ObjectHead(namespace, name, uid, resourceVersion);
    }

    /** Makes a list an empty one of the same length. What is no list is left to the decoder. */
    private void blank(int start, int end) {
        if (end - start > 2 && bytes[start] == '[' && bytes[end - 1] == ']') {
            Arrays.fill(bytes, start + 1, end - 1, (byte) ' ');
        }
    }

    /**
     * Reads the object.
     *
     * @throws IOException (or any RuntimeException) when it cannot be read, whatever the reason
     */
    <T> @Nullable T decode(JsonFactory json, ObjectDecoder<T> decoder) throws IOException {
        try (JsonParser parser = json.createParser(bytes, from, to - from)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not an object");
            }
            T object = decoder.decode(parser);
            if (parser.currentToken() != JsonToken.END_OBJECT
                    || !parser.getParsingContext().inRoot()) {
                throw new IOException("the decoder stopped in the middle");
            }
            return object;
        } catch (StackOverflowError e) {
            throw new IOException("nested too deeply", e);
        }
    }

    /** What can be told of the object although it cannot be read. */
    UnreadableObject unreadable(String reason) {
        String nodeName = "";
        String schedulerName = "";
        JsonBytes json = new JsonBytes(bytes, from, to);
        boolean more = json.enterObject();
        while (more && json.nextField()) {
            if (!json.isField("spec") || !json.enterObject()) {
                json.skipValue();
                continue;
            }
            while (json.nextField()) {
                if (json.isField("nodeName")) {
                    nodeName = json.text();
                } else if (json.isField("schedulerName")) {
                    schedulerName = json.text();
                } else {
                    json.skipValue();
                }
            }
        }
        return new UnreadableObject(
                head.namespace(), head.name(), head.uid(), head.resourceVersion(), nodeName, schedulerName, reason);
    }
}
