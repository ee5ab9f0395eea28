package io.policyscheduler.engine.policy;

import java.util.List;

/** Words values as Go's fmt and strconv packages do. */
public final class GoText {
    private GoText() {}

    /** {@code %q}. */
    public static String quote(String value) {
        StringBuilder text = new StringBuilder("\"");
        value.codePoints().forEach(c -> appendQuoted(text, c, '"'));
        return text.append('"').toString();
    }

    /** A byte in single quotes, as encoding/json shows an unexpected character. */
    static String quoteByte(byte value) {
        if (value == '\'') {
            return "'\\''";
        }
        StringBuilder text = new StringBuilder("'");
        appendQuoted(text, value & 0xFF, '\'');
        return text.append('\'').toString();
    }

    /** A list as {@code %v} shows it: {@code [a b]}. */
    static String list(List<String> values) {
        return "[" + String.join(" ", values) + "]";
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
