package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.engine.reader.protobuf.ProtobufParser;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads one page of a list response as a stream. An item that cannot be read, whatever is wrong with it, is skipped and reported;
 * a response that is not a list, or ends early, fails as a whole.
 */
final class ListPage<T> {
    private final JsonFactory json;
    private final ObjectDecoder<T> decoder;
    private final Consumer<UnreadableObject> unreadable;
    private String resourceVersion = "";
    private String continueToken = "";
    private long remaining;

    ListPage(JsonFactory json, ObjectDecoder<T> decoder, Consumer<UnreadableObject> unreadable) {
        this.json = json;
        this.decoder = decoder;
        this.unreadable = unreadable;
    }

    String resourceVersion() {
        return resourceVersion;
    }

    /** Token of the next page, empty on the last one. */
    String continueToken() {
        return continueToken;
    }

    /** How many objects follow on later pages; 0 also where the server does not say, as of lists by a selector. */
    long remaining() {
        return remaining;
    }

    /** Reads a page in protobuf. */
    void readProtobuf(InputStream in, ProtobufParser parser, List<T> items) throws IOException {
        ProtobufList<T> list = new ProtobufList<>(in, parser, decoder, unreadable);
        list.read(items);
        resourceVersion = list.resourceVersion();
        continueToken = list.continueToken();
        remaining = list.remaining();
        require(!resourceVersion.isEmpty(), "has no metadata.resourceVersion");
    }

    void read(InputStream in, List<T> items) throws IOException {
        ListBytes response = new ListBytes(in);
        require(response.peek() == '{', "is not a JSON object");
        response.pass();
        while (response.peek() != '}') {
            passComma(response);
            require(response.peek() == '"', "is not JSON");
            response.take();
            boolean isItems = isString(response, "items");
            boolean isMetadata = isString(response, "metadata");
            require(response.peek() == ':', "is not JSON");
            response.pass();
            if (isItems && response.peek() == '[') {
                response.pass();
                readItems(response, items);
            } else {
                response.take();
                if (isMetadata) {
                    readMetadata(response);
                }
            }
        }
        require(!resourceVersion.isEmpty(), "has no metadata.resourceVersion");
    }

    private static void passComma(ListBytes response) throws IOException {
        if (response.peek() == ',') {
            response.pass();
        }
        require(response.peek() != -1, "ends early");
    }

    private static boolean isString(ListBytes response, String text) {
        JsonBytes bytes = new JsonBytes(response.value(), 0, response.length());
        return bytes.text().equals(text);
    }

    private void readMetadata(ListBytes response) {
        JsonBytes metadata = new JsonBytes(response.value(), 0, response.length());
        boolean more = metadata.enterObject();
        while (more && metadata.nextField()) {
            if (metadata.isField("resourceVersion")) {
                resourceVersion = metadata.text();
            } else if (metadata.isField("continue")) {
                continueToken = metadata.text();
            } else if (metadata.isField("remainingItemCount")) {
                remaining = metadata.count();
            } else {
                metadata.skipValue();
            }
        }
    }

    private void readItems(ListBytes response, List<T> items) throws IOException {
        while (response.peek() != ']') {
            passComma(response);
            response.take();
            readItem(response, items);
        }
        response.pass();
    }

    private void readItem(ListBytes response, List<T> items) {
        ObjectBytes object = new ObjectBytes(response.value(), 0, response.length());
        if (response.isCut()) {
            unreadable.accept(object.unreadable("longer than " + ListBytes.MAX_VALUE + " bytes"));
            return;
        }
        if (response.value()[0] != '{') {
            unreadable.accept(object.unreadable("the list item is not an object"));
            return;
        }
        try {
            T item = object.decode(json, decoder);
            if (item != null) {
                items.add(item);
            }
        } catch (IOException | RuntimeException e) {
            unreadable.accept(object.unreadable(ApiIoException.describe(e)));
        }
    }

    private static void require(boolean condition, String problem) throws IOException {
        if (!condition) {
            throw new IOException("the list response " + problem);
        }
    }
}
