package io.policyscheduler.framework.devices.cel.function;

import java.util.Set;

/** A text with clauses such as {@code %.2f}, gone through from left to right. Mirrors {@code parseFormatString} of cel-go. */
public final class FormatClauses {
    private static final int DEFAULT_PRECISION = 6;
    private static final Set<Character> VERBS = Set.of('s', 'd', 'f', 'e', 'b', 'o', 'x', 'X');

    /** What becomes of a text. */
    public interface Reader {
        /** Characters that stand for themselves. */
        void text(char c);

        /** @throws FunctionFailure when the value of this number cannot be written so */
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
     * Goes through a text.
     *
     * @param values how many there are
     * @throws FunctionFailure when it has a clause that there is none of, or too few or too many
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
                throw new FunctionFailure("unexpected end of string");
            } else if (text.charAt(at) == '%') {
                at++;
                reader.text('%');
            } else {
                clause(reader);
            }
        }
        if (next < values) {
            throw new FunctionFailure(
                    "too many arguments supplied to string.format (expected " + next + ", got " + values + ")");
        }
    }

    private void clause(Reader reader) {
        if (next == values) {
            throw new FunctionFailure("index " + next + " out of range");
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
            throw unparsable("error while parsing precision: error while converting precision to integer: strconv.Atoi:"
                    + " parsing \"" + digits + "\": " + (digits.isEmpty() ? "invalid syntax" : "value out of range"));
        }
    }

    private static FunctionFailure unparsable(String why) {
        return new FunctionFailure("could not parse formatting clause: " + why);
    }

    /** Why a value cannot be written so. */
    public static FunctionFailure unwritable(char verb, String type) {
        return new FunctionFailure("error during formatting: "
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
