package io.policyscheduler.framework.devices.cel.function;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeType;
import dev.cel.common.values.CelByteString;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** {@code string.format}, which writes values into a text. Mirrors {@code ext/formatting_v2.go} of cel-go. */
public final class StringFormat {
    private static final Map<String, Double> NOT_FINITE =
            Map.of("NaN", Double.NaN, "Infinity", Double.POSITIVE_INFINITY, "-Infinity", Double.NEGATIVE_INFINITY);
    /** What has no form as a text. */
    private static final Set<String> UNSHOWN = Set.of(
            ValueTypes.SEMVER.name(),
            ValueTypes.QUANTITY.name(),
            ValueTypes.URL.name(),
            ValueTypes.IP.name(),
            ValueTypes.CIDR.name(),
            ValueTypes.FORMAT.name());

    private static final int NANO_DIGITS = 9;

    private StringFormat() {}

    /** The functions of expressions. */
    public static FunctionSet functions() {
        return new FunctionSet()
                .member(
                        "format",
                        SimpleType.STRING,
                        List.of(SimpleType.STRING, ListType.create(SimpleType.DYN)),
                        a -> format((String) a[0], (List<?>) a[1]));
    }

    private static String format(String text, List<?> values) {
        StringBuilder out = new StringBuilder();
        FormatClauses.read(text, values.size(), new FormatClauses.Reader() {
            @Override
            public void text(char c) {
                out.append(c);
            }

            @Override
            public void clause(char verb, int precision, int value) {
                out.append(written(verb, precision, values.get(value)));
            }
        });
        return out.toString();
    }

    private static String written(char verb, int precision, Object value) {
        return switch (verb) {
            case 's' -> shown(value);
            case 'f' -> NumberTexts.fixed(number(verb, value), precision);
            case 'e' -> NumberTexts.scientific(number(verb, value), precision);
            case 'b' ->
                value instanceof Boolean b
                        ? (b ? "1" : "0")
                        : integer(verb, value).toString(2);
            case 'o' -> integer(verb, value).toString(8);
            case 'x' -> hex(verb, value);
            case 'X' -> hex(verb, value).toUpperCase(Locale.ROOT);
            default -> decimal(verb, value);
        };
    }

    private static String decimal(char verb, Object value) {
        return integer(verb, value).toString();
    }

    private static double number(char verb, Object value) {
        if (value instanceof Double number) {
            return number;
        }
        if (value instanceof String text && NOT_FINITE.containsKey(text)) {
            return NOT_FINITE.get(text);
        }
        throw FormatClauses.unwritable(verb, TypeNames.of(value));
    }

    private static BigInteger integer(char verb, Object value) {
        if (value instanceof Long || value instanceof UnsignedLong) {
            return new BigInteger(value.toString());
        }
        throw FormatClauses.unwritable(verb, TypeNames.of(value));
    }

    private static String hex(char verb, Object value) {
        if (value instanceof String text) {
            return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
        }
        return value instanceof CelByteString bytes
                ? HexFormat.of().formatHex(bytes.toByteArray())
                : integer(verb, value).toString(16);
    }

    private static String shown(Object value) {
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof CelByteString bytes) {
            return bytes.toStringUtf8();
        }
        if (value instanceof Double number) {
            return NumberTexts.shortest(number);
        }
        return value instanceof Instant || value instanceof Duration ? time(value) : within(value);
    }

    private static String time(Object value) {
        return value instanceof Duration duration
                ? BigDecimal.valueOf(duration.getSeconds())
                                .add(BigDecimal.valueOf(duration.getNano(), NANO_DIGITS))
                                .stripTrailingZeros()
                                .toPlainString()
                        + "s"
                : value.toString().replaceFirst("(\\.\\d*?)0+Z$", "$1Z");
    }

    /** A value that stands in a list or a map, where texts are told apart from what they may look like. */
    private static String within(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(StringFormat::within).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, String> sorted = new TreeMap<>();
            map.forEach((k, v) -> sorted.put(within(k), within(v)));
            return sorted.entrySet().stream()
                    .map(e -> e.getKey() + ":" + e.getValue())
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        return switch (TypeNames.of(value)) {
            case "string" -> quoted((String) value);
            case "bytes" -> "b" + quoted(((CelByteString) value).toStringUtf8());
            case "null_type" -> "null";
            case "double" -> Double.isFinite((Double) value) ? NumberTexts.fixed((Double) value, 6) : value.toString();
            case TypeNames.TIMESTAMP -> "timestamp(\"" + time(value) + "\")";
            case TypeNames.DURATION -> "duration(\"" + time(value) + "\")";
            default -> other(value);
        };
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static String other(Object value) {
        if (UNSHOWN.contains(TypeNames.of(value))) {
            throw FormatClauses.unwritable('s', TypeNames.of(value));
        }
        return value instanceof TypeType type ? type.containingTypeName() : value.toString();
    }
}
