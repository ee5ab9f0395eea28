package io.policyscheduler.engine.policy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes JSON into the shape of a Go type, with the outcome and the error texts of json-iterator in its case-sensitive
 * configuration.
 */
final class ShapeDecoder {
    /** Structs with more fields are decoded by another routine, with other error texts. */
    private static final int MAX_HASHED_FIELDS = 10;

    private final byte[] text;
    private final JsonIterator iterator;
    private final PositionMap positions;
    private final boolean strict;

    private ShapeDecoder(byte[] text, PositionMap positions, boolean strict) {
        this.text = text;
        this.iterator = new JsonIterator(text);
        this.positions = positions;
        this.strict = strict;
    }

    /**
     * Decodes a struct.
     *
     * @param strict refuse unknown fields
     * @throws DocumentException with the text of json-iterator
     */
    static RawObject decode(String text, TypeShape shape, PositionMap positions, boolean strict)
            throws DocumentException {
        ShapeDecoder decoder = new ShapeDecoder(text.getBytes(StandardCharsets.UTF_8), positions, strict);
        RawObject result = decoder.struct(shape);
        if (decoder.iterator.nextToken() != 0) {
            decoder.iterator.report("Unmarshal", "there are bytes left after unmarshal");
        }
        String error = decoder.iterator.error();
        if (error != null) {
            throw new DocumentException(error, positions.at(decoder.iterator.errorOffset()));
        }
        return result;
    }

    private SourcePosition here() {
        int c = iterator.nextToken();
        int offset = c == 0 ? iterator.head() : iterator.head() - 1;
        iterator.unreadByte();
        return positions.at(offset);
    }

    private @Nullable Object value(TypeShape type) {
        return switch (type.kind()) {
            case STRING -> iterator.readString();
            case BOOL -> iterator.readNull() ? null : iterator.readBool();
            case INT32 -> iterator.readNull() ? null : iterator.readInteger(32);
            case INT64 -> iterator.readNull() ? null : iterator.readInteger(64);
            case BYTES -> bytes();
            case LIST -> list(type);
            case ANY -> anything();
            case STRUCT -> type.standardDecoding() ? standard(type) : struct(type);
        };
    }

    private @Nullable String bytes() {
        if (iterator.readNull()) {
            return null;
        }
        String base64 = iterator.readString();
        int bad = StandardJson.badBase64(base64);
        if (bad >= 0) {
            iterator.report("base64Codec", "illegal base64 data at input byte " + bad);
        }
        return base64;
    }

    private @Nullable List<Object> list(TypeShape type) {
        List<Object> items = items(type.elementType());
        iterator.wrapError(type.goName() + ": ");
        return items;
    }

    private @Nullable List<Object> items(TypeShape element) {
        int c = iterator.nextToken();
        if (c == 'n') {
            iterator.unreadByte();
            iterator.readNull();
            return null;
        }
        List<Object> items = new ArrayList<>();
        if (c != '[') {
            iterator.report("decode slice", "expect [ or n, but found " + JsonIterator.show(c));
            return items;
        }
        if (iterator.nextToken() == ']') {
            return items;
        }
        iterator.unreadByte();
        do {
            SourcePosition position = iterator.error() == null ? here() : SourcePosition.UNKNOWN;
            Object item = value(element);
            items.add(item == null ? new RawObject(position) : item);
            c = iterator.nextToken();
        } while (c == ',');
        if (c != ']') {
            iterator.report("decode slice", "expect ], but found " + JsonIterator.show(c));
        }
        return items;
    }

    private @Nullable JsonNode anything() {
        iterator.nextToken();
        iterator.unreadByte();
        int start = iterator.head();
        boolean sound = iterator.error() == null;
        iterator.skip();
        if (!sound) {
            return null;
        }
        try {
            return GoJsonParser.parse(text, start, iterator.head(), positions);
        } catch (DocumentException e) {
            iterator.report("Read", e.text());
            return null;
        }
    }

    private RawObject standard(TypeShape type) {
        iterator.nextToken();
        iterator.unreadByte();
        int start = iterator.head();
        boolean sound = iterator.error() == null;
        iterator.skip();
        RawObject object = new RawObject(positions.at(start));
        if (!sound) {
            return object;
        }
        try {
            return StandardJson.decode(GoJsonParser.parse(text, start, iterator.head(), positions), type);
        } catch (DocumentException e) {
            iterator.report("unmarshalerDecoder", e.text());
            return object;
        }
    }

    private RawObject struct(TypeShape type) {
        RawObject object = new RawObject(iterator.error() == null ? here() : SourcePosition.UNKNOWN);
        if (!iterator.readObjectStart()) {
            return object;
        }
        if (strict || type.fields().size() > MAX_HASHED_FIELDS) {
            generalFields(type, object);
        } else {
            do {
                String key = iterator.readKey();
                TypeShape.Field field = key == null ? null : type.field(key);
                if (field == null) {
                    iterator.skip();
                } else {
                    field(field, object);
                }
            } while (!iterator.readObjectEnd());
            iterator.wrapError(type.goName() + ".");
        }
        return object;
    }

    private void generalFields(TypeShape type, RawObject object) {
        int c;
        do {
            String key = iterator.readString();
            TypeShape.Field field = type.field(key);
            if (field == null && strict) {
                iterator.report("ReadObject", "found unknown field: " + key);
            }
            c = iterator.nextToken();
            if (c != ':') {
                iterator.report("ReadObject", "expect : after object field, but found " + JsonIterator.show(c));
            }
            if (field == null) {
                iterator.skip();
            } else {
                field(field, object);
            }
            c = iterator.nextToken();
        } while (c == ',');
        iterator.wrapError(type.goName() + ".");
        if (c != '}') {
            iterator.report("struct Decode", "expect }, but found " + JsonIterator.show(c));
        }
    }

    private void field(TypeShape.Field field, RawObject object) {
        SourcePosition position = iterator.error() == null ? here() : SourcePosition.UNKNOWN;
        Object value = field.pointer() && iterator.readNull() ? null : value(field.type());
        object.put(field, value, position);
        for (int i = field.goName().size() - 1; i >= 0; i--) {
            iterator.wrapError(field.goName().get(i) + ": ");
        }
    }
}
