package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One API object as the server sent it. Its identity can be read even if other parts are invalid. {@code metadata.managedFields},
 * which can be half of an object and is not used, is blanked before decoding.
 */
public final class ObjectBytes {
    private static final String METADATA = "metadata";

    private final byte[] bytes;
    private final int from;
    private final int to;
    private final Head head;

    /** A range of bytes with an object; the buffer is valid until it is decoded. */
    ObjectBytes(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        this.head = readMetadata();
    }

    Head head() {
        return head;
    }

    private Head readMetadata() {
        JsonScanner json = new JsonScanner(bytes, from, to);
        if (!json.enterObject()) {
            return Head.UNKNOWN;
        }
        while (json.nextField()) {
            if (json.isField(METADATA)) {
                return readHead(json);
            }
            json.skipValue();
        }
        return Head.UNKNOWN;
    }

    private Head readHead(JsonScanner json) {
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
        return new Head(namespace, name, uid, resourceVersion);
    }

    /** Replaces a list by an empty one of the same length. Other values are left to the decoder. */
    private void blank(int start, int end) {
        if (end - start > 2 && bytes[start] == '[' && bytes[end - 1] == ']') {
            Arrays.fill(bytes, start + 1, end - 1, (byte) ' ');
        }
    }

    /**
     * Reads the object.
     *
     * @throws IOException (or any RuntimeException) if it cannot be read
     */
    <T> @Nullable T decode(JsonFactory json, Decoder<T> decoder) throws IOException {
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

    /** The identity of an unreadable object. */
    Unreadable unreadable(String reason) {
        String nodeName = "";
        String schedulerName = "";
        JsonScanner json = new JsonScanner(bytes, from, to);
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
        return new Unreadable(head.namespace(), head.name(), head.uid(), nodeName, schedulerName, reason);
    }

    /**
     * An unreadable object of the server, with the fields that could be read; others are empty.
     *
     * @param nodeName {@code spec.nodeName}, of a pod
     * @param schedulerName {@code spec.schedulerName}, of a pod
     * @param reason the error, on one line
     */
    public record Unreadable(
            String namespace, String name, String uid, String nodeName, String schedulerName, String reason) {
        /** namespace/name, or the name alone; empty if unknown. */
        public String key() {
            return namespace.isEmpty() ? name : namespace + "/" + name;
        }
    }

    /** Decodes the JSON of one API object. */
    @FunctionalInterface
    public interface Decoder<T> {
        /**
         * Called with the parser on the START_OBJECT of one object; returns with the parser on the matching END_OBJECT.
         *
         * @return null if the object is to be ignored: it is then neither listed nor reported
         * @throws IOException (or any RuntimeException) if the object is malformed: it is skipped and reported with its name
         */
        @Nullable
        T decode(JsonParser parser) throws IOException;
    }

    /**
     * The identifying fields of an object's metadata.
     *
     * @param namespace empty when absent, as all others
     */
    record Head(String namespace, String name, String uid, String resourceVersion) {
        static final Head UNKNOWN = new Head("", "", "", "");
    }

    /**
     * A lenient scanner of JSON bytes that handles strings, escapes, and nesting of any length and depth, and does not validate
     * other values. Finds fields in objects that a parser rejects. Never fails: other input has no fields.
     */
    static final class JsonScanner {
        /** Maximum length of names and versions, which have a few hundred bytes; longer ones are cut. */
        private static final int MAX_TEXT = 4096;

        private final byte[] bytes;
        private final int end;
        private int at;
        private int keyStart;
        private int keyEnd;

        JsonScanner(byte[] bytes, int from, int to) {
            this.bytes = bytes;
            this.at = from;
            this.end = to;
        }

        /** The position: the first byte of a value, after {@link #nextField()}. */
        int position() {
            return at;
        }

        /** Enters the value if it is an object. */
        boolean enterObject() {
            skipBlanks();
            if (at < end && bytes[at] == '{') {
                at++;
                return true;
            }
            return false;
        }

        /** Advances to the value of the next field; false at the end of the object. The previous value must have been skipped. */
        boolean nextField() {
            skipBlanks();
            if (at < end && bytes[at] == ',') {
                at++;
                skipBlanks();
            }
            if (at >= end || bytes[at] != '"') {
                at = Math.min(end, at + 1);
                return false;
            }
            keyStart = at + 1;
            skipString();
            keyEnd = at - 1;
            skipBlanks();
            if (at >= end || bytes[at] != ':') {
                return false;
            }
            at++;
            skipBlanks();
            return at < end;
        }

        /** Whether the field has this name; ASCII only. */
        boolean isField(String name) {
            if (keyEnd - keyStart != name.length()) {
                return false;
            }
            for (int i = 0; i < name.length(); i++) {
                if (bytes[keyStart + i] != name.charAt(i)) {
                    return false;
                }
            }
            return true;
        }

        /** Skips the value; returns its text if it is a string, with escapes unchanged, else an empty text. */
        String text() {
            int start = at;
            skipValue();
            if (at - start < 2 || bytes[start] != '"') {
                return "";
            }
            int length = Math.min(at - start - 2, MAX_TEXT);
            return new String(bytes, start + 1, length, StandardCharsets.UTF_8);
        }

        /** Skips the value; returns it as a number, and 0 if it is not an integer or is negative. */
        long count() {
            int start = at;
            skipValue();
            try {
                return Math.max(
                        0, Long.parseLong(new String(bytes, start, at - start, StandardCharsets.UTF_8).strip()));
            } catch (NumberFormatException e) {
                return 0;
            }
        }

        /** Passes the value. */
        void skipValue() {
            skipBlanks();
            if (at >= end) {
                return;
            }
            switch (bytes[at]) {
                case '"' -> skipString();
                case '{', '[' -> skipNested();
                default -> skipWord();
            }
        }

        private void skipNested() {
            int depth = 0;
            do {
                switch (bytes[at]) {
                    case '"' -> {
                        skipString();
                        continue;
                    }
                    case '{', '[' -> depth++;
                    case '}', ']' -> depth--;
                    default -> {
                        // Part of a number or literal, or between values.
                    }
                }
                at++;
            } while (depth > 0 && at < end);
        }

        private void skipString() {
            at++;
            while (at < end && bytes[at] != '"') {
                at += bytes[at] == '\\' ? 2 : 1;
            }
            at = Math.min(end, at + 1);
        }

        private void skipWord() {
            while (at < end && bytes[at] != ',' && bytes[at] != '}' && bytes[at] != ']') {
                at++;
            }
        }

        private void skipBlanks() {
            while (at < end && bytes[at] <= ' ' && bytes[at] >= 0) {
                at++;
            }
        }
    }
}
