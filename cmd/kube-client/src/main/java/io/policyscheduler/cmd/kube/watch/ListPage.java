package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse.Stream;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.watch.ListLimits.Heap;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.JsonScanner;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.kube.watch.ReflectorList.Query;
import io.policyscheduler.engine.reader.ProtobufParser;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Streams one page of a list response. An unreadable item is skipped and reported; a response that is not a list, or that is
 * incomplete, fails.
 */
public final class ListPage<T> {
    private final JsonFactory json;
    private final Decoder<T> decoder;
    private final Consumer<Unreadable> unreadable;
    private final int longestObject;
    private long objects;
    private String resourceVersion = "";
    private String continueToken = "";
    private long remaining;

    /** @param longestObject maximum number of bytes of an object; a longer one is unreadable */
    ListPage(JsonFactory json, Decoder<T> decoder, Consumer<Unreadable> unreadable, int longestObject) {
        this.json = json;
        this.decoder = decoder;
        this.unreadable = unreadable;
        this.longestObject = longestObject;
    }

    String resourceVersion() {
        return resourceVersion;
    }

    /** Continue token of the next page; empty on the last one. */
    String continueToken() {
        return continueToken;
    }

    /** Number of objects on later pages; 0 also if the server does not report it, as for lists with a selector. */
    long remaining() {
        return remaining;
    }

    /** Number of objects on this page, with unreadable and ignored ones. */
    long objects() {
        return objects;
    }

    /** Reads a page in protobuf. */
    void readProtobuf(InputStream in, ProtobufParser parser, List<T> items) throws IOException {
        new ProtobufReader(in, parser).read(items);
        require(!resourceVersion.isEmpty(), "has no metadata.resourceVersion");
    }

    void read(InputStream in, List<T> items) throws IOException {
        ListBytes response = new ListBytes(in, longestObject);
        require(response.peek() == '{', "is not a JSON object");
        response.pass();
        while (response.peek() != '}') {
            skipComma(response);
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

    private static void skipComma(ListBytes response) throws IOException {
        if (response.peek() == ',') {
            response.pass();
        }
        require(response.peek() != -1, "ends early");
    }

    private static boolean isString(ListBytes response, String text) {
        JsonScanner bytes = new JsonScanner(response.value(), 0, response.length());
        return bytes.text().equals(text);
    }

    private void readMetadata(ListBytes response) {
        JsonScanner metadata = new JsonScanner(response.value(), 0, response.length());
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
            skipComma(response);
            response.take();
            objects++;
            readItem(response, items);
        }
        response.pass();
    }

    private void readItem(ListBytes response, List<T> items) {
        ObjectBytes object = new ObjectBytes(response.value(), 0, response.length());
        if (response.isTruncated()) {
            unreadable.accept(object.unreadable("longer than " + longestObject + " bytes"));
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

    /**
     * Splits the stream of a list response into values, by strings and brackets only, so that an invalid value does not affect
     * the next one. Holds one value at a time.
     */
    static final class ListBytes {
        private final InputStream in;
        private final int longest;
        private final byte[] buffer = new byte[32 * 1024];
        private int at;
        private int filled;
        private byte[] value = new byte[16 * 1024];
        private int length;
        private int dropped;

        /** @param longest maximum number of bytes of a value; the rest of a longer one is dropped */
        ListBytes(InputStream in, int longest) {
            this.in = in;
            this.longest = longest;
        }

        /** The next byte that is not whitespace, without consuming it; -1 at the end. */
        int peek() throws IOException {
            for (int blanks = 0; ; blanks++) {
                if (at == filled && !fill()) {
                    return -1;
                }
                requireEnd(blanks);
                byte next = buffer[at];
                if (next < 0 || next > ' ') {
                    return next & 0xff;
                }
                at++;
            }
        }

        /** Skips the byte of {@link #peek()}. */
        void pass() {
            at++;
        }

        private boolean fill() throws IOException {
            at = 0;
            filled = Math.max(0, in.read(buffer, 0, buffer.length));
            return filled > 0;
        }

        /**
         * Reads the next value up to the following comma or bracket.
         *
         * @throws IOException if the stream ends within it
         * @throws ResponseTooLongException if the value is longer than {@link ListLimits#LONGEST_VALUE}
         */
        void take() throws IOException {
            length = 0;
            dropped = 0;
            int depth = 0;
            boolean string = false;
            boolean escaped = false;
            boolean begun = false;
            while (true) {
                if (at == filled && !fill()) {
                    throw new IOException("the list response ends early");
                }
                requireEnd(dropped);
                int start = at;
                while (at < filled) {
                    byte next = buffer[at];
                    if (string) {
                        string = escaped || next != '"';
                        escaped = !escaped && next == '\\';
                        at++;
                        if (!string && depth == 0) {
                            keep(start);
                            return;
                        }
                        continue;
                    }
                    boolean opens = next == '{' || next == '[';
                    boolean closes = next == '}' || next == ']';
                    if (depth == 0 && begun && (next == ',' || next == ':' || closes)) {
                        keep(start);
                        return;
                    }
                    begun |= next < 0 || next > ' ';
                    string = next == '"';
                    depth += opens ? 1 : 0;
                    depth -= closes ? 1 : 0;
                    at++;
                    if (closes && depth <= 0) {
                        keep(start);
                        return;
                    }
                }
                keep(start);
            }
        }

        private static void requireEnd(int bytes) throws IOException {
            if (bytes > ListLimits.LONGEST_VALUE) {
                throw new ResponseTooLongException(
                        "the list response has a value of more than " + ListLimits.LONGEST_VALUE + " bytes");
            }
        }

        private void keep(int start) {
            int more = Math.min(at - start, longest - length);
            dropped += at - start - more;
            if (length + more > value.length) {
                value = Arrays.copyOf(value, (int) Math.min(longest, Math.max(2L * value.length, length + more)));
            }
            System.arraycopy(buffer, start, value, length, more);
            length += more;
        }

        /** The bytes of the value, up to {@link #length()}; valid until the next read. */
        byte[] value() {
            return value;
        }

        int length() {
            return length;
        }

        /** Whether the value exceeds the maximum length. */
        boolean isTruncated() {
            return dropped > 0;
        }
    }

    /** Lists a collection once, in pages. */
    public static final class Pager {
        private static final int GONE = 410;

        private final KubeConnection connection;
        private final JsonFactory json;
        private final BiConsumer<String, String> malformed;

        /**
         * @param json with CANONICALIZE_FIELD_NAMES off
         * @param malformed receives the name and the error of each unreadable object, which is skipped
         */
        public Pager(KubeConnection connection, JsonFactory json, BiConsumer<String, String> malformed) {
            this.connection = connection;
            this.json = json;
            this.malformed = malformed;
        }

        /**
         * The latest state of a collection.
         *
         * @param path of the collection, such as /api/v1/pods
         * @param fieldSelector selects objects; null for all
         * @throws IOException if the server does not respond, or not with a list
         */
        public <T> List<T> list(String path, @Nullable String fieldSelector, Decoder<T> decoder) throws IOException {
            List<T> items = new ArrayList<>();
            ListLimits limits = new ListLimits(Heap.OF_PROCESS, SteadyClock.system());
            String next = "";
            do {
                try {
                    Query query =
                            query(path, fieldSelector).add("limit", pageSize()).add("continue", next);
                    next = page(query, next, limits, decoder, items);
                } catch (ApiIoException e) {
                    if (e.code() != GONE || next.isEmpty()) {
                        throw e;
                    }
                    // The continue token has expired: list again without pages.
                    items.clear();
                    next = page(query(path, fieldSelector), next, limits, decoder, items);
                }
            } while (!next.isEmpty());
            return items;
        }

        private static Query query(String path, @Nullable String fieldSelector) {
            return new Query(path).add("fieldSelector", fieldSelector);
        }

        private static String pageSize() {
            return Integer.toString(Options.defaults().pageSize());
        }

        private <T> String page(Query query, String token, ListLimits limits, Decoder<T> decoder, List<T> items)
                throws IOException {
            ListPage<T> page = new ListPage<>(
                    json, decoder, object -> malformed.accept(object.key(), object.reason()), limits.longestObject());
            try (Stream stream =
                    connection.stream(query.toString(), Options.defaults().idleTimeout())) {
                page.read(limits.limit(stream.open()), items);
            }
            limits.endPage(token, page.continueToken(), page.objects());
            return page.continueToken();
        }
    }

    /**
     * Streams a list in protobuf, and holds one object at a time: four bytes, then {@code runtime.Unknown} with the list in its field
     * {@code raw}. An invalid object is reported; one that is not protobuf fails the list.
     */
    private final class ProtobufReader {
        private static final int DELIMITED = 2;
        private static final int RAW = 2 << 3 | DELIMITED;
        private static final int METADATA = 1 << 3 | DELIMITED;
        private static final int ITEMS = 2 << 3 | DELIMITED;
        private static final int RESOURCE_VERSION = 2 << 3 | DELIMITED;
        private static final int CONTINUE = 3 << 3 | DELIMITED;
        private static final int REMAINING = 4 << 3;

        private final ProtobufInput in;
        private final ProtobufParser parser;
        private byte[] bytes = new byte[16 * 1024];

        ProtobufReader(InputStream in, ProtobufParser parser) {
            this.in = new ProtobufInput(in);
            this.parser = parser;
        }

        /**
         * Reads everything.
         *
         * @throws MalformedProtobufException if it is not such a list
         * @throws IOException if it is incomplete
         */
        void read(List<T> items) throws IOException {
            in.passMagic();
            boolean found = false;
            for (int tag = in.tag(); tag != ProtobufInput.END; tag = in.tag()) {
                if (tag == RAW) {
                    found = true;
                    long length = in.length();
                    readList(in.position() + length, items);
                } else {
                    in.skip(tag);
                }
            }
            if (!found) {
                throw new MalformedProtobufException("the protobuf response is empty");
            }
        }

        private void readList(long end, List<T> items) throws IOException {
            while (in.position() < end) {
                int tag = in.tag();
                if (tag == METADATA) {
                    readMetadata();
                } else if (tag == ITEMS) {
                    readItem(items);
                } else {
                    in.skip(tag);
                }
            }
        }

        private void readMetadata() throws IOException {
            long length = in.length();
            long end = in.position() + length;
            while (in.position() < end) {
                int tag = in.tag();
                if (tag == RESOURCE_VERSION) {
                    resourceVersion = text();
                } else if (tag == CONTINUE) {
                    continueToken = text();
                } else if (tag == REMAINING) {
                    remaining = Math.max(0, in.number());
                } else {
                    in.skip(tag);
                }
            }
        }

        private String text() throws IOException {
            int length = value();
            return new String(bytes, 0, length, StandardCharsets.UTF_8);
        }

        /** Reads a value, and returns its length. */
        private int value() throws IOException {
            long length = in.length();
            if (length > longestObject) {
                throw new MalformedProtobufException("a list item of " + length + " bytes");
            }
            if (length > bytes.length) {
                bytes = new byte[Math.max((int) length, 2 * bytes.length)];
            }
            in.read(bytes, (int) length);
            return (int) length;
        }

        private void readItem(List<T> items) throws IOException {
            int length = value();
            objects++;
            try {
                T item = decode(length);
                if (item != null) {
                    items.add(item);
                }
            } catch (MalformedProtobufException e) {
                throw e;
            } catch (IOException | RuntimeException e) {
                unreadable.accept(unreadable(length, ApiIoException.describe(e)));
            }
        }

        private @Nullable T decode(int length) throws IOException {
            parser.start(bytes, 0, length);
            parser.nextToken();
            T item = decoder.decode(parser);
            if (parser.currentToken() != JsonToken.END_OBJECT
                    || !parser.getParsingContext().inRoot()) {
                throw new IOException("the decoder stopped in the middle");
            }
            return item;
        }

        /** The identity of an invalid object. */
        private Unreadable unreadable(int length, String reason) throws IOException {
            String[] head = {"", "", "", "", ""};
            parser.start(bytes, 0, length);
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String part = String.valueOf(parser.currentName());
                if (parser.nextToken() != JsonToken.START_OBJECT || !(part.equals("metadata") || part.equals("spec"))) {
                    parser.skipChildren();
                    continue;
                }
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    int place = place(part + "." + parser.currentName());
                    if (parser.nextToken() == JsonToken.VALUE_STRING && place >= 0) {
                        head[place] = parser.getText();
                    }
                    parser.skipChildren();
                }
            }
            return new Unreadable(head[0], head[1], head[2], head[3], head[4], reason);
        }

        private static int place(String field) {
            return switch (field) {
                case "metadata.namespace" -> 0;
                case "metadata.name" -> 1;
                case "metadata.uid" -> 2;
                case "spec.nodeName" -> 3;
                case "spec.schedulerName" -> 4;
                default -> -1;
            };
        }
    }

    /** A stream in the wire format of protobuf, of any length. */
    private static final class ProtobufInput {
        /** There is no further field. */
        static final int END = 0;

        private static final byte[] MAGIC = {'k', '8', 's', 0};
        private static final int MAX_VARINT_BITS = 64;

        private final InputStream in;
        private long position;

        ProtobufInput(InputStream in) {
            this.in = in;
        }

        /** Number of bytes read. */
        long position() {
            return position;
        }

        /** Skips the magic prefix of Kubernetes protobuf. */
        void passMagic() throws IOException {
            for (byte expected : MAGIC) {
                if (in.read() != expected) {
                    throw new MalformedProtobufException("the protobuf response does not start with k8s");
                }
            }
            position = MAGIC.length;
        }

        /** Number and wire type of the next field; {@link #END} at the end of the stream. */
        int tag() throws IOException {
            int first = in.read();
            if (first < 0) {
                return END;
            }
            position++;
            long tag = varint(first);
            if (tag >>> 3 == 0 || tag >>> 3 > 0x1fff_ffff) {
                throw malformed("no field has the number " + (tag >>> 3));
            }
            return (int) tag;
        }

        /** Length of the next value in bytes. */
        long length() throws IOException {
            long length = varint();
            if (length < 0) {
                throw malformed("something has " + Long.toUnsignedString(length) + " bytes");
            }
            return length;
        }

        void read(byte[] target, int length) throws IOException {
            if (in.readNBytes(target, 0, length) < length) {
                throw new EOFException("the list response ends early");
            }
            position += length;
        }

        /** The next value, which is a number. */
        long number() throws IOException {
            return varint();
        }

        /** Skips the value of a field. */
        void skip(int tag) throws IOException {
            switch (tag & 7) {
                case 0 -> varint();
                case 1 -> skipBytes(Long.BYTES);
                case 2 -> skipBytes(length());
                case 5 -> skipBytes(Integer.BYTES);
                default -> throw malformed("field " + (tag >>> 3) + " has the wire type " + (tag & 7));
            }
        }

        private void skipBytes(long count) throws IOException {
            in.skipNBytes(count);
            position += count;
        }

        private long varint() throws IOException {
            return varint(next());
        }

        private long varint(int first) throws IOException {
            long value = first & 0x7f;
            int part = first;
            for (int shift = 7; (part & 0x80) != 0; shift += 7) {
                if (shift >= MAX_VARINT_BITS) {
                    throw malformed("a number does not end");
                }
                part = next();
                value |= (long) (part & 0x7f) << shift;
            }
            return value;
        }

        private int next() throws IOException {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the list response ends early");
            }
            position++;
            return next;
        }

        private MalformedProtobufException malformed(String problem) {
            return new MalformedProtobufException("malformed protobuf at byte " + position + ": " + problem);
        }
    }
}
