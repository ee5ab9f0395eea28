package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.UnsignedLong;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeType;
import dev.cel.common.values.CelByteString;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.TypeNames;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The string functions {@code charAt}, {@code substring}, {@code indexOf}, {@code lastIndexOf}, {@code find}, {@code
 * findAll}, and {@code format}. Indexes count code points. Mirrors {@code ext/strings.go} of cel-go.
 */
public final class StringFunctions {
    private static final List<CelType> TWO = List.of(SimpleType.STRING, SimpleType.STRING);
    private static final List<CelType> FROM = List.of(SimpleType.STRING, SimpleType.STRING, SimpleType.INT);

    private StringFunctions() {}

    /** Returns the functions. */
    public static FunctionLibrary functions() {
        return new FunctionLibrary()
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

    /** An empty substring is found at {@code from}. */
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

    /** @param from the last possible index; nothing is found from an index after the end */
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
            throw new FunctionException("index out of range: " + index);
        }
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /** The character after the last one is empty. */
    private static String charAt(String text, long index) {
        return index == length(text) ? "" : substring(text, index, index + 1);
    }

    private static String part(String text, long start, long end) {
        if (start > end) {
            throw new FunctionException("invalid substring range. start: " + start + ", end: " + end);
        }
        return substring(text, start, end);
    }

    private static String substring(String text, long start, long end) {
        int length = length(text);
        for (long index : new long[] {start, end}) {
            if (index < 0 || index > length) {
                throw new FunctionException("index out of range: " + index);
            }
        }
        return text.substring(text.offsetByCodePoints(0, (int) start), text.offsetByCodePoints(0, (int) end));
    }

    /** The functions {@code find} and {@code findAll}. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/regex.go}. */
    public static final class RegexFunctions {
        private RegexFunctions() {}

        /** Returns the functions. */
        public static FunctionLibrary functions() {
            ListType strings = ListType.create(SimpleType.STRING);
            return new FunctionLibrary()
                    .member(
                            "find",
                            SimpleType.STRING,
                            List.of(SimpleType.STRING, SimpleType.STRING),
                            a -> find((String) a[0], (String) a[1]))
                    .member(
                            "findAll",
                            strings,
                            List.of(SimpleType.STRING, SimpleType.STRING),
                            a -> findAll((String) a[0], (String) a[1], -1))
                    .member(
                            "findAll",
                            strings,
                            List.of(SimpleType.STRING, SimpleType.STRING, SimpleType.INT),
                            a -> findAll((String) a[0], (String) a[1], (Long) a[2]));
        }

        private static Pattern compile(String regex) {
            try {
                return Pattern.compile(regex);
            } catch (PatternSyntaxException e) {
                throw new FunctionException("Illegal regex: " + e.getMessage());
            }
        }

        private static String find(String text, String regex) {
            Matcher matcher = compile(regex).matcher(text);
            return matcher.find() ? matcher.group() : "";
        }

        /** @param limit maximum number of matches; negative for all */
        private static ImmutableList<String> findAll(String text, String regex, long limit) {
            ImmutableList.Builder<String> found = ImmutableList.builder();
            Matcher matcher = compile(regex).matcher(text);
            for (long n = 0; n != limit && matcher.find(); n++) {
                found.add(matcher.group());
            }
            return found.build();
        }
    }

    /** The function {@code format}. Mirrors {@code ext/formatting_v2.go} of cel-go. */
    public static final class StringFormat {
        private static final Map<String, Double> NOT_FINITE =
                Map.of("NaN", Double.NaN, "Infinity", Double.POSITIVE_INFINITY, "-Infinity", Double.NEGATIVE_INFINITY);
        /** Types that {@code %s} does not accept. */
        private static final Set<String> UNSHOWN = Set.of(
                KubernetesTypes.SEMVER.name(),
                KubernetesTypes.QUANTITY.name(),
                KubernetesTypes.URL.name(),
                KubernetesTypes.IP.name(),
                KubernetesTypes.CIDR.name(),
                KubernetesTypes.FORMAT.name());

        private static final int NANO_DIGITS = 9;

        private StringFormat() {}

        /** Returns the functions. */
        public static FunctionLibrary functions() {
            return new FunctionLibrary()
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
                case 's' -> format(value);
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

        private static String format(Object value) {
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

        /** Formats an element of a list or map, where strings are quoted. */
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
                case "double" ->
                    Double.isFinite((Double) value) ? NumberTexts.fixed((Double) value, 6) : value.toString();
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

    /** A parser of format strings with clauses such as {@code %.2f}. Mirrors {@code parseFormatString} of cel-go. */
    public static final class FormatClauses {
        private static final int DEFAULT_PRECISION = 6;
        private static final Set<Character> VERBS = Set.of('s', 'd', 'f', 'e', 'b', 'o', 'x', 'X');

        /** Receives the parts of a format string. */
        public interface Reader {
            /** Receives a literal character. */
            void text(char c);

            /** @throws FunctionException if the clause does not accept the value with this index */
            void clause(char verb, int precision, int value);
        }

        private final String text;
        private final int values;
        private int at;
        private int next;

        private FormatClauses(String text, int values) {
            this.text = text;
            this.values = values;
        }

        /**
         * Parses a format string.
         *
         * @param values number of arguments
         * @throws FunctionException if a clause is invalid, or the number of clauses differs from that of the arguments
         */
        public static void read(String text, int values, Reader reader) {
            new FormatClauses(text, values).read(reader);
        }

        private void read(Reader reader) {
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c != '%') {
                    reader.text(c);
                } else if (at == text.length()) {
                    throw new FunctionException("unexpected end of string");
                } else if (text.charAt(at) == '%') {
                    at++;
                    reader.text('%');
                } else {
                    clause(reader);
                }
            }
            if (next < values) {
                throw new FunctionException(
                        "too many arguments supplied to string.format (expected " + next + ", got " + values + ")");
            }
        }

        private void clause(Reader reader) {
            if (next == values) {
                throw new FunctionException("index " + next + " out of range");
            }
            int precision = precision();
            char verb = text.charAt(at++);
            if (!VERBS.contains(verb)) {
                throw unparsable("unrecognized formatting clause \"" + verb + "\"");
            }
            reader.clause(verb, precision, next++);
        }

        private int precision() {
            if (text.charAt(at) != '.') {
                return DEFAULT_PRECISION;
            }
            int start = ++at;
            while (at < text.length() && Character.isDigit(text.charAt(at))) {
                at++;
            }
            if (at == text.length()) {
                throw unparsable("error while parsing precision: could not find end of precision specifier");
            }
            String digits = text.substring(start, at);
            try {
                return Integer.parseInt(digits);
            } catch (NumberFormatException e) {
                throw unparsable(
                        "error while parsing precision: error while converting precision to integer: strconv.Atoi:"
                                + " parsing \"" + digits + "\": "
                                + (digits.isEmpty() ? "invalid syntax" : "value out of range"));
            }
        }

        private static FunctionException unparsable(String why) {
            return new FunctionException("could not parse formatting clause: " + why);
        }

        /** Returns the error for a value that the verb does not accept. */
        public static FunctionException unwritable(char verb, String type) {
            return new FunctionException("error during formatting: "
                    + switch (verb) {
                        case 's' ->
                            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and"
                                    + " timestamps";
                        case 'd' -> "decimal clause can only be used on integers";
                        case 'f' -> "fixed-point clause can only be used on doubles";
                        case 'e' -> "scientific clause can only be used on doubles";
                        case 'b' -> "only integers and bools can be formatted as binary";
                        case 'o' -> "octal clause can only be used on integers";
                        default -> "only integers, byte buffers, and strings can be formatted as hex";
                    }
                    + ", was given " + type);
        }
    }

    /** Formats numbers. Mirrors {@code ext/formatting_v2.go} of cel-go, and Go's {@code strconv} for the shortest form. */
    static final class NumberTexts {
        private static final int FIRST_WITH_EXPONENT = 6;
        private static final int LAST_WITH_EXPONENT = -5;
        private static final String SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

        private NumberTexts() {}

        /** Formats with a fixed number of decimals and grouped thousands. */
        static String fixed(double number, int precision) {
            if (!Double.isFinite(number)) {
                return notFinite(number);
            }
            DecimalFormat format = new DecimalFormat("#,##0", DecimalFormatSymbols.getInstance(Locale.ROOT));
            format.setMinimumFractionDigits(precision);
            format.setMaximumFractionDigits(precision);
            format.setRoundingMode(RoundingMode.HALF_EVEN);
            return format.format(new BigDecimal(number));
        }

        /** Formats in scientific notation. */
        static String scientific(double number, int precision) {
            if (!Double.isFinite(number)) {
                return notFinite(number);
            }
            String plain = String.format(Locale.ROOT, "%." + precision + "e", number);
            int exponent = plain.indexOf('e');
            StringBuilder text = new StringBuilder(plain.substring(0, exponent)).append("×10");
            if (plain.charAt(exponent + 1) == '-') {
                text.append('⁻');
            }
            plain.substring(exponent + 2).chars().forEach(digit -> text.append(SUPERSCRIPTS.charAt(digit - '0')));
            return text.toString();
        }

        private static String notFinite(double number) {
            return Double.isNaN(number) ? "NaN" : number > 0 ? "∞" : "-∞";
        }

        /** Formats with the fewest digits that identify the number. */
        static String shortest(double number) {
            if (!Double.isFinite(number)) {
                return Double.isNaN(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf";
            }
            if (number == 0) {
                return 1 / number < 0 ? "-0" : "0";
            }
            BigDecimal exact = new BigDecimal(Double.toString(number)).stripTrailingZeros();
            String digits = exact.unscaledValue().abs().toString();
            int exponent = digits.length() - exact.scale() - 1;
            if (exponent > LAST_WITH_EXPONENT && exponent < FIRST_WITH_EXPONENT) {
                return exact.toPlainString();
            }
            String rest = digits.length() == 1 ? "" : "." + digits.substring(1);
            return (number < 0 ? "-" : "") + digits.charAt(0) + rest + "e" + (exponent < 0 ? "-" : "+")
                    + String.format(Locale.ROOT, "%02d", Math.abs(exponent));
        }
    }
}
