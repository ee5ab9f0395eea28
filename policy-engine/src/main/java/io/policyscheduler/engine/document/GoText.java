package io.policyscheduler.engine.document;

import java.util.List;

/** Formats values as Go's fmt and strconv packages do. */
public final class GoText {
    private GoText() {}

    /** {@code %q}. */
    public static String quote(String value) {
        StringBuilder text = new StringBuilder("\"");
        value.codePoints().forEach(c -> appendQuoted(text, c, '"'));
        return text.append('"').toString();
    }

    /** A byte in single quotes, as in error messages of encoding/json. */
    static String quoteByte(byte value) {
        if (value == '\'') {
            return "'\\''";
        }
        StringBuilder text = new StringBuilder("'");
        appendQuoted(text, value & 0xFF, '\'');
        return text.append('\'').toString();
    }

    /** A list as {@code %v} shows it: {@code [a b]}. */
    public static String list(List<String> values) {
        return "[" + String.join(" ", values) + "]";
    }

    /** The offset of the first invalid byte of a base64 text, or -1. Line breaks are allowed. */
    public static int badBase64(String text) {
        int symbols = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r') {
                continue;
            }
            if (c == '=') {
                return badPadding(text, i, symbols);
            }
            boolean symbol =
                    (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
            if (!symbol) {
                return i;
            }
            symbols++;
        }
        return symbols % 4 == 0 ? -1 : text.length() - symbols % 4;
    }

    private static int badPadding(String text, int start, int symbols) {
        int missing = (4 - symbols % 4) % 4;
        String rest = text.substring(start).replace("\n", "").replace("\r", "");
        if (missing != 1 && missing != 2) {
            return start;
        }
        return rest.equals("=".repeat(missing)) ? -1 : Math.min(start + missing, text.length());
    }

    private static void appendQuoted(StringBuilder text, int c, char quote) {
        int named = "\u0007\b\f\n\r\t\u000b\\".indexOf(c);
        if (named >= 0) {
            text.append('\\').append("abfnrtv\\".charAt(named));
        } else if (c == quote) {
            text.append('\\').append(quote);
        } else if (c < ' ' || c == 0x7f) {
            text.append(String.format("\\x%02x", c));
        } else if (c < 0xa0 && c > 0x7f) {
            text.append(String.format("\\u%04x", c));
        } else {
            text.appendCodePoint(c);
        }
    }
}
