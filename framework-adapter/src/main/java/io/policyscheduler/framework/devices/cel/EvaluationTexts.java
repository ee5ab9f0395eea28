package io.policyscheduler.framework.devices.cel;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelErrorCode;
import dev.cel.runtime.CelEvaluationException;
import io.policyscheduler.framework.devices.cel.function.CostMeter;
import io.policyscheduler.framework.devices.cel.function.FunctionFailure;
import io.policyscheduler.framework.devices.cel.function.TypeNames;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What cel-go says where the library of this JVM fails. */
final class EvaluationTexts {
    private static final Pattern PLACE = Pattern.compile("evaluation error(?: at [^:]*:-?\\d+)?: ");
    private static final Pattern MISSING_KEY = Pattern.compile("key '(.*)' is not present in map\\.", Pattern.DOTALL);
    private static final Pattern NO_FIELD = Pattern.compile("Error resolving field '(.*)'\\. .*", Pattern.DOTALL);
    private static final Pattern LAST_NUMBER = Pattern.compile(".*?(-?\\d+)\\D*", Pattern.DOTALL);

    private static final String NO_OVERLOAD = "no such overload";
    /** Functions from texts, to the type that they give. */
    private static final Map<String, String> CONVERSIONS = Map.of(
            "int", "int",
            "uint", "uint",
            "double", "double",
            "bool", "bool",
            "timestamp", TypeNames.TIMESTAMP,
            "duration", TypeNames.DURATION);
    /** Types that answer to any operator, if only that they have no such overload. */
    private static final Set<String> ANSWERING = Set.of("string", TypeNames.TIMESTAMP, TypeNames.DURATION);

    private static final Set<String> NUMBERS = and(ANSWERING, "int", "uint", "double");
    private static final Set<String> COMPARED = and(NUMBERS, "bool", "bytes");
    /** Operators, and the types of a first operand that knows the operator itself. */
    private static final Map<String, Set<String>> OPERATORS = ImmutableMap.<String, Set<String>>builder()
            .put("_<_", COMPARED)
            .put("_<=_", COMPARED)
            .put("_>_", COMPARED)
            .put("_>=_", COMPARED)
            .put("_+_", and(NUMBERS, "bytes", "list"))
            .put("_-_", NUMBERS)
            .put("_*_", NUMBERS)
            .put("_/_", NUMBERS)
            .put("_%_", and(ANSWERING, "int", "uint"))
            .put("-_", and(NUMBERS, "bool"))
            .buildOrThrow();
    /** Those of which it is not said what was asked for. */
    private static final Set<String> UNNAMED =
            Set.of("!_", "@in", "in", "startsWith", "endsWith", "contains", "matches");

    private EvaluationTexts() {}

    private static Set<String> and(Set<String> types, String... more) {
        return ImmutableSet.<String>builder().addAll(types).add(more).build();
    }

    /**
     * The text of a failure.
     *
     * @param call at which the evaluation ended, if that is known
     */
    static String of(CelEvaluationException failure, Optional<CallTrace.Failed> call) {
        String plain = of(failure);
        if (call.isEmpty() || Throwables.getRootCause(failure) instanceof FunctionFailure) {
            return plain;
        }
        List<Object> args = call.get().args();
        String function = call.get().function();
        if (failure.getErrorCode() == CelErrorCode.OVERLOAD_NOT_FOUND) {
            return plain.equals(NO_OVERLOAD) ? unfit(function, args) : plain;
        }
        if (failure.getErrorCode() == CelErrorCode.DIVIDE_BY_ZERO) {
            return function.equals("_%_") ? "modulus by zero" : "division by zero";
        }
        String wanted = CONVERSIONS.get(function);
        return wanted != null && args.get(0) instanceof String
                ? "type conversion error from 'string' to '" + wanted + "'"
                : plain;
    }

    /** What is said of a function that there is none of for these arguments. */
    private static String unfit(String function, List<Object> args) {
        Object first = args.get(0);
        if (function.equals("_[_]")) {
            return first instanceof List
                    ? "unsupported index type '" + TypeNames.of(args.get(1)) + "' in list"
                    : "no such key: " + args.get(1);
        }
        Set<String> having = OPERATORS.get(function);
        if (having != null) {
            return having.contains(TypeNames.of(first)) ? NO_OVERLOAD : NO_OVERLOAD + ": " + function;
        }
        if (UNNAMED.contains(function)) {
            return NO_OVERLOAD;
        }
        return function.equals("size")
                ? NO_OVERLOAD + ": size"
                : args.stream()
                        .map(TypeNames::of)
                        .collect(Collectors.joining(", ", NO_OVERLOAD + ": " + function + "(", ")"));
    }

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
            case OVERLOAD_NOT_FOUND -> NO_OVERLOAD;
            case INVALID_ARGUMENT -> message.startsWith("expected boolean value") ? NO_OVERLOAD : message;
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
