package io.policyscheduler.framework.devices.cel;

import com.google.common.base.Throwables;
import dev.cel.common.CelErrorCode;
import dev.cel.runtime.CelEvaluationException;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What cel-go says where the library of this JVM fails. */
final class EvaluationTexts {
    private static final Pattern PLACE = Pattern.compile("evaluation error(?: at [^:]*:-?\\d+)?: ");
    private static final Pattern MISSING_KEY = Pattern.compile("key '(.*)' is not present in map\\.", Pattern.DOTALL);
    private static final Pattern NO_FIELD = Pattern.compile("Error resolving field '(.*)'\\. .*", Pattern.DOTALL);
    private static final Pattern LAST_NUMBER = Pattern.compile(".*?(-?\\d+)\\D*", Pattern.DOTALL);

    private EvaluationTexts() {}

    static String of(CelEvaluationException failure) {
        for (Throwable cause : Throwables.getCausalChain(failure)) {
            if (cause instanceof FunctionFailure) {
                return String.valueOf(cause.getMessage());
            }
        }
        if (Throwables.getRootCause(failure) instanceof NoSuchElementException) {
            return "optional.none() dereference";
        }
        String message = PLACE.matcher(String.valueOf(failure.getMessage())).replaceFirst("");
        return of(failure.getErrorCode(), message);
    }

    private static String of(CelErrorCode code, String message) {
        return switch (code) {
            case ATTRIBUTE_NOT_FOUND -> "no such key: " + missing(message);
            case OVERLOAD_NOT_FOUND -> "no such overload";
            case INVALID_ARGUMENT -> message.startsWith("expected boolean value") ? "no such overload" : message;
            case DIVIDE_BY_ZERO ->
                message.contains("modul") || message.contains("%") ? "modulus by zero" : "division by zero";
            case INDEX_OUT_OF_BOUNDS -> outOfBounds(message);
            case NUMERIC_OVERFLOW ->
                message.toLowerCase(Locale.ROOT).contains("unsigned") || message.contains("uint")
                        ? "unsigned integer overflow"
                        : "integer overflow";
            case ITERATION_BUDGET_EXCEEDED -> CostMeter.EXCEEDED;
            default -> message;
        };
    }

    private static String missing(String message) {
        Matcher key = MISSING_KEY.matcher(message);
        if (key.matches()) {
            return key.group(1);
        }
        Matcher field = NO_FIELD.matcher(message);
        return field.matches() ? field.group(1) : message;
    }

    private static String outOfBounds(String message) {
        Matcher number = LAST_NUMBER.matcher(message);
        String index = number.matches() ? number.group(1) : message;
        return (message.startsWith("Index out of bounds") ? "index out of bounds: " : "index out of range: ") + index;
    }
}
