package io.policyscheduler.framework.insight.migrate.yaml;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A single value.
 *
 * @param value a String, an Integer, a Long or a Boolean
 */
record YamlScalar(Object value) implements YamlNode {
    /** What no reader of YAML, 1.1 or 1.2, takes for anything but text. */
    private static final Pattern PLAIN =
            Pattern.compile("[A-Za-z/][A-Za-z0-9._/-]*(://[A-Za-z0-9._/:-]*[A-Za-z0-9._/-])?");

    /** Numbers with a unit are text as well. */
    private static final Pattern DURATION = Pattern.compile("[0-9]{1,9}(ms|s|m|h)");

    private static final Set<String> WORDS = Set.of("true", "false", "yes", "no", "on", "off", "null", "y", "n");

    /** The value as it stands in a document, quoted where that is needed. */
    String text() {
        if (!(value instanceof String string)) {
            return String.valueOf(value);
        }
        boolean plain = PLAIN.matcher(string).matches() && !WORDS.contains(string.toLowerCase(Locale.ROOT));
        return plain || DURATION.matcher(string).matches() ? string : quoted(string);
    }

    private static String quoted(String string) {
        StringBuilder text = new StringBuilder("\"");
        string.codePoints().forEach(character -> {
            switch (character) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\t' -> text.append("\\t");
                default -> {
                    if (character >= ' ' && character < 0x7f) {
                        text.appendCodePoint(character);
                    } else if (character > 0xffff) {
                        text.append(String.format("\\U%08x", character));
                    } else {
                        text.append(String.format("\\u%04x", character));
                    }
                }
            }
        });
        return text.append('"').toString();
    }
}
