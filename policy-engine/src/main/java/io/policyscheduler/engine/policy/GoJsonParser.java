package io.policyscheduler.engine.policy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A strict JSON parser that keeps duplicate keys and positions and words its errors as Go's {@code encoding/json}.
 */
final class GoJsonParser {
    private static final int MAX_DEPTH = 1000;

    private final byte[] text;
    private final int end;
    private final PositionMap positions;
    private int head;

    private GoJsonParser(byte[] text, int start, int end, PositionMap positions) {
        this.text = text;
        this.head = start;
        this.end = end;
        this.positions = positions;
    }

    static JsonNode parse(byte[] text, PositionMap positions) throws DocumentException {
        return parse(text, 0, text.length, positions);
    }

    /** Parses the part of a text between two offsets. */
    static JsonNode parse(byte[] text, int start, int end, PositionMap positions) throws DocumentException {
        GoJsonParser parser = new GoJsonParser(text, start, end, positions);
        JsonNode value = parser.value(0);
        parser.skipSpace();
        if (parser.head < end) {
            throw parser.unexpected("after top-level value");
        }
        return value;
    }

    private JsonNode value(int depth) throws DocumentException {
        skipSpace();
        int start = head;
        SourcePosition position = positions.at(start);
        if (depth > MAX_DEPTH) {
            throw new DocumentException("exceeded max depth", position);
        }
        byte c = peek();
        return switch (c) {
            case '{' -> object(depth, start, position);
            case '[' -> array(depth, start, position);
            case '"' -> JsonNode.scalar(JsonNode.Kind.STRING, string(), start, position);
            case 't' -> JsonNode.scalar(JsonNode.Kind.BOOL, literal("true"), start, position);
            case 'f' -> JsonNode.scalar(JsonNode.Kind.BOOL, literal("false"), start, position);
            case 'n' -> JsonNode.scalar(JsonNode.Kind.NULL, literal("null"), start, position);
            default -> {
                if (c != '-' && !digit(c)) {
                    throw unexpected("looking for beginning of value");
                }
                yield JsonNode.scalar(JsonNode.Kind.NUMBER, number(), start, position);
            }
        };
    }

    private JsonNode object(int depth, int start, SourcePosition position) throws DocumentException {
        List<JsonNode.Member> members = new ArrayList<>();
        head++;
        skipSpace();
        if (peek() == '}') {
            head++;
            return new JsonNode(JsonNode.Kind.OBJECT, "", members, List.of(), start, position);
        }
        while (true) {
            skipSpace();
            SourcePosition keyPosition = positions.at(head);
            if (peek() != '"') {
                throw unexpected("looking for beginning of object key string");
            }
            String key = string();
            skipSpace();
            if (peek() != ':') {
                throw unexpected("after object key");
            }
            head++;
            members.add(new JsonNode.Member(key, keyPosition, value(depth + 1)));
            skipSpace();
            byte c = peek();
            if (c != ',' && c != '}') {
                throw unexpected("after object key:value pair");
            }
            head++;
            if (c == '}') {
                return new JsonNode(JsonNode.Kind.OBJECT, "", List.copyOf(members), List.of(), start, position);
            }
        }
    }

    private JsonNode array(int depth, int start, SourcePosition position) throws DocumentException {
        List<JsonNode> items = new ArrayList<>();
        head++;
        skipSpace();
        if (peek() == ']') {
            head++;
            return new JsonNode(JsonNode.Kind.ARRAY, "", List.of(), items, start, position);
        }
        while (true) {
            items.add(value(depth + 1));
            skipSpace();
            byte c = peek();
            if (c != ',' && c != ']') {
                throw unexpected("after array element");
            }
            head++;
            if (c == ']') {
                return new JsonNode(JsonNode.Kind.ARRAY, "", List.of(), List.copyOf(items), start, position);
            }
        }
    }

    private String string() throws DocumentException {
        head++;
        StringBuilder value = new StringBuilder();
        int plain = head;
        while (true) {
            byte c = peek();
            if (c >= 0 && c < ' ') {
                throw unexpected("in string literal");
            }
            if (c == '"' || c == '\\') {
                value.append(new String(text, plain, head - plain, StandardCharsets.UTF_8));
                head++;
                if (c == '"') {
                    return value.toString();
                }
                escape(value);
                plain = head;
            } else {
                head++;
            }
        }
    }

    private void escape(StringBuilder value) throws DocumentException {
        byte c = peek();
        int plain = "\"\\/bfnrt".indexOf(c);
        if (plain >= 0) {
            value.append("\"\\/\b\f\n\r\t".charAt(plain));
            head++;
            return;
        }
        if (c != 'u') {
            throw unexpected("in string escape code");
        }
        head++;
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int hex = Character.digit(peek(), 16);
            if (hex < 0) {
                throw unexpected("in \\u hexadecimal character escape");
            }
            code = code * 16 + hex;
            head++;
        }
        value.append((char) code);
    }

    private String number() throws DocumentException {
        int start = head;
        if (peek() == '-') {
            head++;
            if (!digit(peek())) {
                throw unexpected("in numeric literal");
            }
        }
        if (peek() == '0') {
            head++;
        } else {
            digits();
        }
        if (head < end && text[head] == '.') {
            head++;
            if (!digit(peek())) {
                throw unexpected("after decimal point in numeric literal");
            }
            digits();
        }
        if (head < end && (text[head] == 'e' || text[head] == 'E')) {
            head++;
            if (peek() == '+' || peek() == '-') {
                head++;
            }
            if (!digit(peek())) {
                throw unexpected("in exponent of numeric literal");
            }
            digits();
        }
        return new String(text, start, head - start, StandardCharsets.US_ASCII);
    }

    private void digits() {
        while (head < end && digit(text[head])) {
            head++;
        }
    }

    private String literal(String word) throws DocumentException {
        for (int i = 0; i < word.length(); i++) {
            if (peek() != word.charAt(i)) {
                throw unexpected("in literal " + word + " (expecting '" + word.charAt(i) + "')");
            }
            head++;
        }
        return word;
    }

    private void skipSpace() {
        while (head < end && " \t\r\n".indexOf(text[head]) >= 0) {
            head++;
        }
    }

    private byte peek() throws DocumentException {
        if (head >= end) {
            throw new DocumentException("unexpected end of JSON input", positions.at(head));
        }
        return text[head];
    }

    private static boolean digit(byte c) {
        return c >= '0' && c <= '9';
    }

    private DocumentException unexpected(String context) {
        return new DocumentException(
                "invalid character " + GoText.quoteByte(text[head]) + " " + context, positions.at(head));
    }
}
