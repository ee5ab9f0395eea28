package io.policyscheduler.framework.devices.cel;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** {@code string.format}, which writes values into a text. Mirrors {@code ext/formatting_v2.go} of cel-go. */
final class StringFormat {
    private StringFormat() {}

    static FunctionSet functions() {
        return new FunctionSet()
                .member(
                        "format",
                        SimpleType.STRING,
                        List.of(SimpleType.STRING, ListType.create(SimpleType.DYN)),
                        a -> format((String) a[0], (List<?>) a[1]));
    }

    private static String format(String text, List<?> values) {
        StringBuilder out = new StringBuilder();
        int next = 0;
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != '%') {
                out.append(c);
                continue;
            }
            if (at < text.length() && text.charAt(at) == '%') {
                out.append('%');
                at++;
                continue;
            }
            int precision = 6;
            if (at < text.length() && text.charAt(at) == '.') {
                int start = ++at;
                while (at < text.length() && Character.isDigit(text.charAt(at)) && at - start < 3) {
                    at++;
                }
                precision = start == at ? 0 : Integer.parseInt(text.substring(start, at));
            }
            if (at == text.length()) {
                throw new FunctionFailure("could not parse formatting clause: unexpected end of string");
            }
            if (next == values.size()) {
                throw new FunctionFailure("index " + next + " out of range");
            }
            out.append(clause(text.charAt(at++), precision, values.get(next++)));
        }
        return out.toString();
    }

    private static String clause(char verb, int precision, Object value) {
        return switch (verb) {
            case 's' -> shown(value);
            case 'd' -> {
                if (!(value instanceof Number) || (value instanceof Double d && Double.isFinite(d))) {
                    throw new FunctionFailure("error during formatting: decimal clause can only be used on integers");
                }
                yield value.toString();
            }
            case 'f' -> String.format(Locale.ROOT, "%." + precision + "f", number(value));
            case 'e' -> String.format(Locale.ROOT, "%." + precision + "e", number(value));
            case 'b' -> value instanceof Boolean b ? (b ? "1" : "0") : Long.toBinaryString(integer(value));
            case 'o' -> Long.toOctalString(integer(value));
            case 'x' -> Long.toHexString(integer(value));
            case 'X' -> Long.toHexString(integer(value)).toUpperCase(Locale.ROOT);
            default ->
                throw new FunctionFailure(
                        "could not parse formatting clause: unrecognized formatting clause \"" + verb + "\"");
        };
    }

    private static double number(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        throw new FunctionFailure("error during formatting: fixed-point clause can only be used on numbers");
    }

    private static long integer(Object value) {
        if (value instanceof Long || value instanceof UnsignedLong) {
            return ((Number) value).longValue();
        }
        throw new FunctionFailure("error during formatting: only integers can be formatted so");
    }

    private static String shown(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(StringFormat::shown).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, String> sorted = new TreeMap<>();
            map.forEach((k, v) -> sorted.put(shown(k), shown(v)));
            return sorted.entrySet().stream()
                    .map(e -> e.getKey() + ": " + e.getValue())
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof Double d && d == Math.rint(d) && Math.abs(d) < 1e15) {
            return Long.toString(d.longValue());
        }
        return value.toString();
    }
}
