package io.policyscheduler.engine.cluster;

import java.util.regex.Pattern;

/**
 * Sanitizes text from cluster data for output. Users of a cluster choose names and annotations of objects, so control characters,
 * bidirectional and invisible characters are escaped. Passwords in URLs are masked.
 */
public final class VisibleText {
    /** In the format of Go's HTTP client: {@code http://user:***@host}. */
    private static final Pattern PASSWORD = Pattern.compile("(://[^/\\s:@\"']*):[^/\\s\"']+@");

    private VisibleText() {}

    /** Whether every character is visible; false for line breaks. */
    public static boolean isVisible(String text) {
        return firstHidden(text, "") == text.length();
    }

    /** Escapes invisible characters as a backslash, u and four digits, except line breaks and tabs. */
    public static String lines(String text) {
        return escaped(text, "\n\t");
    }

    /** Escapes invisible characters as a backslash, u and four digits. */
    public static String line(String text) {
        return escaped(text, "");
    }

    private static String escaped(String text, String allowed) {
        int hidden = firstHidden(text, allowed);
        if (hidden == text.length()) {
            return text;
        }
        StringBuilder visible = new StringBuilder(text.length() + 16).append(text, 0, hidden);
        text.substring(hidden).codePoints().forEach(point -> {
            if (!isHidden(point) || allowed.indexOf(point) >= 0) {
                visible.appendCodePoint(point);
            } else {
                for (char unit : Character.toChars(point)) {
                    visible.append("\\u").append(String.format("%04x", (int) unit));
                }
            }
        });
        return visible.toString();
    }

    /** The index of the first character to escape; the length if there is none. Reports have millions of texts without any. */
    private static int firstHidden(String text, String allowed) {
        int at = 0;
        while (at < text.length()) {
            char unit = text.charAt(at);
            if (unit < ' ' || unit >= 0x7f) {
                int point = text.codePointAt(at);
                if (isHidden(point) && allowed.indexOf(point) < 0) {
                    return at;
                }
                at += Character.charCount(point);
            } else {
                at++;
            }
        }
        return at;
    }

    private static boolean isHidden(int point) {
        if (point >= ' ' && point < 0x7f) {
            return false;
        }
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }

    /** Replaces each password in a URL by {@code ***}. */
    public static String withoutPasswords(String text) {
        return text.contains("://") ? PASSWORD.matcher(text).replaceAll("$1:***@") : text;
    }
}
