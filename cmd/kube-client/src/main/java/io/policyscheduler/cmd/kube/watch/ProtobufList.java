package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.engine.reader.ProtobufParser;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Streams a list in protobuf, and holds one object at a time: four bytes, then {@code runtime.Unknown} with the list in its field
 * {@code raw}. An invalid object is reported; one that is not protobuf fails the list.
 */
final class ProtobufList<T> {
    private static final int DELIMITED = 2;
    private static final int RAW = 2 << 3 | DELIMITED;
    private static final int METADATA = 1 << 3 | DELIMITED;
    private static final int ITEMS = 2 << 3 | DELIMITED;
    private static final int RESOURCE_VERSION = 2 << 3 | DELIMITED;
    private static final int CONTINUE = 3 << 3 | DELIMITED;
    private static final int REMAINING = 4 << 3;

    private final Input in;
    private final ProtobufParser parser;
    private final Decoder<T> decoder;
    private final Consumer<Unreadable> unreadable;
    private final int longestObject;
    private long objects;
    private byte[] bytes = new byte[16 * 1024];
    private String resourceVersion = "";
    private String continueToken = "";
    private long remaining;

    ProtobufList(
            InputStream in,
            ProtobufParser parser,
            Decoder<T> decoder,
            Consumer<Unreadable> unreadable,
            int longestObject) {
        this.in = new Input(in);
        this.parser = parser;
        this.decoder = decoder;
        this.unreadable = unreadable;
        this.longestObject = longestObject;
    }

    /** Empty if the list has none. */
    String resourceVersion() {
        return resourceVersion;
    }

    /** Continue token of the next page; empty on the last one. */
    String continueToken() {
        return continueToken;
    }

    /** Number of objects, with unreadable and ignored ones. */
    long objects() {
        return objects;
    }

    /** Number of objects on later pages; 0 also if the server does not report it. */
    long remaining() {
        return remaining;
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
        for (int tag = in.tag(); tag != Input.END; tag = in.tag()) {
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

    /** A stream in the wire format of protobuf, of any length. */
    static final class Input {
        /** There is no further field. */
        static final int END = 0;

        private static final byte[] MAGIC = {'k', '8', 's', 0};
        private static final int MAX_VARINT_BITS = 64;

        private final InputStream in;
        private long position;

        Input(InputStream in) {
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
