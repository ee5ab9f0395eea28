package io.policyscheduler.cmd.kube.watch;

import java.nio.charset.StandardCharsets;

/**
 * A way through the bytes of JSON that knows strings, escapes and nesting, of any length and depth, and believes everything else.
 * Finds where things are in objects that a parser refuses. Never fails: what is no JSON has no fields.
 */
final class JsonBytes {
    /** Names and versions of objects have a few hundred bytes; more is cut off. */
    private static final int MAX_TEXT = 4096;

    private final byte[] bytes;
    private final int end;
    private int at;
    private int keyStart;
    private int keyEnd;

    JsonBytes(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.at = from;
        this.end = to;
    }

    /** Where it stands: on the first byte of a value, after {@link #nextField()}. */
    int position() {
        return at;
    }

    /** Steps into the value if it is an object. */
    boolean enterObject() {
        skipBlanks();
        if (at < end && bytes[at] == '{') {
            at++;
            return true;
        }
        return false;
    }

    /** Steps onto the value of the next field; false at the end of the object. The value before must have been passed. */
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

    /** True when the field is called so; plain ASCII. */
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

    /** Passes the value; its text if it is a string, with escapes as they are written, else nothing. */
    String text() {
        int start = at;
        skipValue();
        if (at - start < 2 || bytes[start] != '"') {
            return "";
        }
        int length = Math.min(at - start - 2, MAX_TEXT);
        return new String(bytes, start + 1, length, StandardCharsets.UTF_8);
    }

    /** Passes the value; what it counts, and 0 if it is no whole number or a negative one. */
    long count() {
        int start = at;
        skipValue();
        try {
            return Math.max(0, Long.parseLong(new String(bytes, start, at - start, StandardCharsets.UTF_8).strip()));
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
                    // Part of a number or a word, or between values.
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
