package io.policyscheduler.engine.document;

import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A strict JSON parser that preserves duplicate keys and positions, with the error messages of Go's {@code encoding/json}. */
final class JsonParser {
    private static final int MAX_DEPTH = 1000;

    private final byte[] text;
    private final TextLines lines;
    private int head;

    private JsonParser(byte[] text) {
        this.text = text;
        this.lines = new TextLines(text);
    }

    static SourceNode parse(String text) throws DocumentException {
        JsonParser parser = new JsonParser(goText(text).getBytes(StandardCharsets.UTF_8));
        SourceNode value = parser.value(0);
        parser.skipSpace();
        if (parser.head < parser.text.length) {
            throw parser.unexpected("after top-level value");
        }
        return value;
    }

    /** Go replaces each byte that is not valid UTF-8. */
    private static String goText(String text) {
        return TextInput.hasUndecoded(text) ? text.replaceAll("[\ud800-\udfff]", "\ufffd") : text;
    }

    private SourceNode value(int depth) throws DocumentException {
        skipSpace();
        SourcePosition position = lines.at(head);
        if (depth > MAX_DEPTH) {
            throw new DocumentException("exceeded max depth", position);
        }
        byte c = peek();
        return switch (c) {
            case '{' -> object(depth, position);
            case '[' -> array(depth, position);
            case '"' -> SourceNode.scalar(SourceNode.Kind.STRING, string(), position);
            case 't' -> SourceNode.scalar(SourceNode.Kind.BOOL, literal("true"), position);
            case 'f' -> SourceNode.scalar(SourceNode.Kind.BOOL, literal("false"), position);
            case 'n' -> SourceNode.scalar(SourceNode.Kind.NULL, literal("null"), position);
            default -> {
                if (c != '-' && !digit(c)) {
                    throw unexpected("looking for beginning of value");
                }
                yield SourceNode.scalar(SourceNode.Kind.NUMBER, number(), position);
            }
        };
    }

    private SourceNode object(int depth, SourcePosition position) throws DocumentException {
        List<SourceNode.Member> members = new ArrayList<>();
        head++;
        skipSpace();
        if (peek() == '}') {
            head++;
            return SourceNode.object(members, position);
        }
        while (true) {
            skipSpace();
            SourcePosition keyPosition = lines.at(head);
            if (peek() != '"') {
                throw unexpected("looking for beginning of object key string");
            }
            String key = string();
            skipSpace();
            if (peek() != ':') {
                throw unexpected("after object key");
            }
            head++;
            members.add(new SourceNode.Member(key, keyPosition, value(depth + 1)));
            skipSpace();
            byte c = peek();
            if (c != ',' && c != '}') {
                throw unexpected("after object key:value pair");
            }
            head++;
            if (c == '}') {
                return SourceNode.object(members, position);
            }
        }
    }

    private SourceNode array(int depth, SourcePosition position) throws DocumentException {
        List<SourceNode> items = new ArrayList<>();
        head++;
        skipSpace();
        if (peek() == ']') {
            head++;
            return SourceNode.array(items, position);
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
                return SourceNode.array(items, position);
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
        if (head < text.length && text[head] == '.') {
            head++;
            if (!digit(peek())) {
                throw unexpected("after decimal point in numeric literal");
            }
            digits();
        }
        if (head < text.length && (text[head] == 'e' || text[head] == 'E')) {
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
        while (head < text.length && digit(text[head])) {
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
        while (head < text.length && " \t\r\n".indexOf(text[head]) >= 0) {
            head++;
        }
    }

    private byte peek() throws DocumentException {
        if (head >= text.length) {
            throw new DocumentException("unexpected end of JSON input", lines.at(head));
        }
        return text[head];
    }

    private static boolean digit(byte c) {
        return c >= '0' && c <= '9';
    }

    private DocumentException unexpected(String context) {
        return new DocumentException(
                "invalid character " + GoText.quoteByte(text[head]) + " " + context, lines.at(head));
    }

    /** Lines and columns of a text in UTF-8; columns count characters, not bytes. */
    static final class TextLines {
        private final byte[] text;
        private final int[] starts;

        TextLines(byte[] text) {
            this.text = text;
            this.starts = IntStream.concat(
                            IntStream.of(0),
                            IntStream.range(0, text.length)
                                    .filter(i -> text[i] == '\n')
                                    .map(i -> i + 1))
                    .toArray();
        }

        SourcePosition at(int offset) {
            int found = Arrays.binarySearch(starts, offset);
            int line = found >= 0 ? found : -found - 2;
            int column = 1;
            for (int i = starts[line]; i < Math.min(offset, text.length); i++) {
                boolean continuation = (text[i] & 0xC0) == 0x80;
                column += continuation ? 0 : 1;
            }
            return new SourcePosition(line + 1, column);
        }
    }
}
