package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonReadContext;
import io.policyscheduler.engine.cluster.object.PodSpec.PodVolume;
import io.policyscheduler.engine.reader.MessageType.MessageField;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import io.policyscheduler.engine.reader.ProtobufTokens.ProtobufBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Iterates over the tokens of one message for a {@link ProtobufParser}. */
final class ProtobufTokens {
    /** Messages of objects have fewer levels, because {@link MessageType}s are not recursive. */
    private static final int MAX_DEPTH = 32;

    private enum Frame {
        MESSAGE,
        INLINE,
        LIST,
        MAP
    }

    private final MessageType root;
    private final ProtobufBytes in = new ProtobufBytes();
    private final ProtobufValue value = new ProtobufValue(in);
    /** The root context, which reuses its children for the next message. */
    private final JsonReadContext outside = JsonReadContext.createRootContext(null);

    private int limit;

    private final Frame[] frames = new Frame[MAX_DEPTH];
    private final @Nullable MessageType[] types = new @Nullable MessageType[MAX_DEPTH];
    private final int[] ends = new int[MAX_DEPTH];
    /** For lists and maps: their field and its tag. */
    private final @Nullable MessageField[] fields = new @Nullable MessageField[MAX_DEPTH];

    private final int[] tags = new int[MAX_DEPTH];
    private int depth = -1;
    private JsonReadContext context;
    private boolean begun;

    /** A field whose name was returned; its value is next. */
    private @Nullable MessageField field;

    private int tag;
    /** Whether the tag of an element was read, so that the element is next. */
    private boolean element;
    /** Whether the key of an entry was returned, so that its value is next. */
    private boolean entry;

    private @Nullable JsonToken current;

    ProtobufTokens(MessageType root) {
        this.root = root;
        this.context = outside;
    }

    /** Moves before the first token of a message; the bytes must not change while it is read. */
    void start(byte[] bytes, int from, int to) {
        in.start(bytes, from, to);
        limit = to;
        depth = -1;
        context = outside;
        begun = false;
        field = null;
        element = false;
        entry = false;
        current = null;
    }

    @Nullable
    JsonToken advance() throws IOException {
        JsonToken token = next();
        current = token;
        return token;
    }

    private @Nullable JsonToken next() throws IOException {
        MessageField named = field;
        if (named != null) {
            field = null;
            return begin(named);
        }
        while (depth >= 0) {
            JsonToken token = switch (frames[depth]) {
                case MESSAGE, INLINE -> nextField();
                case LIST -> nextElement();
                case MAP -> nextEntry();
            };
            if (token != null) {
                return token;
            }
        }
        if (begun) {
            return null;
        }
        begun = true;
        push(Frame.MESSAGE, root, limit);
        return openObject();
    }

    /** Null if the next field is not reported. */
    private @Nullable JsonToken nextField() throws IOException {
        int end = ends[depth];
        if (in.position() >= end) {
            if (in.position() > end) {
                throw in.malformed("a message ends in the middle of a field");
            }
            boolean inline = frames[depth] == Frame.INLINE;
            depth--;
            return inline ? null : close(JsonToken.END_OBJECT);
        }
        tag = in.tag();
        MessageField next = Objects.requireNonNull(types[depth]).field(tag >>> 3);
        MessageField.Kind kind = next.kind();
        if (kind == MessageField.Kind.SKIPPED) {
            in.skip(tag, end);
            return null;
        }
        boolean delimited = (tag & 7) == ProtobufBytes.DELIMITED;
        if (kind != MessageField.Kind.PRESENCE && (kind.isDelimited() ? !delimited : (tag & 7) != 0)) {
            throw in.malformed("field " + (tag >>> 3) + ", " + next.name() + ", has the wire type " + (tag & 7));
        }
        if (kind == MessageField.Kind.INLINE) {
            push(Frame.INLINE, next.type(), in.delimited(end));
            return null;
        }
        context.setCurrentName(next.name());
        field = next;
        return JsonToken.FIELD_NAME;
    }

    private JsonToken begin(MessageField named) throws IOException {
        if (!named.repeated() && !named.kind().isMap()) {
            return value(named);
        }
        boolean map = named.kind().isMap();
        push(map ? Frame.MAP : Frame.LIST, null, ends[depth]);
        fields[depth] = named;
        tags[depth] = tag;
        element = true;
        if (map) {
            return openObject();
        }
        context = context.createChildArrayContext(-1, -1);
        return JsonToken.START_ARRAY;
    }

    private JsonToken nextElement() throws IOException {
        if (!isAtElement()) {
            depth--;
            return close(JsonToken.END_ARRAY);
        }
        context.expectComma();
        return value(Objects.requireNonNull(fields[depth]));
    }

    private JsonToken nextEntry() throws IOException {
        if (entry) {
            entry = false;
            return JsonToken.VALUE_STRING;
        }
        if (!isAtElement()) {
            depth--;
            return close(JsonToken.END_OBJECT);
        }
        context.setCurrentName(value.readEntry(Objects.requireNonNull(fields[depth]), ends[depth]));
        entry = true;
        return JsonToken.FIELD_NAME;
    }

    /** Moves to the next element of a list or map, if there is one. */
    private boolean isAtElement() throws IOException {
        if (element) {
            element = false;
            return true;
        }
        int before = in.position();
        if (before >= ends[depth]) {
            return false;
        }
        if (in.tag() == tags[depth]) {
            return true;
        }
        in.moveTo(before);
        return false;
    }

    private JsonToken value(MessageField of) throws IOException {
        int end = ends[depth];
        switch (of.kind()) {
            case STRING -> {
                value.readText(end);
                return JsonToken.VALUE_STRING;
            }
            case BOOL -> {
                return in.varint() == 0 ? JsonToken.VALUE_FALSE : JsonToken.VALUE_TRUE;
            }
            case INTEGER -> {
                value.readNumber();
                return JsonToken.VALUE_NUMBER_INT;
            }
            case MESSAGE -> {
                push(Frame.MESSAGE, of.type(), in.delimited(end));
                return openObject();
            }
            case TIME -> {
                return value.readTime(in.delimited(end)) ? JsonToken.VALUE_STRING : JsonToken.VALUE_NULL;
            }
            default -> {
                in.skip(tag, end);
                return JsonToken.VALUE_EMBEDDED_OBJECT;
            }
        }
    }

    private void push(Frame frame, @Nullable MessageType type, int end) {
        depth++;
        frames[depth] = frame;
        types[depth] = type;
        ends[depth] = end;
    }

    private JsonToken openObject() {
        context = context.createChildObjectContext(-1, -1);
        return JsonToken.START_OBJECT;
    }

    private JsonToken close(JsonToken token) {
        context = context.clearAndGetParent();
        return token;
    }

    /** Skips the content of the current object or list, and returns its end token; else the current token. */
    @Nullable
    JsonToken skipChildren() throws IOException {
        if (current == JsonToken.START_OBJECT && frames[depth] == Frame.MESSAGE) {
            in.moveTo(ends[depth]);
            depth--;
            current = close(JsonToken.END_OBJECT);
        } else if (current == JsonToken.START_OBJECT || current == JsonToken.START_ARRAY) {
            while (isAtElement()) {
                in.moveTo(in.delimited(ends[depth]));
            }
            depth--;
            current = close(current == JsonToken.START_OBJECT ? JsonToken.END_OBJECT : JsonToken.END_ARRAY);
        }
        return current;
    }

    /** Creates an image of the message that begins at the current token. */
    void take(MessageImage image) throws MalformedProtobufException {
        if (current != JsonToken.START_OBJECT || frames[depth] != Frame.MESSAGE) {
            throw in.malformed("not the start of a message");
        }
        image.take(Objects.requireNonNull(types[depth]), in.bytes(), in.position(), ends[depth]);
    }

    boolean isTime() {
        return current == JsonToken.VALUE_STRING && value.isTime();
    }

    /** The number of the token, or the epoch milliseconds of the time. */
    long number() {
        return value.number();
    }

    int position() {
        return in.position();
    }

    JsonReadContext context() {
        return context;
    }

    MalformedProtobufException malformed(String problem) {
        return in.malformed(problem);
    }

    /** The text of a token; a description if it has none. */
    String text() throws IOException {
        if (current == JsonToken.VALUE_STRING) {
            return value.text();
        }
        if (current == JsonToken.FIELD_NAME) {
            return context.getCurrentName();
        }
        if (current == JsonToken.VALUE_NUMBER_INT) {
            return Long.toString(value.number());
        }
        String word = current == null ? null : current.asString();
        return word == null ? "something" : word;
    }

    /**
     * The token volume that API servers since v1.21 add to pods. The generated suffix of its name is dropped, because it differs
     * between pods: {@link PodVolume}.
     */
    static final class TokenVolume {
        private static final byte[] PREFIX = (PodVolume.TOKEN + "-").getBytes(StandardCharsets.US_ASCII);
        private static final int GENERATED = 5;
        private static final int LENGTH = PREFIX.length + GENERATED;
        private static final byte SOURCE = 2 << 3 | ProtobufBytes.DELIMITED;
        /** The tag of {@code projected}, number 26, has two bytes. */
        private static final byte[] PROJECTED = {(byte) 0xd2, 1};

        private TokenVolume() {}

        /**
         * The length of the generated suffix of a name, 0 for none.
         *
         * @param message with a volume in it, whose name precedes its source
         * @param nameEnd the end of the name
         * @param end the end of the volume
         */
        static int generatedSuffix(byte[] message, int nameEnd, int end) {
            int name = nameEnd - LENGTH;
            boolean named = name > 0
                    && message[name - 1] == LENGTH
                    && Arrays.equals(message, name, name + PREFIX.length, PREFIX, 0, PREFIX.length);
            if (!named || nameEnd >= end || message[nameEnd] != SOURCE) {
                return 0;
            }
            int source = nameEnd + 1;
            while (source < end && message[source] < 0) {
                source++;
            }
            source++;
            boolean projected = source + PROJECTED.length <= end
                    && Arrays.equals(message, source, source + PROJECTED.length, PROJECTED, 0, PROJECTED.length);
            return projected ? GENERATED : 0;
        }
    }

    /** A position in protobuf bytes. Not thread-safe. */
    static final class ProtobufBytes {
        private static final int VARINT = 0;
        private static final int FIXED64 = 1;
        static final int DELIMITED = 2;
        private static final int FIXED32 = 5;
        private static final int MAX_VARINT_BITS = 64;

        private byte[] bytes = new byte[0];
        private int at;
        private int limit;

        /** Moves to the beginning of other bytes. */
        void start(byte[] newBytes, int from, int to) {
            bytes = newBytes;
            at = from;
            limit = to;
        }

        byte[] bytes() {
            return bytes;
        }

        int position() {
            return at;
        }

        /** Moves to another position in the same bytes. */
        void moveTo(int position) {
            at = position;
        }

        long varint() throws MalformedProtobufException {
            if (at < limit && bytes[at] >= 0) {
                return bytes[at++];
            }
            long value = 0;
            for (int shift = 0; shift < MAX_VARINT_BITS && at < limit; shift += 7) {
                byte next = bytes[at++];
                value |= (long) (next & 0x7f) << shift;
                if (next >= 0) {
                    return value;
                }
            }
            throw malformed("a number does not end");
        }

        /** The field number and wire type of the next field. */
        int tag() throws MalformedProtobufException {
            long tag = varint();
            if (tag >>> 3 == 0 || tag >>> 3 > 0x1fff_ffff) {
                throw malformed("no field has the number " + (tag >>> 3));
            }
            return (int) tag;
        }

        /** Reads a length and returns the end of the value, which begins at the position then. */
        int delimited(int end) throws MalformedProtobufException {
            long length = varint();
            if (length < 0 || length > end - at) {
                throw malformed("something of " + Long.toUnsignedString(length) + " bytes ends after what it is in");
            }
            return at + (int) length;
        }

        /** Skips the value of a field. */
        void skip(int tag, int end) throws MalformedProtobufException {
            switch (tag & 7) {
                case VARINT -> varint();
                case FIXED64 -> skipBytes(Long.BYTES, end);
                case DELIMITED -> at = delimited(end);
                case FIXED32 -> skipBytes(Integer.BYTES, end);
                default -> throw malformed("field " + (tag >>> 3) + " has the wire type " + (tag & 7));
            }
            if (at > end) {
                throw malformed("a field ends after what it is in");
            }
        }

        private void skipBytes(int count, int end) throws MalformedProtobufException {
            if (count > end - at) {
                throw malformed("a field ends after what it is in");
            }
            at += count;
        }

        String text(int from, int to) {
            return from == to ? "" : new String(bytes, from, to - from, StandardCharsets.UTF_8);
        }

        MalformedProtobufException malformed(String problem) {
            return new MalformedProtobufException("malformed protobuf at byte " + at + ": " + problem);
        }
    }

    /** The current value of {@link ProtobufTokens}; its text is decoded lazily. */
    private static final class ProtobufValue {
        private static final int KEY = 1;
        private static final int VALUE = 2;
        private static final int QUANTITY_TEXT = 1;
        private static final int TIME_SECONDS = 1;
        private static final int MILLIS = 1000;

        private final ProtobufBytes in;
        private int textFrom;
        private int textTo;
        private @Nullable String text;
        private long number;
        private boolean time;

        ProtobufValue(ProtobufBytes in) {
            this.in = in;
        }

        /** Reads the next text. */
        void readText(int end) throws IOException {
            int to = in.delimited(end);
            text(in.position(), to);
            in.moveTo(to);
        }

        void readNumber() throws IOException {
            number = in.varint();
        }

        /** Reads an entry of a map: returns its key; its value becomes the text. */
        String readEntry(MessageField map, int within) throws IOException {
            int end = in.delimited(within);
            String key = "";
            text(0, 0);
            while (in.position() < end) {
                int part = in.tag();
                if (part == (KEY << 3 | ProtobufBytes.DELIMITED)) {
                    int to = in.delimited(end);
                    key = in.text(in.position(), to);
                    in.moveTo(to);
                } else if (part == (VALUE << 3 | ProtobufBytes.DELIMITED)) {
                    int to = in.delimited(end);
                    if (map.kind() == MessageField.Kind.QUANTITY_MAP) {
                        quantity(to);
                    } else {
                        text(in.position(), to);
                    }
                    in.moveTo(to);
                } else {
                    in.skip(part, end);
                }
            }
            if (in.position() > end) {
                throw in.malformed("an entry of " + map.name() + " ends in the middle of a field");
            }
            if (map.kind() == MessageField.Kind.QUANTITY_MAP && textFrom == textTo) {
                text = "0";
            }
            return key;
        }

        private void quantity(int end) throws IOException {
            while (in.position() < end) {
                int part = in.tag();
                if (part == (QUANTITY_TEXT << 3 | ProtobufBytes.DELIMITED)) {
                    readText(end);
                } else {
                    in.skip(part, end);
                }
            }
        }

        /** Reads a time up to its end; false if it is invalid. */
        boolean readTime(int end) throws IOException {
            if (in.position() == end) {
                return false;
            }
            number = 0;
            while (in.position() < end) {
                int part = in.tag();
                if (part == TIME_SECONDS << 3) {
                    number = in.varint();
                } else {
                    in.skip(part, end);
                }
            }
            if (in.position() > end) {
                throw in.malformed("a time ends in the middle of a field");
            }
            text(0, 0);
            try {
                number = Math.multiplyExact(number, MILLIS);
            } catch (ArithmeticException e) {
                throw in.malformed("no time is " + number + " s away from 1970");
            }
            time = true;
            return true;
        }

        private void text(int from, int to) {
            textFrom = from;
            textTo = to;
            text = null;
            time = false;
        }

        /** Whether it is a time, which has a number and a text. */
        boolean isTime() {
            return time;
        }

        /** The number, or the epoch milliseconds of the time. */
        long number() {
            return number;
        }

        String text() throws IOException {
            String known = text;
            if (known == null) {
                known = time ? timeText() : in.text(textFrom, textTo);
                text = known;
            }
            return known;
        }

        private String timeText() throws MalformedProtobufException {
            try {
                return Instant.ofEpochMilli(number).toString();
            } catch (DateTimeException e) {
                throw in.malformed("no time is " + number + " ms away from 1970");
            }
        }
    }
}
