package io.policyscheduler.framework.config.setting;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.Shape;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Values as flags and variables write them. Mirrors {@code github.com/spf13/pflag} for the words of booleans and for lists.
 */
final class SettingText {
    private static final Set<String> TRUE_WORDS = Set.of("1", "t", "true");
    private static final Set<String> FALSE_WORDS = Set.of("0", "f", "false");

    private SettingText() {}

    /** What stands for a value of a type. */
    static String label(Shape shape) {
        return switch (shape.kind()) {
            case BOOL -> "BOOL";
            case INT32, INT64, FLOAT -> "N";
            case DURATION -> "DURATION";
            case LIST -> "TEXT,...";
            default -> "TEXT";
        };
    }

    /** Fails when a row has a flag whose values cannot be read, or defaults that are no values. */
    static void requireFlag(Setting setting) {
        Shape shape = setting.shape();
        boolean texts = shape.kind() == Shape.Kind.LIST && shape.elementShape().kind() == Shape.Kind.STRING;
        boolean scalar = switch (shape.kind()) {
            case STRING, BOOL, INT32, INT64, FLOAT, DURATION -> true;
            default -> false;
        };
        if (!texts && !scalar) {
            throw new IllegalStateException(setting.flag() + ": no flag can have values of the type " + shape.goType());
        }
        for (Compat compat : Compat.values()) {
            String value = setting.flagDefault(compat);
            try {
                if (!value.isEmpty()) {
                    parse(setting, value);
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalStateException(
                        setting.flag() + ": its default is no value of it: " + e.getMessage(), e);
            }
        }
    }

    /**
     * The value of a text: a Boolean, Integer, Long, Double, Duration, String or List of String.
     *
     * @throws IllegalArgumentException when it is none; the message is for users and follows the name of the flag
     */
    static Object parse(Setting setting, String text) {
        return switch (setting.shape().kind()) {
            case BOOL -> setting.requireFlag().choices().contains(text) || bool(text);
            case INT32 -> required(Ints.tryParse(plain(text)), text, "an int");
            case INT64 -> required(Longs.tryParse(plain(text)), text, "an int");
            case FLOAT -> number(text);
            case DURATION -> duration(text);
            case LIST ->
                ImmutableList.copyOf(Splitter.on(',').omitEmptyStrings().split(text));
            default -> setting.isList() ? ImmutableList.of(text) : word(setting, text);
        };
    }

    private static String plain(String number) {
        return number.startsWith("+") ? number.substring(1) : number;
    }

    private static <T> T required(@Nullable T value, String text, String type) {
        if (value == null) {
            throw new IllegalArgumentException("'" + text + "' is not " + type);
        }
        return value;
    }

    private static boolean bool(String text) {
        String word = text.toLowerCase(Locale.ROOT);
        if (!TRUE_WORDS.contains(word) && !FALSE_WORDS.contains(word)) {
            throw new IllegalArgumentException("'" + text + "' is not a boolean");
        }
        return TRUE_WORDS.contains(word);
    }

    private static double number(String text) {
        try {
            double value = Double.parseDouble(text);
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Told below, in the words of this program.
        }
        throw new IllegalArgumentException("'" + text + "' is not a number");
    }

    private static Duration duration(String text) {
        try {
            Duration duration = GoDuration.parse(text);
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (DateTimeException e) {
            // Told below, in the words of this program.
        }
        throw new IllegalArgumentException("'" + text + "' is not a duration (such as 15s, 1m30s or 500ms)");
    }

    private static String word(Setting setting, String text) {
        List<String> choices = setting.requireFlag().choices();
        if (choices.isEmpty()) {
            return text;
        }
        String wanted = text.replace('_', '-');
        return choices.stream()
                .filter(choice -> choice.equalsIgnoreCase(wanted))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("expected one of "
                        + choices.stream().collect(Collectors.joining(", ", "[", "]"))
                        + " (case-insensitive) but was '" + text + "'"));
    }

    /** A value as a flag has it. */
    static String format(Object value) {
        if (value instanceof Duration duration) {
            return GoDuration.format(duration);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        boolean whole = value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15;
        return whole ? String.valueOf(((Double) value).longValue()) : String.valueOf(value);
    }
}
