package io.policyscheduler.engine.cluster;

import java.util.regex.Pattern;

/**
 * Text from data as people may be shown it. Whoever creates objects in a cluster chooses their names and annotations; what a
 * terminal obeys (control characters) or what shows a line other than it is (bidirectional and invisible characters) must not
 * come from there, nor must passwords be repeated.
 */
public final class VisibleText {
    /** As Go's HTTP client: {@code http://user:***@host}. */
    private static final Pattern PASSWORD = Pattern.compile("(://[^/\\s:@\"']*):[^/\\s\"']+@");

    private VisibleText() {}

    /** Whether every character is shown as what it is; a line break is not. */
    public static boolean isVisible(String text) {
        return firstHidden(text, "") == text.length();
    }

    /** Line breaks and tabs stay, everything else that is not visible is written as a backslash, u and four digits. */
    public static String lines(String text) {
        return escaped(text, "\n\t");
    }

    /** Everything that is not visible is written as a backslash, u and four digits. */
    public static String line(String text) {
        return escaped(text, "");
    }

    private static String escaped(String text, String kept) {
        int hidden = firstHidden(text, kept);
        if (hidden == text.length()) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length() + 16).append(text, 0, hidden);
        text.substring(hidden).codePoints().forEach(point -> {
            if (!isHidden(point) || kept.indexOf(point) >= 0) {
                shown.appendCodePoint(point);
            } else {
                for (char unit : Character.toChars(point)) {
                    shown.append("\\u").append(String.format("%04x", (int) unit));
                }
            }
        });
        return shown.toString();
    }

    /** Where the first character is that cannot stay as it is; the length if there is none. Results have millions of them. */
    private static int firstHidden(String text, String kept) {
        int at = 0;
        while (at < text.length()) {
            char unit = text.charAt(at);
            if (unit < ' ' || unit >= 0x7f) {
                int point = text.codePointAt(at);
                if (isHidden(point) && kept.indexOf(point) < 0) {
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

    /** The text with {@code ***} for each password in a URL. */
    public static String withoutPasswords(String text) {
        return text.contains("://") ? PASSWORD.matcher(text).replaceAll("$1:***@") : text;
    }
}
