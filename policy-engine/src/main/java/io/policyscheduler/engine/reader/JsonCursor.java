package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.reader.ObjectReader.InternCache;
import io.policyscheduler.engine.reader.ObjectReader.MalformedObjectException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A position in a token stream, with readers for fields of Kubernetes objects. A {@code null} value counts as an absent field.
 * Every handler must consume exactly its value.
 */
final class JsonCursor {
    /** Reads the value of one field. */
    interface FieldHandler {
        void field(String name, JsonCursor cursor) throws IOException;
    }

    /** Reads one element of an array. */
    interface ElementHandler {
        void element(JsonCursor cursor) throws IOException;
    }

    private final JsonParser parser;
    private final InternCache<String> strings;
    private final InternCache<Labels> labels;
    private final Arithmetic arithmetic;
    private final String place;

    JsonCursor(JsonParser parser, InternCache<String> strings, InternCache<Labels> labels, Arithmetic arithmetic) {
        this(parser, strings, labels, arithmetic, "");
    }

    /**
     * @param arithmetic parses quantities
     * @param place path of the object whose buffered fields the parser replays; empty for the outermost
     */
    JsonCursor(
            JsonParser parser,
            InternCache<String> strings,
            InternCache<Labels> labels,
            Arithmetic arithmetic,
            String place) {
        this.parser = parser;
        this.strings = strings;
        this.labels = labels;
        this.arithmetic = arithmetic;
        this.place = place;
    }

    JsonParser parser() {
        return parser;
    }

    /** Calls the handler for each field that is not null. */
    void object(FieldHandler handler) throws IOException {
        expect(JsonToken.START_OBJECT, "an object");
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            String name = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_NULL) {
                handler.field(name, this);
            }
        }
    }

    /** Calls the handler for one field of an object, unless it is null or absent; skips the other fields. */
    void field(String name, ElementHandler handler) throws IOException {
        object((field, cursor) -> {
            if (field.equals(name)) {
                handler.element(cursor);
            } else {
                cursor.skip();
            }
        });
    }

    /** Calls the handler for each element that is not null. */
    void array(ElementHandler handler) throws IOException {
        expect(JsonToken.START_ARRAY, "a list");
        JsonToken token = parser.nextToken();
        while (token != JsonToken.END_ARRAY) {
            if (token == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            if (token != JsonToken.VALUE_NULL) {
                handler.element(this);
            }
            token = parser.nextToken();
        }
    }

    void skip() throws IOException {
        parser.skipChildren();
    }

    /** A string, interned. */
    String string() throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw mismatch("a string");
        }
        return strings.intern(parser.getText());
    }

    /** Interns a text from elsewhere. */
    String interned(String text) {
        return strings.intern(text);
    }

    /** A string that is not interned, such as a UID. */
    String uniqueString() throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw mismatch("a string");
        }
        return parser.getText();
    }

    boolean bool() throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> throw mismatch("true or false");
        };
    }

    int integer() throws IOException {
        long value = longInteger();
        if (value != (int) value) {
            throw mismatch("a 32-bit integer");
        }
        return (int) value;
    }

    long longInteger() throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw mismatch("an integer");
        }
        try {
            return parser.getLongValue();
        } catch (com.fasterxml.jackson.core.exc.InputCoercionException tooLarge) {
            throw mismatch("a 64-bit integer");
        }
    }

    /** The text of a quantity; a bare number is accepted, null is zero. */
    String quantityText() throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> strings.intern(parser.getText().strip());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getText();
            case VALUE_NULL -> "0";
            default -> throw mismatch("a quantity");
        };
    }

    /** A quantity rounded up to whole units. */
    long quantity() throws IOException {
        String text = quantityText();
        try {
            return arithmetic.value(text);
        } catch (IllegalArgumentException e) {
            throw new MalformedObjectException(path() + ": " + e.getMessage());
        }
    }

    /** Milli-units, rounded up. */
    long milliQuantity() throws IOException {
        String text = quantityText();
        try {
            return arithmetic.milliValue(text);
        } catch (IllegalArgumentException e) {
            throw new MalformedObjectException(path() + ": " + e.getMessage());
        }
    }

    /** An RFC 3339 time in epoch milliseconds. */
    long time() throws IOException {
        if (parser instanceof ProtobufParser binary && binary.isTime()) {
            return binary.timeMillis();
        }
        String text = uniqueString();
        try {
            return Instant.parse(text).toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw mismatch("a time");
        }
    }

    /** A time in epoch milliseconds; {@link PodInfo#NO_TIME} for null, an empty string, and an invalid time. */
    long timeOrNone() throws IOException {
        if (parser instanceof ProtobufParser binary && binary.isTime()) {
            return binary.timeMillis();
        }
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            skip();
            return PodInfo.NO_TIME;
        }
        try {
            return Instant.parse(uniqueString()).toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            return PodInfo.NO_TIME;
        }
    }

    List<String> strings() throws IOException {
        List<String> list = new ArrayList<>(4);
        array(c -> list.add(c.string()));
        return list;
    }

    /** A string map; null values become the empty string, as in Go. */
    Labels labels() throws IOException {
        expect(JsonToken.START_OBJECT, "an object");
        Map<String, String> map = new TreeMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            String name = strings.intern(parser.currentName());
            map.put(name, parser.nextToken() == JsonToken.VALUE_NULL ? "" : string());
        }
        return labels.intern(Labels.copyOf(map));
    }

    private void expect(JsonToken token, String what) throws IOException {
        if (parser.currentToken() != token) {
            throw mismatch(what);
        }
    }

    MalformedObjectException mismatch(String expected) throws IOException {
        JsonToken token = parser.currentToken();
        String found = switch (token == null ? JsonToken.NOT_AVAILABLE : token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> "\"" + abbreviated(parser.getText()) + "\"";
            case NOT_AVAILABLE -> "nothing";
            default -> abbreviated(parser.getText());
        };
        boolean bool = expected.equals("a string") && (found.equals("true") || found.equals("false"));
        return new MalformedObjectException(path() + ": expected " + expected + ", found " + found
                + (bool ? " (YAML reads y, n, yes, no, on, and off as booleans: write the text in quotes)" : ""));
    }

    private static String abbreviated(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "...";
    }

    /** The path of the cursor, e.g. {@code spec.containers[0].ports}. */
    String path() {
        JsonStreamContext context = parser.getParsingContext();
        JsonToken token = parser.currentToken();
        // The context of a start token is already that of the list or object.
        boolean inside = token == JsonToken.START_ARRAY || token == JsonToken.START_OBJECT;
        StringBuilder path = new StringBuilder(place);
        append(path, inside ? context.getParent() : context);
        return path.isEmpty() ? "object" : path.toString();
    }

    /** The path of a context; empty for the outermost. */
    static String path(@Nullable JsonStreamContext context) {
        StringBuilder path = new StringBuilder();
        append(path, context);
        return path.toString();
    }

    private static void append(StringBuilder path, @Nullable JsonStreamContext context) {
        if (context == null || context.inRoot()) {
            return;
        }
        append(path, context.getParent());
        if (context.inObject() && context.getCurrentName() != null) {
            path.append(path.isEmpty() ? "" : ".").append(context.getCurrentName());
        } else if (context.inArray() && !path.isEmpty()) {
            path.append('[').append(context.getCurrentIndex()).append(']');
        }
    }
}
