package io.policyscheduler.framework.devices.cel.function;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import java.util.List;

/** {@code charAt}, {@code substring}, {@code indexOf} and {@code lastIndexOf}, by characters. Mirrors {@code ext/strings.go} of cel-go. */
public final class TextFunctions {
    private static final List<CelType> TWO = List.of(SimpleType.STRING, SimpleType.STRING);
    private static final List<CelType> FROM = List.of(SimpleType.STRING, SimpleType.STRING, SimpleType.INT);

    private TextFunctions() {}

    /** The functions of expressions. */
    public static FunctionSet functions() {
        return new FunctionSet()
                .member(
                        "charAt",
                        SimpleType.STRING,
                        List.of(SimpleType.STRING, SimpleType.INT),
                        a -> charAt((String) a[0], (Long) a[1]))
                .member(
                        "substring",
                        SimpleType.STRING,
                        List.of(SimpleType.STRING, SimpleType.INT),
                        a -> substring((String) a[0], (Long) a[1], length((String) a[0])))
                .member(
                        "substring",
                        SimpleType.STRING,
                        List.of(SimpleType.STRING, SimpleType.INT, SimpleType.INT),
                        a -> part((String) a[0], (Long) a[1], (Long) a[2]))
                .member("indexOf", SimpleType.INT, TWO, a -> indexOf((String) a[0], (String) a[1], 0))
                .member("indexOf", SimpleType.INT, FROM, a -> indexOf((String) a[0], (String) a[1], (Long) a[2]))
                .member("lastIndexOf", SimpleType.INT, TWO, a -> lastIndexOf((String) a[0], (String) a[1]))
                .member(
                        "lastIndexOf",
                        SimpleType.INT,
                        FROM,
                        a -> lastIndexOf((String) a[0], (String) a[1], (Long) a[2]));
    }

    /** An empty text is wherever it is looked for. */
    private static long indexOf(String text, String part, long from) {
        if (part.isEmpty()) {
            return from;
        }
        require(from);
        if (from >= length(text)) {
            return -1;
        }
        int at = text.indexOf(part, text.offsetByCodePoints(0, (int) from));
        return at < 0 ? -1 : text.codePointCount(0, at);
    }

    private static long lastIndexOf(String text, String part) {
        return part.isEmpty() || text.isEmpty()
                ? length(text) - (part.isEmpty() ? 0 : 1)
                : lastIndexOf(text, part, length(text) - 1L);
    }

    /** @param from where the part begins at most; behind the text nothing is found */
    private static long lastIndexOf(String text, String part, long from) {
        if (part.isEmpty()) {
            return from;
        }
        require(from);
        if (from >= length(text)) {
            return -1;
        }
        int at = text.lastIndexOf(part, text.offsetByCodePoints(0, (int) from));
        return at < 0 ? -1 : text.codePointCount(0, at);
    }

    private static void require(long index) {
        if (index < 0) {
            throw new FunctionFailure("index out of range: " + index);
        }
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /** Behind the last character there is an empty one. */
    private static String charAt(String text, long index) {
        return index == length(text) ? "" : substring(text, index, index + 1);
    }

    private static String part(String text, long start, long end) {
        if (start > end) {
            throw new FunctionFailure("invalid substring range. start: " + start + ", end: " + end);
        }
        return substring(text, start, end);
    }

    private static String substring(String text, long start, long end) {
        int length = length(text);
        for (long index : new long[] {start, end}) {
            if (index < 0 || index > length) {
                throw new FunctionFailure("index out of range: " + index);
            }
        }
        return text.substring(text.offsetByCodePoints(0, (int) start), text.offsetByCodePoints(0, (int) end));
    }
}
